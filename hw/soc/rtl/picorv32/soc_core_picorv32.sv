// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// PicoRV32 on the local bus: RV32IM with a barrel shifter and a fast multiplier.
// Interrupts use the core's own instructions (entry at 0x10, pending bit n on irq 4 + n).
// Those are encoded in custom-0, so a coprocessor's instructions are in custom-1.
//
// The core has one memory port; fetches go to the fetch port, all other accesses to the
// data port. An instruction is offered to the coprocessor only if the coprocessor knows
// it, so that any other traps. Instructions of Zkne and Zknd are also accepted under their
// standard opcode.
module soc_core_picorv32
  import soc_pkg::*;
#(
  parameter int unsigned Instructions = 0  // 1: there is a coprocessor for instructions
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  output request_t              fetch_o,
  input  response_t             fetch_i,
  output request_t              data_o,
  input  response_t             data_i,
  output instruction_t          instruction_o,
  input  result_t               result_i,
  input  logic [Interrupts-1:0] interrupt_i,
  output logic                  trap_o,
  output logic                  stuck_o,
  output logic                  retired_o
);

  // Not custom-0: the core uses that for its interrupt instructions, with every funct3.
  localparam logic [6:0] OpcodeCustom1 = 7'h2B;
  localparam logic [6:0] OpcodeOp      = 7'h33;

  logic        mem_valid, mem_instr, mem_ready;
  logic [31:0] mem_addr, mem_wdata, mem_rdata;
  logic [3:0]  mem_wstrb;
  logic        pcpi_valid, pcpi_take;
  logic [31:0] pcpi_insn, pcpi_rs1, pcpi_rs2;
  logic [31:0] irq;

  picorv32 #(
    .ENABLE_COUNTERS   (1'b0),
    .ENABLE_COUNTERS64 (1'b0),
    .BARREL_SHIFTER    (1'b1),
    .ENABLE_PCPI       (1'(Instructions)),
    .ENABLE_FAST_MUL   (1'b1),
    .ENABLE_DIV        (1'b1),
    .ENABLE_IRQ        (1'b1),
    .ENABLE_IRQ_TIMER  (1'b0),
    .LATCHED_IRQ       (32'h0000_0007)
  ) u_core (
    .clk          (clk_i),
    .resetn       (rst_ni),
    .trap         (trap_o),
    .mem_valid    (mem_valid),
    .mem_instr    (mem_instr),
    .mem_ready    (mem_ready),
    .mem_addr     (mem_addr),
    .mem_wdata    (mem_wdata),
    .mem_wstrb    (mem_wstrb),
    .mem_rdata    (mem_rdata),
    .mem_la_read  (),
    .mem_la_write (),
    .mem_la_addr  (),
    .mem_la_wdata (),
    .mem_la_wstrb (),
    .pcpi_valid   (pcpi_valid),
    .pcpi_insn    (pcpi_insn),
    .pcpi_rs1     (pcpi_rs1),
    .pcpi_rs2     (pcpi_rs2),
    .pcpi_wr      (1'b1),
    .pcpi_rd      (result_i.result),
    .pcpi_wait    (pcpi_take),
    .pcpi_ready   (pcpi_take && result_i.ready),
    .irq          (irq),
    .eoi          (),
    .trace_valid  (),
    .trace_data   ()
  );

  always_comb begin
    irq = '0;
    irq[4 +: Interrupts] = interrupt_i;

    fetch_o = '{valid: mem_valid && mem_instr, address: mem_addr, default: '0};
    data_o = '{
      valid:     mem_valid && !mem_instr,
      write:     mem_wstrb != '0,
      following: 1'b0,
      address:   mem_addr,
      wdata:     mem_wdata,
      wstrb:     mem_wstrb
    };
    mem_ready = mem_instr ? fetch_i.ready : data_i.ready;
    mem_rdata = mem_instr ? fetch_i.rdata : data_i.rdata;
  end

  assign pcpi_take = pcpi_valid && result_i.known &&
                     ((pcpi_insn[6:0] == OpcodeCustom1) ||
                      ((pcpi_insn[6:0] == OpcodeOp) && result_i.standard));

  assign instruction_o = '{
    valid: pcpi_take,
    code:  {pcpi_insn[31:25], pcpi_insn[14:12]},
    a:     pcpi_rs1,
    b:     pcpi_rs2
  };

  // The core does one thing at a time and waits for every access.
  assign stuck_o = 1'b1;

`ifdef SYNTHESIS
  assign retired_o = 1'b0;
`else
  assign retired_o = u_core.launch_next_insn;
`endif

  logic unused_insn;
  assign unused_insn = ^{pcpi_insn[24:15], pcpi_insn[11:7]};

endmodule
