// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The dma partition: the accelerator with an iterative core of an algorithm, and a DMA
// engine that feeds it from memory and stores its output. The registers of each are
// behind an AXI4-Lite bridge. The engine is a manager on an AXI4 memory bus.
//
// fault_valid_i injects a fault, so that tests can see the checks of results fail: bit
// fault_bit_i of every beat that leaves the accelerator is stuck at one.
module soc_dma
  import soc_pkg::*;
#(
  parameter int unsigned Algorithm = AlgorithmAes,
  parameter int unsigned SBox      = SBoxTable,
  parameter int unsigned DataWidth = 32,
  localparam int unsigned Lanes = DataWidth / 8
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  request_t             accelerator_request_i,
  output response_t            accelerator_response_o,
  input  request_t             dma_request_i,
  output response_t            dma_response_o,
  input  logic                 fault_valid_i,
  input  logic [6:0]           fault_bit_i,
  output logic                 error_o,
  output logic                 busy_o,
  output logic                 accelerator_irq_o,
  output logic                 dma_irq_o,

  output logic [31:0]          m_axi_awaddr_o,
  output logic [7:0]           m_axi_awlen_o,
  output logic                 m_axi_awvalid_o,
  input  logic                 m_axi_awready_i,
  output logic [DataWidth-1:0] m_axi_wdata_o,
  output logic [Lanes-1:0]     m_axi_wstrb_o,
  output logic                 m_axi_wvalid_o,
  input  logic                 m_axi_wready_i,
  input  logic [1:0]           m_axi_bresp_i,
  input  logic                 m_axi_bvalid_i,
  output logic                 m_axi_bready_o,
  output logic [31:0]          m_axi_araddr_o,
  output logic [7:0]           m_axi_arlen_o,
  output logic                 m_axi_arvalid_o,
  input  logic                 m_axi_arready_i,
  input  logic [DataWidth-1:0] m_axi_rdata_i,
  input  logic [1:0]           m_axi_rresp_i,
  input  logic                 m_axi_rlast_i,
  input  logic                 m_axi_rvalid_i,
  output logic                 m_axi_rready_o
);

  localparam int unsigned StreamWidth = 128;
  localparam int unsigned StreamLanes = StreamWidth / 8;

  // ------------------------------------------------------------ registers

  // Both register maps have 256 bytes; an access beyond them reaches no register.
  request_t  accel_request, dma_request;
  response_t accel_response, dma_response;
  logic      accel_beyond, dma_beyond, accel_error, dma_error;

  assign accel_beyond = accelerator_request_i.valid && (accelerator_request_i.address[15:8] != '0);
  assign dma_beyond   = dma_request_i.valid && (dma_request_i.address[15:8] != '0);
  assign error_o      = accel_beyond || dma_beyond || accel_error || dma_error;

  always_comb begin
    accel_request       = accelerator_request_i;
    accel_request.valid = accelerator_request_i.valid && !accel_beyond;
  end

  always_comb begin
    dma_request       = dma_request_i;
    dma_request.valid = dma_request_i.valid && !dma_beyond;
  end

  assign accelerator_response_o = accel_beyond ? '{ready: 1'b1, rdata: '0} : accel_response;
  assign dma_response_o         = dma_beyond ? '{ready: 1'b1, rdata: '0} : dma_response;

  logic [15:0] accel_awaddr, accel_araddr;
  logic [2:0]  accel_awprot, accel_arprot;
  logic [31:0] accel_wdata, accel_rdata;
  logic [3:0]  accel_wstrb;
  logic [1:0]  accel_bresp, accel_rresp;
  logic        accel_awvalid, accel_awready, accel_wvalid, accel_wready;
  logic        accel_bvalid, accel_bready, accel_arvalid, accel_arready;
  logic        accel_rvalid, accel_rready;

  soc_axi_lite_bridge u_accel_bridge (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .request_i        (accel_request),
    .response_o       (accel_response),
    .error_o          (accel_error),
    .m_axil_awaddr_o  (accel_awaddr),
    .m_axil_awprot_o  (accel_awprot),
    .m_axil_awvalid_o (accel_awvalid),
    .m_axil_awready_i (accel_awready),
    .m_axil_wdata_o   (accel_wdata),
    .m_axil_wstrb_o   (accel_wstrb),
    .m_axil_wvalid_o  (accel_wvalid),
    .m_axil_wready_i  (accel_wready),
    .m_axil_bresp_i   (accel_bresp),
    .m_axil_bvalid_i  (accel_bvalid),
    .m_axil_bready_o  (accel_bready),
    .m_axil_araddr_o  (accel_araddr),
    .m_axil_arprot_o  (accel_arprot),
    .m_axil_arvalid_o (accel_arvalid),
    .m_axil_arready_i (accel_arready),
    .m_axil_rdata_i   (accel_rdata),
    .m_axil_rresp_i   (accel_rresp),
    .m_axil_rvalid_i  (accel_rvalid),
    .m_axil_rready_o  (accel_rready)
  );

  logic [15:0] dma_awaddr, dma_araddr;
  logic [2:0]  dma_awprot, dma_arprot;
  logic [31:0] dma_wdata, dma_rdata;
  logic [3:0]  dma_wstrb;
  logic [1:0]  dma_bresp, dma_rresp;
  logic        dma_awvalid, dma_awready, dma_wvalid, dma_wready;
  logic        dma_bvalid, dma_bready, dma_arvalid, dma_arready;
  logic        dma_rvalid, dma_rready;

  soc_axi_lite_bridge u_dma_bridge (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .request_i        (dma_request),
    .response_o       (dma_response),
    .error_o          (dma_error),
    .m_axil_awaddr_o  (dma_awaddr),
    .m_axil_awprot_o  (dma_awprot),
    .m_axil_awvalid_o (dma_awvalid),
    .m_axil_awready_i (dma_awready),
    .m_axil_wdata_o   (dma_wdata),
    .m_axil_wstrb_o   (dma_wstrb),
    .m_axil_wvalid_o  (dma_wvalid),
    .m_axil_wready_i  (dma_wready),
    .m_axil_bresp_i   (dma_bresp),
    .m_axil_bvalid_i  (dma_bvalid),
    .m_axil_bready_o  (dma_bready),
    .m_axil_araddr_o  (dma_araddr),
    .m_axil_arprot_o  (dma_arprot),
    .m_axil_arvalid_o (dma_arvalid),
    .m_axil_arready_i (dma_arready),
    .m_axil_rdata_i   (dma_rdata),
    .m_axil_rresp_i   (dma_rresp),
    .m_axil_rvalid_i  (dma_rvalid),
    .m_axil_rready_o  (dma_rready)
  );

  // ------------------------------------------------------------ accelerator

  logic [StreamWidth-1:0] in_data, out_data, fault;
  logic [StreamLanes-1:0] in_keep, out_keep;
  logic                   in_last, in_valid, in_ready, out_last, out_valid, out_ready;

  localparam bit IsAscon = Algorithm == AlgorithmAscon;
  localparam bit IsEcc = Algorithm == AlgorithmEcc;
  localparam bit IsSha2 = Algorithm inside {AlgorithmSha256, AlgorithmSha512};
  // Each function has the word size that it needs, and no more.
  localparam int unsigned Sha2WordSizes =
      !IsSha2 ? 0 : (Algorithm == AlgorithmSha256) ? accel_pkg::WordSizes32 : accel_pkg::WordSizes64;

  accel #(
    .ChannelCores  (IsSha2 ? accel_pkg::CoreSha2 :
                    IsEcc ? accel_pkg::CoreEcc :
                    IsAscon ? accel_pkg::CoreAscon : accel_pkg::CoreAes),
    .SBox          (SBox),
    .StreamWidth   (StreamWidth),
    .Sha2WordSizes (Sha2WordSizes)
  ) u_accel (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .core_clk_i       (1'b0),
    .core_rst_ni      (1'b0),
    .s_axil_awaddr_i  (accel_awaddr[7:0]),
    .s_axil_awprot_i  (accel_awprot),
    .s_axil_awvalid_i (accel_awvalid),
    .s_axil_awready_o (accel_awready),
    .s_axil_wdata_i   (accel_wdata),
    .s_axil_wstrb_i   (accel_wstrb),
    .s_axil_wvalid_i  (accel_wvalid),
    .s_axil_wready_o  (accel_wready),
    .s_axil_bresp_o   (accel_bresp),
    .s_axil_bvalid_o  (accel_bvalid),
    .s_axil_bready_i  (accel_bready),
    .s_axil_araddr_i  (accel_araddr[7:0]),
    .s_axil_arprot_i  (accel_arprot),
    .s_axil_arvalid_i (accel_arvalid),
    .s_axil_arready_o (accel_arready),
    .s_axil_rdata_o   (accel_rdata),
    .s_axil_rresp_o   (accel_rresp),
    .s_axil_rvalid_o  (accel_rvalid),
    .s_axil_rready_i  (accel_rready),
    .interrupt_o      (accelerator_irq_o),
    .s_axis_tdata_i   (in_data),
    .s_axis_tkeep_i   (in_keep),
    .s_axis_tlast_i   (in_last),
    .s_axis_tvalid_i  (in_valid),
    .s_axis_tready_o  (in_ready),
    .m_axis_tdata_o   (out_data),
    .m_axis_tkeep_o   (out_keep),
    .m_axis_tlast_o   (out_last),
    .m_axis_tvalid_o  (out_valid),
    .m_axis_tready_i  (out_ready)
  );

  always_comb begin
    fault = '0;
    fault[fault_bit_i] = fault_valid_i;
  end

`ifdef SYNTHESIS
  assign busy_o = 1'b0; // used only by the counters, in simulation
`else
  if (IsAscon || IsSha2 || IsEcc) begin : gen_engine_busy // their cores are inside the engine
    assign busy_o = u_accel.gen_channel[0].u_channel.engine_busy;
  end else begin : gen_core_busy
    assign busy_o = !u_accel.core_idle;
  end
`endif

  // ------------------------------------------------------------ DMA engine

  logic       unused_busy, unused_awid, unused_arid, unused_wlast;
  logic [2:0] unused_awsize, unused_arsize, unused_awprot, unused_arprot;
  logic [1:0] unused_awburst, unused_arburst;
  logic [3:0] unused_awcache, unused_arcache;

  // On-chip memory has little latency, so half the default depth gives the full rate.
  dma #(
    .DataWidth   (DataWidth),
    .StreamWidth (StreamWidth),
    .FifoBeats   (64)
  ) u_dma (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .s_axil_awaddr_i  (dma_awaddr[7:0]),
    .s_axil_awprot_i  (dma_awprot),
    .s_axil_awvalid_i (dma_awvalid),
    .s_axil_awready_o (dma_awready),
    .s_axil_wdata_i   (dma_wdata),
    .s_axil_wstrb_i   (dma_wstrb),
    .s_axil_wvalid_i  (dma_wvalid),
    .s_axil_wready_o  (dma_wready),
    .s_axil_bresp_o   (dma_bresp),
    .s_axil_bvalid_o  (dma_bvalid),
    .s_axil_bready_i  (dma_bready),
    .s_axil_araddr_i  (dma_araddr[7:0]),
    .s_axil_arprot_i  (dma_arprot),
    .s_axil_arvalid_i (dma_arvalid),
    .s_axil_arready_o (dma_arready),
    .s_axil_rdata_o   (dma_rdata),
    .s_axil_rresp_o   (dma_rresp),
    .s_axil_rvalid_o  (dma_rvalid),
    .s_axil_rready_i  (dma_rready),
    .interrupt_o      (dma_irq_o),
    .busy_o           (unused_busy),
    .m_axi_awid_o     (unused_awid),
    .m_axi_awaddr_o   (m_axi_awaddr_o),
    .m_axi_awlen_o    (m_axi_awlen_o),
    .m_axi_awsize_o   (unused_awsize),
    .m_axi_awburst_o  (unused_awburst),
    .m_axi_awcache_o  (unused_awcache),
    .m_axi_awprot_o   (unused_awprot),
    .m_axi_awvalid_o  (m_axi_awvalid_o),
    .m_axi_awready_i  (m_axi_awready_i),
    .m_axi_wdata_o    (m_axi_wdata_o),
    .m_axi_wstrb_o    (m_axi_wstrb_o),
    .m_axi_wlast_o    (unused_wlast),
    .m_axi_wvalid_o   (m_axi_wvalid_o),
    .m_axi_wready_i   (m_axi_wready_i),
    .m_axi_bid_i      (1'b0),
    .m_axi_bresp_i    (m_axi_bresp_i),
    .m_axi_bvalid_i   (m_axi_bvalid_i),
    .m_axi_bready_o   (m_axi_bready_o),
    .m_axi_arid_o     (unused_arid),
    .m_axi_araddr_o   (m_axi_araddr_o),
    .m_axi_arlen_o    (m_axi_arlen_o),
    .m_axi_arsize_o   (unused_arsize),
    .m_axi_arburst_o  (unused_arburst),
    .m_axi_arcache_o  (unused_arcache),
    .m_axi_arprot_o   (unused_arprot),
    .m_axi_arvalid_o  (m_axi_arvalid_o),
    .m_axi_arready_i  (m_axi_arready_i),
    .m_axi_rid_i      (1'b0),
    .m_axi_rdata_i    (m_axi_rdata_i),
    .m_axi_rresp_i    (m_axi_rresp_i),
    .m_axi_rlast_i    (m_axi_rlast_i),
    .m_axi_rvalid_i   (m_axi_rvalid_i),
    .m_axi_rready_o   (m_axi_rready_o),
    .m_axis_tdata_o   (in_data),
    .m_axis_tkeep_o   (in_keep),
    .m_axis_tlast_o   (in_last),
    .m_axis_tvalid_o  (in_valid),
    .m_axis_tready_i  (in_ready),
    .s_axis_tdata_i   (out_data | fault),
    .s_axis_tkeep_i   (out_keep),
    .s_axis_tlast_i   (out_last),
    .s_axis_tvalid_i  (out_valid),
    .s_axis_tready_o  (out_ready)
  );

  // The bridges use addresses within the page; the register blocks use fewer bits.
  logic unused_addresses;
  assign unused_addresses = ^{accel_awaddr[15:8], accel_araddr[15:8],
                              dma_awaddr[15:8], dma_araddr[15:8]};

endmodule
