// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: replace the arithmetic, the memory and the constants of the engine. What they
// give is a free input of the harness.

// They stand together, since only one harness needs them.
/* verilator lint_off DECLFILENAME */

module ecc_stream
  import ecc_pkg::*;
  import ecc_program_pkg::*;
#(
  parameter int unsigned WordBits = 136,
  localparam int unsigned Words = LongestRows * RowBits / WordBits,
  localparam int unsigned WordWidth = $clog2(Words + 1),
  localparam int unsigned BitWidth = $clog2(WordBits)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,
  input  logic                 hold_i,
  input  logic [WordWidth-1:0] words_i,
  input  logic                 issue_i,
  output logic                 ready_o,
  input  instruction_t         command_i,
  input  logic [WordWidth-1:0] bit_word_i,
  input  logic [BitWidth-1:0]  bit_index_i,
  input  logic                 bit_there_i,
  output logic                 busy_o,
  output logic                 writes_o,
  output flags_t               flags_o,
  output logic [6:0]           read_a_o,
  output logic [6:0]           read_b_o,
  output logic [WordWidth-1:0] read_word_o,
  input  logic [WordBits-1:0]  a_i,
  input  logic [WordBits-1:0]  b_i,
  output logic                 load_o,
  output logic                 load_modulus_o,
  output logic                 load_factor_o,
  output logic [WordWidth-2:0] word_o,
  input  logic [WordBits-1:0]  modulus_i,
  output logic                 write_o,
  output logic [5:0]           write_register_o,
  output logic [WordWidth-2:0] write_word_o,
  output logic [WordBits-1:0]  write_data_o
);

  assign {ready_o, busy_o, writes_o, write_o, flags_o} = ecc_protocol.any_stream_i;
  assign {read_a_o, read_b_o, read_word_o, word_o}     = '0;
  assign {load_o, load_modulus_o, load_factor_o}       = '0;
  assign {write_register_o, write_word_o, write_data_o} = '0;

  logic unused;
  assign unused = ^{clk_i, rst_ni, clear_i, hold_i, words_i, issue_i, command_i, bit_word_i,
                    bit_index_i, bit_there_i, a_i, b_i, modulus_i};

endmodule

module ecc_multiplier
  import ecc_pkg::*;
#(
  parameter int unsigned WordBits = 136,
  parameter int unsigned Multipliers = 1,
  parameter bit Mersenne = 1'b0,
  localparam int unsigned Words = LongestRows * RowBits / WordBits,
  localparam int unsigned IndexWidth = $clog2(Words)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  input  logic                  sweep_i,
  input  logic                  hold_i,
  input  curve_e                curve_i,
  input  logic                  load_i,
  input  logic                  load_modulus_i,
  input  logic                  load_factor_i,
  input  logic [IndexWidth-1:0] load_word_i,
  input  logic [WordBits-1:0]   a_i,
  input  logic [WordBits-1:0]   b_i,
  input  logic [IndexWidth-1:0] modulus_word_i,
  output logic [WordBits-1:0]   modulus_o,
  output logic                  begin_o,
  output logic                  last_o,
  output logic                  loadable_o,
  output logic                  readable_o,
  output logic                  idle_o,
  output logic                  write_o,
  output logic [IndexWidth-1:0] write_word_o,
  output logic [WordBits-1:0]   write_data_o
);

  assign {begin_o, last_o, loadable_o, readable_o, idle_o, write_o} =
      ecc_protocol.any_multiplier_i;
  assign {modulus_o, write_word_o, write_data_o} = '0;

  logic unused;
  assign unused = ^{clk_i, rst_ni, clear_i, sweep_i, hold_i, curve_i, load_i, load_modulus_i,
                    load_factor_i, load_word_i, a_i, b_i, modulus_word_i, 32'(Multipliers),
                    Mersenne};

endmodule

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

  assign a_o = '0;
  assign b_o = ecc_protocol.any_word_i;

  logic unused;
  assign unused = ^{clk_i, clear_i, enable_i, address_a_i, address_b_i, write_i,
                    write_address_i, write_data_i, Banks};

endmodule

module ecc_constants
  import ecc_pkg::*;
#(
  parameter int unsigned Curves = CurvesAll,
  parameter int unsigned WordBits = 136,
  localparam int unsigned Parts = RowBits / WordBits,
  localparam int unsigned WordWidth = $clog2(LongestRows * Parts + 1)
) (
  input  logic                 clk_i,
  input  logic                 enable_i,
  input  curve_e               curve_i,
  input  logic [5:0]           constant_i,
  input  logic [WordWidth-1:0] word_i,
  output logic [WordBits-1:0]  word_o
);

  assign word_o = '0;

  logic unused;
  assign unused = ^{clk_i, enable_i, curve_i, constant_i, word_i, Curves};

endmodule
