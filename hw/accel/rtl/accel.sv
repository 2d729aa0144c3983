// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The accelerator: an AES core behind AXI4-Lite registers and two AXI4-Streams,
// with the modes of SP 800-38A, a sink and a bypass. The README tells its
// operation; accel.rdl its registers.
//
// With Asynchronous = 1 the registers and everything between the streams run on
// core_clk_i; otherwise on clk_i, and core_clk_i and core_rst_ni are not used.
// Resets are active low, asserted at any time and released with their clock.
module accel #(
  parameter int unsigned Architecture     = aes_pkg::ArchitectureIterative,
  parameter int unsigned SBox             = aes_pkg::SBoxTable,
  parameter int unsigned Directions       = aes_pkg::DirectionsBoth,
  parameter int unsigned KeySizes         = aes_pkg::KeySizesAll,
  parameter int unsigned StagesPerRound   = 1,
  parameter int unsigned BlockRam         = 0,
  parameter int unsigned KeyStorage       = 1,
  parameter int unsigned StreamWidth      = 128,
  parameter int unsigned InputFifoBlocks  = 8,
  parameter int unsigned OutputFifoBlocks = 8,
  parameter int unsigned Asynchronous     = 0,
  localparam int unsigned Lanes = StreamWidth / 8
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   core_clk_i,
  input  logic                   core_rst_ni,

  input  logic [7:0]             s_axil_awaddr_i,
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
  input  logic [7:0]             s_axil_araddr_i,
  input  logic [2:0]             s_axil_arprot_i,
  input  logic                   s_axil_arvalid_i,
  output logic                   s_axil_arready_o,
  output logic [31:0]            s_axil_rdata_o,
  output logic [1:0]             s_axil_rresp_o,
  output logic                   s_axil_rvalid_o,
  input  logic                   s_axil_rready_i,
  output logic                   interrupt_o,

  input  logic [StreamWidth-1:0] s_axis_tdata_i,
  input  logic [Lanes-1:0]       s_axis_tkeep_i,
  input  logic                   s_axis_tlast_i,
  input  logic                   s_axis_tvalid_i,
  output logic                   s_axis_tready_o,
  output logic [StreamWidth-1:0] m_axis_tdata_o,
  output logic [Lanes-1:0]       m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic                   m_axis_tvalid_o,
  input  logic                   m_axis_tready_i
);

  // ------------------------------------------------------------ clocks

  logic clk, rst_n, bus_rst_n; // clk and rst_n: of everything but the bus
  logic interrupt;

  logic [7:0]  axil_awaddr, axil_araddr;
  logic [2:0]  axil_awprot, axil_arprot;
  logic        axil_awvalid, axil_awready, axil_wvalid, axil_wready, axil_bvalid, axil_bready;
  logic        axil_arvalid, axil_arready, axil_rvalid, axil_rready;
  logic [31:0] axil_wdata, axil_rdata;
  logic [3:0]  axil_wstrb;
  logic [1:0]  axil_bresp, axil_rresp;

  if (Asynchronous == 0) begin : gen_one_clock
    assign clk              = clk_i;
    assign rst_n            = rst_ni;
    assign bus_rst_n        = rst_ni;
    assign interrupt_o      = interrupt;
    assign axil_awaddr      = s_axil_awaddr_i;
    assign axil_awprot      = s_axil_awprot_i;
    assign axil_awvalid     = s_axil_awvalid_i;
    assign s_axil_awready_o = axil_awready;
    assign axil_wdata       = s_axil_wdata_i;
    assign axil_wstrb       = s_axil_wstrb_i;
    assign axil_wvalid      = s_axil_wvalid_i;
    assign s_axil_wready_o  = axil_wready;
    assign s_axil_bresp_o   = axil_bresp;
    assign s_axil_bvalid_o  = axil_bvalid;
    assign axil_bready      = s_axil_bready_i;
    assign axil_araddr      = s_axil_araddr_i;
    assign axil_arprot      = s_axil_arprot_i;
    assign axil_arvalid     = s_axil_arvalid_i;
    assign s_axil_arready_o = axil_arready;
    assign s_axil_rdata_o   = axil_rdata;
    assign s_axil_rresp_o   = axil_rresp;
    assign s_axil_rvalid_o  = axil_rvalid;
    assign axil_rready      = s_axil_rready_i;

    logic unused_core;
    assign unused_core = ^{core_clk_i, core_rst_ni};
  end else begin : gen_two_clocks
    // Either reset resets both sides, so that no crossing wakes up half.
    logic any_rst_n;

    assign any_rst_n = rst_ni && core_rst_ni;
    assign clk       = core_clk_i;

    prim_reset_synchroniser u_bus_reset (
      .clk_i  (clk_i),
      .rst_ni (any_rst_n),
      .rst_no (bus_rst_n)
    );

    prim_reset_synchroniser u_core_reset (
      .clk_i  (core_clk_i),
      .rst_ni (any_rst_n),
      .rst_no (rst_n)
    );

    prim_synchroniser u_interrupt (
      .clk_i  (clk_i),
      .rst_ni (bus_rst_n),
      .data_i (interrupt),
      .data_o (interrupt_o)
    );

    prim_axi_lite_crossing #(
      .AddressWidth (8)
    ) u_axil (
      .s_clk_i          (clk_i),
      .s_rst_ni         (bus_rst_n),
      .s_axil_awaddr_i  (s_axil_awaddr_i),
      .s_axil_awprot_i  (s_axil_awprot_i),
      .s_axil_awvalid_i (s_axil_awvalid_i),
      .s_axil_awready_o (s_axil_awready_o),
      .s_axil_wdata_i   (s_axil_wdata_i),
      .s_axil_wstrb_i   (s_axil_wstrb_i),
      .s_axil_wvalid_i  (s_axil_wvalid_i),
      .s_axil_wready_o  (s_axil_wready_o),
      .s_axil_bresp_o   (s_axil_bresp_o),
      .s_axil_bvalid_o  (s_axil_bvalid_o),
      .s_axil_bready_i  (s_axil_bready_i),
      .s_axil_araddr_i  (s_axil_araddr_i),
      .s_axil_arprot_i  (s_axil_arprot_i),
      .s_axil_arvalid_i (s_axil_arvalid_i),
      .s_axil_arready_o (s_axil_arready_o),
      .s_axil_rdata_o   (s_axil_rdata_o),
      .s_axil_rresp_o   (s_axil_rresp_o),
      .s_axil_rvalid_o  (s_axil_rvalid_o),
      .s_axil_rready_i  (s_axil_rready_i),
      .m_clk_i          (core_clk_i),
      .m_rst_ni         (rst_n),
      .m_axil_awaddr_o  (axil_awaddr),
      .m_axil_awprot_o  (axil_awprot),
      .m_axil_awvalid_o (axil_awvalid),
      .m_axil_awready_i (axil_awready),
      .m_axil_wdata_o   (axil_wdata),
      .m_axil_wstrb_o   (axil_wstrb),
      .m_axil_wvalid_o  (axil_wvalid),
      .m_axil_wready_i  (axil_wready),
      .m_axil_bresp_i   (axil_bresp),
      .m_axil_bvalid_i  (axil_bvalid),
      .m_axil_bready_o  (axil_bready),
      .m_axil_araddr_o  (axil_araddr),
      .m_axil_arprot_o  (axil_arprot),
      .m_axil_arvalid_o (axil_arvalid),
      .m_axil_arready_i (axil_arready),
      .m_axil_rdata_i   (axil_rdata),
      .m_axil_rresp_i   (axil_rresp),
      .m_axil_rvalid_i  (axil_rvalid),
      .m_axil_rready_o  (axil_rready)
    );
  end

  // ------------------------------------------------------------ channel and core

  logic                key_valid, key_ready;
  aes_pkg::key_size_e  key_size;
  logic [255:0]        key;
  logic                core_in_valid, core_in_ready, core_out_valid, core_out_ready;
  aes_pkg::direction_e core_direction;
  logic [127:0]        core_in, core_out;
  logic                core_zeroise, core_busy, core_idle;
  logic                unused_tag;

  accel_channel #(
    .Architecture     (Architecture),
    .SBox             (SBox),
    .Directions       (Directions),
    .KeySizes         (KeySizes),
    .StagesPerRound   (StagesPerRound),
    .StreamWidth      (StreamWidth),
    .InputFifoBlocks  (InputFifoBlocks),
    .OutputFifoBlocks (OutputFifoBlocks),
    .Asynchronous     (Asynchronous)
  ) u_channel (
    .clk_i             (clk),
    .rst_ni            (rst_n),
    .bus_clk_i         (clk_i),
    .bus_rst_ni        (bus_rst_n),
    .s_axil_awaddr_i   (axil_awaddr),
    .s_axil_awprot_i   (axil_awprot),
    .s_axil_awvalid_i  (axil_awvalid),
    .s_axil_awready_o  (axil_awready),
    .s_axil_wdata_i    (axil_wdata),
    .s_axil_wstrb_i    (axil_wstrb),
    .s_axil_wvalid_i   (axil_wvalid),
    .s_axil_wready_o   (axil_wready),
    .s_axil_bresp_o    (axil_bresp),
    .s_axil_bvalid_o   (axil_bvalid),
    .s_axil_bready_i   (axil_bready),
    .s_axil_araddr_i   (axil_araddr),
    .s_axil_arprot_i   (axil_arprot),
    .s_axil_arvalid_i  (axil_arvalid),
    .s_axil_arready_o  (axil_arready),
    .s_axil_rdata_o    (axil_rdata),
    .s_axil_rresp_o    (axil_rresp),
    .s_axil_rvalid_o   (axil_rvalid),
    .s_axil_rready_i   (axil_rready),
    .interrupt_o       (interrupt),
    .s_axis_tdata_i    (s_axis_tdata_i),
    .s_axis_tkeep_i    (s_axis_tkeep_i),
    .s_axis_tlast_i    (s_axis_tlast_i),
    .s_axis_tvalid_i   (s_axis_tvalid_i),
    .s_axis_tready_o   (s_axis_tready_o),
    .m_axis_tdata_o    (m_axis_tdata_o),
    .m_axis_tkeep_o    (m_axis_tkeep_o),
    .m_axis_tlast_o    (m_axis_tlast_o),
    .m_axis_tvalid_o   (m_axis_tvalid_o),
    .m_axis_tready_i   (m_axis_tready_i),
    .key_valid_o       (key_valid),
    .key_ready_i       (key_ready),
    .key_size_o        (key_size),
    .key_o             (key),
    .block_valid_o     (core_in_valid),
    .block_ready_i     (core_in_ready),
    .block_direction_o (core_direction),
    .block_o           (core_in),
    .block_valid_i     (core_out_valid),
    .block_ready_o     (core_out_ready),
    .block_i           (core_out),
    .zeroise_o         (core_zeroise),
    .busy_i            (core_busy),
    .idle_i            (core_idle)
  );

  // Results come in the order of their blocks, so no tag is needed.
  aes_core #(
    .Architecture   (Architecture),
    .SBox           (SBox),
    .Directions     (Directions),
    .KeySizes       (KeySizes),
    .TagWidth       (1),
    .StagesPerRound (StagesPerRound),
    .BlockRam       (BlockRam),
    .KeyStorage     (KeyStorage)
  ) u_core (
    .clk_i             (clk),
    .rst_ni            (rst_n),
    .key_valid_i       (key_valid),
    .key_ready_o       (key_ready),
    .key_size_i        (key_size),
    .key_i             (key),
    .block_valid_i     (core_in_valid),
    .block_ready_o     (core_in_ready),
    .block_direction_i (core_direction),
    .block_i           (core_in),
    .block_tag_i       (1'b0),
    .block_valid_o     (core_out_valid),
    .block_ready_i     (core_out_ready),
    .block_o           (core_out),
    .block_tag_o       (unused_tag),
    .zeroise_i         (core_zeroise),
    .busy_o            (core_busy),
    .idle_o            (core_idle)
  );

endmodule
