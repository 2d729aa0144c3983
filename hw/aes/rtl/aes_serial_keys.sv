// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The keys of the serial core: one word a cycle of the key schedule (FIPS 197,
// section 5.2), stored (KeyStorage = 1) or computed in each pass (0).
//
// The core goes through the words in passes: a set-up pass after each key, which
// computes every word, and a pass for each block. To encrypt, a pass goes up; to
// decrypt, it takes the rounds in descending order and the four words of each in
// ascending order. index_i is the number of the current word; key_word_o is that word,
// and step_i moves on to the next one. Before some words stall_o is high for one cycle:
// the core must then return SubWord of sub_data_o in sub_data_i.
//
// With n words in a key, up:   w[i] = w[i-n] + f(w[i-1])
//                        down: w[i] = w[i+n] + f(w[i+n-1])
// The memory gives one word a cycle. previous_q holds the operand of f or its result;
// the operand is the previous word (up) or the previous word from memory (down). Where f
// is not the identity, and at the start of each round going down, it is read in a stall.
// Going down with n = 4, w[i+3] belongs to the round that has just begun; the stall
// computes it as w[i+6] + w[i+7], where previous_q holds w[i+7] from the end of the
// round before.
//
// Stored, word i is at address i, and the passes of blocks only read. Computed in each
// pass, the memory holds the first n words, the last n, and n words that are overwritten
// in turn. For 256-bit keys it also holds the words 8 and 48, the first ones for which a
// pass would have to stall: a pass then takes 72 cycles instead of 73.
module aes_serial_keys
  import aes_pkg::*;
  import aes_functions_pkg::*;
#(
  parameter int unsigned KeyStorage = 1,
  localparam int unsigned AddressWidth = (KeyStorage != 0) ? 6 : 5
) (
  input  logic                    clk_i,

  // The key to be set up; it stays in its register until the next one.
  input  logic                    load_i,
  input  logic [255:0]            key_i,
  // The size of the key of this pass.
  input  key_size_e               key_size_i,

  input  logic                    active_i,
  input  logic                    step_i,
  input  logic                    setup_i,
  input  logic                    first_i,
  input  direction_e              direction_i,
  input  logic [5:0]              index_i,
  output logic                    stall_o,
  output logic [31:0]             key_word_o,

  output logic [31:0]             sub_data_o,
  input  logic [31:0]             sub_data_i,

  // Zeroisation: clear_i clears the registers; zeros are written to the address.
  input  logic                    clear_i,
  input  logic                    sweep_i,
  input  logic [AddressWidth-1:0] sweep_address_i
);

  logic [7:0][31:0] key_q;
  logic [31:0]      previous_q, read_word, key_word, transformed;
  logic [7:0]       constant_q;
  logic             stalled_q;

  // The memory of words.
  logic [31:0]             words[2**AddressWidth];
  logic                    write;
  logic [AddressWidth-1:0] write_address, read_address;
  logic [31:0]             write_data;

  key_size_e  key_size;
  logic       decrypt, is_192, is_256;
  logic [3:0] n;
  assign key_size = key_size_i;
  // Stored words are computed upwards only.
  assign decrypt = (KeyStorage == 0) && (direction_i == DirectionDecrypt);
  assign is_192 = (key_size == KeySize192);
  assign is_256 = (key_size != KeySize128 && key_size != KeySize192);
  assign n = key_words(key_size);

  // The number of a word modulo n.
  function automatic logic [2:0] place(input logic [5:0] word, input key_size_e size);
    unique case (size)
      KeySize128: return {1'b0, word[1:0]};
      KeySize192: return 3'(word % 6'd6);
      default: return word[2:0];
    endcase
  endfunction

  // The special case of a 128-bit key going down.
  logic down_4;
  assign down_4 = decrypt && key_size == KeySize128;

  // This word was in memory before the pass.
  logic known;

  // f contains SubWord (substitute), and also RotWord and the round constant (rotate).
  logic substitute, rotate;
  assign rotate = (place(index_i, key_size) == 3'd0);
  assign substitute = rotate || (is_256 && index_i[1:0] == 2'd0);

  assign stall_o = active_i && !known && !stalled_q &&
      (substitute || (decrypt && index_i[1:0] == 2'd0));

  // The number of the word to read, and the addresses of words.
  logic [5:0] read_index;
  always_comb begin
    read_index = index_i;
    if (!known) begin
      read_index = decrypt ? index_i + 6'(n) : index_i - 6'(n);
      if (stall_o && !decrypt) read_index = index_i - 6'd1;
      if (stall_o && decrypt) read_index = index_i + (down_4 ? 6'd6 : 6'(n) - 6'd1);
    end
  end

  if (KeyStorage != 0) begin : gen_stored
    assign known = !setup_i || index_i < 6'(n);
    assign read_address = read_index;
    assign write_address = sweep_i ? sweep_address_i : index_i;
  end else begin : gen_on_the_fly
    // The number of the first of the last n words, and whether this is the extra word
    // for this direction, 8 up or 48 down.
    logic [5:0] last_words;
    logic       kept;
    assign last_words = {rounds(key_size), 2'd0} + 6'd4 - 6'(n);
    assign kept = is_256 && index_i == (decrypt ? 6'd48 : 6'd8);
    assign known = (decrypt ? index_i >= last_words : index_i < 6'(n)) || (kept && !setup_i);

    function automatic logic [4:0] locate(input logic [5:0] word, input key_size_e size,
                                          input logic [5:0] last);
      if (word < 6'(key_words(size))) return {2'd0, place(word, size)};
      if (word >= last) return {2'd1, place(word, size)};
      if (size != KeySize128 && size != KeySize192 && word == 6'd8) return {2'd3, 3'd0};
      if (size != KeySize128 && size != KeySize192 && word == 6'd48) return {2'd3, 3'd1};
      return {2'd2, place(word, size)};
    endfunction
    assign read_address = locate(read_index, key_size, last_words);
    assign write_address = sweep_i ? sweep_address_i : locate(index_i, key_size, last_words);
  end

  assign read_word = words[read_address];
  assign key_word = read_word ^ (known ? 32'h0 : previous_q);
  assign key_word_o = key_word;

  // The operand of SubWord. Going down with n = 6, it may be needed in the middle of a
  // round: the step before has overwritten it in memory, but previous_q still holds it.
  logic middle;
  assign middle = decrypt && index_i[1:0] != 2'd0;
  assign sub_data_o = (middle ? 32'h0 : read_word) ^ ((middle || down_4) ? previous_q : 32'h0);

  // During a sweep key_q is zero, and key_q is written.
  assign write = (step_i && (setup_i || KeyStorage == 0)) || sweep_i;
  assign write_data = (sweep_i || (setup_i && known)) ? key_q[index_i[2:0]] : key_word;

  always_ff @(posedge clk_i) begin
    if (write) words[write_address] <= write_data;
  end

  // The result of f in a stall. A stall without SubWord only reads memory.
  always_comb begin
    transformed = read_word;
    if (substitute) begin
      transformed = sub_data_i;
      if (rotate) transformed = rotate_word(sub_data_i, 1) ^ {24'h0, constant_q};
    end
  end

  // Going down with 256 bits, word 56, the first of the pass, is needed again with word
  // 57, after the words that were in memory; previous_q holds it until then. With 128
  // bits, the last word of a round is held for the stall that follows.
  logic keep_previous, keep_last;
  assign keep_last = down_4 && index_i[1:0] == 2'd3;
  assign keep_previous = decrypt && known && !first_i && !keep_last;

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      previous_q <= '0;
    end else if (stall_o || (step_i && !keep_previous)) begin
      if (stall_o) previous_q <= transformed;
      else previous_q <= (decrypt && !keep_last) ? read_word : key_word;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) key_q <= '0;
    else if (load_i) key_q <= key_i;
  end

  // The round constant of the next RotWord. With 256 bits a pass skips the constant
  // of the extra word, 8 or 48.
  always_ff @(posedge clk_i) begin
    stalled_q <= stall_o;
    if (step_i && first_i) begin
      constant_q <= (is_256 && !setup_i) ? 8'h02 : 8'h01;
      if (decrypt) constant_q <= is_256 ? 8'h20 : is_192 ? 8'h80 : 8'h36;
    end else if (stall_o && rotate) begin
      constant_q <= decrypt ? previous_round_constant(constant_q)
                            : next_round_constant(constant_q);
    end
  end

endmodule
