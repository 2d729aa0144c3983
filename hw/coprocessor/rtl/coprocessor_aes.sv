// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// AES for a coprocessor: the data path that DataPath selects (iterative, pipelined,
// unrolled; coprocessor_pkg), and a result queue that is long enough for BlocksInFlight
// blocks in flight without a key or block waiting until a result is read. Ports as
// aes_core, without tags.
//
// A data path holds one result in its output register. The pipelined one needs no queue:
// its keys never wait, and its stages hold at least ten blocks.
module coprocessor_aes
  import aes_pkg::*;
  import coprocessor_pkg::*;
#(
  parameter int unsigned DataPath = AesIterative,
  parameter int unsigned BlocksInFlight = 2,
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned KeySizes = KeySizesAll,
  // Iterative only: round keys stored (1) or computed for each block (0).
  parameter int unsigned KeyStorage = 1,
  localparam int unsigned CountWidth = $clog2(BlocksInFlight + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  zeroise_i,

  input  logic                  key_valid_i,
  output logic                  key_ready_o,
  input  key_size_e             key_size_i,
  input  logic [255:0]          key_i,

  input  logic                  block_valid_i,
  output logic                  block_ready_o,
  input  direction_e            block_direction_i,
  input  logic [127:0]          block_i,

  output logic                  block_valid_o,
  input  logic                  block_ready_i,
  output logic [127:0]          block_o,
  output logic [CountWidth-1:0] results_o,
  output logic                  sweep_o
);

  localparam int unsigned Depth = (DataPath == AesPipelined) ? 0 : BlocksInFlight - 1;

  logic         core_valid, core_ready, core_sweep, queue_sweep;
  logic [127:0] core_block;

  if (KeyStorage > 1 || (KeyStorage == 0 && DataPath != AesIterative)) begin : gen_bad_key_storage
    $error("coprocessor_aes: KeyStorage must be 1, or 0 with the iterative data path");
  end

  if (DataPath == AesUnrolled) begin : gen_unrolled
    aes_unrolled #(
      .SBox      (SBox),
      .Directions(Directions),
      .KeySizes  (KeySizes)
    ) u_aes (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .key_valid_i      (key_valid_i),
      .key_ready_o      (key_ready_o),
      .key_size_i       (key_size_i),
      .key_i            (key_i),
      .block_valid_i    (block_valid_i),
      .block_ready_o    (block_ready_o),
      .block_direction_i(block_direction_i),
      .block_i          (block_i),
      .block_valid_o    (core_valid),
      .block_ready_i    (core_ready),
      .block_o          (core_block),
      .zeroise_i        (zeroise_i),
      .busy_o           (core_sweep)
    );
  end else begin : gen_core
    logic unused_tag, unused_idle;

    aes_core #(
      .Architecture(DataPath == AesPipelined ? ArchitecturePipelined : ArchitectureIterative),
      .SBox        (SBox),
      .Directions  (Directions),
      .KeySizes    (KeySizes),
      .KeyStorage  (KeyStorage),
      .TagWidth    (1)
    ) u_aes (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .key_valid_i      (key_valid_i),
      .key_ready_o      (key_ready_o),
      .key_size_i       (key_size_i),
      .key_i            (key_i),
      .block_valid_i    (block_valid_i),
      .block_ready_o    (block_ready_o),
      .block_direction_i(block_direction_i),
      .block_i          (block_i),
      .block_tag_i      (1'b0),
      .block_valid_o    (core_valid),
      .block_ready_i    (core_ready),
      .block_o          (core_block),
      .block_tag_o      (unused_tag),
      .zeroise_i        (zeroise_i),
      .busy_o           (core_sweep),
      .idle_o           (unused_idle)
    );
  end

  coprocessor_results #(
    .Width     (128),
    .Depth     (Depth),
    .CountWidth(CountWidth)
  ) u_results (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .zeroise_i(zeroise_i),
    .valid_i  (core_valid),
    .ready_o  (core_ready),
    .block_i  (core_block),
    .valid_o  (block_valid_o),
    .ready_i  (block_ready_i),
    .block_o  (block_o),
    .results_o(results_o),
    .sweep_o  (queue_sweep)
  );

  assign sweep_o = core_sweep || queue_sweep;

endmodule
