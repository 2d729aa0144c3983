// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Test benches only: the accelerator behind the DMA engine, with a memory and a
// host, to measure the cycles of whole messages.
module dma_rates_cell #(
  parameter int unsigned Architecture = 0,
  parameter int unsigned Directions   = aes_pkg::DirectionsBoth,
  parameter int unsigned KeySizes     = aes_pkg::KeySizesAll,
  parameter int unsigned DataWidth    = 32,
  parameter int unsigned StreamWidth  = 128,
  localparam int unsigned Strobes = DataWidth / 8
) (
  input  logic clk_i,
  input  logic rst_ni,
  output logic ended_o
);

  logic [7:0]           awaddr;
  logic [31:0]          wdata;
  logic                 dma_awvalid, dma_awready, dma_wvalid, dma_wready, dma_bvalid;
  logic                 accel_awvalid, accel_awready, accel_wvalid, accel_wready, accel_bvalid;
  logic                 dma_busy, accel_interrupt, poke;
  logic [7:0]           latency;
  logic [11:0]          poke_word;
  logic [31:0]          poke_data;
  logic [5:0]           written;

  logic [31:0]          memory_awaddr, memory_araddr;
  logic                 memory_awvalid, memory_awready, memory_wlast, memory_wvalid, memory_wready;
  logic                 memory_bvalid, memory_bready, memory_arvalid, memory_arready;
  logic                 memory_rlast, memory_rvalid, memory_rready;
  logic [7:0]           memory_arlen;
  logic [DataWidth-1:0] memory_wdata, memory_rdata;
  logic [Strobes-1:0]   memory_wstrb;

  dma_host #(
    .DataWidth   (DataWidth),
    .StreamWidth (StreamWidth)
  ) u_host (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .ended_o           (ended_o),
    .latency_o         (latency),
    .poke_o            (poke),
    .poke_word_o       (poke_word),
    .poke_data_o       (poke_data),
    .dma_busy_i        (dma_busy),
    .accel_interrupt_i (accel_interrupt),
    .written_i         (written),
    .awaddr_o          (awaddr),
    .wdata_o           (wdata),
    .dma_awvalid_o     (dma_awvalid),
    .dma_awready_i     (dma_awready),
    .dma_wvalid_o      (dma_wvalid),
    .dma_wready_i      (dma_wready),
    .dma_bvalid_i      (dma_bvalid),
    .accel_awvalid_o   (accel_awvalid),
    .accel_awready_i   (accel_awready),
    .accel_wvalid_o    (accel_wvalid),
    .accel_wready_i    (accel_wready),
    .accel_bvalid_i    (accel_bvalid)
  );

  // What a host that only writes, and a memory that never fails, leave open.
  /* verilator lint_off PINCONNECTEMPTY */
  dma_accel_harness #(
    .Architecture (Architecture),
    .Directions   (Directions),
    .KeySizes     (KeySizes),
    .DataWidth    (DataWidth),
    .StreamWidth  (StreamWidth)
  ) u_devices (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .dma_awaddr_i      (awaddr),
    .dma_awprot_i      (3'b000),
    .dma_awvalid_i     (dma_awvalid),
    .dma_awready_o     (dma_awready),
    .dma_wdata_i       (wdata),
    .dma_wstrb_i       (4'b1111),
    .dma_wvalid_i      (dma_wvalid),
    .dma_wready_o      (dma_wready),
    .dma_bresp_o       (),
    .dma_bvalid_o      (dma_bvalid),
    .dma_bready_i      (1'b1),
    .dma_araddr_i      (8'd0),
    .dma_arprot_i      (3'b000),
    .dma_arvalid_i     (1'b0),
    .dma_arready_o     (),
    .dma_rdata_o       (),
    .dma_rresp_o       (),
    .dma_rvalid_o      (),
    .dma_rready_i      (1'b1),
    .dma_interrupt_o   (),
    .dma_busy_o        (dma_busy),
    .accel_awaddr_i    (awaddr),
    .accel_awprot_i    (3'b000),
    .accel_awvalid_i   (accel_awvalid),
    .accel_awready_o   (accel_awready),
    .accel_wdata_i     (wdata),
    .accel_wstrb_i     (4'b1111),
    .accel_wvalid_i    (accel_wvalid),
    .accel_wready_o    (accel_wready),
    .accel_bresp_o     (),
    .accel_bvalid_o    (accel_bvalid),
    .accel_bready_i    (1'b1),
    .accel_araddr_i    (8'd0),
    .accel_arprot_i    (3'b000),
    .accel_arvalid_i   (1'b0),
    .accel_arready_o   (),
    .accel_rdata_o     (),
    .accel_rresp_o     (),
    .accel_rvalid_o    (),
    .accel_rready_i    (1'b1),
    .accel_interrupt_o (accel_interrupt),
    .m_axi_awid_o      (),
    .m_axi_awaddr_o    (memory_awaddr),
    .m_axi_awlen_o     (),
    .m_axi_awsize_o    (),
    .m_axi_awburst_o   (),
    .m_axi_awcache_o   (),
    .m_axi_awprot_o    (),
    .m_axi_awvalid_o   (memory_awvalid),
    .m_axi_awready_i   (memory_awready),
    .m_axi_wdata_o     (memory_wdata),
    .m_axi_wstrb_o     (memory_wstrb),
    .m_axi_wlast_o     (memory_wlast),
    .m_axi_wvalid_o    (memory_wvalid),
    .m_axi_wready_i    (memory_wready),
    .m_axi_bid_i       (1'b0),
    .m_axi_bresp_i     (2'b00),
    .m_axi_bvalid_i    (memory_bvalid),
    .m_axi_bready_o    (memory_bready),
    .m_axi_arid_o      (),
    .m_axi_araddr_o    (memory_araddr),
    .m_axi_arlen_o     (memory_arlen),
    .m_axi_arsize_o    (),
    .m_axi_arburst_o   (),
    .m_axi_arcache_o   (),
    .m_axi_arprot_o    (),
    .m_axi_arvalid_o   (memory_arvalid),
    .m_axi_arready_i   (memory_arready),
    .m_axi_rid_i       (1'b0),
    .m_axi_rdata_i     (memory_rdata),
    .m_axi_rresp_i     (2'b00),
    .m_axi_rlast_i     (memory_rlast),
    .m_axi_rvalid_i    (memory_rvalid),
    .m_axi_rready_o    (memory_rready)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  dma_memory #(
    .DataWidth (DataWidth)
  ) u_memory (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .latency_i   (latency),
    .poke_i      (poke),
    .poke_word_i (poke_word),
    .poke_data_i (poke_data),
    .written_o   (written),
    .awaddr_i    (memory_awaddr[15:0]),
    .awvalid_i   (memory_awvalid),
    .awready_o   (memory_awready),
    .wdata_i     (memory_wdata),
    .wstrb_i     (memory_wstrb),
    .wlast_i     (memory_wlast),
    .wvalid_i    (memory_wvalid),
    .wready_o    (memory_wready),
    .bvalid_o    (memory_bvalid),
    .bready_i    (memory_bready),
    .araddr_i    (memory_araddr[15:0]),
    .arlen_i     (memory_arlen),
    .arvalid_i   (memory_arvalid),
    .arready_o   (memory_arready),
    .rdata_o     (memory_rdata),
    .rlast_o     (memory_rlast),
    .rvalid_o    (memory_rvalid),
    .rready_i    (memory_rready)
  );

  logic unused_address;
  assign unused_address = ^{memory_awaddr[31:16], memory_araddr[31:16]};

endmodule
