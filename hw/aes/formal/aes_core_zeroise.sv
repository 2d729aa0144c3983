// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: a core of AES in any state at all, told to zeroise in the first
// clock. What happens after it is told again counts from there, so it is told
// once. swept_o is high for the one clock in which busy_o has just fallen:
// nothing can have been taken since, and every register that holds key or data
// must be zero, which the proof asserts of each one by name.
module aes_core_zeroise
  import aes_pkg::*;
#(
  parameter int unsigned Architecture = ArchitectureIterative,
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned KeySizes = KeySizesAll,
  parameter int unsigned StagesPerRound = 1,
  parameter int unsigned BlockRam = 0,
  parameter int unsigned KeyStorage = 1,
  // Clocks after which busy_o must have fallen.
  parameter int unsigned Longest = 36
) (
  input  logic         clk_i,
  input  logic         key_valid_i,
  input  key_size_e    key_size_i,
  input  logic [255:0] key_i,
  input  logic         block_valid_i,
  input  direction_e   block_direction_i,
  input  logic [127:0] block_i,
  input  logic [1:0]   block_tag_i,
  input  logic         block_ready_i,
  output logic         swept_o
);

  logic         key_ready, block_ready, block_valid, busy, idle;
  logic [127:0] block;
  logic [1:0]   tag;

  // The number of the clock.
  logic [7:0] clock_q;

  initial clock_q = '0;

  always_ff @(posedge clk_i) begin
    clock_q <= clock_q + 8'd1;
  end

  logic busy_q;

  always_ff @(posedge clk_i) begin
    busy_q <= busy;
  end

  aes_core #(
    .Architecture   (Architecture),
    .SBox           (SBox),
    .Directions     (Directions),
    .KeySizes       (KeySizes),
    .TagWidth       (2),
    .StagesPerRound (StagesPerRound),
    .BlockRam       (BlockRam),
    .KeyStorage     (KeyStorage)
  ) u_core (
    .clk_i             (clk_i),
    .rst_ni            (1'b1),
    .key_valid_i       (key_valid_i),
    .key_ready_o       (key_ready),
    .key_size_i        (key_size_i),
    .key_i             (key_i),
    .block_valid_i     (block_valid_i),
    .block_ready_o     (block_ready),
    .block_direction_i (block_direction_i),
    .block_i           (block_i),
    .block_tag_i       (block_tag_i),
    .block_valid_o     (block_valid),
    .block_ready_i     (block_ready_i),
    .block_o           (block),
    .block_tag_o       (tag),
    .zeroise_i         (clock_q == '0),
    .busy_o            (busy),
    .idle_o            (idle)
  );

  assign swept_o = (clock_q > 8'd1) && busy_q && !busy;

  always_comb begin
    if (clock_q == 8'd1) begin
      begins: assert (busy);
    end
    if (clock_q != '0 && busy) begin
      nothing_taken: assert (!key_ready && !block_ready);
      nothing_given: assert (!block_valid);
    end
    if (!block_valid) begin
      quiet: assert (clock_q == '0 || block == '0);
    end
    if (swept_o) begin
      idle_after: assert (idle);
    end
    ends: assert (32'(clock_q) < Longest || !busy || clock_q == '0);
    was_swept: cover (swept_o);
  end

  logic unused;
  assign unused = ^tag;

endmodule
