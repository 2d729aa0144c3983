// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Partition "linear layer": one round of AES without SubBytes in hardware, the rest in
// C; memory-mapped.
module coprocessor_linear_layer
  import aes_pkg::*;
  import coprocessor_pkg::*;
  import coprocessor_registers_pkg::*;
#(
  parameter int unsigned DataWidth = 32,
  parameter int unsigned Directions = DirectionsBoth
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

  logic         decrypt, last, zeroise;
  logic [1:0]   unused_key_size;
  logic         key_valid, key_ready, block_valid, block_ready, result_valid, result_ready;
  logic [127:0] key, block, result;
  direction_e   direction;

  assign direction = direction_e'(decrypt);

  coprocessor_registers #(
    .DataWidth     (DataWidth),
    .BlockWidth    (128),
    .KeyWords      (4),
    .Kind          (IdentificationKindLinearLayer),
    .BlocksInFlight(1)
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
    .control_key_size_o(unused_key_size),
    .control_final_o   (last),
    .zeroise_o         (zeroise),
    .key_valid_o       (key_valid),
    .key_ready_i       (key_ready),
    .key_allowed_i     (1'b1),
    .key_last_word_i   (3'd3),
    .key_o             (key),
    .block_valid_o     (block_valid),
    .block_ready_i     (block_ready),
    .block_allowed_i   (Directions[5'(decrypt)]),
    .block_o           (block),
    .result_valid_i    (result_valid),
    .result_ready_o    (result_ready),
    .result_i          (result),
    .results_i         (result_valid),
    .sweep_i           (1'b0)
  );

  coprocessor_round_core #(
    .SubBytes  (0),
    .Directions(Directions)
  ) u_round (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .zeroise_i        (zeroise),
    .key_valid_i      (key_valid),
    .key_ready_o      (key_ready),
    .key_i            (key),
    .block_valid_i    (block_valid),
    .block_ready_o    (block_ready),
    .block_direction_i(direction),
    .block_final_i    (last),
    .block_i          (block),
    .block_valid_o    (result_valid),
    .block_ready_i    (result_ready),
    .block_o          (result)
  );

endmodule
