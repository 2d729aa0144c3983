// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// CVA6 (RV64IMAC, six stages, single issue, branch prediction; 16 KiB instruction cache and
// 32 KiB write-through data cache with lines of 16 bytes) on the local bus. It has no port for
// custom instructions.
//
// Everything goes over its one AXI port, so the fetch port stays unused. Memory is cached;
// accesses to everything else are in order, one at a time, and never speculative. Its stores to
// memory may reach memory after later stores to peripherals; FENCE waits for them. The local bus
// has no atomic accesses: one ends the run as a trap.
//
// The timer is connected to time_irq_i, every other pending bit to the machine's external
// interrupt. Execution begins at 0.
module soc_core_cva6
  import soc_pkg::*;
#(
  parameter int unsigned MemoryBytes = 262144
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

  // Lists of bases and lengths; the first is in the lowest bits.
  localparam ariane_pkg::ariane_cfg_t Configuration = '{
    RASDepth:              2,
    BTBEntries:            32,
    BHTEntries:            128,
    NrNonIdempotentRules:  1,
    NonIdempotentAddrBase: 1024'(MemoryBytes),
    NonIdempotentLength:   1024'(64'hFFFF_FFFF_FFFF_FFFF),
    NrExecuteRegionRules:  1,
    ExecuteRegionAddrBase: '0,
    ExecuteRegionLength:   1024'(MemoryBytes),
    NrCachedRegionRules:   1,
    CachedRegionAddrBase:  '0,
    CachedRegionLength:    1024'(MemoryBytes),
    AxiCompliant:          1'b1,
    SwapEndianess:         1'b0,
    DmBaseAddress:         '0,
    NrPMPEntries:          0
  };

  ariane_axi::req_t  request;
  ariane_axi::resp_t response;

  cva6 #(
    .ArianeCfg (Configuration)
  ) u_core (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .boot_addr_i  ('0),
    .hart_id_i    ('0),
    .irq_i        ({1'b0, |interrupt_i[Interrupts-1:1]}),
    .ipi_i        (1'b0),
    .time_irq_i   (interrupt_i[InterruptTimer]),
    .debug_req_i  (1'b0),
    .cvxif_req_o  (),
    .cvxif_resp_i ('0),
    .axi_req_o    (request),
    .axi_resp_i   (response)
  );

  soc_cva6_bus u_bus (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .s_axi_awid_i    (request.aw.id),
    .s_axi_awaddr_i  (request.aw.addr),
    .s_axi_awlock_i  (request.aw.lock),
    .s_axi_awatop_i  (request.aw.atop),
    .s_axi_awvalid_i (request.aw_valid),
    .s_axi_awready_o (response.aw_ready),
    .s_axi_wdata_i   (request.w.data),
    .s_axi_wstrb_i   (request.w.strb),
    .s_axi_wvalid_i  (request.w_valid),
    .s_axi_wready_o  (response.w_ready),
    .s_axi_bid_o     (response.b.id),
    .s_axi_bvalid_o  (response.b_valid),
    .s_axi_bready_i  (request.b_ready),
    .s_axi_arid_i    (request.ar.id),
    .s_axi_araddr_i  (request.ar.addr),
    .s_axi_arlen_i   (request.ar.len),
    .s_axi_arsize_i  (request.ar.size),
    .s_axi_arlock_i  (request.ar.lock),
    .s_axi_arvalid_i (request.ar_valid),
    .s_axi_arready_o (response.ar_ready),
    .s_axi_rid_o     (response.r.id),
    .s_axi_rdata_o   (response.r.data),
    .s_axi_rlast_o   (response.r.last),
    .s_axi_rvalid_o  (response.r_valid),
    .s_axi_rready_i  (request.r_ready),
    .data_o          (data_o),
    .data_i          (data_i),
    .unknown_o       (trap_o)
  );

  assign response.b.resp = axi_pkg::RESP_OKAY;
  assign response.b.user = '0;
  assign response.r.resp = axi_pkg::RESP_OKAY;
  assign response.r.user = '0;

  assign fetch_o       = '0;
  assign instruction_o = '0;

`ifdef SYNTHESIS
  assign stuck_o   = 1'b1;
  assign retired_o = 1'b0;
`else
  // Two instructions may retire in a cycle, but one is issued, so the second one is counted in
  // a later cycle.
  logic [3:0] uncounted_q;
  logic [1:0] committed;

  assign committed = 2'($countones(u_core.commit_ack));
  assign stuck_o   = committed == '0;
  assign retired_o = uncounted_q != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) uncounted_q <= '0;
    else uncounted_q <= uncounted_q + 4'(committed) - 4'(retired_o);
  end
`endif

  logic unused;
  assign unused = ^{fetch_i, result_i, request};

endmodule
