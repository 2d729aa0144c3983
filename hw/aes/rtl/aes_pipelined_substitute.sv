// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// S-boxes for a number of bytes: without an output register, with one, or as ROMs,
// whose registered output serves as that register. The register loads with load_i.
// clear_i clears it, except that of a ROM: not every FPGA family can clear the output
// of a block RAM. It loads the addressed entry instead, which does not depend on data
// once the address has been cleared.
module aes_pipelined_substitute
  import aes_pkg::*;
#(
  parameter int unsigned SBox       = SBoxTable,
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned Bytes      = 16,
  parameter bit          Registered = 1'b0,
  parameter bit          BlockRam   = 1'b0
) (
  input  logic               clk_i,
  input  logic               clear_i,
  input  logic               load_i,
  input  logic               decrypt_i,
  input  logic [8*Bytes-1:0] data_i,
  output logic [8*Bytes-1:0] data_o
);

  if (Registered && BlockRam) begin : gen_block_ram
    for (genvar i = 0; i < Bytes; i += 2) begin : gen_rom
      aes_pipelined_rom #(
        .Directions(Directions)
      ) u_rom (
        .clk_i,
        .enable_i   (load_i | clear_i),
        .decrypt_i,
        .address_a_i(data_i[8*i+:8]),
        .data_a_o   (data_o[8*i+:8]),
        .address_b_i(data_i[8*i+8+:8]),
        .data_b_o   (data_o[8*i+8+:8])
      );
    end
  end else begin : gen_logic
    logic [8*Bytes-1:0] substituted;

    aes_sbox #(
      .SBox      (SBox),
      .Directions(Directions),
      .Bytes     (Bytes)
    ) u_sbox (
      .direction_i(direction_e'(decrypt_i)),
      .data_i,
      .data_o     (substituted)
    );

    if (Registered) begin : gen_register
      aes_pipelined_register #(
        .Width(8 * Bytes)
      ) u_register (
        .clk_i,
        .clear_i,
        .load_i,
        .data_i(substituted),
        .data_o
      );
    end else begin : gen_wire
      assign data_o = substituted;

      logic unused_control;
      assign unused_control = ^{clk_i, clear_i, load_i};
    end
  end

endmodule
