// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/coprocessor/coprocessor_ecc.rdl by `make generate`; do not edit.

// Ciphermill ECC coprocessor: addresses, and places and values of fields.
package coprocessor_ecc_registers_pkg;

  // No one module uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Identification.
  parameter logic [11:0] IdentificationOffset = 12'h000;
  parameter logic [31:0] IdentificationMagicValue = 32'h43454D43;

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
  parameter int unsigned CapabilityCurvesLsb = 0;
  parameter int unsigned CapabilityCurvesWidth = 3;
  parameter int unsigned CapabilityMultipliersLsb = 8;
  parameter int unsigned CapabilityMultipliersWidth = 2;

  // Control.
  parameter logic [11:0] ControlOffset = 12'h010;
  parameter int unsigned ControlStartLsb = 0;
  parameter int unsigned ControlStartWidth = 1;
  parameter int unsigned ControlZeroiseLsb = 8;
  parameter int unsigned ControlZeroiseWidth = 1;

  // Operation.
  parameter logic [11:0] OperationOffset = 12'h014;
  parameter int unsigned OperationOperationLsb = 0;
  parameter int unsigned OperationOperationWidth = 3;
  parameter logic [2:0] OperationOperationGenerate = 3'h0;
  parameter logic [2:0] OperationOperationPublicKey = 3'h1;
  parameter logic [2:0] OperationOperationSign = 3'h2;
  parameter logic [2:0] OperationOperationVerify = 3'h3;
  parameter logic [2:0] OperationOperationAgree = 3'h4;
  parameter int unsigned OperationCurveLsb = 8;
  parameter int unsigned OperationCurveWidth = 2;
  parameter logic [1:0] OperationCurveP256 = 2'h0;
  parameter logic [1:0] OperationCurveP384 = 2'h1;
  parameter logic [1:0] OperationCurveP521 = 2'h2;

  // Status.
  parameter logic [11:0] StatusOffset = 12'h018;
  parameter int unsigned StatusBusyLsb = 0;
  parameter int unsigned StatusBusyWidth = 1;
  parameter int unsigned StatusAvailableLsb = 1;
  parameter int unsigned StatusAvailableWidth = 1;
  parameter int unsigned StatusEndedLsb = 2;
  parameter int unsigned StatusEndedWidth = 1;
  parameter int unsigned StatusOutcomeLsb = 8;
  parameter int unsigned StatusOutcomeWidth = 4;
  parameter logic [3:0] StatusOutcomeGood = 4'h0;
  parameter logic [3:0] StatusOutcomeRandom = 4'h1;
  parameter logic [3:0] StatusOutcomePrivateKey = 4'h2;
  parameter logic [3:0] StatusOutcomeNonce = 4'h3;
  parameter logic [3:0] StatusOutcomeCoordinate = 4'h4;
  parameter logic [3:0] StatusOutcomeInfinity = 4'h5;
  parameter logic [3:0] StatusOutcomeOffCurve = 4'h6;
  parameter logic [3:0] StatusOutcomeSignature = 4'h7;
  parameter logic [3:0] StatusOutcomeInvalid = 4'h8;
  parameter logic [3:0] StatusOutcomeZeroR = 4'h9;
  parameter logic [3:0] StatusOutcomeZeroS = 4'hA;

  // Error.
  parameter logic [11:0] ErrorOffset = 12'h01C;
  parameter int unsigned ErrorOrderLsb = 0;
  parameter int unsigned ErrorOrderWidth = 1;

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
