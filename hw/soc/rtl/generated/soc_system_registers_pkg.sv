// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/soc/soc_system.rdl by `make generate`; do not edit.

// System registers: addresses, and places and values of fields.
package soc_system_registers_pkg;

  // No one module uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Console.
  parameter logic [7:0] ConsoleOffset = 8'h00;
  parameter int unsigned ConsoleCharacterLsb = 0;
  parameter int unsigned ConsoleCharacterWidth = 8;

  // End of the run.
  parameter logic [7:0] FinishOffset = 8'h04;

  // Cycles since reset, low word.
  parameter logic [7:0] TimerLowOffset = 8'h08;

  // Cycles since reset, high word.
  parameter logic [7:0] TimerHighOffset = 8'h0C;

  // Timer comparison.
  parameter logic [7:0] TimerCompareOffset = 8'h10;

  // Interrupt enable.
  parameter logic [7:0] InterruptEnableOffset = 8'h14;
  parameter int unsigned InterruptEnableTimerLsb = 0;
  parameter int unsigned InterruptEnableTimerWidth = 1;
  parameter int unsigned InterruptEnableCoprocessorLsb = 1;
  parameter int unsigned InterruptEnableCoprocessorWidth = 1;
  parameter int unsigned InterruptEnableAcceleratorLsb = 2;
  parameter int unsigned InterruptEnableAcceleratorWidth = 1;
  parameter int unsigned InterruptEnableDmaLsb = 3;
  parameter int unsigned InterruptEnableDmaWidth = 1;

  // Interrupts pending.
  parameter logic [7:0] InterruptPendingOffset = 8'h18;
  parameter int unsigned InterruptPendingTimerLsb = 0;
  parameter int unsigned InterruptPendingTimerWidth = 1;
  parameter int unsigned InterruptPendingCoprocessorLsb = 1;
  parameter int unsigned InterruptPendingCoprocessorWidth = 1;
  parameter int unsigned InterruptPendingAcceleratorLsb = 2;
  parameter int unsigned InterruptPendingAcceleratorWidth = 1;
  parameter int unsigned InterruptPendingDmaLsb = 3;
  parameter int unsigned InterruptPendingDmaWidth = 1;

  // Measured region.
  parameter logic [7:0] MeasureOffset = 8'h1C;
  parameter int unsigned MeasureRunLsb = 0;
  parameter int unsigned MeasureRunWidth = 1;

  // Idle.
  parameter logic [7:0] IdleOffset = 8'h20;
  parameter int unsigned IdleIdleLsb = 0;
  parameter int unsigned IdleIdleWidth = 1;

  // Cycles of the measured region, low word.
  parameter logic [7:0] CyclesLowOffset = 8'h40;

  // Cycles of the measured region, high word.
  parameter logic [7:0] CyclesHighOffset = 8'h44;

  // Cycles in which the processor worked or waited for memory, low word.
  parameter logic [7:0] ProcessorLowOffset = 8'h48;

  // Cycles in which the processor worked or waited for memory, high word.
  parameter logic [7:0] ProcessorHighOffset = 8'h4C;

  // Cycles in which the processor waited for a bus, low word.
  parameter logic [7:0] BusLowOffset = 8'h50;

  // Cycles in which the processor waited for a bus, high word.
  parameter logic [7:0] BusHighOffset = 8'h54;

  // Cycles in which the processor waited while the cipher hardware computed, low word.
  parameter logic [7:0] AcceleratorLowOffset = 8'h58;

  // Cycles in which the processor waited while the cipher hardware computed, high word.
  parameter logic [7:0] AcceleratorHighOffset = 8'h5C;

  // Instructions retired, low word.
  parameter logic [7:0] InstructionsLowOffset = 8'h60;

  // Instructions retired, high word.
  parameter logic [7:0] InstructionsHighOffset = 8'h64;

  // Peripheral transfers and beats of the DMA engine, low word.
  parameter logic [7:0] TransactionsLowOffset = 8'h68;

  // Peripheral transfers and beats of the DMA engine, high word.
  parameter logic [7:0] TransactionsHighOffset = 8'h6C;

  /* verilator lint_on UNUSEDPARAM */

endpackage
