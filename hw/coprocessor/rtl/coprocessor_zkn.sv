// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The AES instructions of RISC-V for 32 bits, aes32esi, aes32esmi, aes32dsi and
// aes32dsmi (Zkne and Zknd of the scalar cryptography extension 1.0.1): one byte
// of rs2 through the S-box, for the middle rounds also through its column of
// MixColumns, added to rs1. Combinational. funct3 is 0; the other fields are encoded as
// in the standard. Results are zero while no instruction is offered.
module coprocessor_zkn
  import aes_pkg::*;
  import aes_functions_pkg::*;
  import coprocessor_instruction_registers_pkg::*;
#(
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned Directions = DirectionsBoth
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        instruction_valid_i,
  input  logic [9:0]  instruction_function_i,
  input  logic [31:0] instruction_a_i,
  input  logic [31:0] instruction_b_i,
  output logic        instruction_known_o,
  output logic        instruction_ready_o,
  output logic [31:0] instruction_result_o,
  output logic        busy_o
);

  logic [1:0]  byte_select;
  logic [4:0]  operation;
  logic        middle, decrypt, taken;
  direction_e  direction;
  logic [7:0]  from, to;
  logic [31:0] mixed, contribution;

  assign byte_select = instruction_function_i[ZknByteSelectLsb+:ZknByteSelectWidth];
  assign operation = instruction_function_i[ZknOperationLsb+:ZknOperationWidth];
  assign decrypt = operation[2]; // the four operations differ in two bits
  assign middle = operation[1];
  assign direction = direction_e'(decrypt);

  assign instruction_known_o = instruction_function_i[2:0] == ZknFunct3Value &&
      operation inside {ZknOperationAes32esi, ZknOperationAes32esmi,
                        ZknOperationAes32dsi, ZknOperationAes32dsmi} &&
      Directions[5'(decrypt)];
  assign taken = instruction_valid_i && instruction_known_o;

  // Operands do not toggle while no instruction is for this unit.
  assign from = taken ? instruction_b_i[8*byte_select+:8] : 8'h0;

  aes_sbox #(
    .SBox      (SBox),
    .Directions(Directions),
    .Bytes     (1)
  ) u_sbox (
    .direction_i(direction),
    .data_i     (from),
    .data_o     (to)
  );

  aes_mix_columns #(
    .Directions(Directions)
  ) u_mix_columns (
    .direction_i(direction),
    .column_i   ({24'h0, to}),
    .column_o   (mixed)
  );

  // Byte i of a word moves up to byte i + byte_select.
  always_comb begin
    contribution = middle ? mixed : {24'h0, to};
    if (byte_select[0]) contribution = rotate_word(contribution, 3);
    if (byte_select[1]) contribution = rotate_word(contribution, 2);
  end

  assign instruction_ready_o = instruction_valid_i;
  assign instruction_result_o = taken ? instruction_a_i ^ contribution : '0;
  assign busy_o = taken;

  logic unused_clock;
  assign unused_clock = clk_i ^ rst_ni;

endmodule
