// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/coprocessor/coprocessor_instruction.rdl by `make generate`; do not edit.

// Ciphermill custom instructions: addresses, and places and values of fields.
package coprocessor_instruction_registers_pkg;

  // No one module uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Zkne and Zknd.
  parameter logic [11:0] ZknOffset = 12'h000;
  parameter int unsigned ZknFunct3Lsb = 0;
  parameter int unsigned ZknFunct3Width = 3;
  parameter logic [2:0] ZknFunct3Value = 3'h0;
  parameter int unsigned ZknOperationLsb = 3;
  parameter int unsigned ZknOperationWidth = 5;
  parameter logic [4:0] ZknOperationAes32esi = 5'h11;
  parameter logic [4:0] ZknOperationAes32esmi = 5'h13;
  parameter logic [4:0] ZknOperationAes32dsi = 5'h15;
  parameter logic [4:0] ZknOperationAes32dsmi = 5'h17;
  parameter int unsigned ZknByteSelectLsb = 8;
  parameter int unsigned ZknByteSelectWidth = 2;

  // Half columns.
  parameter logic [11:0] ColumnOffset = 12'h004;
  parameter int unsigned ColumnFunct3Lsb = 0;
  parameter int unsigned ColumnFunct3Width = 3;
  parameter logic [2:0] ColumnFunct3Value = 3'h1;
  parameter int unsigned ColumnHalfLsb = 3;
  parameter int unsigned ColumnHalfWidth = 1;
  parameter int unsigned ColumnDecryptLsb = 4;
  parameter int unsigned ColumnDecryptWidth = 1;
  parameter int unsigned ColumnFinalRoundLsb = 5;
  parameter int unsigned ColumnFinalRoundWidth = 1;

  // Whole blocks.
  parameter logic [11:0] BlockOffset = 12'h008;
  parameter int unsigned BlockFunct3Lsb = 0;
  parameter int unsigned BlockFunct3Width = 3;
  parameter logic [2:0] BlockFunct3Value = 3'h2;
  parameter int unsigned BlockFunct7Lsb = 3;
  parameter int unsigned BlockFunct7Width = 7;
  parameter logic [6:0] BlockFunct7Key128 = 7'h00;
  parameter logic [6:0] BlockFunct7Key192 = 7'h04;
  parameter logic [6:0] BlockFunct7Key256 = 7'h08;
  parameter logic [6:0] BlockFunct7Encrypt = 7'h10;
  parameter logic [6:0] BlockFunct7Decrypt = 7'h12;
  parameter logic [6:0] BlockFunct7Get = 7'h20;
  parameter logic [6:0] BlockFunct7Status = 7'h30;
  parameter logic [6:0] BlockFunct7Zeroise = 7'h31;

  // Stream.
  parameter logic [11:0] StreamOffset = 12'h00C;
  parameter int unsigned StreamFunct3Lsb = 0;
  parameter int unsigned StreamFunct3Width = 3;
  parameter logic [2:0] StreamFunct3Value = 3'h3;
  parameter int unsigned StreamFunct7Lsb = 3;
  parameter int unsigned StreamFunct7Width = 7;
  parameter logic [6:0] StreamFunct7Push = 7'h00;
  parameter logic [6:0] StreamFunct7Pull = 7'h01;
  parameter logic [6:0] StreamFunct7PushKey = 7'h02;
  parameter logic [6:0] StreamFunct7Control = 7'h03;
  parameter logic [6:0] StreamFunct7Status = 7'h04;

  // State and permutation of Ascon.
  parameter logic [11:0] SpongeOffset = 12'h010;
  parameter int unsigned SpongeFunct3Lsb = 0;
  parameter int unsigned SpongeFunct3Width = 3;
  parameter logic [2:0] SpongeFunct3Value = 3'h4;
  parameter int unsigned SpongeFunct7Lsb = 3;
  parameter int unsigned SpongeFunct7Width = 7;
  parameter logic [6:0] SpongeFunct7Add = 7'h00;
  parameter logic [6:0] SpongeFunct7Set = 7'h08;
  parameter logic [6:0] SpongeFunct7Get = 7'h10;
  parameter logic [6:0] SpongeFunct7Permute12 = 7'h20;
  parameter logic [6:0] SpongeFunct7Permute8 = 7'h21;
  parameter logic [6:0] SpongeFunct7Zeroise = 7'h31;

  /* verilator lint_on UNUSEDPARAM */

endpackage
