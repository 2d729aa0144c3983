// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Half a column of an AES round: two bytes of the state, one of each operand,
// through the S-box and their columns of MixColumns, or of InvMixColumns for
// the equivalent inverse cipher (FIPS 197, section 5.3.5). Two of these and two
// XORs make a column of the next state. funct3 = 1; the README describes the
// operands. Combinational.
module coprocessor_column
  import aes_pkg::*;
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

  // funct7: which half, direction, whether it is the last round.
  logic        half, decrypt, last, taken;
  direction_e  direction;
  logic [15:0] from, to;
  logic [31:0] column, mixed;

  assign half = instruction_function_i[ColumnHalfLsb];
  assign decrypt = instruction_function_i[ColumnDecryptLsb];
  assign last = instruction_function_i[ColumnFinalRoundLsb];
  assign direction = direction_e'(decrypt);

  assign instruction_known_o = instruction_function_i[2:0] == ColumnFunct3Value &&
      instruction_function_i[9:ColumnFinalRoundLsb+1] == '0 && Directions[5'(decrypt)];
  assign taken = instruction_valid_i && instruction_known_o;

  // Rows 0 and 1, or rows 2 and 3.
  always_comb begin
    from = half ? {instruction_b_i[31:24], instruction_a_i[23:16]}
                : {instruction_b_i[15:8], instruction_a_i[7:0]};
    if (!taken) from = '0;
  end

  aes_sbox #(
    .SBox      (SBox),
    .Directions(Directions),
    .Bytes     (2)
  ) u_sbox (
    .direction_i(direction),
    .data_i     (from),
    .data_o     (to)
  );

  assign column = half ? {to, 16'h0} : {16'h0, to};

  aes_mix_columns #(
    .Directions(Directions)
  ) u_mix_columns (
    .direction_i(direction),
    .column_i   (column),
    .column_o   (mixed)
  );

  assign instruction_ready_o = instruction_valid_i;
  assign instruction_result_o = !taken ? '0 : last ? column : mixed;
  assign busy_o = taken;

  logic unused_inputs;
  assign unused_inputs = ^{clk_i, rst_ni, instruction_a_i, instruction_b_i};

endmodule
