// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The dma partition connected to memory: soc_dma's AXI4 memory bus on the wide port of
// the memory.
module soc_dma_memory
  import soc_pkg::*;
#(
  parameter int unsigned Algorithm   = AlgorithmAes,
  parameter int unsigned SBox        = SBoxTable,
  parameter int unsigned MemoryBytes = 262144,
  parameter int unsigned DataWidth   = 32,
  localparam int unsigned Lanes = DataWidth / 8
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [7:0]           read_wait_i,
  input  logic [7:0]           write_wait_i,
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
  output logic                 beat_o,
  output logic                 wide_write_o,
  output logic [31:0]          wide_address_o,
  output logic [DataWidth-1:0] wide_wdata_o,
  output logic [Lanes-1:0]     wide_wstrb_o,
  input  logic [DataWidth-1:0] wide_rdata_i
);

  logic [31:0]          awaddr, araddr;
  logic [7:0]           awlen, arlen;
  logic [DataWidth-1:0] wdata, rdata;
  logic [Lanes-1:0]     wstrb;
  logic [1:0]           bresp, rresp;
  logic                 awvalid, awready, wvalid, wready, bvalid, bready;
  logic                 arvalid, arready, rlast, rvalid, rready;

  soc_dma #(
    .Algorithm (Algorithm),
    .SBox      (SBox),
    .DataWidth (DataWidth)
  ) u_dma (
    .clk_i                  (clk_i),
    .rst_ni                 (rst_ni),
    .accelerator_request_i  (accelerator_request_i),
    .accelerator_response_o (accelerator_response_o),
    .dma_request_i          (dma_request_i),
    .dma_response_o         (dma_response_o),
    .fault_valid_i          (fault_valid_i),
    .fault_bit_i            (fault_bit_i),
    .error_o                (error_o),
    .busy_o                 (busy_o),
    .accelerator_irq_o      (accelerator_irq_o),
    .dma_irq_o              (dma_irq_o),
    .m_axi_awaddr_o         (awaddr),
    .m_axi_awlen_o          (awlen),
    .m_axi_awvalid_o        (awvalid),
    .m_axi_awready_i        (awready),
    .m_axi_wdata_o          (wdata),
    .m_axi_wstrb_o          (wstrb),
    .m_axi_wvalid_o         (wvalid),
    .m_axi_wready_i         (wready),
    .m_axi_bresp_i          (bresp),
    .m_axi_bvalid_i         (bvalid),
    .m_axi_bready_o         (bready),
    .m_axi_araddr_o         (araddr),
    .m_axi_arlen_o          (arlen),
    .m_axi_arvalid_o        (arvalid),
    .m_axi_arready_i        (arready),
    .m_axi_rdata_i          (rdata),
    .m_axi_rresp_i          (rresp),
    .m_axi_rlast_i          (rlast),
    .m_axi_rvalid_i         (rvalid),
    .m_axi_rready_o         (rready)
  );

  soc_memory_axi4 #(
    .MemoryBytes (MemoryBytes),
    .DataWidth   (DataWidth)
  ) u_memory_port (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .read_wait_i     (read_wait_i),
    .write_wait_i    (write_wait_i),
    .beat_o          (beat_o),
    .wide_write_o    (wide_write_o),
    .wide_address_o  (wide_address_o),
    .wide_wdata_o    (wide_wdata_o),
    .wide_wstrb_o    (wide_wstrb_o),
    .wide_rdata_i    (wide_rdata_i),
    .s_axi_awaddr_i  (awaddr),
    .s_axi_awlen_i   (awlen),
    .s_axi_awvalid_i (awvalid),
    .s_axi_awready_o (awready),
    .s_axi_wdata_i   (wdata),
    .s_axi_wstrb_i   (wstrb),
    .s_axi_wvalid_i  (wvalid),
    .s_axi_wready_o  (wready),
    .s_axi_bresp_o   (bresp),
    .s_axi_bvalid_o  (bvalid),
    .s_axi_bready_i  (bready),
    .s_axi_araddr_i  (araddr),
    .s_axi_arlen_i   (arlen),
    .s_axi_arvalid_i (arvalid),
    .s_axi_arready_o (arready),
    .s_axi_rdata_o   (rdata),
    .s_axi_rresp_o   (rresp),
    .s_axi_rlast_o   (rlast),
    .s_axi_rvalid_o  (rvalid),
    .s_axi_rready_i  (rready)
  );

endmodule
