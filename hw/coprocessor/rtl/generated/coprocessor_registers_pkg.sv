// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/coprocessor/coprocessor.rdl by `make generate`; do not edit.

// Ciphermill block coprocessor: addresses, and places and values of fields.
package coprocessor_registers_pkg;

  // No one module uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Identification.
  parameter logic [11:0] IdOffset = 12'h000;
  parameter int unsigned IdVersionLsb = 0;
  parameter int unsigned IdVersionWidth = 8;
  parameter logic [7:0] IdVersionValue = 8'h01;
  parameter int unsigned IdKindLsb = 8;
  parameter int unsigned IdKindWidth = 8;
  parameter logic [7:0] IdKindUnrolled = 8'h10;
  parameter logic [7:0] IdKindUnrolledPipelined = 8'h11;
  parameter logic [7:0] IdKindIterative = 8'h12;
  parameter logic [7:0] IdKindRound = 8'h13;
  parameter logic [7:0] IdKindLinearLayer = 8'h14;
  parameter logic [7:0] IdKindPresentIterative = 8'h20;
  parameter logic [7:0] IdKindPresentUnrolled = 8'h21;
  parameter logic [7:0] IdKindPresentSerial = 8'h22;
  parameter int unsigned IdMagicLsb = 16;
  parameter int unsigned IdMagicWidth = 16;
  parameter logic [15:0] IdMagicValue = 16'h434D;

  // Control.
  parameter logic [11:0] ControlOffset = 12'h004;
  parameter int unsigned ControlDecryptLsb = 0;
  parameter int unsigned ControlDecryptWidth = 1;
  parameter int unsigned ControlKeySizeLsb = 1;
  parameter int unsigned ControlKeySizeWidth = 2;
  parameter int unsigned ControlFinalRoundLsb = 3;
  parameter int unsigned ControlFinalRoundWidth = 1;
  parameter int unsigned ControlZeroiseLsb = 8;
  parameter int unsigned ControlZeroiseWidth = 1;

  // Status.
  parameter logic [11:0] StatusOffset = 12'h008;
  parameter int unsigned StatusBusyLsb = 0;
  parameter int unsigned StatusBusyWidth = 1;
  parameter int unsigned StatusAvailableLsb = 1;
  parameter int unsigned StatusAvailableWidth = 1;
  parameter int unsigned StatusAcceptsLsb = 2;
  parameter int unsigned StatusAcceptsWidth = 1;
  parameter int unsigned StatusErrorLsb = 3;
  parameter int unsigned StatusErrorWidth = 1;

  // Key.
  parameter logic [11:0] KeyOffset = 12'h020;
  parameter int unsigned KeyCount = 8;

  // Blocks in.
  parameter logic [11:0] DataInOffset = 12'h100;
  parameter int unsigned DataInCount = 64;

  // Blocks out.
  parameter logic [11:0] DataOutOffset = 12'h200;
  parameter int unsigned DataOutCount = 32;

  // Blocks out, several in a beat.
  parameter logic [11:0] DataOutWideOffset = 12'h280;
  parameter int unsigned DataOutWideCount = 32;

  /* verilator lint_on UNUSEDPARAM */

endpackage
