// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The card as a cell of a Vivado block design for a Zynq-7000: s_axi for a general-purpose
// port of the processor, m_axi for a high-performance port, and an interrupt line for each of
// its two rings. Vivado takes the ports as interfaces by their attributes.
//
// m_axi has addresses of 64 bits, so that the interconnect answers what lies outside of the
// memory with DECERR. The card's interrupt is a pulse of one cycle; the lines here hold for
// eight, since the interrupt controller runs on a clock of its own. They are edges, not levels.
module zedboard_card (
  (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 clk CLK" *)
  (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axi:m_axi, ASSOCIATED_RESET rst_n" *)
  input  wire        clk,
  (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 rst_n RST" *)
  (* X_INTERFACE_PARAMETER = "POLARITY ACTIVE_LOW" *)
  input  wire        rst_n,

  (* X_INTERFACE_PARAMETER = "PROTOCOL AXI4LITE, ADDR_WIDTH 15, DATA_WIDTH 32" *)
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi AWADDR" *)
  input  wire [14:0] s_axi_awaddr,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi AWPROT" *)
  input  wire [2:0]  s_axi_awprot,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi AWVALID" *)
  input  wire        s_axi_awvalid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi AWREADY" *)
  output wire        s_axi_awready,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi WDATA" *)
  input  wire [31:0] s_axi_wdata,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi WSTRB" *)
  input  wire [3:0]  s_axi_wstrb,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi WVALID" *)
  input  wire        s_axi_wvalid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi WREADY" *)
  output wire        s_axi_wready,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi BRESP" *)
  output wire [1:0]  s_axi_bresp,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi BVALID" *)
  output wire        s_axi_bvalid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi BREADY" *)
  input  wire        s_axi_bready,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi ARADDR" *)
  input  wire [14:0] s_axi_araddr,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi ARPROT" *)
  input  wire [2:0]  s_axi_arprot,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi ARVALID" *)
  input  wire        s_axi_arvalid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi ARREADY" *)
  output wire        s_axi_arready,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi RDATA" *)
  output wire [31:0] s_axi_rdata,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi RRESP" *)
  output wire [1:0]  s_axi_rresp,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi RVALID" *)
  output wire        s_axi_rvalid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi RREADY" *)
  input  wire        s_axi_rready,

  (* X_INTERFACE_PARAMETER = "PROTOCOL AXI4, ADDR_WIDTH 64, DATA_WIDTH 64, ID_WIDTH 1, SUPPORTS_NARROW_BURST 0, MAX_BURST_LENGTH 16, NUM_READ_OUTSTANDING 32, NUM_WRITE_OUTSTANDING 16" *)
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi AWID" *)
  output wire        m_axi_awid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi AWADDR" *)
  output wire [63:0] m_axi_awaddr,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi AWLEN" *)
  output wire [7:0]  m_axi_awlen,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi AWSIZE" *)
  output wire [2:0]  m_axi_awsize,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi AWBURST" *)
  output wire [1:0]  m_axi_awburst,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi AWCACHE" *)
  output wire [3:0]  m_axi_awcache,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi AWPROT" *)
  output wire [2:0]  m_axi_awprot,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi AWVALID" *)
  output wire        m_axi_awvalid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi AWREADY" *)
  input  wire        m_axi_awready,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi WDATA" *)
  output wire [63:0] m_axi_wdata,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi WSTRB" *)
  output wire [7:0]  m_axi_wstrb,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi WLAST" *)
  output wire        m_axi_wlast,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi WVALID" *)
  output wire        m_axi_wvalid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi WREADY" *)
  input  wire        m_axi_wready,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi BID" *)
  input  wire        m_axi_bid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi BRESP" *)
  input  wire [1:0]  m_axi_bresp,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi BVALID" *)
  input  wire        m_axi_bvalid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi BREADY" *)
  output wire        m_axi_bready,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi ARID" *)
  output wire        m_axi_arid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi ARADDR" *)
  output wire [63:0] m_axi_araddr,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi ARLEN" *)
  output wire [7:0]  m_axi_arlen,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi ARSIZE" *)
  output wire [2:0]  m_axi_arsize,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi ARBURST" *)
  output wire [1:0]  m_axi_arburst,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi ARCACHE" *)
  output wire [3:0]  m_axi_arcache,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi ARPROT" *)
  output wire [2:0]  m_axi_arprot,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi ARVALID" *)
  output wire        m_axi_arvalid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi ARREADY" *)
  input  wire        m_axi_arready,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi RID" *)
  input  wire        m_axi_rid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi RDATA" *)
  input  wire [63:0] m_axi_rdata,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi RRESP" *)
  input  wire [1:0]  m_axi_rresp,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi RLAST" *)
  input  wire        m_axi_rlast,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi RVALID" *)
  input  wire        m_axi_rvalid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi RREADY" *)
  output wire        m_axi_rready,

  (* X_INTERFACE_INFO = "xilinx.com:signal:interrupt:1.0 interrupt_0 INTERRUPT" *)
  (* X_INTERFACE_PARAMETER = "SENSITIVITY EDGE_RISING" *)
  output wire        interrupt_0,
  (* X_INTERFACE_INFO = "xilinx.com:signal:interrupt:1.0 interrupt_1 INTERRUPT" *)
  (* X_INTERFACE_PARAMETER = "SENSITIVITY EDGE_RISING" *)
  output wire        interrupt_1
);

  wire [1:0] interrupt;
  reg  [7:0] hold_0_q, hold_1_q;
  reg        line_0_q, line_1_q;

  always @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      hold_0_q <= 8'd0;
      hold_1_q <= 8'd0;
      line_0_q <= 1'b0;
      line_1_q <= 1'b0;
    end else begin
      hold_0_q <= {hold_0_q[6:0], interrupt[0]};
      hold_1_q <= {hold_1_q[6:0], interrupt[1]};
      line_0_q <= |hold_0_q;
      line_1_q <= |hold_1_q;
    end
  end

  assign interrupt_0 = line_0_q;
  assign interrupt_1 = line_1_q;

  // 100 MHz is FCLK_CLK0 of block_design.tcl.
  card #(
    .Rings       (2),
    .KeySlots    (8),
    .Log2Entries (8),
    .DataWidth   (64),
    .StreamWidth (64),
    .BurstBytes  (128), // 16 beats: the most that the port's AXI3 takes at once
    .FifoBeats   (64),
    .ClockKhz    (100000),
    .Cores       (1)
  ) u_card (
    .clk_i            (clk),
    .rst_ni           (rst_n),
    .s_axil_awaddr_i   (s_axi_awaddr),
    .s_axil_awprot_i   (s_axi_awprot),
    .s_axil_awvalid_i  (s_axi_awvalid),
    .s_axil_awready_o  (s_axi_awready),
    .s_axil_wdata_i    (s_axi_wdata),
    .s_axil_wstrb_i    (s_axi_wstrb),
    .s_axil_wvalid_i   (s_axi_wvalid),
    .s_axil_wready_o   (s_axi_wready),
    .s_axil_bresp_o    (s_axi_bresp),
    .s_axil_bvalid_o   (s_axi_bvalid),
    .s_axil_bready_i   (s_axi_bready),
    .s_axil_araddr_i   (s_axi_araddr),
    .s_axil_arprot_i   (s_axi_arprot),
    .s_axil_arvalid_i  (s_axi_arvalid),
    .s_axil_arready_o  (s_axi_arready),
    .s_axil_rdata_o    (s_axi_rdata),
    .s_axil_rresp_o    (s_axi_rresp),
    .s_axil_rvalid_o   (s_axi_rvalid),
    .s_axil_rready_i   (s_axi_rready),
    .interrupt_o       (interrupt),
    .m_axi_awid_o      (m_axi_awid),
    .m_axi_awaddr_o    (m_axi_awaddr),
    .m_axi_awlen_o     (m_axi_awlen),
    .m_axi_awsize_o    (m_axi_awsize),
    .m_axi_awburst_o   (m_axi_awburst),
    .m_axi_awcache_o   (m_axi_awcache),
    .m_axi_awprot_o    (m_axi_awprot),
    .m_axi_awvalid_o   (m_axi_awvalid),
    .m_axi_awready_i   (m_axi_awready),
    .m_axi_wdata_o     (m_axi_wdata),
    .m_axi_wstrb_o     (m_axi_wstrb),
    .m_axi_wlast_o     (m_axi_wlast),
    .m_axi_wvalid_o    (m_axi_wvalid),
    .m_axi_wready_i    (m_axi_wready),
    .m_axi_bid_i       (m_axi_bid),
    .m_axi_bresp_i     (m_axi_bresp),
    .m_axi_bvalid_i    (m_axi_bvalid),
    .m_axi_bready_o    (m_axi_bready),
    .m_axi_arid_o      (m_axi_arid),
    .m_axi_araddr_o    (m_axi_araddr),
    .m_axi_arlen_o     (m_axi_arlen),
    .m_axi_arsize_o    (m_axi_arsize),
    .m_axi_arburst_o   (m_axi_arburst),
    .m_axi_arcache_o   (m_axi_arcache),
    .m_axi_arprot_o    (m_axi_arprot),
    .m_axi_arvalid_o   (m_axi_arvalid),
    .m_axi_arready_i   (m_axi_arready),
    .m_axi_rid_i       (m_axi_rid),
    .m_axi_rdata_i     (m_axi_rdata),
    .m_axi_rresp_i     (m_axi_rresp),
    .m_axi_rlast_i     (m_axi_rlast),
    .m_axi_rvalid_i    (m_axi_rvalid),
    .m_axi_rready_o    (m_axi_rready)
  );

endmodule
