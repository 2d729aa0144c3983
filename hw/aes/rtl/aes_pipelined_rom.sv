// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Two S-boxes as one ROM with two read ports and registered outputs, which
// synthesis puts into one block RAM: 256 entries for one direction, 512 for
// both. The outputs have no reset.
module aes_pipelined_rom
  import aes_pkg::*;
  import aes_sbox_tables_pkg::*;
#(
  parameter int unsigned Directions = DirectionsBoth
) (
  input  logic       clk_i,
  input  logic       enable_i,
  input  logic       decrypt_i,
  input  logic [7:0] address_a_i,
  output logic [7:0] data_a_o,
  input  logic [7:0] address_b_i,
  output logic [7:0] data_b_o
);

  localparam int unsigned AddressWidth = Directions == DirectionsBoth ? 9 : 8;
  localparam int unsigned Depth = 1 << AddressWidth;

  (* rom_style = "block" *) logic [7:0] rom[Depth];

  initial begin
    for (int unsigned i = 0; i < Depth; i++) begin
      rom[i] = (i >= 256 || Directions == DirectionsDecrypt) ? InvSubBytesTable[i[7:0]] :
                                                               SubBytesTable[i[7:0]];
    end
  end

  logic [AddressWidth-1:0] address_a, address_b;
  assign address_a = AddressWidth'({decrypt_i, address_a_i});
  assign address_b = AddressWidth'({decrypt_i, address_b_i});

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      data_a_o <= rom[address_a];
      data_b_o <= rom[address_b];
    end
  end

endmodule
