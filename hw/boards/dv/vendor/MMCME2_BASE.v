// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The ports and parameters that our tops use of Xilinx's clock manager; no function.
(* blackbox *)
module MMCME2_BASE #(
  parameter real CLKIN1_PERIOD    = 0.0,
  parameter real CLKFBOUT_MULT_F  = 5.0,
  parameter real CLKOUT0_DIVIDE_F = 1.0
) (
  input  wire CLKIN1,
  input  wire CLKFBIN,
  output wire CLKFBOUT,
  output wire CLKOUT0,
  output wire LOCKED,
  input  wire PWRDWN,
  input  wire RST
);
endmodule
