// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// AES, one round a cycle: a block every 10, 12 or 14 cycles for 128, 192 and
// 256-bit keys, in both directions, with no idle cycle in between. Interface as in
// aes_core.
//
// A block is loaded, with its first round key added, in the cycle in which the
// previous block finishes its last round. Round keys are read from memory
// (aes_iterative_stored_keys) or computed for each block
// (aes_iterative_running_keys).
//
// Registers with key or data have a synchronous clear instead of a reset; the sweep
// after reset drives it.
module aes_iterative
  import aes_pkg::*;
  import aes_functions_pkg::*;
#(
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned KeySizes = KeySizesAll,
  parameter int unsigned TagWidth = 8,
  // Round keys stored (1) or computed for each block (0).
  parameter int unsigned KeyStorage = 1
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

  // Zeroisation. Only stored round keys need a sweep through addresses.
  localparam int unsigned SweepEntries = (KeyStorage != 0) ? 32 : 2;
  logic                            clear;
  logic [$clog2(SweepEntries)-1:0] sweep_address;

  aes_sweep #(
    .Entries(SweepEntries)
  ) u_sweep (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .zeroise_i(zeroise_i),
    .clear_o  (clear),
    .busy_o   (busy_o),
    .address_o(sweep_address)
  );

  // The block that is being computed, and its keys.
  logic                running_q, keys_ready, block_load, last, finish;
  direction_e          direction, running_direction_q;
  logic [TagWidth-1:0] running_tag_q;
  logic [127:0]        round_key, first_key;

  if (KeyStorage != 0) begin : gen_stored_keys
    aes_iterative_stored_keys #(
      .SBox    (SBox),
      .KeySizes(KeySizes)
    ) u_keys (
      .clk_i              (clk_i),
      .rst_ni             (rst_ni),
      .clear_i            (clear),
      .sweep_i            (busy_o),
      .sweep_address_i    (sweep_address),
      .key_valid_i        (key_valid_i),
      .key_ready_o        (key_ready_o),
      .key_size_i         (key_size_i),
      .key_i              (key_i),
      .direction_i        (direction),
      .ready_o            (keys_ready),
      .first_key_o        (first_key),
      .start_i            (block_load),
      .running_i          (running_q),
      .running_direction_i(running_direction_q),
      .finish_i           (finish),
      .last_o             (last),
      .round_key_o        (round_key)
    );
  end else begin : gen_running_keys
    aes_iterative_running_keys #(
      .SBox      (SBox),
      .Directions(Directions),
      .KeySizes  (KeySizes)
    ) u_keys (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .clear_i      (clear),
      .key_valid_i  (key_valid_i),
      .key_ready_o  (key_ready_o),
      .key_size_i   (key_size_i),
      .key_i        (key_i),
      .direction_i  (direction),
      .ready_o      (keys_ready),
      .first_key_o  (first_key),
      .start_i      (block_load),
      .running_i    (running_q),
      .last_o       (last),
      .round_key_o  (round_key)
    );

    logic unused_sweep_address;
    assign unused_sweep_address = ^sweep_address;
  end

  // The direction of the block at the input; a constant if the core has one only.
  if (Directions == DirectionsBoth) begin : gen_both_directions
    assign direction = block_direction_i;
  end else if (Directions == DirectionsDecrypt) begin : gen_decrypt_only
    assign direction = DirectionDecrypt;
  end else begin : gen_encrypt_only
    assign direction = DirectionEncrypt;
  end

  logic direction_supported;
  assign direction_supported = Directions[5'(block_direction_i)];

  assign finish = running_q && last && !block_valid_o;
  assign block_ready_o = !clear && direction_supported && keys_ready &&
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
    if (block_load) running_direction_q <= direction;
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
    if (clear) state_q <= '0;
    else if (block_load) state_q <= block_i ^ first_key;
    else if (running_q && !last) state_q <= next_state;
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
