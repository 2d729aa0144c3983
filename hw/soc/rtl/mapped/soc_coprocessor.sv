// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// A memory-mapped coprocessor behind the selected interface: the local bus itself,
// AXI4-Lite, or AXI4 of DataWidth bits. It uses the first 4 KiB of its page; an
// access beyond raises error_o, as does a failed one.
module soc_coprocessor
  import soc_pkg::*;
#(
  parameter int unsigned Partition      = PartitionIterative,
  parameter int unsigned Interface      = InterfaceAxiLite,
  parameter int unsigned Algorithm      = AlgorithmAes,
  parameter int unsigned AxiWidth       = 32,
  parameter int unsigned BlocksInFlight = 2,
  parameter int unsigned SBox           = SBoxTable
) (
  input  logic      clk_i,
  input  logic      rst_ni,
  input  request_t  request_i,
  output response_t response_o,
  input  logic       fault_valid_i,
  input  logic [6:0] fault_bit_i,
  output logic      error_o,
  output logic      busy_o,
  output logic      irq_o
);

  localparam int unsigned DataWidth = (Interface == InterfaceAxi4) ? AxiWidth : 32;
  localparam int unsigned Lanes     = DataWidth / 8;

  logic                 bus_valid, bus_write, bus_ready;
  logic [11:0]          bus_address;
  logic [DataWidth-1:0] bus_wdata, bus_rdata, fault;
  logic [Lanes-1:0]     bus_wstrb;

  // The number of the faulty bit is taken modulo the width.
  always_comb begin
    fault = '0;
    if (fault_valid_i) fault[32'(fault_bit_i) % DataWidth] = 1'b1;
  end

  soc_register_coprocessor #(
    .Partition      (Partition),
    .Algorithm      (Algorithm),
    .DataWidth      (DataWidth),
    .BlocksInFlight (BlocksInFlight),
    .SBox           (SBox)
  ) u_coprocessor (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .bus_valid_i   (bus_valid),
    .bus_write_i   (bus_write),
    .bus_address_i (bus_address),
    .bus_wdata_i   (bus_wdata),
    .bus_wstrb_i   (bus_wstrb),
    .bus_ready_o   (bus_ready),
    .bus_rdata_o   (bus_rdata),
    .fault_i       (fault),
    .busy_o        (busy_o),
    .irq_o         (irq_o)
  );

  if (Interface == InterfaceLocal) begin : gen_local
    assign bus_valid        = request_i.valid && (request_i.address[15:12] == '0);
    assign bus_write        = request_i.write;
    assign bus_address      = request_i.address[11:0];
    assign bus_wdata        = request_i.wdata;
    assign bus_wstrb        = request_i.wstrb;
    assign error_o          = request_i.valid && (request_i.address[15:12] != '0);
    assign response_o.ready = bus_ready || error_o;
    assign response_o.rdata = bus_rdata;

    logic unused_request;
    assign unused_request = ^{request_i.following, request_i.address[31:16]};
  end else if (Interface == InterfaceAxiLite) begin : gen_axi_lite
    logic [15:0] awaddr, araddr;
    logic [2:0]  awprot, arprot;
    logic [31:0] wdata, rdata;
    logic [3:0]  wstrb;
    logic [1:0]  bresp, rresp;
    logic        awvalid, awready, wvalid, wready, bvalid, bready;
    logic        arvalid, arready, rvalid, rready;

    soc_axi_lite_bridge u_bridge (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .request_i        (request_i),
      .response_o       (response_o),
      .error_o          (error_o),
      .m_axil_awaddr_o  (awaddr),
      .m_axil_awprot_o  (awprot),
      .m_axil_awvalid_o (awvalid),
      .m_axil_awready_i (awready),
      .m_axil_wdata_o   (wdata),
      .m_axil_wstrb_o   (wstrb),
      .m_axil_wvalid_o  (wvalid),
      .m_axil_wready_i  (wready),
      .m_axil_bresp_i   (bresp),
      .m_axil_bvalid_i  (bvalid),
      .m_axil_bready_o  (bready),
      .m_axil_araddr_o  (araddr),
      .m_axil_arprot_o  (arprot),
      .m_axil_arvalid_o (arvalid),
      .m_axil_arready_i (arready),
      .m_axil_rdata_i   (rdata),
      .m_axil_rresp_i   (rresp),
      .m_axil_rvalid_i  (rvalid),
      .m_axil_rready_o  (rready)
    );

    coprocessor_axi_lite u_front (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .s_axil_awaddr_i  (awaddr),
      .s_axil_awprot_i  (awprot),
      .s_axil_awvalid_i (awvalid),
      .s_axil_awready_o (awready),
      .s_axil_wdata_i   (wdata),
      .s_axil_wstrb_i   (wstrb),
      .s_axil_wvalid_i  (wvalid),
      .s_axil_wready_o  (wready),
      .s_axil_bresp_o   (bresp),
      .s_axil_bvalid_o  (bvalid),
      .s_axil_bready_i  (bready),
      .s_axil_araddr_i  (araddr),
      .s_axil_arprot_i  (arprot),
      .s_axil_arvalid_i (arvalid),
      .s_axil_arready_o (arready),
      .s_axil_rdata_o   (rdata),
      .s_axil_rresp_o   (rresp),
      .s_axil_rvalid_o  (rvalid),
      .s_axil_rready_i  (rready),
      .bus_valid_o      (bus_valid),
      .bus_write_o      (bus_write),
      .bus_address_o    (bus_address),
      .bus_wdata_o      (bus_wdata),
      .bus_wstrb_o      (bus_wstrb),
      .bus_ready_i      (bus_ready),
      .bus_rdata_i      (bus_rdata)
    );
  end else begin : gen_axi4
    logic [15:0]          awaddr, araddr;
    logic [7:0]           awlen, arlen;
    logic [2:0]           awsize, arsize;
    logic [1:0]           awburst, arburst, bresp, rresp;
    logic [DataWidth-1:0] wdata, rdata;
    logic [Lanes-1:0]     wstrb;
    logic                 awvalid, awready, wlast, wvalid, wready, bvalid, bready;
    logic                 arvalid, arready, rlast, rvalid, rready;
    logic                 unused_bid, unused_rid;

    soc_axi4_bridge #(
      .DataWidth (DataWidth)
    ) u_bridge (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .request_i       (request_i),
      .response_o      (response_o),
      .error_o         (error_o),
      .m_axi_awaddr_o  (awaddr),
      .m_axi_awlen_o   (awlen),
      .m_axi_awsize_o  (awsize),
      .m_axi_awburst_o (awburst),
      .m_axi_awvalid_o (awvalid),
      .m_axi_awready_i (awready),
      .m_axi_wdata_o   (wdata),
      .m_axi_wstrb_o   (wstrb),
      .m_axi_wlast_o   (wlast),
      .m_axi_wvalid_o  (wvalid),
      .m_axi_wready_i  (wready),
      .m_axi_bresp_i   (bresp),
      .m_axi_bvalid_i  (bvalid),
      .m_axi_bready_o  (bready),
      .m_axi_araddr_o  (araddr),
      .m_axi_arlen_o   (arlen),
      .m_axi_arsize_o  (arsize),
      .m_axi_arburst_o (arburst),
      .m_axi_arvalid_o (arvalid),
      .m_axi_arready_i (arready),
      .m_axi_rdata_i   (rdata),
      .m_axi_rresp_i   (rresp),
      .m_axi_rlast_i   (rlast),
      .m_axi_rvalid_i  (rvalid),
      .m_axi_rready_o  (rready)
    );

    coprocessor_axi4 #(
      .DataWidth (DataWidth)
    ) u_front (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .s_axi_awid_i    (1'b0),
      .s_axi_awaddr_i  (awaddr),
      .s_axi_awlen_i   (awlen),
      .s_axi_awsize_i  (awsize),
      .s_axi_awburst_i (awburst),
      .s_axi_awvalid_i (awvalid),
      .s_axi_awready_o (awready),
      .s_axi_wdata_i   (wdata),
      .s_axi_wstrb_i   (wstrb),
      .s_axi_wlast_i   (wlast),
      .s_axi_wvalid_i  (wvalid),
      .s_axi_wready_o  (wready),
      .s_axi_bid_o     (unused_bid),
      .s_axi_bresp_o   (bresp),
      .s_axi_bvalid_o  (bvalid),
      .s_axi_bready_i  (bready),
      .s_axi_arid_i    (1'b0),
      .s_axi_araddr_i  (araddr),
      .s_axi_arlen_i   (arlen),
      .s_axi_arsize_i  (arsize),
      .s_axi_arburst_i (arburst),
      .s_axi_arvalid_i (arvalid),
      .s_axi_arready_o (arready),
      .s_axi_rid_o     (unused_rid),
      .s_axi_rdata_o   (rdata),
      .s_axi_rresp_o   (rresp),
      .s_axi_rlast_o   (rlast),
      .s_axi_rvalid_o  (rvalid),
      .s_axi_rready_i  (rready),
      .bus_valid_o     (bus_valid),
      .bus_write_o     (bus_write),
      .bus_address_o   (bus_address),
      .bus_wdata_o     (bus_wdata),
      .bus_wstrb_o     (bus_wstrb),
      .bus_ready_i     (bus_ready),
      .bus_rdata_i     (bus_rdata)
    );
  end

endmodule
