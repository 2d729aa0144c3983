// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/coprocessor/coprocessor_shell.rdl by `make generate`; do not edit.

// Ciphermill coprocessor shell: addresses, and places and values of fields.
package coprocessor_shell_registers_pkg;

  // No one module uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Command.
  parameter logic [11:0] CommandOffset = 12'h000;
  parameter int unsigned CommandInstructionLsb = 0;
  parameter int unsigned CommandInstructionWidth = 4;
  parameter logic [3:0] CommandInstructionNone = 4'h0;
  parameter logic [3:0] CommandInstructionLoadKey = 4'h1;
  parameter logic [3:0] CommandInstructionLoadText = 4'h2;
  parameter logic [3:0] CommandInstructionRun = 4'h3;
  parameter logic [3:0] CommandInstructionRead = 4'h4;
  parameter logic [3:0] CommandInstructionStream = 4'h5;
  parameter logic [3:0] CommandInstructionStreamKey = 4'h6;
  parameter logic [3:0] CommandInstructionZeroise = 4'h7;
  parameter int unsigned CommandBusyLsb = 0;
  parameter int unsigned CommandBusyWidth = 1;
  parameter int unsigned CommandAvailableLsb = 1;
  parameter int unsigned CommandAvailableWidth = 1;
  parameter int unsigned CommandAcceptsLsb = 2;
  parameter int unsigned CommandAcceptsWidth = 1;
  parameter int unsigned CommandErrorLsb = 3;
  parameter int unsigned CommandErrorWidth = 1;
  parameter int unsigned CommandIndexLsb = 4;
  parameter int unsigned CommandIndexWidth = 2;
  parameter int unsigned CommandDecryptLsb = 8;
  parameter int unsigned CommandDecryptWidth = 1;

  // Data in.
  parameter logic [11:0] DataInOffset = 12'h004;

  // Data out.
  parameter logic [11:0] DataOutOffset = 12'h008;

  // Identification.
  parameter logic [11:0] IdentificationOffset = 12'h100;
  parameter logic [31:0] IdentificationMagicValue = 32'h48534D43;

  // Version of this register map.
  parameter logic [11:0] VersionOffset = 12'h104;
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
  parameter logic [11:0] CapabilityOffset = 12'h108;
  parameter int unsigned CapabilityAlgorithmLsb = 0;
  parameter int unsigned CapabilityAlgorithmWidth = 4;
  parameter logic [3:0] CapabilityAlgorithmAes128 = 4'h0;
  parameter logic [3:0] CapabilityAlgorithmPresent80 = 4'h1;
  parameter int unsigned CapabilityEncryptLsb = 4;
  parameter int unsigned CapabilityEncryptWidth = 1;
  parameter int unsigned CapabilityDecryptLsb = 5;
  parameter int unsigned CapabilityDecryptWidth = 1;

  // Control.
  parameter logic [11:0] ControlOffset = 12'h110;
  parameter int unsigned ControlZeroiseLsb = 8;
  parameter int unsigned ControlZeroiseWidth = 1;

  // Status.
  parameter logic [11:0] StatusOffset = 12'h118;
  parameter int unsigned StatusBusyLsb = 0;
  parameter int unsigned StatusBusyWidth = 1;
  parameter int unsigned StatusAvailableLsb = 1;
  parameter int unsigned StatusAvailableWidth = 1;
  parameter int unsigned StatusAcceptsLsb = 2;
  parameter int unsigned StatusAcceptsWidth = 1;
  parameter int unsigned StatusErrorLsb = 3;
  parameter int unsigned StatusErrorWidth = 1;

  // Error.
  parameter logic [11:0] ErrorOffset = 12'h11C;
  parameter int unsigned ErrorOrderLsb = 0;
  parameter int unsigned ErrorOrderWidth = 1;

  /* verilator lint_on UNUSEDPARAM */

endpackage
