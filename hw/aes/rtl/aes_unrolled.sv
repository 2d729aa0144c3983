// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// AES with all rounds between two registers: a block enters the input register in one
// cycle and its result the output register in the next, at a block a cycle. All rounds
// are one long combinational path, so the clock is slow. Interface as aes_core,
// without tags, with the differences below.
//
// The key expansion writes one round key a cycle, each to a register of its own: 11, 13
// or 15 cycles for 128, 192 and 256 bits. Meanwhile, and in the cycle of a key
// handshake, no block is accepted: block_ready_o depends on key_valid_i. A key
// waits until the input register is empty.
//
// Round key r is in slot r + skip, where skip is the number of rounds that the largest
// key size has more. Encryption skips the first rounds of the path, decryption the
// last ones; so round i uses slot i to encrypt and slot Rounds - i to decrypt,
// for every key size.
module aes_unrolled
  import aes_pkg::*;
  import aes_functions_pkg::*;
#(
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned KeySizes = KeySizesAll
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  key_size_e    key_size_i,
  input  logic [255:0] key_i,

  input  logic         block_valid_i,
  output logic         block_ready_o,
  input  direction_e   block_direction_i,
  input  logic [127:0] block_i,

  output logic         block_valid_o,
  input  logic         block_ready_i,
  output logic [127:0] block_o,

  input  logic         zeroise_i,
  output logic         busy_o
);

  if (SBox > SBoxDecoder) begin : gen_bad_sbox
    $error("aes_unrolled: SBox must be 0 (table), 1 (composite) or 2 (decoder)");
  end
  if (Directions < DirectionsEncrypt || Directions > DirectionsBoth) begin : gen_bad_directions
    $error("aes_unrolled: Directions must be 1 (encrypt), 2 (decrypt) or 3 (both)");
  end
  if (KeySizes < KeySizes128 || KeySizes > KeySizesAll) begin : gen_bad_key_sizes
    $error("aes_unrolled: KeySizes must be a sum of 1 (128), 2 (192) and 4 (256 bits)");
  end

  localparam int unsigned Rounds = aes_pipelined_pkg::pipeline_rounds(KeySizes);
  localparam logic [3:0] LastRound = 4'(Rounds);

  // Zeroisation: every register with key or data clears in one cycle.
  logic clear, unused_sweep_address;

  aes_sweep #(
    .Entries(2)
  ) u_sweep (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .zeroise_i(zeroise_i),
    .clear_o  (clear),
    .busy_o   (busy_o),
    .address_o(unused_sweep_address)
  );

  // Keys.
  logic         key_load, key_loaded_q;
  logic         expanding, unused_expansion_last;
  logic [3:0]   expansion_index, skip;
  logic [127:0] expanded_key;
  key_size_e    key_size;

  logic       input_valid_q, input_move, block_load;
  direction_e input_direction_q;

  assign key_ready_o = !clear && KeySizes[5'(key_size_i)] && !expanding && !input_valid_q;
  assign key_load = key_valid_i && key_ready_o;

  aes_key_expander #(
    .SBox    (SBox),
    .KeySizes(KeySizes)
  ) u_key_expander (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .clear_i    (clear),
    .load_i     (key_load),
    .key_size_i (key_size_i),
    .key_i      (key_i),
    .key_size_o (key_size),
    .write_o    (expanding),
    .last_o     (unused_expansion_last),
    .index_o    (expansion_index),
    .round_key_o(expanded_key)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_loaded_q <= 1'b0;
    end else begin
      if (clear) key_loaded_q <= 1'b0;
      else if (key_load) key_loaded_q <= 1'b1;
    end
  end

  assign skip = LastRound - rounds(key_size);

  logic [Rounds:0][127:0] slots_q;
  for (genvar n = 0; n <= Rounds; n++) begin : gen_slot
    always_ff @(posedge clk_i) begin
      if (clear) slots_q[n] <= '0;
      else if (expanding && expansion_index + skip == 4'(n)) slots_q[n] <= expanded_key;
    end
  end

  // Input register.
  direction_e direction;
  if (Directions == DirectionsBoth) begin : gen_both_directions
    assign direction = input_direction_q;
  end else begin : gen_one_direction
    logic unused_direction;
    assign unused_direction = input_direction_q;
    assign direction = (Directions == DirectionsDecrypt) ? DirectionDecrypt : DirectionEncrypt;
  end

  logic [127:0] input_q;

  assign input_move = input_valid_q && (!block_valid_o || block_ready_i);
  assign block_ready_o = !clear && Directions[5'(block_direction_i)] && key_loaded_q &&
      !expanding && !key_valid_i && (!input_valid_q || input_move);
  assign block_load = block_valid_i && block_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      input_valid_q <= 1'b0;
    end else begin
      if (clear) input_valid_q <= 1'b0;
      else if (block_load) input_valid_q <= 1'b1;
      else if (input_move) input_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear || (input_move && !block_load)) begin
      input_q           <= '0;
      input_direction_q <= DirectionEncrypt;
    end else if (block_load) begin
      input_q           <= block_i;
      input_direction_q <= block_direction_i;
    end
  end

  // Rounds.
  logic         decrypt;
  logic [3:0]   last_decrypted;
  logic [127:0] start;

  assign decrypt = (direction == DirectionDecrypt);
  assign last_decrypted = rounds(key_size);
  assign start = input_q ^ slots_q[decrypt ? LastRound : skip];

  for (genvar n = 1; n <= Rounds; n++) begin : gen_round
    logic         pass, last;
    logic [127:0] from, next, result, to;

    if (n == 1) begin : gen_first
      assign from = start;
    end else begin : gen_later
      assign from = gen_round[n-1].to;
    end

    assign pass = decrypt ? last_decrypted < 4'(n) : skip >= 4'(n);
    assign last = decrypt ? last_decrypted == 4'(n) : n == Rounds;

    aes_iterative_round #(
      .SBox      (SBox),
      .Directions(Directions)
    ) u_round (
      .direction_i(direction),
      .last_i     (last),
      .state_i    (from),
      .round_key_i(decrypt ? slots_q[Rounds-n] : slots_q[n]),
      .state_o    (next),
      .result_o   (result)
    );

    assign to = pass ? from : last ? result : next;
  end

  // Output register, zero while it is empty.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      block_valid_o <= 1'b0;
    end else begin
      if (clear) block_valid_o <= 1'b0;
      else if (input_move) block_valid_o <= 1'b1;
      else if (block_ready_i) block_valid_o <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear || (block_valid_o && block_ready_i && !input_move)) block_o <= '0;
    else if (input_move) block_o <= gen_round[Rounds].to;
  end

endmodule
