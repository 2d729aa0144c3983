// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Constants of the coprocessors' registers and instructions. The README has the
// tables.
package coprocessor_pkg;

  // No one module uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Kinds in ID, bits [15:8], behind the letters "CM" in its upper half.
  parameter logic [7:0] KindUnrolled = 8'h10;
  parameter logic [7:0] KindPipelined = 8'h11;
  parameter logic [7:0] KindIterative = 8'h12;
  parameter logic [7:0] KindRound = 8'h13;
  parameter logic [7:0] KindLinearLayer = 8'h14;
  parameter logic [7:0] KindPresentIterative = 8'h20;
  parameter logic [7:0] KindPresentUnrolled = 8'h21;
  parameter logic [7:0] KindPresentSerial = 8'h22;

  // Ciphers of the shell.
  parameter int unsigned CipherAes = 0;
  parameter int unsigned CipherPresent = 1;

  // Data paths of coprocessor_aes.
  parameter int unsigned AesIterative = 0;
  parameter int unsigned AesPipelined = 1;
  parameter int unsigned AesUnrolled = 2;

  // funct3 of the instruction units.
  parameter logic [2:0] FunctionZkn = 3'd0;
  parameter logic [2:0] FunctionColumn = 3'd1;
  parameter logic [2:0] FunctionBlock = 3'd2;
  parameter logic [2:0] FunctionStream = 3'd3;

  // Units of coprocessor_instructions, a bit set.
  parameter int unsigned UnitZkn = 1;
  parameter int unsigned UnitColumn = 2;
  parameter int unsigned UnitBlock = 4;
  parameter int unsigned UnitStream = 8;

  /* verilator lint_on UNUSEDPARAM */

  // STATUS of the registers and of the instruction units.
  typedef struct packed {
    logic error;
    logic accepts;
    logic available;
    logic busy;
  } status_t;

  // The value of ID.
  function automatic logic [31:0] identity(input logic [7:0] kind);
    return {16'h434D, kind, 8'h01};
  endfunction

endpackage
