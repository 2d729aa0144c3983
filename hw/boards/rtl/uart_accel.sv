// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The accelerator behind a serial line: what a board has on its FPGA when nothing but a UART
// leads to it. It has one channel with streams of 32 bits. The interrupt is not on the line;
// interrupt_o is for a light.
//
// With Asynchronous = 1 the core runs on core_clk_i, else core_clk_i and core_rst_ni are not
// used. Resets are active low, asserted at any time and released with their clock.
module uart_accel #(
  parameter int unsigned ClocksPerBit   = 25,
  parameter int unsigned StallCycles    = 4096,
  parameter int unsigned TimeoutCycles  = 1 << 22,
  // Given to accel.
  parameter int unsigned ChannelCores   = accel_pkg::CoreAes,
  parameter int unsigned Architecture   = accel_pkg::ArchitectureIterative,
  parameter int unsigned SBox           = accel_pkg::SBoxTable,
  parameter int unsigned KeySizes       = accel_pkg::KeySizesAll,
  parameter int unsigned StagesPerRound = 1,
  parameter int unsigned BlockRam       = 0,
  parameter int unsigned KeyStorage     = 1,
  parameter int unsigned Gcm            = 0,
  parameter int unsigned GhashDigit     = 16,
  parameter int unsigned Xts            = 0,
  parameter int unsigned Directions     = accel_pkg::DirectionsBoth,
  parameter int unsigned Sha2WordSizes  = 0,
  parameter int unsigned Asynchronous   = 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic core_clk_i,
  input  logic core_rst_ni,
  input  logic rx_i,
  output logic tx_o,
  output logic active_o,
  output logic interrupt_o
);

  localparam int unsigned AddressWidth = 8;

  logic rst_n; // of the bridge: that of the accelerator's bus

  if (Asynchronous == 0) begin : gen_one_clock
    assign rst_n = rst_ni;
  end else begin : gen_two_clocks
    prim_reset_synchroniser u_reset (
      .clk_i  (clk_i),
      .rst_ni (rst_ni && core_rst_ni),
      .rst_no (rst_n)
    );
  end

  logic [AddressWidth-1:0] awaddr, araddr;
  logic [2:0]              awprot, arprot;
  logic                    awvalid, awready, wvalid, wready, bvalid, bready;
  logic                    arvalid, arready, rvalid, rready;
  logic [31:0]             wdata, rdata;
  logic [3:0]              wstrb;
  logic [1:0]              bresp, rresp;
  logic [31:0]             in_tdata, out_tdata;
  logic [3:0]              in_tkeep, out_tkeep;
  logic                    in_tlast, in_tvalid, in_tready, out_tlast, out_tvalid, out_tready;

  uart_bridge #(
    .ClocksPerBit  (ClocksPerBit),
    .AddressWidth  (AddressWidth),
    .StallCycles   (StallCycles),
    .TimeoutCycles (TimeoutCycles)
  ) u_bridge (
    .clk_i            (clk_i),
    .rst_ni           (rst_n),
    .rx_i             (rx_i),
    .tx_o             (tx_o),
    .active_o         (active_o),
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
    .m_axil_rready_o  (rready),
    .m_axis_tdata_o   (in_tdata),
    .m_axis_tkeep_o   (in_tkeep),
    .m_axis_tlast_o   (in_tlast),
    .m_axis_tvalid_o  (in_tvalid),
    .m_axis_tready_i  (in_tready),
    .s_axis_tdata_i   (out_tdata),
    .s_axis_tkeep_i   (out_tkeep),
    .s_axis_tlast_i   (out_tlast),
    .s_axis_tvalid_i  (out_tvalid),
    .s_axis_tready_o  (out_tready)
  );

  accel #(
    .ChannelCores   (ChannelCores),
    .Architecture   (Architecture),
    .SBox           (SBox),
    .KeySizes       (KeySizes),
    .StagesPerRound (StagesPerRound),
    .BlockRam       (BlockRam),
    .KeyStorage     (KeyStorage),
    .Gcm            (Gcm),
    .GhashDigit     (GhashDigit),
    .Xts            (Xts),
    .Directions     (Directions),
    .Sha2WordSizes  (Sha2WordSizes),
    .StreamWidth    (32),
    .Asynchronous   (Asynchronous),
    .Channels       (1),
    .Cores          (1)
  ) u_accel (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .core_clk_i       (core_clk_i),
    .core_rst_ni      (core_rst_ni),
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
    .interrupt_o      (interrupt_o),
    .s_axis_tdata_i   (in_tdata),
    .s_axis_tkeep_i   (in_tkeep),
    .s_axis_tlast_i   (in_tlast),
    .s_axis_tvalid_i  (in_tvalid),
    .s_axis_tready_o  (in_tready),
    .m_axis_tdata_o   (out_tdata),
    .m_axis_tkeep_o   (out_tkeep),
    .m_axis_tlast_o   (out_tlast),
    .m_axis_tvalid_o  (out_tvalid),
    .m_axis_tready_i  (out_tready)
  );

endmodule
