// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Operand memory: Depth words, two read ports and a write port.
//
// A read word is there in the cycle after its address, and stays while enable_i is low.
// clear_i clears the read words; the owner overwrites the memory.
//
// Banks, a power of two, is how many memories it consists of, by the lowest bits of the address.
// Where these bits change most, more banks take less energy in standard cells.
module ecc_memory #(
  parameter int unsigned Width = 136,
  parameter int unsigned Depth = 212,
  parameter int unsigned Banks = 1,
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

  localparam int unsigned BankWidth = $clog2(Banks);

  function automatic int unsigned bank(input logic [AddressWidth-1:0] address);
    return 32'(address) % Banks;
  endfunction

  logic [Width-1:0] a[Banks], b[Banks];
  logic [Width-1:0] a_q, b_q;

  assign a_o = a_q;
  assign b_o = b_q;

  for (genvar n = 0; n < Banks; n++) begin : gen_bank
    logic [Width-1:0] memory[Depth/Banks];

    always_ff @(posedge clk_i) begin
      if (write_i && bank(write_address_i) == n) memory[write_address_i[AddressWidth-1:BankWidth]] <= write_data_i;
    end

    assign a[n] = memory[address_a_i[AddressWidth-1:BankWidth]];
    assign b[n] = memory[address_b_i[AddressWidth-1:BankWidth]];
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      a_q <= '0;
      b_q <= '0;
    end else if (enable_i) begin
      a_q <= a[bank(address_a_i)];
      b_q <= b[bank(address_b_i)];
    end
  end

endmodule
