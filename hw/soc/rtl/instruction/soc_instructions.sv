// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The instruction units of a partition: for AES those for bytes, columns and whole
// blocks, or the stream; for Ascon the sponge.
//
// fault_valid_i injects a fault, so that tests can see the checks of results fail: bit
// fault_bit_i, modulo 32, of every result is stuck at one.
module soc_instructions
  import soc_pkg::*;
#(
  parameter int unsigned Partition = PartitionInstruction,
  parameter int unsigned Algorithm = AlgorithmAes,
  parameter int unsigned SBox      = SBoxTable
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  instruction_t instruction_i,
  output result_t      result_o,
  input  logic         fault_valid_i,
  input  logic [6:0]   fault_bit_i,
  output logic         busy_o
);

  if (Algorithm == AlgorithmAscon && Partition != PartitionInstruction) begin : gen_bad
    $error("soc: Ascon's partitions are software (0), iterative (2), instruction (5), dma (7)");
  end

  localparam int unsigned Units = (Algorithm == AlgorithmAscon)
      ? coprocessor_pkg::UnitSponge
      : (Partition == PartitionStream)
      ? coprocessor_pkg::UnitStream
      : coprocessor_pkg::UnitZkn | coprocessor_pkg::UnitColumn | coprocessor_pkg::UnitBlock;

  logic [31:0] result;

  coprocessor_instructions #(
    .Units (Units),
    .SBox  (SBox)
  ) u_instructions (
    .clk_i                  (clk_i),
    .rst_ni                 (rst_ni),
    .instruction_valid_i    (instruction_i.valid),
    .instruction_function_i (instruction_i.code),
    .instruction_a_i        (instruction_i.a),
    .instruction_b_i        (instruction_i.b),
    .instruction_known_o    (result_o.known),
    .instruction_ready_o    (result_o.ready),
    .instruction_result_o   (result),
    .busy_o                 (busy_o)
  );

  assign result_o.standard = result_o.known &&
      instruction_i.code[2:0] == coprocessor_instruction_registers_pkg::ZknFunct3Value;
  assign result_o.result = result | ({31'b0, fault_valid_i} << fault_bit_i[4:0]);

  logic unused_fault;
  assign unused_fault = ^fault_bit_i[6:5];

endmodule
