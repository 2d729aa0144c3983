// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The core of a block cipher, selected by number. No other module of the accelerator
// instantiates such a core. A core has the ports of aes_core (hw/aes/README.md gives their
// rules). To add one, give it a number in accel.rdl and a branch here. An algorithm that is
// not a block cipher becomes an engine of accel_channel instead.
//
// The other parameters are passed to the core; a core without one of them ignores it.
module accel_core #(
  parameter int unsigned Core           = accel_pkg::CoreAes,
  parameter int unsigned Architecture   = aes_pkg::ArchitectureIterative,
  parameter int unsigned SBox           = aes_pkg::SBoxTable,
  parameter int unsigned Directions     = aes_pkg::DirectionsBoth,
  parameter int unsigned KeySizes       = aes_pkg::KeySizesAll,
  parameter int unsigned TagWidth       = 1,
  parameter int unsigned StagesPerRound = 1,
  parameter int unsigned BlockRam       = 0,
  parameter int unsigned KeyStorage     = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                key_valid_i,
  output logic                key_ready_o,
  input  logic [1:0]          key_size_i,
  input  logic [255:0]        key_i,
  input  logic                block_valid_i,
  output logic                block_ready_o,
  input  logic                block_direction_i,
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

  if (Core == accel_pkg::CoreAes) begin : gen_aes
    aes_core #(
      .Architecture   (Architecture),
      .SBox           (SBox),
      .Directions     (Directions),
      .KeySizes       (KeySizes),
      .TagWidth       (TagWidth),
      .StagesPerRound (StagesPerRound),
      .BlockRam       (BlockRam),
      .KeyStorage     (KeyStorage)
    ) u_aes (
      .clk_i             (clk_i),
      .rst_ni            (rst_ni),
      .key_valid_i       (key_valid_i),
      .key_ready_o       (key_ready_o),
      .key_size_i        (aes_pkg::key_size_e'(key_size_i)),
      .key_i             (key_i),
      .block_valid_i     (block_valid_i),
      .block_ready_o     (block_ready_o),
      .block_direction_i (aes_pkg::direction_e'(block_direction_i)),
      .block_i           (block_i),
      .block_tag_i       (block_tag_i),
      .block_valid_o     (block_valid_o),
      .block_ready_i     (block_ready_i),
      .block_o           (block_o),
      .block_tag_o       (block_tag_o),
      .zeroise_i         (zeroise_i),
      .busy_o            (busy_o),
      .idle_o            (idle_o)
    );
  end else begin : gen_bad_core
    $fatal(1, "accel_core: Core %0d is not the number of a block cipher", Core);
  end

endmodule
