// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The coprocessor of a memory-mapped partition, on the register bus.
//
// fault_i injects a fault, so that tests can see the checks of results fail: its bits are
// stuck at one in every result that is read.
module soc_register_coprocessor
  import soc_pkg::*;
#(
  parameter int unsigned Partition      = PartitionIterative,
  parameter int unsigned Algorithm      = AlgorithmAes,
  parameter int unsigned DataWidth      = 32,
  parameter int unsigned BlocksInFlight = 2,
  parameter int unsigned SBox           = SBoxTable
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   bus_valid_i,
  input  logic                   bus_write_i,
  input  logic [11:0]            bus_address_i,
  input  logic [DataWidth-1:0]   bus_wdata_i,
  input  logic [DataWidth/8-1:0] bus_wstrb_i,
  output logic                   bus_ready_o,
  output logic [DataWidth-1:0]   bus_rdata_o,
  input  logic [DataWidth-1:0]   fault_i,
  output logic                   busy_o,
  output logic                   irq_o
);

  // Architectures of coprocessor_present, as present_core numbers them.
  localparam int unsigned PresentArchitecture = (Partition == PartitionUnrolled) ? 1 : 0;
  // Blocks in flight of PRESENT, as in the paper's coprocessor; not a parameter.
  localparam int unsigned PresentBlocks = 2;
  // Each function has the word size that it needs, and no more.
  localparam int unsigned Sha2WordSizes =
      (Algorithm == AlgorithmSha256) ? sha2_pkg::WordSizes32 : sha2_pkg::WordSizes64;
  // DATA_OUT and DATA_OUT_WIDE, one window.
  localparam int unsigned ResultBits =
      $clog2(4 * (coprocessor_registers_pkg::DataOutCount +
                  coprocessor_registers_pkg::DataOutWideCount));
  localparam logic [11:0] BlockResults = coprocessor_registers_pkg::DataOutOffset;
  localparam logic [11:0] ShellResult = coprocessor_shell_registers_pkg::DataOutOffset;

  logic [DataWidth-1:0] rdata;
  logic                 is_result;

  if (Partition == PartitionShell) begin : gen_shell
    if (DataWidth != 32) begin : gen_bad_width
      $error("soc: the shell has 32 bits: Interface must be 0 (local) or 1 (AXI4-Lite)");
    end
    coprocessor_shell #(
      .Algorithm (Algorithm),
      .SBox      (SBox)
    ) u_coprocessor (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .bus_valid_i   (bus_valid_i),
      .bus_write_i   (bus_write_i),
      .bus_address_i (bus_address_i),
      .bus_wdata_i   (bus_wdata_i),
      .bus_wstrb_i   (bus_wstrb_i),
      .bus_ready_o   (bus_ready_o),
      .bus_rdata_o   (rdata),
      .busy_o        (busy_o),
      .irq_o         (irq_o)
    );
  end else if (Algorithm == AlgorithmAscon) begin : gen_ascon
    if (Partition != PartitionIterative) begin : gen_bad
      $error("soc: Ascon's partitions are software (0), iterative (2), instruction (5), dma (7)");
    end
    coprocessor_ascon #(
      .DataWidth (DataWidth)
    ) u_coprocessor (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .bus_valid_i   (bus_valid_i),
      .bus_write_i   (bus_write_i),
      .bus_address_i (bus_address_i),
      .bus_wdata_i   (bus_wdata_i),
      .bus_wstrb_i   (bus_wstrb_i),
      .bus_ready_o   (bus_ready_o),
      .bus_rdata_o   (rdata),
      .busy_o        (busy_o),
      .irq_o         (irq_o)
    );
  end else if (Algorithm inside {AlgorithmSha256, AlgorithmSha512}) begin : gen_sha2
    if (Partition != PartitionIterative) begin : gen_bad
      $error("soc: SHA-2's partitions are software (0), iterative (2), dma (7)");
    end
    coprocessor_sha2 #(
      .DataWidth (DataWidth),
      .WordSizes (Sha2WordSizes)
    ) u_coprocessor (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .bus_valid_i   (bus_valid_i),
      .bus_write_i   (bus_write_i),
      .bus_address_i (bus_address_i),
      .bus_wdata_i   (bus_wdata_i),
      .bus_wstrb_i   (bus_wstrb_i),
      .bus_ready_o   (bus_ready_o),
      .bus_rdata_o   (rdata),
      .busy_o        (busy_o),
      .irq_o         (irq_o)
    );
  end else if (Algorithm == AlgorithmEcc) begin : gen_ecc
    if (Partition != PartitionIterative) begin : gen_bad
      $error("soc: partitions of elliptic curves are software (0), iterative (2), dma (7)");
    end
    coprocessor_ecc #(
      .DataWidth (DataWidth)
    ) u_coprocessor (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .bus_valid_i   (bus_valid_i),
      .bus_write_i   (bus_write_i),
      .bus_address_i (bus_address_i),
      .bus_wdata_i   (bus_wdata_i),
      .bus_wstrb_i   (bus_wstrb_i),
      .bus_ready_o   (bus_ready_o),
      .bus_rdata_o   (rdata),
      .busy_o        (busy_o),
      .irq_o         (irq_o)
    );
  end else if (Algorithm == AlgorithmPresent) begin : gen_present
    if (Partition != PartitionUnrolled && Partition != PartitionIterative) begin : gen_bad
      $error("soc: PRESENT's partitions in hardware are unrolled (1), iterative (2), shell (8)");
    end
    coprocessor_present #(
      .Architecture   (PresentArchitecture),
      .DataWidth      (DataWidth),
      .BlocksInFlight (PresentBlocks)
    ) u_coprocessor (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .bus_valid_i   (bus_valid_i),
      .bus_write_i   (bus_write_i),
      .bus_address_i (bus_address_i),
      .bus_wdata_i   (bus_wdata_i),
      .bus_wstrb_i   (bus_wstrb_i),
      .bus_ready_o   (bus_ready_o),
      .bus_rdata_o   (rdata),
      .busy_o        (busy_o),
      .irq_o         (irq_o)
    );
  end else if (Partition == PartitionUnrolled) begin : gen_unrolled
    coprocessor_unrolled #(
      .DataWidth      (DataWidth),
      .BlocksInFlight (BlocksInFlight),
      .SBox           (SBox)
    ) u_coprocessor (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .bus_valid_i   (bus_valid_i),
      .bus_write_i   (bus_write_i),
      .bus_address_i (bus_address_i),
      .bus_wdata_i   (bus_wdata_i),
      .bus_wstrb_i   (bus_wstrb_i),
      .bus_ready_o   (bus_ready_o),
      .bus_rdata_o   (rdata),
      .busy_o        (busy_o),
      .irq_o         (irq_o)
    );
  end else if (Partition == PartitionIterative) begin : gen_iterative
    coprocessor_iterative #(
      .DataWidth      (DataWidth),
      .BlocksInFlight (BlocksInFlight),
      .SBox           (SBox)
    ) u_coprocessor (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .bus_valid_i   (bus_valid_i),
      .bus_write_i   (bus_write_i),
      .bus_address_i (bus_address_i),
      .bus_wdata_i   (bus_wdata_i),
      .bus_wstrb_i   (bus_wstrb_i),
      .bus_ready_o   (bus_ready_o),
      .bus_rdata_o   (rdata),
      .busy_o        (busy_o),
      .irq_o         (irq_o)
    );
  end else if (Partition == PartitionRound) begin : gen_round
    coprocessor_round #(
      .DataWidth (DataWidth),
      .SBox      (SBox)
    ) u_coprocessor (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .bus_valid_i   (bus_valid_i),
      .bus_write_i   (bus_write_i),
      .bus_address_i (bus_address_i),
      .bus_wdata_i   (bus_wdata_i),
      .bus_wstrb_i   (bus_wstrb_i),
      .bus_ready_o   (bus_ready_o),
      .bus_rdata_o   (rdata),
      .busy_o        (busy_o),
      .irq_o         (irq_o)
    );
  end else begin : gen_linear_layer
    coprocessor_linear_layer #(
      .DataWidth (DataWidth)
    ) u_coprocessor (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .bus_valid_i   (bus_valid_i),
      .bus_write_i   (bus_write_i),
      .bus_address_i (bus_address_i),
      .bus_wdata_i   (bus_wdata_i),
      .bus_wstrb_i   (bus_wstrb_i),
      .bus_ready_o   (bus_ready_o),
      .bus_rdata_o   (rdata),
      .busy_o        (busy_o),
      .irq_o         (irq_o)
    );
  end

  if (Partition == PartitionShell) begin : gen_shell_result
    assign is_result = bus_address_i == ShellResult;
  end else begin : gen_block_result
    assign is_result = bus_address_i[11:ResultBits] == BlockResults[11:ResultBits];
  end
  assign bus_rdata_o = is_result ? rdata | fault_i : rdata;

endmodule
