// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Writes what a part of the system has at its ports, a line of hexadecimal digits for
// each cycle, to the file Name.ports in the working directory. For simulation only: it
// is bound to the part (src/ciphermill/toolchain/soc_recording.py), so that the design
// knows nothing of it. A line is taken at the falling edge, when all has settled.
module soc_recorder #(
  parameter int unsigned Width = 1,
  parameter string       Name  = "part"
) (
  input logic             clk_i,
  input logic [Width-1:0] ports_i
);

  int file;

  initial file = $fopen({Name, ".ports"}, "w");

  always_ff @(negedge clk_i) $fdisplay(file, "%h", ports_i);

  final $fclose(file);

endmodule
