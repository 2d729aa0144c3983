// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The embedded system: a soft core, memory, system registers, and the hardware part
// of a partition, on the local bus or behind AXI. It has one clock. The README describes
// its operation; soc_pkg has the values of the parameters.
//
// trap_o: the processor stopped. bus_error_o: an access failed or had no target.
// event_o is high whenever the console, finish, trap or bus error output is.
module soc
  import soc_pkg::*;
#(
  parameter int unsigned SoftCore       = SoftCorePicorv32,
  parameter int unsigned Partition      = PartitionSoftware,
  parameter int unsigned Interface      = InterfaceAxiLite, // of a memory-mapped partition
  parameter int unsigned AxiWidth       = 32,               // of InterfaceAxi4 and of the DMA
  parameter int unsigned BlocksInFlight = 2,                // of unrolled and iterative AES
  parameter int unsigned Algorithm      = AlgorithmAes,
  parameter int unsigned SBox           = SBoxTable,        // of AES in hardware
  parameter int unsigned MemoryBytes    = 262144
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [7:0]  memory_read_wait_i,
  input  logic [7:0]  memory_write_wait_i,
  input  logic        fault_valid_i, // for tests: bit fault_bit_i of results is stuck at one
  input  logic [6:0]  fault_bit_i,
  output logic        console_valid_o,
  output logic [7:0]  console_o,
  output logic        finish_valid_o,
  output logic [31:0] finish_o,
  output logic        trap_o,
  output logic        bus_error_o,
  output logic        event_o
);

  localparam bit IsMapped = Partition inside {
    PartitionUnrolled, PartitionIterative, PartitionRound, PartitionLinearLayer, PartitionShell
  };
  localparam bit IsInstruction = Partition inside {PartitionInstruction, PartitionStream};
  localparam bit IsDma = Partition == PartitionDma;

  if (Partition > PartitionShell) begin : gen_bad_partition
    $error("soc: Partition must be 0 to 8");
  end
  if (Interface > InterfaceAxi4) begin : gen_bad_interface
    $error("soc: Interface must be 0 (local), 1 (AXI4-Lite) or 2 (AXI4)");
  end
  if (BlocksInFlight > 8) begin : gen_bad_blocks
    $error("soc: BlocksInFlight must be 8 at most");
  end
  if (SBox > SBoxDecoder) begin : gen_bad_sbox
    $error("soc: SBox must be 0 (table), 1 (composite) or 2 (decoder)");
  end
  if (IsInstruction && SoftCore inside {SoftCoreIbex, SoftCoreCva6}) begin : gen_bad_instruction
    $error("soc: Ibex and CVA6 have no port for custom instructions");
  end
  if (Algorithm > AlgorithmLast || (IsDma && Algorithm == AlgorithmPresent) ||
      (IsInstruction && !(Algorithm inside {AlgorithmAes, AlgorithmAscon}))) begin
      : gen_bad_algorithm
    $error("soc: Algorithm must be a number of soc_pkg; instruction: 0 (AES), 2 (Ascon); %s",
           "DMA: not 1 (PRESENT)");
  end

  request_t              fetch_request, data_request, memory_request;
  response_t             fetch_response, data_response, memory_response;
  request_t              page_request [4];
  response_t             page_response [4];
  instruction_t          instruction;
  result_t               result;
  logic [Interrupts-1:0] interrupt;
  logic                  stuck, retired, local_error;
  logic                  busy, fault_valid_q;
  logic [6:0]            fault_bit_q;
  logic [Interrupts-1:1] sources;
  logic                  outside_error, beat;

  // The reset is registered. The soft cores have a register of their own, since two of
  // them reset synchronously.
  logic rst_n, core_rst_n;

  prim_reset_synchroniser u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .rst_no (rst_n)
  );

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) core_rst_n <= 1'b0;
    else core_rst_n <= 1'b1;
  end

  // ------------------------------------------------------------ processor

  if (SoftCore == SoftCorePicorv32) begin : gen_picorv32
    soc_core_picorv32 #(
      .Instructions (32'(IsInstruction))
    ) u_core (
      .clk_i         (clk_i),
      .rst_ni        (core_rst_n),
      .fetch_o       (fetch_request),
      .fetch_i       (fetch_response),
      .data_o        (data_request),
      .data_i        (data_response),
      .instruction_o (instruction),
      .result_i      (result),
      .interrupt_i   (interrupt),
      .trap_o        (trap_o),
      .stuck_o       (stuck),
      .retired_o     (retired)
    );
  end else if (SoftCore == SoftCoreVexriscv) begin : gen_vexriscv
    soc_core_vexriscv u_core (
      .clk_i         (clk_i),
      .rst_ni        (core_rst_n),
      .fetch_o       (fetch_request),
      .fetch_i       (fetch_response),
      .data_o        (data_request),
      .data_i        (data_response),
      .instruction_o (instruction),
      .result_i      (result),
      .interrupt_i   (interrupt),
      .trap_o        (trap_o),
      .stuck_o       (stuck),
      .retired_o     (retired)
    );
  end else if (SoftCore == SoftCoreIbex) begin : gen_ibex
    soc_core_ibex u_core (
      .clk_i         (clk_i),
      .rst_ni        (core_rst_n),
      .fetch_o       (fetch_request),
      .fetch_i       (fetch_response),
      .data_o        (data_request),
      .data_i        (data_response),
      .instruction_o (instruction),
      .result_i      (result),
      .interrupt_i   (interrupt),
      .trap_o        (trap_o),
      .stuck_o       (stuck),
      .retired_o     (retired)
    );
  end else if (SoftCore == SoftCoreCva6) begin : gen_cva6
    soc_core_cva6 #(
      .MemoryBytes (MemoryBytes)
    ) u_core (
      .clk_i         (clk_i),
      .rst_ni        (core_rst_n),
      .fetch_o       (fetch_request),
      .fetch_i       (fetch_response),
      .data_o        (data_request),
      .data_i        (data_response),
      .instruction_o (instruction),
      .result_i      (result),
      .interrupt_i   (interrupt),
      .trap_o        (trap_o),
      .stuck_o       (stuck),
      .retired_o     (retired)
    );
  end else begin : gen_bad_core
    $error("soc: SoftCore must be 0 (PicoRV32), 1 (VexRiscv), 2 (Ibex) or 3 (CVA6)");
  end

  // ------------------------------------------------------------ memory

  // Settings of a run, registered, since that makes the simulation faster.
  logic [7:0] read_wait_q, write_wait_q;

  always_ff @(posedge clk_i) begin
    read_wait_q   <= memory_read_wait_i;
    write_wait_q  <= memory_write_wait_i;
    fault_valid_q <= fault_valid_i;
    fault_bit_q   <= fault_bit_i;
  end

  localparam int unsigned WideWidth = IsDma ? AxiWidth : 32;

  logic                   wide_write;
  logic [31:0]            wide_address;
  logic [WideWidth-1:0]   wide_wdata, wide_rdata;
  logic [WideWidth/8-1:0] wide_wstrb;

  soc_memory #(
    .MemoryBytes (MemoryBytes),
    .WideWidth   (WideWidth)
  ) u_memory (
    .clk_i          (clk_i),
    .rst_ni         (rst_n),
    .read_wait_i    (read_wait_q),
    .write_wait_i   (write_wait_q),
    .fetch_i        (fetch_request),
    .fetch_o        (fetch_response),
    .data_i         (memory_request),
    .data_o         (memory_response),
    .wide_write_i   (wide_write),
    .wide_address_i (wide_address),
    .wide_wdata_i   (wide_wdata),
    .wide_wstrb_i   (wide_wstrb),
    .wide_rdata_o   (wide_rdata)
  );

  // ------------------------------------------------------------ bus

  soc_local_bus #(
    .MemoryBytes (MemoryBytes),
    .Pages       ({IsDma, IsDma, IsMapped, 1'b1})
  ) u_local_bus (
    .request_i  (data_request),
    .response_o (data_response),
    .memory_o   (memory_request),
    .memory_i   (memory_response),
    .page_o     (page_request),
    .page_i     (page_response),
    .error_o    (local_error)
  );

  // ------------------------------------------------------------ the partition's hardware

  if (IsMapped) begin : gen_mapped
    soc_coprocessor #(
      .Partition      (Partition),
      .Interface      (Interface),
      .Algorithm      (Algorithm),
      .AxiWidth       (AxiWidth),
      .BlocksInFlight (BlocksInFlight),
      .SBox           (SBox)
    ) u_coprocessor (
      .clk_i         (clk_i),
      .rst_ni        (rst_n),
      .request_i     (page_request[1]),
      .response_o    (page_response[1]),
      .fault_valid_i (fault_valid_q),
      .fault_bit_i   (fault_bit_q),
      .error_o       (outside_error),
      .busy_o        (busy),
      .irq_o         (sources[InterruptCoprocessor])
    );
    assign sources[InterruptAccelerator] = 1'b0;
    assign sources[InterruptDma]         = 1'b0;
  end else begin : gen_not_mapped
    assign page_response[1]              = '0;
    assign sources[InterruptCoprocessor] = 1'b0;
  end

  if (IsInstruction) begin : gen_instruction
    soc_instructions #(
      .Partition (Partition),
      .Algorithm (Algorithm),
      .SBox      (SBox)
    ) u_instructions (
      .clk_i         (clk_i),
      .rst_ni        (rst_n),
      .instruction_i (instruction),
      .result_o      (result),
      .fault_valid_i (fault_valid_q),
      .fault_bit_i   (fault_bit_q),
      .busy_o        (busy)
    );
    assign outside_error                 = 1'b0;
    assign sources[InterruptAccelerator] = 1'b0;
    assign sources[InterruptDma]         = 1'b0;
  end else begin : gen_no_instruction
    // An unknown instruction gives zero at once, for cores that cannot trap on it.
    assign result = '{ready: instruction.valid, default: '0};

    logic unused_instruction;
    assign unused_instruction = ^{instruction.code, instruction.a, instruction.b};
  end

  if (IsDma) begin : gen_dma
    soc_dma_memory #(
      .Algorithm   (Algorithm),
      .SBox        (SBox),
      .MemoryBytes (MemoryBytes),
      .DataWidth   (AxiWidth)
    ) u_dma (
      .clk_i                  (clk_i),
      .rst_ni                 (rst_n),
      .read_wait_i            (read_wait_q),
      .write_wait_i           (write_wait_q),
      .accelerator_request_i  (page_request[2]),
      .accelerator_response_o (page_response[2]),
      .dma_request_i          (page_request[3]),
      .dma_response_o         (page_response[3]),
      .fault_valid_i          (fault_valid_q),
      .fault_bit_i            (fault_bit_q),
      .error_o                (outside_error),
      .busy_o                 (busy),
      .accelerator_irq_o      (sources[InterruptAccelerator]),
      .dma_irq_o              (sources[InterruptDma]),
      .beat_o                 (beat),
      .wide_write_o           (wide_write),
      .wide_address_o         (wide_address),
      .wide_wdata_o           (wide_wdata),
      .wide_wstrb_o           (wide_wstrb),
      .wide_rdata_i           (wide_rdata)
    );
  end else begin : gen_no_dma
    assign page_response[2] = '0;
    assign page_response[3] = '0;
    assign beat             = 1'b0;
    assign wide_write       = 1'b0;
    assign wide_address     = '0;
    assign wide_wdata       = '0;
    assign wide_wstrb       = '0;

    logic unused_wide;
    assign unused_wide = ^wide_rdata;
  end

  if (Partition == PartitionSoftware) begin : gen_software
    assign busy                          = 1'b0;
    assign outside_error                 = 1'b0;
    assign sources[InterruptAccelerator] = 1'b0;
    assign sources[InterruptDma]         = 1'b0;

    logic unused_fault;
    assign unused_fault = ^{fault_valid_q, fault_bit_q};
  end

  // ------------------------------------------------------------ system

  logic outside, waiting, transfer;

  always_comb begin
    outside = 1'b0;
    for (int unsigned page = 1; page < 4; ++page) outside |= page_request[page].valid;
    transfer = outside && data_response.ready;
    waiting  = stuck && ((outside && !data_response.ready) ||
                         (instruction.valid && !result.ready));
  end

  soc_system u_system (
    .clk_i           (clk_i),
    .rst_ni          (rst_n),
    .request_i       (page_request[0]),
    .response_o      (page_response[0]),
    .interrupt_i     (sources),
    .interrupt_o     (interrupt),
    .waiting_i       (waiting),
    .computing_i     (busy),
    .retired_i       (retired),
    .transfer_i      (transfer),
    .beat_i          (beat),
    .console_valid_o (console_valid_o),
    .console_o       (console_o),
    .finish_valid_o  (finish_valid_o),
    .finish_o        (finish_o)
  );

  logic bus_error_q;

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) bus_error_q <= 1'b0;
    else if (local_error || outside_error) bus_error_q <= 1'b1;
  end

  assign bus_error_o = bus_error_q;
  assign event_o     = console_valid_o || finish_valid_o || trap_o || bus_error_q;

endmodule
