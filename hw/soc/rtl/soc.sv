// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The embedded system: a soft core, memory, system registers, and the hardware half
// of a partition, on the local bus or behind AXI. One clock. The README tells its
// operation; soc_pkg has the values of the parameters.
//
// trap_o: the processor stopped. bus_error_o: an access failed or went to nothing.
// event_o is high whenever one of console, finish, trap and bus error is.
module soc
  import soc_pkg::*;
#(
  parameter int unsigned SoftCore       = SoftCorePicorv32,
  parameter int unsigned Partition      = PartitionSoftware,
  parameter int unsigned MemoryBytes    = 262144
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [7:0]  memory_read_wait_i,
  input  logic [7:0]  memory_write_wait_i,
  output logic        console_valid_o,
  output logic [7:0]  console_o,
  output logic        finish_valid_o,
  output logic [31:0] finish_o,
  output logic        trap_o,
  output logic        bus_error_o,
  output logic        event_o
);

  if (Partition != PartitionSoftware) begin : gen_bad_partition
    $error("soc: this Partition is not built yet");
  end

  request_t              fetch_request, data_request, memory_request;
  response_t             fetch_response, data_response, memory_response;
  request_t              page_request [4];
  response_t             page_response [4];
  instruction_t          instruction;
  result_t               result;
  logic [Interrupts-1:0] interrupt;
  logic                  stuck, retired, local_error;

  // Released by the clock: nothing but registers hangs on the input.
  // The cores have a register of their own, for two of them reset synchronously.
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
    soc_core_picorv32 u_core (
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
  end else begin : gen_bad_core
    $error("soc: SoftCore must be 0 (PicoRV32), 1 (VexRiscv) or 2 (Ibex)");
  end

  assign result = '{known: 1'b0, ready: instruction.valid, result: '0};

  // ------------------------------------------------------------ memory

  // Waits are settings of a run: sampled, so that they cost a simulation nothing.
  logic [7:0] read_wait_q, write_wait_q;

  always_ff @(posedge clk_i) begin
    read_wait_q  <= memory_read_wait_i;
    write_wait_q <= memory_write_wait_i;
  end

  logic [31:0] wide_rdata;

  soc_memory #(
    .MemoryBytes (MemoryBytes)
  ) u_memory (
    .clk_i          (clk_i),
    .rst_ni         (rst_n),
    .read_wait_i    (read_wait_q),
    .write_wait_i   (write_wait_q),
    .fetch_i        (fetch_request),
    .fetch_o        (fetch_response),
    .data_i         (memory_request),
    .data_o         (memory_response),
    .wide_write_i   (1'b0),
    .wide_address_i ('0),
    .wide_wdata_i   ('0),
    .wide_wstrb_i   ('0),
    .wide_rdata_o   (wide_rdata)
  );

  // ------------------------------------------------------------ bus

  soc_local_bus #(
    .MemoryBytes (MemoryBytes),
    .Pages       (4'b0001)
  ) u_local_bus (
    .request_i  (data_request),
    .response_o (data_response),
    .memory_o   (memory_request),
    .memory_i   (memory_response),
    .page_o     (page_request),
    .page_i     (page_response),
    .error_o    (local_error)
  );

  for (genvar page = 1; page < 4; ++page) begin : gen_no_page
    assign page_response[page] = '0;
  end

  logic outside, waiting, transfer;

  always_comb begin
    outside = 1'b0;
    for (int unsigned page = 1; page < 4; ++page) outside |= page_request[page].valid;
    transfer = outside && data_response.ready;
    waiting  = stuck && ((outside && !data_response.ready) ||
                         (instruction.valid && !result.ready));
  end

  // ------------------------------------------------------------ system

  soc_system u_system (
    .clk_i           (clk_i),
    .rst_ni          (rst_n),
    .request_i       (page_request[0]),
    .response_o      (page_response[0]),
    .interrupt_i     (3'b000),
    .interrupt_o     (interrupt),
    .waiting_i       (waiting),
    .computing_i     (1'b0),
    .retired_i       (retired),
    .transfer_i      (transfer),
    .beat_i          (1'b0),
    .console_valid_o (console_valid_o),
    .console_o       (console_o),
    .finish_valid_o  (finish_valid_o),
    .finish_o        (finish_o)
  );

  logic bus_error_q;

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) bus_error_q <= 1'b0;
    else if (local_error) bus_error_q <= 1'b1;
  end

  assign bus_error_o = bus_error_q;
  assign event_o     = console_valid_o || finish_valid_o || trap_o || bus_error_q;

  logic unused;
  assign unused = ^{wide_rdata, instruction.code, instruction.a, instruction.b};

endmodule
