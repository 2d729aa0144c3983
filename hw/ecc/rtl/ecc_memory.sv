// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Operand memory: Depth words, two read ports and a write port.
//
// A read word is there in the cycle after its address, and stays while enable_i is low.
// clear_i clears the read words; the owner overwrites the memory.
module ecc_memory #(
  parameter int unsigned Width = 136,
  parameter int unsigned Depth = 212,
  localparam int unsigned AddressWidth = $clog2(Depth)
) (
  input  logic                    clk_i,
  input  logic                    clear_i,
  input  logic                    enable_i,
  input  logic [AddressWidth-1:0] address_a_i,
  output logic [Width-1:0]        a_o,
  input  logic [AddressWidth-1:0] address_b_i,
  output logic [Width-1:0]        b_o,
  input  logic                    write_i,
  input  logic [AddressWidth-1:0] write_address_i,
  input  logic [Width-1:0]        write_data_i
);

  logic [Width-1:0] memory[Depth];
  logic [Width-1:0] a_q, b_q;

  assign a_o = a_q;
  assign b_o = b_q;

  always_ff @(posedge clk_i) begin
    if (write_i) memory[write_address_i] <= write_data_i;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      a_q <= '0;
      b_q <= '0;
    end else if (enable_i) begin
      a_q <= memory[address_a_i];
      b_q <= memory[address_b_i];
    end
  end

endmodule
