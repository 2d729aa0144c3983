// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Expands each key once and stores the round keys of the iterative core. It suits
// devices whose memories are cheaper than logic.
//
// There are two banks of round keys: while blocks use one key, the next key is
// expanded into the other bank, one round key a cycle. A block to encrypt may begin
// two cycles after its key; a block to decrypt begins with the last round key and
// waits for it. The memory exists twice, so that the first round key of the next block
// is read in the same cycle as a round key of the current one.
//
// Ports as in aes_iterative_running_keys; running_direction_i is the direction of
// the block that is being computed, finish_i says that it leaves.
module aes_iterative_stored_keys
  import aes_pkg::*;
  import aes_functions_pkg::*;
#(
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned KeySizes = KeySizesAll
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         clear_i,
  // While sweep_i is high, zeros are written to this address.
  input  logic         sweep_i,
  input  logic [4:0]   sweep_address_i,

  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  key_size_e    key_size_i,
  input  logic [255:0] key_i,

  input  direction_e   direction_i,
  output logic         ready_o,
  output logic [127:0] first_key_o,
  input  logic         start_i,

  input  logic         running_i,
  input  direction_e   running_direction_i,
  input  logic         finish_i,
  output logic         last_o,
  output logic [127:0] round_key_o
);

  // newest_bank_q: the bank of the key of the last handshake.
  logic         key_load, key_loaded_q, newest_bank_q;
  logic         expanding, expansion_last;
  logic [3:0]   expansion_index;
  logic [127:0] expanded_key;
  key_size_e    newest_key_size;

  // The bank of the current block's key, and the round key that it needs now.
  logic       running_bank_q;
  logic [3:0] key_index_q, last_index_q;

  // A key needs the expander and the bank without the newest key.
  assign key_ready_o = !clear_i && KeySizes[5'(key_size_i)] && (!expanding || expansion_last) &&
      (!running_i || running_bank_q == newest_bank_q || finish_i);
  assign key_load = key_valid_i && key_ready_o;

  aes_key_expander #(
    .SBox    (SBox),
    .KeySizes(KeySizes)
  ) u_key_expander (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .clear_i    (clear_i),
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
    end else if (clear_i) begin
      key_loaded_q  <= 1'b0;
    end else if (key_load) begin
      key_loaded_q  <= 1'b1;
      newest_bank_q <= !newest_bank_q;
    end
  end

  // Entry {bank, round}. While a sweep runs, expanded_key is zero.
  logic [127:0] round_keys[32];
  logic [127:0] first_keys[32];
  logic         key_write;
  logic [4:0]   key_write_address;
  logic [3:0]   newest_rounds;

  assign key_write = expanding || sweep_i;
  assign key_write_address = sweep_i ? sweep_address_i : {newest_bank_q, expansion_index};

  always_ff @(posedge clk_i) begin
    if (key_write) round_keys[key_write_address] <= expanded_key;
  end
  always_ff @(posedge clk_i) begin
    if (key_write) first_keys[key_write_address] <= expanded_key;
  end

  assign newest_rounds = rounds(newest_key_size);
  assign round_key_o = round_keys[{running_bank_q, key_index_q}];
  assign first_key_o =
      first_keys[{newest_bank_q, direction_i == DirectionDecrypt ? newest_rounds : 4'd0}];

  // The first round key of the block must be in memory.
  assign ready_o = key_loaded_q &&
      !(expanding && (direction_i == DirectionDecrypt || expansion_index == 4'd0));

  assign last_o = (key_index_q == last_index_q);

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      running_bank_q <= newest_bank_q;
      last_index_q   <= (direction_i == DirectionDecrypt) ? 4'd0 : newest_rounds;
      key_index_q    <= (direction_i == DirectionDecrypt) ? newest_rounds - 4'd1 : 4'd1;
    end else if (running_i && !last_o) begin
      key_index_q <= (running_direction_i == DirectionDecrypt) ? key_index_q - 4'd1
                                                               : key_index_q + 4'd1;
    end
  end

endmodule
