// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/soc/soc.rdl by `make generate`; do not edit.

// Ciphermill embedded system: addresses, and places and values of fields.
package soc_registers_pkg;

  // No one module uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // System registers.
  parameter logic [31:0] SystemBase = 32'h80000000;
  parameter logic [31:0] SystemConsoleAddress = 32'h80000000;
  parameter logic [31:0] SystemFinishAddress = 32'h80000004;
  parameter logic [31:0] SystemTimerLowAddress = 32'h80000008;
  parameter logic [31:0] SystemTimerHighAddress = 32'h8000000C;
  parameter logic [31:0] SystemTimerCompareAddress = 32'h80000010;
  parameter logic [31:0] SystemInterruptEnableAddress = 32'h80000014;
  parameter logic [31:0] SystemInterruptPendingAddress = 32'h80000018;
  parameter logic [31:0] SystemMeasureAddress = 32'h8000001C;
  parameter logic [31:0] SystemIdleAddress = 32'h80000020;
  parameter logic [31:0] SystemCyclesLowAddress = 32'h80000040;
  parameter logic [31:0] SystemCyclesHighAddress = 32'h80000044;
  parameter logic [31:0] SystemProcessorLowAddress = 32'h80000048;
  parameter logic [31:0] SystemProcessorHighAddress = 32'h8000004C;
  parameter logic [31:0] SystemBusLowAddress = 32'h80000050;
  parameter logic [31:0] SystemBusHighAddress = 32'h80000054;
  parameter logic [31:0] SystemAcceleratorLowAddress = 32'h80000058;
  parameter logic [31:0] SystemAcceleratorHighAddress = 32'h8000005C;
  parameter logic [31:0] SystemInstructionsLowAddress = 32'h80000060;
  parameter logic [31:0] SystemInstructionsHighAddress = 32'h80000064;
  parameter logic [31:0] SystemTransactionsLowAddress = 32'h80000068;
  parameter logic [31:0] SystemTransactionsHighAddress = 32'h8000006C;

  // Ciphermill block coprocessor.
  parameter logic [31:0] CoprocessorBase = 32'h80010000;
  parameter logic [31:0] CoprocessorIdentificationAddress = 32'h80010000;
  parameter logic [31:0] CoprocessorVersionAddress = 32'h80010004;
  parameter logic [31:0] CoprocessorCapabilityAddress = 32'h80010008;
  parameter logic [31:0] CoprocessorControlAddress = 32'h80010010;
  parameter logic [31:0] CoprocessorStatusAddress = 32'h80010018;
  parameter logic [31:0] CoprocessorErrorAddress = 32'h8001001C;
  parameter logic [31:0] CoprocessorKeyAddress = 32'h80010020;
  parameter logic [31:0] CoprocessorDataInAddress = 32'h80010100;
  parameter logic [31:0] CoprocessorDataOutAddress = 32'h80010200;
  parameter logic [31:0] CoprocessorDataOutWideAddress = 32'h80010280;

  // Ciphermill accelerator.
  parameter logic [31:0] AcceleratorBase = 32'h80020000;
  parameter logic [31:0] AcceleratorIdentificationAddress = 32'h80020000;
  parameter logic [31:0] AcceleratorVersionAddress = 32'h80020004;
  parameter logic [31:0] AcceleratorCapabilityAddress = 32'h80020008;
  parameter logic [31:0] AcceleratorGeometryAddress = 32'h8002000C;
  parameter logic [31:0] AcceleratorControlAddress = 32'h80020010;
  parameter logic [31:0] AcceleratorConfigurationAddress = 32'h80020014;
  parameter logic [31:0] AcceleratorStatusAddress = 32'h80020018;
  parameter logic [31:0] AcceleratorErrorAddress = 32'h8002001C;
  parameter logic [31:0] AcceleratorInterruptEnableAddress = 32'h80020020;
  parameter logic [31:0] AcceleratorInterruptStateAddress = 32'h80020024;
  parameter logic [31:0] AcceleratorMessageLengthLowAddress = 32'h80020028;
  parameter logic [31:0] AcceleratorMessageLengthHighAddress = 32'h8002002C;
  parameter logic [31:0] AcceleratorIvAddress = 32'h80020030;
  parameter logic [31:0] AcceleratorKeyAddress = 32'h80020040;
  parameter logic [31:0] AcceleratorIvBlocksLowAddress = 32'h80020060;
  parameter logic [31:0] AcceleratorIvBlocksHighAddress = 32'h80020064;
  parameter logic [31:0] AcceleratorCyclesLowAddress = 32'h80020070;
  parameter logic [31:0] AcceleratorCyclesHighAddress = 32'h80020074;
  parameter logic [31:0] AcceleratorStallInputAddress = 32'h80020078;
  parameter logic [31:0] AcceleratorStallOutputAddress = 32'h8002007C;
  parameter logic [31:0] AcceleratorSinkBytesLowAddress = 32'h80020080;
  parameter logic [31:0] AcceleratorSinkBytesHighAddress = 32'h80020084;
  parameter logic [31:0] AcceleratorAadLengthLowAddress = 32'h80020088;
  parameter logic [31:0] AcceleratorAadLengthHighAddress = 32'h8002008C;
  parameter logic [31:0] AcceleratorTagAddress = 32'h80020090;
  parameter logic [31:0] AcceleratorDataUnitLengthAddress = 32'h800200A0;
  parameter logic [31:0] AcceleratorChannelsAddress = 32'h800200A8;

  // Ciphermill DMA engine.
  parameter logic [31:0] DmaBase = 32'h80030000;
  parameter logic [31:0] DmaIdentificationAddress = 32'h80030000;
  parameter logic [31:0] DmaVersionAddress = 32'h80030004;
  parameter logic [31:0] DmaCapabilityAddress = 32'h80030008;
  parameter logic [31:0] DmaGeometryAddress = 32'h8003000C;
  parameter logic [31:0] DmaControlAddress = 32'h80030010;
  parameter logic [31:0] DmaFlagsAddress = 32'h80030014;
  parameter logic [31:0] DmaStatusAddress = 32'h80030018;
  parameter logic [31:0] DmaErrorAddress = 32'h8003001C;
  parameter logic [31:0] DmaInterruptEnableAddress = 32'h80030020;
  parameter logic [31:0] DmaInterruptStateAddress = 32'h80030024;
  parameter logic [31:0] DmaSourceAddress = 32'h80030028;
  parameter logic [31:0] DmaDestinationAddress = 32'h8003002C;
  parameter logic [31:0] DmaLengthAddress = 32'h80030030;
  parameter logic [31:0] DmaChainAddress = 32'h80030034;
  parameter logic [31:0] DmaCompletedAddress = 32'h80030080;
  parameter logic [31:0] DmaErrorDescriptorAddress = 32'h80030084;

  /* verilator lint_on UNUSEDPARAM */

endpackage
