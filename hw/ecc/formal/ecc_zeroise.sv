// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: ecc_core in an arbitrary state is told to zeroise in the first cycle
// (formal_zeroise).
module ecc_zeroise
  import ecc_pkg::*;
#(
  parameter int unsigned Curves = CurvesAll
) (
  input  logic       clk_i,
  input  logic       start_valid_i,
  input  operation_e operation_i,
  input  curve_e     curve_i,
  input  logic       operand_valid_i,
  input  logic [7:0] operand_i,
  input  logic       result_ready_i,
  input  logic       status_ready_i,
  output logic       swept_o
);

  logic       zeroise, start_ready, operand_ready, result_valid, last, status_valid, busy, idle;
  logic [7:0] result;
  status_e    status;

  ecc_core #(
    .Curves (Curves)
  ) u_core (
    .clk_i           (clk_i),
    .rst_ni          (1'b1),
    .start_valid_i   (start_valid_i),
    .start_ready_o   (start_ready),
    .operation_i     (operation_i),
    .curve_i         (curve_i),
    .operand_valid_i (operand_valid_i),
    .operand_ready_o (operand_ready),
    .operand_i       (operand_i),
    .result_valid_o  (result_valid),
    .result_ready_i  (result_ready_i),
    .result_o        (result),
    .result_last_o   (last),
    .status_valid_o  (status_valid),
    .status_ready_i  (status_ready_i),
    .status_o        (status),
    .zeroise_i       (zeroise),
    .busy_o          (busy),
    .idle_o          (idle)
  );

  formal_zeroise #(
    .Width   (13),
    .Longest (12)
  ) u_zeroise (
    .clk_i         (clk_i),
    .zeroise_o     (zeroise),
    .swept_o       (swept_o),
    .busy_i        (busy),
    .idle_i        (idle),
    .key_ready_i   (start_ready),
    .block_ready_i (operand_ready),
    .block_valid_i (result_valid || status_valid),
    .block_i       ({result, last, status})
  );

endmodule
