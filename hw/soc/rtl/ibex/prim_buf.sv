// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The buffer that Ibex instantiates where synthesis must not optimise: here, a wire.
module prim_buf #(
  parameter int Width = 1
) (
  input  logic [Width-1:0] in_i,
  output logic [Width-1:0] out_o
);

  assign out_o = in_i;

endmodule
