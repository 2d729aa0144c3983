// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Constants and types of the coprocessors. Numbers of registers and their fields are in
// coprocessor_registers_pkg, which is generated from coprocessor.rdl; those of instructions in
// coprocessor_instruction_registers_pkg.
package coprocessor_pkg;

  import coprocessor_instruction_registers_pkg::*;
  import coprocessor_registers_pkg::*;

  // No one module uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Algorithms, as soc_pkg numbers them.
  parameter int unsigned AlgorithmAes = 0;
  parameter int unsigned AlgorithmPresent = 1;
  parameter int unsigned AlgorithmAscon = 2;
  parameter int unsigned AlgorithmSha256 = 3;
  parameter int unsigned AlgorithmSha512 = 4;
  parameter int unsigned AlgorithmEcc = 5;

  // Data paths of coprocessor_aes.
  parameter int unsigned AesIterative = 0;
  parameter int unsigned AesPipelined = 1;
  parameter int unsigned AesUnrolled = 2;

  // Units of coprocessor_instructions, a bit set: bit n is the unit of funct3 n.
  parameter int unsigned UnitZkn = 1 << ZknFunct3Value;
  parameter int unsigned UnitColumn = 1 << ColumnFunct3Value;
  parameter int unsigned UnitBlock = 1 << BlockFunct3Value;
  parameter int unsigned UnitStream = 1 << StreamFunct3Value;
  parameter int unsigned UnitSponge = 1 << SpongeFunct3Value;

  /* verilator lint_on UNUSEDPARAM */

  // The fields of STATUS of the registers and of the instruction units.
  typedef struct packed {
    logic error;
    logic accepts;
    logic available;
    logic busy;
  } status_t;

  // The words of IDENTIFICATION and VERSION.
  function automatic logic [31:0] identification_word(input logic [7:0] kind);
    logic [31:0] word;
    word = '0;
    word[IdentificationMagicLsb+:IdentificationMagicWidth] = IdentificationMagicValue;
    word[IdentificationKindLsb+:IdentificationKindWidth] = kind;
    word[IdentificationMapLsb+:IdentificationMapWidth] = IdentificationMapValue;
    return word;
  endfunction

  function automatic logic [31:0] version_word();
    logic [31:0] word;
    word = '0;
    word[VersionMajorLsb+:VersionMajorWidth] = VersionMajorValue;
    word[VersionMinorLsb+:VersionMinorWidth] = VersionMinorValue;
    word[VersionPatchLsb+:VersionPatchWidth] = VersionPatchValue;
    return word;
  endfunction

  // The word of STATUS.
  function automatic logic [31:0] status_word(input status_t status);
    logic [31:0] word;
    word = '0;
    word[StatusBusyLsb] = status.busy;
    word[StatusAvailableLsb] = status.available;
    word[StatusAcceptsLsb] = status.accepts;
    word[StatusErrorLsb] = status.error;
    return word;
  endfunction

  // The word of CONTROL.
  function automatic logic [31:0] control_word(input logic       decrypt,
                                               input logic [1:0] key_size,
                                               input logic       final_round);
    logic [31:0] word;
    word = '0;
    word[ControlDecryptLsb] = decrypt;
    word[ControlKeySizeLsb+:ControlKeySizeWidth] = key_size;
    word[ControlFinalRoundLsb] = final_round;
    return word;
  endfunction

endpackage
