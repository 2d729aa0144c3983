// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/coprocessor/coprocessor_shell.rdl by `make generate`; do not edit.

// Ciphermill coprocessor shell: addresses, and places and values of fields.
package coprocessor_shell_registers_pkg;

  // No one module uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Control.
  parameter logic [11:0] ControlOffset = 12'h000;
  parameter int unsigned ControlInstructionLsb = 0;
  parameter int unsigned ControlInstructionWidth = 4;
  parameter logic [3:0] ControlInstructionNone = 4'h0;
  parameter logic [3:0] ControlInstructionLoadKey = 4'h1;
  parameter logic [3:0] ControlInstructionLoadText = 4'h2;
  parameter logic [3:0] ControlInstructionRun = 4'h3;
  parameter logic [3:0] ControlInstructionRead = 4'h4;
  parameter logic [3:0] ControlInstructionStream = 4'h5;
  parameter logic [3:0] ControlInstructionStreamKey = 4'h6;
  parameter logic [3:0] ControlInstructionZeroise = 4'h7;
  parameter int unsigned ControlBusyLsb = 0;
  parameter int unsigned ControlBusyWidth = 1;
  parameter int unsigned ControlAvailableLsb = 1;
  parameter int unsigned ControlAvailableWidth = 1;
  parameter int unsigned ControlAcceptsLsb = 2;
  parameter int unsigned ControlAcceptsWidth = 1;
  parameter int unsigned ControlErrorLsb = 3;
  parameter int unsigned ControlErrorWidth = 1;
  parameter int unsigned ControlIndexLsb = 4;
  parameter int unsigned ControlIndexWidth = 2;
  parameter int unsigned ControlDecryptLsb = 8;
  parameter int unsigned ControlDecryptWidth = 1;

  // Data in.
  parameter logic [11:0] DataInOffset = 12'h004;

  // Data out.
  parameter logic [11:0] DataOutOffset = 12'h008;

  /* verilator lint_on UNUSEDPARAM */

endpackage
