// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// PRESENT, one round a cycle: a block every 32 cycles, either direction and key
// size, with no idle cycle in between. Interface as in present_core.
//
// A block is loaded in the cycle that adds the last round key of the previous one. The
// running key register belongs to the block, so the key may change at any time. A block
// to encrypt may enter one cycle after its key; a block to decrypt waits for the end of
// the key schedule (present_keys).
//
// Registers with key or data have a synchronous clear instead of a reset; it is
// active with zeroise_i and in the first cycle after reset.
module present_iterative
  import present_pkg::*;
#(
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned KeySizes = KeySizesBoth,
  parameter int unsigned TagWidth = 8
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                key_valid_i,
  output logic                key_ready_o,
  input  key_size_e           key_size_i,
  input  logic [127:0]        key_i,

  input  logic                block_valid_i,
  output logic                block_ready_o,
  input  direction_e          block_direction_i,
  input  logic [63:0]         block_i,
  input  logic [TagWidth-1:0] block_tag_i,

  output logic                block_valid_o,
  input  logic                block_ready_i,
  output logic [63:0]         block_o,
  output logic [TagWidth-1:0] block_tag_o,

  input  logic                zeroise_i,
  output logic                busy_o,
  output logic                idle_o
);

  logic clear;
  assign clear = zeroise_i || busy_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_o <= 1'b1;
    else busy_o <= zeroise_i;
  end

  logic         encrypt_ready, decrypt_ready;
  key_size_e    newest_key_size;
  logic [127:0] encrypt_key, decrypt_key;

  present_keys #(
    .Directions(Directions),
    .KeySizes  (KeySizes)
  ) u_keys (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .clear_i        (clear),
    .key_valid_i    (key_valid_i),
    .key_ready_o    (key_ready_o),
    .key_size_i     (key_size_i),
    .key_i          (key_i),
    .encrypt_ready_o(encrypt_ready),
    .decrypt_ready_o(decrypt_ready),
    .key_size_o     (newest_key_size),
    .encrypt_key_o  (encrypt_key),
    .decrypt_key_o  (decrypt_key)
  );

  // The block that is being computed. The round number is 0 after its last round.
  logic                running_q, last, load, finish;
  logic [4:0]          round_q, next_round;
  logic [63:0]         state_q, next_state, result;
  logic [127:0]        key_q, next_key;
  logic [TagWidth-1:0] tag_q;
  direction_e          direction, running_direction;
  key_size_e           running_key_size;

  assign last = (round_q == '0);
  assign finish = running_q && last && !block_valid_o;
  assign block_ready_o = !clear && (!running_q || finish) &&
      (block_direction_i == DirectionDecrypt ? decrypt_ready : encrypt_ready);
  assign load = block_valid_i && block_ready_o;

  // Direction and key size of the block are constants if the core has one only.
  if (Directions == DirectionsBoth) begin : gen_both_directions
    direction_e direction_q;
    always_ff @(posedge clk_i) begin
      if (load) direction_q <= block_direction_i;
    end
    assign direction = block_direction_i;
    assign running_direction = direction_q;
  end else if (Directions == DirectionsDecrypt) begin : gen_decrypt_only
    assign direction = DirectionDecrypt;
    assign running_direction = DirectionDecrypt;
  end else begin : gen_encrypt_only
    assign direction = DirectionEncrypt;
    assign running_direction = DirectionEncrypt;
  end

  if (KeySizes == KeySizesBoth) begin : gen_both_sizes
    key_size_e key_size_q;
    always_ff @(posedge clk_i) begin
      if (load) key_size_q <= newest_key_size;
    end
    assign running_key_size = key_size_q;
  end else begin : gen_one_size
    assign running_key_size = newest_key_size;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q <= 1'b0;
    end else begin
      if (clear) running_q <= 1'b0;
      else if (load) running_q <= 1'b1;
      else if (finish) running_q <= 1'b0;
    end
  end

  present_rounds #(
    .Count(1)
  ) u_round (
    .direction_i(running_direction),
    .key_size_i (running_key_size),
    .round_i    (round_q),
    .state_i    (state_q),
    .key_i      (key_q),
    .round_o    (next_round),
    .state_o    (next_state),
    .key_o      (next_key),
    .sum_o      (result)
  );

  always_ff @(posedge clk_i) begin
    if (clear) begin
      round_q <= '0;
      state_q <= '0;
      key_q   <= '0;
    end else if (load) begin
      round_q <= (direction == DirectionDecrypt) ? 5'(Rounds) : 5'd1;
      state_q <= block_i;
      key_q   <= (direction == DirectionDecrypt) ? decrypt_key : encrypt_key;
    end else if (running_q && !last) begin
      round_q <= next_round;
      state_q <= next_state;
      key_q   <= next_key;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear) tag_q <= '0;
    else if (load) tag_q <= block_tag_i;
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
      block_tag_o <= tag_q;
    end
  end

  assign idle_o = !running_q && !block_valid_o;

endmodule
