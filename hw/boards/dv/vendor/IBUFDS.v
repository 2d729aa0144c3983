// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The ports that our tops use of Xilinx's differential input buffer; no function.
(* blackbox *)
module IBUFDS (
  input  wire I,
  input  wire IB,
  output wire O
);
endmodule
