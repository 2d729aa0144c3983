// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// PRESENT with its key schedule in hardware, memory-mapped: iterative, unrolled or
// serial, as Architecture selects.
module coprocessor_present
  import present_pkg::*;
  import coprocessor_pkg::*;
  import coprocessor_registers_pkg::*;
#(
  parameter int unsigned DataWidth = 32,
  parameter int unsigned Architecture = ArchitectureIterative,
  parameter int unsigned BlocksInFlight = 2,
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned KeySizes = KeySizesBoth
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   bus_valid_i,
  input  logic                   bus_write_i,
  input  logic [11:0]            bus_address_i,
  input  logic [DataWidth-1:0]   bus_wdata_i,
  input  logic [DataWidth/8-1:0] bus_wstrb_i,
  output logic                   bus_ready_o,
  output logic [DataWidth-1:0]   bus_rdata_o,
  output logic                   busy_o,
  output logic                   irq_o
);

  localparam int unsigned CountWidth = $clog2(BlocksInFlight + 1);
  localparam logic [7:0] Kind = IdentificationKindPresentIterative + 8'(Architecture);

  logic                  decrypt, unused_final, zeroise, sweep;
  logic [1:0]            key_size;
  logic                  key_valid, key_ready, block_valid, block_ready;
  logic                  result_valid, result_ready;
  logic [127:0]          key;
  logic [63:0]           block, result;
  logic [CountWidth-1:0] results;

  coprocessor_registers #(
    .DataWidth     (DataWidth),
    .BlockWidth    (64),
    .KeyWords      (4),
    .Kind          (Kind),
    .BlocksInFlight(BlocksInFlight)
  ) u_registers (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .bus_valid_i       (bus_valid_i),
    .bus_write_i       (bus_write_i),
    .bus_address_i     (bus_address_i),
    .bus_wdata_i       (bus_wdata_i),
    .bus_wstrb_i       (bus_wstrb_i),
    .bus_ready_o       (bus_ready_o),
    .bus_rdata_o       (bus_rdata_o),
    .busy_o            (busy_o),
    .irq_o             (irq_o),
    .control_decrypt_o (decrypt),
    .control_key_size_o(key_size),
    .control_final_o   (unused_final),
    .zeroise_o         (zeroise),
    .key_valid_o       (key_valid),
    .key_ready_i       (key_ready),
    .key_allowed_i     (!key_size[1] && KeySizes[5'(key_size[0])]),
    .key_last_word_i   (key_size == ControlKeySizeAes128Present80 ? 3'd2 : 3'd3),
    .key_o             (key),
    .block_valid_o     (block_valid),
    .block_ready_i     (block_ready),
    .block_allowed_i   (Directions[5'(decrypt)]),
    .block_o           (block),
    .result_valid_i    (result_valid),
    .result_ready_o    (result_ready),
    .result_i          (result),
    .results_i         (results),
    .sweep_i           (sweep)
  );

  coprocessor_present_cipher #(
    .Architecture  (Architecture),
    .BlocksInFlight(BlocksInFlight),
    .Directions    (Directions),
    .KeySizes      (KeySizes)
  ) u_present (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .zeroise_i        (zeroise),
    .key_valid_i      (key_valid),
    .key_ready_o      (key_ready),
    .key_size_i       (key_size_e'(key_size[0])),
    .key_i            (key),
    .block_valid_i    (block_valid),
    .block_ready_o    (block_ready),
    .block_direction_i(direction_e'(decrypt)),
    .block_i          (block),
    .block_valid_o    (result_valid),
    .block_ready_i    (result_ready),
    .block_o          (result),
    .results_o        (results),
    .sweep_o          (sweep)
  );

endmodule
