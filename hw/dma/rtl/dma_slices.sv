// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Divides a span of bytes that passes in parts of a power of two of bytes into the slices of
// these parts: which lanes of a part belong to the span. All but the first and the last
// slice are whole parts.
module dma_slices #(
  parameter int unsigned PartBytes = 4,
  localparam int unsigned PartBits = $clog2(PartBytes)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,

  // The span; it holds until its last slice is taken.
  input  logic [PartBits-1:0] start_i, // lane of the first byte
  input  logic [31:0]         last_i,  // bytes, minus one

  input  logic                take_i,  // to the next slice
  output logic [PartBits-1:0] low_o,   // lane of the first byte of the slice
  output logic [PartBits-1:0] high_o,  // and of its last one
  output logic                first_o, // the first slice of the span
  output logic                last_o
);

  logic [32-PartBits:0] count_q;   // slices taken
  logic [32:0]          last_byte; // counted from lane 0 of the first part

  assign last_byte = {1'b0, last_i} + 33'(start_i);
  assign first_o   = count_q == '0;
  assign last_o    = count_q == last_byte[32:PartBits];
  assign low_o     = first_o ? start_i : '0;
  assign high_o    = last_o ? last_byte[PartBits-1:0] : '1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
    end else if (clear_i) begin
      count_q <= '0;
    end else if (take_i) begin
      count_q <= last_o ? '0 : count_q + 1'b1;
    end
  end

endmodule
