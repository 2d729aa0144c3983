// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// AES, one round a clock: a block every 10, 12 or 14 clocks for 128, 192 and
// 256-bit keys, either direction, without a bubble. Interface as in aes_core.
//
// A block is loaded, with its first round key added, in the clock in which the
// block before it leaves through its last round, so that a memory of first keys
// is read beside the memory of round keys. Two banks of round keys: while blocks
// run under one key, the next key is expanded into the other bank, one round key
// a clock. A block to encrypt follows the expansion from two clocks after its
// key; a block to decrypt begins with the last round key and waits for it.
//
// Registers with key or data have no reset but a synchronous clear, which the
// sweep after reset drives.
module aes_iterative
  import aes_pkg::*;
  import aes_functions_pkg::*;
#(
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned KeySizes = KeySizesAll,
  parameter int unsigned TagWidth = 8
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                key_valid_i,
  output logic                key_ready_o,
  input  key_size_e           key_size_i,
  input  logic [255:0]        key_i,

  input  logic                block_valid_i,
  output logic                block_ready_o,
  input  direction_e          block_direction_i,
  input  logic [127:0]        block_i,
  input  logic [TagWidth-1:0] block_tag_i,

  output logic                block_valid_o,
  input  logic                block_ready_i,
  output logic [127:0]        block_o,
  output logic [TagWidth-1:0] block_tag_o,

  input  logic                zeroise_i,
  output logic                busy_o,
  output logic                idle_o
);

  // Zeroisation.
  logic       clear;
  logic [4:0] sweep_address;

  aes_sweep #(
    .Entries(32)
  ) u_sweep (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .zeroise_i(zeroise_i),
    .clear_o  (clear),
    .busy_o   (busy_o),
    .address_o(sweep_address)
  );

  // Keys. newest_bank_q has the key of the last handshake.
  logic         key_load, key_loaded_q, newest_bank_q;
  logic         expanding, expansion_last;
  logic [3:0]   expansion_index;
  logic [127:0] expanded_key;
  key_size_e    newest_key_size;

  // The block in the rounds, its key's bank and the round key that it needs now.
  logic                running_q, running_bank_q;
  direction_e          running_direction_q;
  logic [3:0]          key_index_q, last_index_q;
  logic [TagWidth-1:0] running_tag_q;
  logic                block_load, last, finish;

  logic key_size_supported, direction_supported;
  assign key_size_supported = KeySizes[5'(key_size_i)];
  assign direction_supported = Directions[5'(block_direction_i)];

  // A key needs the expander and the bank that the newest key is not in.
  assign key_ready_o = !clear && key_size_supported && (!expanding || expansion_last) &&
      (!running_q || running_bank_q == newest_bank_q || finish);
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
    .key_size_o (newest_key_size),
    .write_o    (expanding),
    .last_o     (expansion_last),
    .index_o    (expansion_index),
    .round_key_o(expanded_key)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_loaded_q  <= 1'b0;
      newest_bank_q <= 1'b0;
    end else if (clear) begin
      key_loaded_q  <= 1'b0;
    end else if (key_load) begin
      key_loaded_q  <= 1'b1;
      newest_bank_q <= !newest_bank_q;
    end
  end

  // Round keys: entry {bank, round}, with a copy to read the first key of the
  // next block from. While a sweep runs, expanded_key is zero.
  logic [127:0] round_keys[32];
  logic [127:0] first_keys[32];
  logic         key_write;
  logic [4:0]   key_write_address;
  logic [127:0] round_key, first_key;
  logic [3:0]   newest_rounds;
  direction_e   direction;

  assign key_write = expanding || busy_o;
  assign key_write_address = busy_o ? sweep_address : {newest_bank_q, expansion_index};

  always_ff @(posedge clk_i) begin
    if (key_write) round_keys[key_write_address] <= expanded_key;
  end
  always_ff @(posedge clk_i) begin
    if (key_write) first_keys[key_write_address] <= expanded_key;
  end

  assign newest_rounds = rounds(newest_key_size);
  assign round_key = round_keys[{running_bank_q, key_index_q}];
  assign first_key =
      first_keys[{newest_bank_q, direction == DirectionDecrypt ? newest_rounds : 4'd0}];

  // The direction of the block at the input; a constant if there is one only.
  if (Directions == DirectionsBoth) begin : gen_both_directions
    assign direction = block_direction_i;
  end else if (Directions == DirectionsDecrypt) begin : gen_decrypt_only
    assign direction = DirectionDecrypt;
  end else begin : gen_encrypt_only
    assign direction = DirectionEncrypt;
  end

  // The first round key of the block must be in memory.
  logic first_key_ready;
  assign first_key_ready = key_loaded_q &&
      !(expanding && (direction == DirectionDecrypt || expansion_index == 4'd0));

  assign last = (key_index_q == last_index_q);
  assign finish = running_q && last && !block_valid_o;
  assign block_ready_o = !clear && direction_supported && first_key_ready &&
      (!running_q || finish);
  assign block_load = block_valid_i && block_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q <= 1'b0;
    end else begin
      if (clear) running_q <= 1'b0;
      else if (block_load) running_q <= 1'b1;
      else if (finish) running_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (block_load) begin
      running_bank_q      <= newest_bank_q;
      running_direction_q <= direction;
      last_index_q        <= (direction == DirectionDecrypt) ? 4'd0 : newest_rounds;
      key_index_q         <= (direction == DirectionDecrypt) ? newest_rounds - 4'd1 : 4'd1;
    end else if (running_q && !last) begin
      key_index_q <= (running_direction_q == DirectionDecrypt) ? key_index_q - 4'd1
                                                               : key_index_q + 4'd1;
    end
  end

  // The data path.
  logic [127:0] state_q, next_state, result;

  aes_iterative_round #(
    .SBox      (SBox),
    .Directions(Directions)
  ) u_round (
    .direction_i(running_direction_q),
    .last_i     (last),
    .state_i    (state_q),
    .round_key_i(round_key),
    .state_o    (next_state),
    .result_o   (result)
  );

  always_ff @(posedge clk_i) begin
    if (clear) begin
      running_tag_q <= '0;
    end else if (block_load) begin
      running_tag_q <= block_tag_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear) begin
      state_q <= '0;
    end else if (block_load || (running_q && !last)) begin
      state_q <= block_load ? block_i ^ first_key : next_state;
    end
  end

  // The result waits here; the register is zero while it is empty.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      block_valid_o <= 1'b0;
    end else begin
      if (clear) block_valid_o <= 1'b0;
      else if (finish) block_valid_o <= 1'b1;
      else if (block_ready_i) block_valid_o <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear || (block_valid_o && block_ready_i)) begin
      block_o     <= '0;
      block_tag_o <= '0;
    end else if (finish) begin
      block_o     <= result;
      block_tag_o <= running_tag_q;
    end
  end

  assign idle_o = !running_q && !block_valid_o;

endmodule
