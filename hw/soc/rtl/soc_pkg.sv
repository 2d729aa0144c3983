// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Constants and types of the embedded system: the values of its parameters, and the
// local bus of every soft core. The memory map is soc.rdl.
//
// Local bus: a transfer happens in the cycle in which valid and ready are both high;
// rdata is valid in that cycle. The request holds until then. Data are in the lanes of
// their byte addresses; `address` is that of the 32-bit word.
package soc_pkg;

  import soc_system_registers_pkg::*;

  // No one module uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Values of parameters: plain integers, so that a tool can override them.
  parameter int unsigned SoftCorePicorv32 = 0;
  parameter int unsigned SoftCoreVexriscv = 1;
  parameter int unsigned SoftCoreIbex     = 2;
  parameter int unsigned SoftCoreCva6     = 3;

  parameter int unsigned PartitionSoftware    = 0;
  parameter int unsigned PartitionUnrolled    = 1;
  parameter int unsigned PartitionIterative   = 2;
  parameter int unsigned PartitionRound       = 3;
  parameter int unsigned PartitionLinearLayer = 4;
  parameter int unsigned PartitionInstruction = 5;
  parameter int unsigned PartitionStream      = 6;
  parameter int unsigned PartitionDma         = 7;
  parameter int unsigned PartitionShell       = 8;

  parameter int unsigned InterfaceLocal   = 0;
  parameter int unsigned InterfaceAxiLite = 1;
  parameter int unsigned InterfaceAxi4    = 2;

  parameter int unsigned AlgorithmAes     = 0;
  parameter int unsigned AlgorithmPresent = 1;
  parameter int unsigned AlgorithmAscon   = 2;
  parameter int unsigned AlgorithmSha256  = 3;
  parameter int unsigned AlgorithmSha512  = 4;
  parameter int unsigned AlgorithmEcc     = 5;
  parameter int unsigned AlgorithmLast    = AlgorithmEcc;

  // S-boxes of AES, as aes_pkg numbers them; a system without hardware has no aes_pkg.
  parameter int unsigned SBoxTable   = 0;
  parameter int unsigned SBoxDecoder = 2;

  // Bits of INTERRUPT_ENABLE and INTERRUPT_PENDING.
  parameter int unsigned InterruptTimer       = InterruptEnableTimerLsb;
  parameter int unsigned InterruptCoprocessor = InterruptEnableCoprocessorLsb;
  parameter int unsigned InterruptAccelerator = InterruptEnableAcceleratorLsb;
  parameter int unsigned InterruptDma         = InterruptEnableDmaLsb;
  parameter int unsigned Interrupts           = 4;

  /* verilator lint_on UNUSEDPARAM */

  typedef struct packed {
    logic        valid;
    logic        write;
    logic        following; // not the first word of a burst
    logic [31:0] address;
    logic [31:0] wdata;
    logic [3:0]  wstrb;
  } request_t;

  typedef struct packed {
    logic        ready;
    logic [31:0] rdata;
  } response_t;

  // An instruction for a coprocessor (custom-0, on PicoRV32 custom-1; R-type):
  // {funct7, funct3} and its two source registers. It completes in the cycle in which
  // valid and ready are high.
  typedef struct packed {
    logic        valid;
    logic [9:0]  code;
    logic [31:0] a;
    logic [31:0] b;
  } instruction_t;

  typedef struct packed {
    logic        known;    // {funct7, funct3} is an instruction; depends on nothing else
    logic        standard; // and one of Zkne or Zknd, whose standard opcode is OP
    logic        ready;
    logic [31:0] result;
  } result_t;

endpackage
