// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The state of the serial core: four memories, one a row, of two states each.
// A column is written into one half, while the four bytes of a shifted column
// are read from the other half: row r of column c + r (ShiftRows, FIPS 197,
// section 5.1.2), or of column c - r (InvShiftRows, section 5.3.1).
module aes_serial_state
  import aes_pkg::*;
(
  input  logic        clk_i,
  input  direction_e  direction_i,
  input  logic        write_i,
  // {half, column} to write; reads are from the other half.
  input  logic [2:0]  address_i,
  input  logic [31:0] column_i,
  output logic [31:0] column_o
);

  for (genvar r = 0; r < 4; r++) begin : gen_row
    logic [7:0] bytes[8];
    logic [1:0] source;

    assign source = (direction_i == DirectionDecrypt) ? address_i[1:0] - 2'(r)
                                                      : address_i[1:0] + 2'(r);
    assign column_o[8*r+:8] = bytes[{!address_i[2], source}];

    always_ff @(posedge clk_i) begin
      if (write_i) bytes[address_i] <= column_i[8*r+:8];
    end
  end

endmodule
