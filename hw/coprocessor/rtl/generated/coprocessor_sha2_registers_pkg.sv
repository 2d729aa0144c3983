// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/coprocessor/coprocessor_sha2.rdl by `make generate`; do not edit.

// Ciphermill SHA-2 coprocessor: addresses, and places and values of fields.
package coprocessor_sha2_registers_pkg;

  // No one module uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Identification.
  parameter logic [11:0] IdentificationOffset = 12'h000;
  parameter logic [31:0] IdentificationMagicValue = 32'h32534D43;

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
  parameter logic [7:0] VersionMajorValue = 8'h01;

  // Capabilities.
  parameter logic [11:0] CapabilityOffset = 12'h008;
  parameter int unsigned CapabilityFunctionsLsb = 0;
  parameter int unsigned CapabilityFunctionsWidth = 6;
  parameter int unsigned CapabilityRoundsPerCycleLsb = 8;
  parameter int unsigned CapabilityRoundsPerCycleWidth = 4;

  // Control.
  parameter logic [11:0] ControlOffset = 12'h010;
  parameter int unsigned ControlStartLsb = 0;
  parameter int unsigned ControlStartWidth = 1;
  parameter int unsigned ControlDropLsb = 1;
  parameter int unsigned ControlDropWidth = 1;
  parameter int unsigned ControlZeroiseLsb = 8;
  parameter int unsigned ControlZeroiseWidth = 1;

  // Message.
  parameter logic [11:0] MessageOffset = 12'h014;
  parameter int unsigned MessageFunctionLsb = 0;
  parameter int unsigned MessageFunctionWidth = 3;
  parameter logic [2:0] MessageFunctionSha224 = 3'h0;
  parameter logic [2:0] MessageFunctionSha256 = 3'h1;
  parameter logic [2:0] MessageFunctionSha384 = 3'h2;
  parameter logic [2:0] MessageFunctionSha512 = 3'h3;
  parameter logic [2:0] MessageFunctionSha512224 = 3'h4;
  parameter logic [2:0] MessageFunctionSha512256 = 3'h5;

  // Status.
  parameter logic [11:0] StatusOffset = 12'h018;
  parameter int unsigned StatusBusyLsb = 0;
  parameter int unsigned StatusBusyWidth = 1;
  parameter int unsigned StatusAvailableLsb = 1;
  parameter int unsigned StatusAvailableWidth = 1;
  parameter int unsigned StatusMessageLsb = 2;
  parameter int unsigned StatusMessageWidth = 1;

  // Error.
  parameter logic [11:0] ErrorOffset = 12'h01C;
  parameter int unsigned ErrorOrderLsb = 0;
  parameter int unsigned ErrorOrderWidth = 1;

  // Length of the message.
  parameter logic [11:0] MessageBytesOffset = 12'h020;

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
