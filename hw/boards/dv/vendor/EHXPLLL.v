// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The ports and parameters that our tops use of Lattice's PLL; no function. For lint, and for
// front ends that do not know the primitive.
(* blackbox *)
module EHXPLLL #(
  parameter integer CLKI_DIV     = 1,
  parameter integer CLKFB_DIV    = 1,
  parameter integer CLKOP_DIV    = 8,
  parameter         CLKOP_ENABLE = "ENABLED",
  parameter integer CLKOP_CPHASE = 0,
  parameter integer CLKOP_FPHASE = 0,
  parameter         FEEDBK_PATH  = "CLKOP"
) (
  input  wire CLKI,
  input  wire CLKFB,
  output wire CLKOP,
  output wire LOCK,
  input  wire RST,
  input  wire STDBY,
  input  wire PHASESEL0,
  input  wire PHASESEL1,
  input  wire PHASEDIR,
  input  wire PHASESTEP,
  input  wire PHASELOADREG,
  input  wire PLLWAKESYNC,
  input  wire ENCLKOP
);
endmodule
