// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The ports of Xilinx's global clock buffer; no function.
(* blackbox *)
module BUFG (
  input  wire I,
  output wire O
);
endmodule
