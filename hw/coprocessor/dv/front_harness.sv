// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// An iterative coprocessor behind a bus front, for tests: Front 1 is AXI4-Lite,
// 2 is AXI4.
module front_harness #(
  parameter int unsigned Front = 1,
  parameter int unsigned DataWidth = 32,
  parameter int unsigned IdWidth = 2,
  parameter int unsigned BlocksInFlight = 2
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic [15:0]            s_axil_awaddr_i,
  input  logic [2:0]             s_axil_awprot_i,
  input  logic                   s_axil_awvalid_i,
  output logic                   s_axil_awready_o,
  input  logic [31:0]            s_axil_wdata_i,
  input  logic [3:0]             s_axil_wstrb_i,
  input  logic                   s_axil_wvalid_i,
  output logic                   s_axil_wready_o,
  output logic [1:0]             s_axil_bresp_o,
  output logic                   s_axil_bvalid_o,
  input  logic                   s_axil_bready_i,
  input  logic [15:0]            s_axil_araddr_i,
  input  logic [2:0]             s_axil_arprot_i,
  input  logic                   s_axil_arvalid_i,
  output logic                   s_axil_arready_o,
  output logic [31:0]            s_axil_rdata_o,
  output logic [1:0]             s_axil_rresp_o,
  output logic                   s_axil_rvalid_o,
  input  logic                   s_axil_rready_i,

  input  logic [IdWidth-1:0]     s_axi_awid_i,
  input  logic [15:0]            s_axi_awaddr_i,
  input  logic [7:0]             s_axi_awlen_i,
  input  logic [2:0]             s_axi_awsize_i,
  input  logic [1:0]             s_axi_awburst_i,
  input  logic                   s_axi_awvalid_i,
  output logic                   s_axi_awready_o,
  input  logic [DataWidth-1:0]   s_axi_wdata_i,
  input  logic [DataWidth/8-1:0] s_axi_wstrb_i,
  input  logic                   s_axi_wlast_i,
  input  logic                   s_axi_wvalid_i,
  output logic                   s_axi_wready_o,
  output logic [IdWidth-1:0]     s_axi_bid_o,
  output logic [1:0]             s_axi_bresp_o,
  output logic                   s_axi_bvalid_o,
  input  logic                   s_axi_bready_i,
  input  logic [IdWidth-1:0]     s_axi_arid_i,
  input  logic [15:0]            s_axi_araddr_i,
  input  logic [7:0]             s_axi_arlen_i,
  input  logic [2:0]             s_axi_arsize_i,
  input  logic [1:0]             s_axi_arburst_i,
  input  logic                   s_axi_arvalid_i,
  output logic                   s_axi_arready_o,
  output logic [IdWidth-1:0]     s_axi_rid_o,
  output logic [DataWidth-1:0]   s_axi_rdata_o,
  output logic [1:0]             s_axi_rresp_o,
  output logic                   s_axi_rlast_o,
  output logic                   s_axi_rvalid_o,
  input  logic                   s_axi_rready_i,

  output logic                   busy_o,
  output logic                   irq_o
);

  logic                   bus_valid, bus_write, bus_ready;
  logic [11:0]            bus_address;
  logic [DataWidth-1:0]   bus_wdata, bus_rdata;
  logic [DataWidth/8-1:0] bus_wstrb;

  if (Front == 1) begin : gen_axi_lite
    coprocessor_axi_lite u_front (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .s_axil_awaddr_i (s_axil_awaddr_i),
      .s_axil_awprot_i (s_axil_awprot_i),
      .s_axil_awvalid_i(s_axil_awvalid_i),
      .s_axil_awready_o(s_axil_awready_o),
      .s_axil_wdata_i  (s_axil_wdata_i),
      .s_axil_wstrb_i  (s_axil_wstrb_i),
      .s_axil_wvalid_i (s_axil_wvalid_i),
      .s_axil_wready_o (s_axil_wready_o),
      .s_axil_bresp_o  (s_axil_bresp_o),
      .s_axil_bvalid_o (s_axil_bvalid_o),
      .s_axil_bready_i (s_axil_bready_i),
      .s_axil_araddr_i (s_axil_araddr_i),
      .s_axil_arprot_i (s_axil_arprot_i),
      .s_axil_arvalid_i(s_axil_arvalid_i),
      .s_axil_arready_o(s_axil_arready_o),
      .s_axil_rdata_o  (s_axil_rdata_o),
      .s_axil_rresp_o  (s_axil_rresp_o),
      .s_axil_rvalid_o (s_axil_rvalid_o),
      .s_axil_rready_i (s_axil_rready_i),
      .bus_valid_o     (bus_valid),
      .bus_write_o     (bus_write),
      .bus_address_o   (bus_address),
      .bus_wdata_o     (bus_wdata),
      .bus_wstrb_o     (bus_wstrb),
      .bus_ready_i     (bus_ready),
      .bus_rdata_i     (bus_rdata)
    );
  end else begin : gen_axi4
    coprocessor_axi4 #(
      .DataWidth(DataWidth),
      .IdWidth  (IdWidth)
    ) u_front (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .s_axi_awid_i   (s_axi_awid_i),
      .s_axi_awaddr_i (s_axi_awaddr_i),
      .s_axi_awlen_i  (s_axi_awlen_i),
      .s_axi_awsize_i (s_axi_awsize_i),
      .s_axi_awburst_i(s_axi_awburst_i),
      .s_axi_awvalid_i(s_axi_awvalid_i),
      .s_axi_awready_o(s_axi_awready_o),
      .s_axi_wdata_i  (s_axi_wdata_i),
      .s_axi_wstrb_i  (s_axi_wstrb_i),
      .s_axi_wlast_i  (s_axi_wlast_i),
      .s_axi_wvalid_i (s_axi_wvalid_i),
      .s_axi_wready_o (s_axi_wready_o),
      .s_axi_bid_o    (s_axi_bid_o),
      .s_axi_bresp_o  (s_axi_bresp_o),
      .s_axi_bvalid_o (s_axi_bvalid_o),
      .s_axi_bready_i (s_axi_bready_i),
      .s_axi_arid_i   (s_axi_arid_i),
      .s_axi_araddr_i (s_axi_araddr_i),
      .s_axi_arlen_i  (s_axi_arlen_i),
      .s_axi_arsize_i (s_axi_arsize_i),
      .s_axi_arburst_i(s_axi_arburst_i),
      .s_axi_arvalid_i(s_axi_arvalid_i),
      .s_axi_arready_o(s_axi_arready_o),
      .s_axi_rid_o    (s_axi_rid_o),
      .s_axi_rdata_o  (s_axi_rdata_o),
      .s_axi_rresp_o  (s_axi_rresp_o),
      .s_axi_rlast_o  (s_axi_rlast_o),
      .s_axi_rvalid_o (s_axi_rvalid_o),
      .s_axi_rready_i (s_axi_rready_i),
      .bus_valid_o    (bus_valid),
      .bus_write_o    (bus_write),
      .bus_address_o  (bus_address),
      .bus_wdata_o    (bus_wdata),
      .bus_wstrb_o    (bus_wstrb),
      .bus_ready_i    (bus_ready),
      .bus_rdata_i    (bus_rdata)
    );
  end

  coprocessor_iterative #(
    .DataWidth     (DataWidth),
    .BlocksInFlight(BlocksInFlight)
  ) u_coprocessor (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .bus_valid_i  (bus_valid),
    .bus_write_i  (bus_write),
    .bus_address_i(bus_address),
    .bus_wdata_i  (bus_wdata),
    .bus_wstrb_i  (bus_wstrb),
    .bus_ready_o  (bus_ready),
    .bus_rdata_o  (bus_rdata),
    .busy_o       (busy_o),
    .irq_o        (irq_o)
  );

endmodule
