// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// PRESENT for a coprocessor: the core with its bytes in memory order, and a result queue
// that allows BlocksInFlight blocks in flight without a key or block waiting until a
// result is read. Ports as present_core, without tags.
//
// Byte 0 of a key or block is the first one in memory and the most significant one in
// the core, where an 80-bit key is in the low bits.
module coprocessor_present_cipher
  import present_pkg::*;
#(
  parameter int unsigned Architecture = ArchitectureIterative,
  parameter int unsigned BlocksInFlight = 2,
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned KeySizes = KeySizesBoth,
  localparam int unsigned CountWidth = $clog2(BlocksInFlight + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  zeroise_i,

  input  logic                  key_valid_i,
  output logic                  key_ready_o,
  input  key_size_e             key_size_i,
  input  logic [127:0]          key_i,

  input  logic                  block_valid_i,
  output logic                  block_ready_o,
  input  direction_e            block_direction_i,
  input  logic [63:0]           block_i,

  output logic                  block_valid_o,
  input  logic                  block_ready_i,
  output logic [63:0]           block_o,
  output logic [CountWidth-1:0] results_o,
  output logic                  sweep_o
);

  logic [127:0] key;
  logic [63:0]  block, core_block, result;
  logic         core_valid, core_ready, core_sweep, queue_sweep, unused_tag, unused_idle;

  for (genvar n = 0; n < 16; n++) begin : gen_key_byte
    assign key[8*n+:8] = key_i[8*(15-n)+:8];
  end
  for (genvar n = 0; n < 8; n++) begin : gen_block_byte
    assign block[8*n+:8] = block_i[8*(7-n)+:8];
    assign result[8*n+:8] = core_block[8*(7-n)+:8];
  end

  present_core #(
    .Architecture(Architecture),
    .Directions  (Directions),
    .KeySizes    (KeySizes),
    .TagWidth    (1)
  ) u_present (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .key_valid_i      (key_valid_i),
    .key_ready_o      (key_ready_o),
    .key_size_i       (key_size_i),
    .key_i            (key_size_i == KeySize80 ? {48'h0, key[127:48]} : key),
    .block_valid_i    (block_valid_i),
    .block_ready_o    (block_ready_o),
    .block_direction_i(block_direction_i),
    .block_i          (block),
    .block_tag_i      (1'b0),
    .block_valid_o    (core_valid),
    .block_ready_i    (core_ready),
    .block_o          (core_block),
    .block_tag_o      (unused_tag),
    .zeroise_i        (zeroise_i),
    .busy_o           (core_sweep),
    .idle_o           (unused_idle)
  );

  coprocessor_results #(
    .Width     (64),
    .Depth     (BlocksInFlight - 1),
    .CountWidth(CountWidth)
  ) u_results (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .zeroise_i(zeroise_i),
    .valid_i  (core_valid),
    .ready_o  (core_ready),
    .block_i  (result),
    .valid_o  (block_valid_o),
    .ready_i  (block_ready_i),
    .block_o  (block_o),
    .results_o(results_o),
    .sweep_o  (queue_sweep)
  );

  assign sweep_o = core_sweep || queue_sweep;

endmodule
