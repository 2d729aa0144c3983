// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Partition "iterative": one round of AES in hardware, used for all rounds of a block,
// and the key expansion; memory-mapped. A block may be written while the previous one
// is computed.
module coprocessor_iterative
  import aes_pkg::*;
  import coprocessor_pkg::*;
  import coprocessor_registers_pkg::*;
#(
  parameter int unsigned DataWidth = 32,
  parameter int unsigned BlocksInFlight = 2,
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned KeySizes = KeySizesAll
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

  coprocessor_aes_registers #(
    .DataWidth     (DataWidth),
    .Kind          (IdentificationKindIterative),
    .DataPath      (AesIterative),
    .BlocksInFlight(BlocksInFlight),
    .SBox          (SBox),
    .Directions    (Directions),
    .KeySizes      (KeySizes)
  ) u_coprocessor (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .bus_valid_i  (bus_valid_i),
    .bus_write_i  (bus_write_i),
    .bus_address_i(bus_address_i),
    .bus_wdata_i  (bus_wdata_i),
    .bus_wstrb_i  (bus_wstrb_i),
    .bus_ready_o  (bus_ready_o),
    .bus_rdata_o  (bus_rdata_o),
    .busy_o       (busy_o),
    .irq_o        (irq_o)
  );

endmodule
