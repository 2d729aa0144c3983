// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Ibex (RV32IMC, single-cycle multiplier, branch target adder and writeback stage)
// on the local bus. It has no port for custom instructions.
//
// Ibex expects data a cycle after the grant, so the data of a transfer are stored for a
// cycle. The timer is connected to irq_timer_i, every other pending bit to
// irq_external_i. Execution begins at 0x80.
module soc_core_ibex
  import soc_pkg::*;
(
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

  logic        instr_req, instr_gnt, instr_rvalid_q;
  logic        data_req, data_gnt, data_rvalid_q, data_we;
  logic [31:0] instr_addr, instr_rdata_q, data_addr, data_wdata, data_rdata_q;
  logic [3:0]  data_be;
  logic        double_fault;

  ibex_top #(
    .RV32M           (ibex_pkg::RV32MSingleCycle),
    .BranchTargetALU (1'b1),
    .WritebackStage  (1'b1)
  ) u_core (
    .clk_i                  (clk_i),
    .rst_ni                 (rst_ni),
    .test_en_i              (1'b0),
    .ram_cfg_i              ('0),
    .hart_id_i              ('0),
    .boot_addr_i            ('0),
    .instr_req_o            (instr_req),
    .instr_gnt_i            (instr_gnt),
    .instr_rvalid_i         (instr_rvalid_q),
    .instr_addr_o           (instr_addr),
    .instr_rdata_i          (instr_rdata_q),
    .instr_rdata_intg_i     ('0),
    .instr_err_i            (1'b0),
    .data_req_o             (data_req),
    .data_gnt_i             (data_gnt),
    .data_rvalid_i          (data_rvalid_q),
    .data_we_o              (data_we),
    .data_be_o              (data_be),
    .data_addr_o            (data_addr),
    .data_wdata_o           (data_wdata),
    .data_wdata_intg_o      (),
    .data_rdata_i           (data_rdata_q),
    .data_rdata_intg_i      ('0),
    .data_err_i             (1'b0),
    .irq_software_i         (1'b0),
    .irq_timer_i            (interrupt_i[InterruptTimer]),
    .irq_external_i         (|interrupt_i[Interrupts-1:1]),
    .irq_fast_i             ('0),
    .irq_nm_i               (1'b0),
    .scramble_key_valid_i   (1'b0),
    .scramble_key_i         ('0),
    .scramble_nonce_i       ('0),
    .scramble_req_o         (),
    .debug_req_i            (1'b0),
    .crash_dump_o           (),
    .double_fault_seen_o    (double_fault),
    .fetch_enable_i         (ibex_pkg::IbexMuBiOn),
    .alert_minor_o          (),
    .alert_major_internal_o (),
    .alert_major_bus_o      (),
    .core_sleep_o           (),
    .scan_rst_ni            (1'b1)
  );

  assign fetch_o = '{valid: instr_req, address: instr_addr, default: '0};
  assign data_o = '{
    valid:     data_req,
    write:     data_we,
    following: 1'b0,
    address:   data_addr,
    wdata:     data_wdata,
    wstrb:     data_we ? data_be : '0
  };
  assign instr_gnt = instr_req && fetch_i.ready;
  assign data_gnt  = data_req && data_i.ready;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      instr_rvalid_q <= 1'b0;
      instr_rdata_q  <= '0;
      data_rvalid_q  <= 1'b0;
      data_rdata_q   <= '0;
    end else begin
      instr_rvalid_q <= instr_gnt;
      data_rvalid_q  <= data_gnt;
      if (instr_gnt) instr_rdata_q <= fetch_i.rdata;
      if (data_gnt) data_rdata_q <= data_i.rdata;
    end
  end

  assign instruction_o = '0;
  assign trap_o        = double_fault;
  // An instruction that requests a transfer waits for the grant.
  assign stuck_o       = 1'b1;

`ifdef SYNTHESIS
  assign retired_o = 1'b0;
`else
  assign retired_o = u_core.u_ibex_core.perf_instr_ret_wb;
`endif

  logic unused_result;
  assign unused_result = ^result_i;

endmodule
