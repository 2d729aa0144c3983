// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/coprocessor/coprocessor.rdl by `make generate`; do not edit.

// Ciphermill block coprocessor: addresses, and places and values of fields.
package coprocessor_registers_pkg;

  // No one module uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Identification.
  parameter logic [11:0] IdentificationOffset = 12'h000;
  parameter int unsigned IdentificationMagicLsb = 0;
  parameter int unsigned IdentificationMagicWidth = 16;
  parameter logic [15:0] IdentificationMagicValue = 16'h4D43;
  parameter int unsigned IdentificationKindLsb = 16;
  parameter int unsigned IdentificationKindWidth = 8;
  parameter logic [7:0] IdentificationKindUnrolled = 8'h10;
  parameter logic [7:0] IdentificationKindUnrolledPipelined = 8'h11;
  parameter logic [7:0] IdentificationKindIterative = 8'h12;
  parameter logic [7:0] IdentificationKindRound = 8'h13;
  parameter logic [7:0] IdentificationKindLinearLayer = 8'h14;
  parameter logic [7:0] IdentificationKindPresentIterative = 8'h20;
  parameter logic [7:0] IdentificationKindPresentUnrolled = 8'h21;
  parameter logic [7:0] IdentificationKindPresentSerial = 8'h22;
  parameter int unsigned IdentificationMapLsb = 24;
  parameter int unsigned IdentificationMapWidth = 8;
  parameter logic [7:0] IdentificationMapValue = 8'h42;

  // Version of this register map.
  parameter logic [11:0] VersionOffset = 12'h004;
  parameter int unsigned VersionPatchLsb = 0;
  parameter int unsigned VersionPatchWidth = 8;
  parameter logic [7:0] VersionPatchValue = 8'h00;
  parameter int unsigned VersionMinorLsb = 8;
  parameter int unsigned VersionMinorWidth = 8;
  parameter logic [7:0] VersionMinorValue = 8'h00;
  parameter int unsigned VersionMajorLsb = 16;
  parameter int unsigned VersionMajorWidth = 8;
  parameter logic [7:0] VersionMajorValue = 8'h02;

  // Capabilities.
  parameter logic [11:0] CapabilityOffset = 12'h008;
  parameter int unsigned CapabilityBlocksInFlightLsb = 0;
  parameter int unsigned CapabilityBlocksInFlightWidth = 4;

  // Control.
  parameter logic [11:0] ControlOffset = 12'h010;
  parameter int unsigned ControlDecryptLsb = 0;
  parameter int unsigned ControlDecryptWidth = 1;
  parameter int unsigned ControlKeySizeLsb = 1;
  parameter int unsigned ControlKeySizeWidth = 2;
  parameter logic [1:0] ControlKeySizeAes128Present80 = 2'h0;
  parameter logic [1:0] ControlKeySizeAes192Present128 = 2'h1;
  parameter logic [1:0] ControlKeySizeAes256 = 2'h2;
  parameter int unsigned ControlFinalRoundLsb = 3;
  parameter int unsigned ControlFinalRoundWidth = 1;
  parameter int unsigned ControlZeroiseLsb = 8;
  parameter int unsigned ControlZeroiseWidth = 1;

  // Status.
  parameter logic [11:0] StatusOffset = 12'h018;
  parameter int unsigned StatusBusyLsb = 0;
  parameter int unsigned StatusBusyWidth = 1;
  parameter int unsigned StatusAvailableLsb = 1;
  parameter int unsigned StatusAvailableWidth = 1;
  parameter int unsigned StatusAcceptsLsb = 2;
  parameter int unsigned StatusAcceptsWidth = 1;
  parameter int unsigned StatusErrorLsb = 3;
  parameter int unsigned StatusErrorWidth = 1;

  // Error.
  parameter logic [11:0] ErrorOffset = 12'h01C;
  parameter int unsigned ErrorOrderLsb = 0;
  parameter int unsigned ErrorOrderWidth = 1;

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
