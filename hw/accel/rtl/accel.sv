// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The accelerator: algorithms behind AXI4-Lite registers and AXI4-Streams. It has one or
// more channels, each with an algorithm, registers, key, IV, two streams and an interrupt of
// its own. The registers of channel n begin at address 256 n; its signals are element n of
// each vector of the stream ports.
//
// ChannelCores selects the algorithms, one for each channel. AES has the modes of SP 800-38A,
// GCM (Gcm = 1) and XTS (Xts = 1), a sink and a bypass; PRESENT has the modes of SP 800-38A,
// a sink and a bypass; Ascon has AEAD, digests and a sink; ECC has ECDSA and ECDH. Each may
// have SHA-2 and HMAC beside it (Sha2WordSizes, Sha2Channels), which may also be alone. An
// algorithm that no channel has is not in the netlist. The README describes the operation,
// accel.rdl the registers.
//
// The channels with AES share Cores cores: the nth of them uses core n % Cores. With the
// other algorithms each channel has a core of its own.
//
// With Asynchronous = 1 the registers and everything between the streams run on
// core_clk_i; otherwise on clk_i, and core_clk_i and core_rst_ni are not used.
// Resets are active low, asserted at any time and released with their clock.
module accel #(
  // Hexadecimal digit n is the algorithm of the channels n, n + 8, n + 16 and n + 24: one of
  // the Core constants of accel_pkg.
  parameter int unsigned ChannelCores     = accel_pkg::CoreAes,
  // AES:
  parameter int unsigned Architecture     = accel_pkg::ArchitectureIterative,
  parameter int unsigned SBox             = accel_pkg::SBoxTable,
  parameter int unsigned KeySizes         = accel_pkg::KeySizesAll,
  parameter int unsigned StagesPerRound   = 1,
  parameter int unsigned BlockRam         = 0,
  parameter int unsigned KeyStorage       = 1,
  parameter int unsigned Gcm              = 0,
  parameter int unsigned GhashDigit       = 16,
  parameter int unsigned GhashStages      = 1,
  parameter int unsigned Xts              = 0,
  // AES, PRESENT and Ascon:
  parameter int unsigned Directions       = accel_pkg::DirectionsBoth,
  // Ascon:
  parameter int unsigned RoundsPerCycle   = 1,
  // ECC:
  parameter int unsigned EccArchitecture  = accel_pkg::ArchitectureIterative,
  parameter int unsigned Curves           = accel_pkg::CurvesAll,
  // SHA-2: a bit set of the WordSizes constants of accel_pkg, 0 if there is none; and bit n,
  // whether channel n has it beside another algorithm.
  parameter int unsigned Sha2WordSizes    = 0,
  parameter int unsigned Sha2Channels     = 32'hFFFF_FFFF,
  // ECC with SHA-2: slots for private keys in each channel, 0 to 15.
  parameter int unsigned KeySlots         = 0,
  // All:
  parameter int unsigned StreamWidth      = 128,
  parameter int unsigned InputFifoBlocks  = 8,
  parameter int unsigned OutputFifoBlocks = 8,
  parameter int unsigned Asynchronous     = 0,
  // With Asynchronous = 1: flip-flops in each synchroniser, 2 to 8.
  parameter int unsigned SyncStages       = 2,
  // 1: the FIFOs of the streams are in block RAM.
  parameter int unsigned BlockRamFifos    = 0,
  parameter int unsigned Channels         = 1,
  parameter int unsigned Cores            = 1,
  localparam int unsigned Lanes = StreamWidth / 8,
  localparam int unsigned AddressWidth = 8 + $clog2(Channels)
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic                             core_clk_i,
  input  logic                             core_rst_ni,

  input  logic [AddressWidth-1:0]          s_axil_awaddr_i,
  input  logic [2:0]                       s_axil_awprot_i,
  input  logic                             s_axil_awvalid_i,
  output logic                             s_axil_awready_o,
  input  logic [31:0]                      s_axil_wdata_i,
  input  logic [3:0]                       s_axil_wstrb_i,
  input  logic                             s_axil_wvalid_i,
  output logic                             s_axil_wready_o,
  output logic [1:0]                       s_axil_bresp_o,
  output logic                             s_axil_bvalid_o,
  input  logic                             s_axil_bready_i,
  input  logic [AddressWidth-1:0]          s_axil_araddr_i,
  input  logic [2:0]                       s_axil_arprot_i,
  input  logic                             s_axil_arvalid_i,
  output logic                             s_axil_arready_o,
  output logic [31:0]                      s_axil_rdata_o,
  output logic [1:0]                       s_axil_rresp_o,
  output logic                             s_axil_rvalid_o,
  input  logic                             s_axil_rready_i,
  output logic [Channels-1:0]              interrupt_o,

  input  logic [Channels*StreamWidth-1:0]  s_axis_tdata_i,
  input  logic [Channels*Lanes-1:0]        s_axis_tkeep_i,
  input  logic [Channels-1:0]              s_axis_tlast_i,
  input  logic [Channels-1:0]              s_axis_tvalid_i,
  output logic [Channels-1:0]              s_axis_tready_o,
  output logic [Channels*StreamWidth-1:0]  m_axis_tdata_o,
  output logic [Channels*Lanes-1:0]        m_axis_tkeep_o,
  output logic [Channels-1:0]              m_axis_tlast_o,
  output logic [Channels-1:0]              m_axis_tvalid_o,
  input  logic [Channels-1:0]              m_axis_tready_i
);

  if (Channels < 1 || Channels > 32) begin : gen_bad_channels
    $fatal(1, "accel: Channels must be 1 to 32");
  end
  if (Cores < 1 || Cores > Channels) begin : gen_bad_cores
    $fatal(1, "accel: Cores must be 1 to Channels");
  end
  if (Sha2WordSizes > accel_pkg::WordSizesAll) begin : gen_bad_sha2
    $fatal(1, "accel: Sha2WordSizes must be 0 to 3");
  end
  if (Sha2WordSizes == 0 &&
      accel_pkg::count_of(ChannelCores, Channels, accel_pkg::CoreSha2) != 0) begin : gen_no_sha2
    $fatal(1, "accel: a channel with SHA-2 alone needs Sha2WordSizes 1 to 3");
  end

  if (KeySlots > 15 ||
      (KeySlots != 0 &&
       (Sha2WordSizes == 0 ||
        accel_pkg::count_of(ChannelCores, Channels, accel_pkg::CoreEcc) == 0))) begin : gen_bad_slots
    $fatal(1, "accel: KeySlots must be 0 to 15; above 0 it needs elliptic curves and SHA-2");
  end

  if (SyncStages < 2 || SyncStages > 8) begin : gen_bad_stages
    $fatal(1, "accel: SyncStages must be 2 to 8");
  end
  if (BlockRamFifos > 1) begin : gen_bad_fifos
    $fatal(1, "accel: BlockRamFifos must be 0 or 1");
  end

  // ------------------------------------------------------------ clocks

  logic clk, rst_n, bus_rst_n; // clk and rst_n: everything except the bus

  logic [Channels-1:0]     interrupt;
  logic [AddressWidth-1:0] axil_awaddr, axil_araddr;
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
    // Either reset resets both sides, so that both ends of each crossing agree.
    logic any_rst_n;

    assign any_rst_n = rst_ni && core_rst_ni;
    assign clk       = core_clk_i;

    prim_reset_synchroniser #(
      .Stages (SyncStages)
    ) u_bus_reset (
      .clk_i  (clk_i),
      .rst_ni (any_rst_n),
      .rst_no (bus_rst_n)
    );

    prim_reset_synchroniser #(
      .Stages (SyncStages)
    ) u_core_reset (
      .clk_i  (core_clk_i),
      .rst_ni (any_rst_n),
      .rst_no (rst_n)
    );

    prim_synchroniser #(
      .Width  (Channels),
      .Stages (SyncStages)
    ) u_interrupt (
      .clk_i  (clk_i),
      .rst_ni (bus_rst_n),
      .data_i (interrupt),
      .data_o (interrupt_o)
    );

    prim_axi_lite_crossing #(
      .AddressWidth (AddressWidth),
      .SyncStages   (SyncStages)
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

`ifndef SYNTHESIS
  // The manager of the register bus must hold address and data until they are accepted
  // (IHI 0022, A3.2.1).
  logic                    aw_waits_q, w_waits_q, ar_waits_q;
  logic [AddressWidth+2:0] aw_q, ar_q;
  logic [35:0]             w_q;
  logic                    armed_q; // since the first reset

  initial armed_q = 1'b0;

  always_ff @(posedge clk_i or negedge bus_rst_n) begin
    if (!bus_rst_n) begin
      armed_q    <= 1'b1;
      aw_waits_q <= 1'b0;
      w_waits_q  <= 1'b0;
      ar_waits_q <= 1'b0;
      aw_q       <= '0;
      w_q        <= '0;
      ar_q       <= '0;
    end else begin
      aw_waits_q <= s_axil_awvalid_i && !s_axil_awready_o;
      w_waits_q  <= s_axil_wvalid_i && !s_axil_wready_o;
      ar_waits_q <= s_axil_arvalid_i && !s_axil_arready_o;
      aw_q       <= {s_axil_awaddr_i, s_axil_awprot_i};
      w_q        <= {s_axil_wdata_i, s_axil_wstrb_i};
      ar_q       <= {s_axil_araddr_i, s_axil_arprot_i};
      assert (!armed_q || !aw_waits_q ||
              (s_axil_awvalid_i && {s_axil_awaddr_i, s_axil_awprot_i} == aw_q))
        else $error("accel: a write address was not held until AWREADY");
      assert (!armed_q || !w_waits_q ||
              (s_axil_wvalid_i && {s_axil_wdata_i, s_axil_wstrb_i} == w_q))
        else $error("accel: write data was not held until WREADY");
      assert (!armed_q || !ar_waits_q ||
              (s_axil_arvalid_i && {s_axil_araddr_i, s_axil_arprot_i} == ar_q))
        else $error("accel: a read address was not held until ARREADY");
    end
  end
`endif

  // ------------------------------------------------------------ registers' bus

  // Signals that all channels share, and signals of each channel.
  logic [7:0]                local_awaddr, local_araddr;
  logic [2:0]                local_awprot, local_arprot;
  logic [3:0]                local_wstrb;
  logic [Channels-1:0]       local_awvalid, local_awready, local_wvalid, local_wready;
  logic [Channels-1:0]       local_bvalid, local_bready, local_arvalid, local_arready;
  logic [Channels-1:0]       local_rvalid, local_rready;
  logic [Channels-1:0][31:0] local_wdata, local_rdata;
  logic [Channels-1:0][1:0]  local_bresp, local_rresp;

  if (Channels == 1) begin : gen_one_map
    assign local_awaddr  = axil_awaddr;
    assign local_awprot  = axil_awprot;
    assign local_awvalid = axil_awvalid;
    assign axil_awready  = local_awready;
    assign local_wdata   = axil_wdata;
    assign local_wstrb   = axil_wstrb;
    assign local_wvalid  = axil_wvalid;
    assign axil_wready   = local_wready;
    assign axil_bresp    = local_bresp;
    assign axil_bvalid   = local_bvalid;
    assign local_bready  = axil_bready;
    assign local_araddr  = axil_araddr;
    assign local_arprot  = axil_arprot;
    assign local_arvalid = axil_arvalid;
    assign axil_arready  = local_arready;
    assign axil_rdata    = local_rdata;
    assign axil_rresp    = local_rresp;
    assign axil_rvalid   = local_rvalid;
    assign local_rready  = axil_rready;
  end else begin : gen_split
    prim_axi_lite_split #(
      .Ports      (Channels),
      .LocalWidth (8)
    ) u_split (
      .clk_i            (clk),
      .rst_ni           (rst_n),
      .s_axil_awaddr_i  (axil_awaddr),
      .s_axil_awprot_i  (axil_awprot),
      .s_axil_awvalid_i (axil_awvalid),
      .s_axil_awready_o (axil_awready),
      .s_axil_wdata_i   (axil_wdata),
      .s_axil_wstrb_i   (axil_wstrb),
      .s_axil_wvalid_i  (axil_wvalid),
      .s_axil_wready_o  (axil_wready),
      .s_axil_bresp_o   (axil_bresp),
      .s_axil_bvalid_o  (axil_bvalid),
      .s_axil_bready_i  (axil_bready),
      .s_axil_araddr_i  (axil_araddr),
      .s_axil_arprot_i  (axil_arprot),
      .s_axil_arvalid_i (axil_arvalid),
      .s_axil_arready_o (axil_arready),
      .s_axil_rdata_o   (axil_rdata),
      .s_axil_rresp_o   (axil_rresp),
      .s_axil_rvalid_o  (axil_rvalid),
      .s_axil_rready_i  (axil_rready),
      .m_axil_awaddr_o  (local_awaddr),
      .m_axil_awprot_o  (local_awprot),
      .m_axil_awvalid_o (local_awvalid),
      .m_axil_awready_i (local_awready),
      .m_axil_wdata_o   (local_wdata),
      .m_axil_wstrb_o   (local_wstrb),
      .m_axil_wvalid_o  (local_wvalid),
      .m_axil_wready_i  (local_wready),
      .m_axil_bresp_i   (local_bresp),
      .m_axil_bvalid_i  (local_bvalid),
      .m_axil_bready_o  (local_bready),
      .m_axil_araddr_o  (local_araddr),
      .m_axil_arprot_o  (local_arprot),
      .m_axil_arvalid_o (local_arvalid),
      .m_axil_arready_i (local_arready),
      .m_axil_rdata_i   (local_rdata),
      .m_axil_rresp_i   (local_rresp),
      .m_axil_rvalid_i  (local_rvalid),
      .m_axil_rready_o  (local_rready)
    );
  end

  // ------------------------------------------------------------ channels

  logic [Channels-1:0]        key_valid, key_ready;
  logic [Channels-1:0][1:0]   key_size;
  logic [Channels-1:0][255:0] key;
  logic [Channels-1:0]        block_valid, block_ready, block_direction;
  logic [Channels-1:0]        result_valid, result_ready;
  logic [Channels-1:0][127:0] block, result;
  logic [Channels-1:0]        channel_zeroise, channel_busy, channel_idle;

  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    localparam int unsigned Core    = accel_pkg::core_of(ChannelCores, c);
    localparam bit          IsAes   = Core == accel_pkg::CoreAes;
    localparam bit          IsEcc   = Core == accel_pkg::CoreEcc;
    localparam bit          HasSha2 = Core == accel_pkg::CoreSha2 || Sha2Channels[c];

    // With elliptic curves KeySizes are the curves.
    localparam int unsigned ChannelKeySizes =
        IsAes                            ? KeySizes :
        (Core == accel_pkg::CorePresent) ? accel_pkg::KeySizes80 | accel_pkg::KeySizes128 :
        (Core == accel_pkg::CoreAscon)   ? accel_pkg::KeySizes128 :
        IsEcc                            ? Curves : 0;

    accel_channel #(
      .Core             (Core),
      .Architecture     (IsAes ? Architecture : IsEcc ? EccArchitecture :
                         accel_pkg::ArchitectureIterative),
      .SBox             (IsAes ? SBox : 0),
      .Directions       (Directions),
      .KeySizes         (ChannelKeySizes),
      .StagesPerRound   (StagesPerRound),
      .StreamWidth      (StreamWidth),
      .InputFifoBlocks  (InputFifoBlocks),
      .OutputFifoBlocks (OutputFifoBlocks),
      .Asynchronous     (Asynchronous),
      .SyncStages       (SyncStages),
      .BlockRamFifos    (BlockRamFifos),
      .Gcm              (IsAes ? Gcm : 0),
      .GhashDigit       (GhashDigit),
      .GhashStages      (GhashStages),
      .Xts              (IsAes ? Xts : 0),
      .RoundsPerCycle   (RoundsPerCycle),
      .Sha2WordSizes    (HasSha2 ? Sha2WordSizes : 0),
      .KeySlots         ((Core == accel_pkg::CoreEcc && HasSha2) ? KeySlots : 0),
      .Channels         (Channels),
      .Cores            (IsAes ? Cores : accel_pkg::count_of(ChannelCores, Channels, Core))
    ) u_channel (
      .clk_i             (clk),
      .rst_ni            (rst_n),
      .bus_clk_i         (clk_i),
      .bus_rst_ni        (bus_rst_n),
      .channel_i         (8'(c)),
      .s_axil_awaddr_i   (local_awaddr),
      .s_axil_awprot_i   (local_awprot),
      .s_axil_awvalid_i  (local_awvalid[c]),
      .s_axil_awready_o  (local_awready[c]),
      .s_axil_wdata_i    (local_wdata[c]),
      .s_axil_wstrb_i    (local_wstrb),
      .s_axil_wvalid_i   (local_wvalid[c]),
      .s_axil_wready_o   (local_wready[c]),
      .s_axil_bresp_o    (local_bresp[c]),
      .s_axil_bvalid_o   (local_bvalid[c]),
      .s_axil_bready_i   (local_bready[c]),
      .s_axil_araddr_i   (local_araddr),
      .s_axil_arprot_i   (local_arprot),
      .s_axil_arvalid_i  (local_arvalid[c]),
      .s_axil_arready_o  (local_arready[c]),
      .s_axil_rdata_o    (local_rdata[c]),
      .s_axil_rresp_o    (local_rresp[c]),
      .s_axil_rvalid_o   (local_rvalid[c]),
      .s_axil_rready_i   (local_rready[c]),
      .interrupt_o       (interrupt[c]),
      .s_axis_tdata_i    (s_axis_tdata_i[c*StreamWidth +: StreamWidth]),
      .s_axis_tkeep_i    (s_axis_tkeep_i[c*Lanes +: Lanes]),
      .s_axis_tlast_i    (s_axis_tlast_i[c]),
      .s_axis_tvalid_i   (s_axis_tvalid_i[c]),
      .s_axis_tready_o   (s_axis_tready_o[c]),
      .m_axis_tdata_o    (m_axis_tdata_o[c*StreamWidth +: StreamWidth]),
      .m_axis_tkeep_o    (m_axis_tkeep_o[c*Lanes +: Lanes]),
      .m_axis_tlast_o    (m_axis_tlast_o[c]),
      .m_axis_tvalid_o   (m_axis_tvalid_o[c]),
      .m_axis_tready_i   (m_axis_tready_i[c]),
      .key_valid_o       (key_valid[c]),
      .key_ready_i       (key_ready[c]),
      .key_size_o        (key_size[c]),
      .key_o             (key[c]),
      .block_valid_o     (block_valid[c]),
      .block_ready_i     (block_ready[c]),
      .block_direction_o (block_direction[c]),
      .block_o           (block[c]),
      .block_valid_i     (result_valid[c]),
      .block_ready_o     (result_ready[c]),
      .block_i           (result[c]),
      .zeroise_o         (channel_zeroise[c]),
      .busy_i            (channel_busy[c]),
      .idle_i            (channel_idle[c])
    );
  end

  // ------------------------------------------------------------ cores

  // The channels of each block cipher, in their order, beside the cores that they share.
  for (genvar n = 0; n < 16; n++) begin : gen_core
    localparam int unsigned Members = accel_pkg::count_of(ChannelCores, Channels, n);

    if (Members != 0 && accel_pkg::is_outside(n)) begin : gen_outside
      logic [Members-1:0]        m_key_valid, m_key_ready, m_block_valid, m_block_ready;
      logic [Members-1:0]        m_direction, m_result_valid, m_result_ready;
      logic [Members-1:0]        m_zeroise, m_busy, m_idle;
      logic [Members-1:0][1:0]   m_key_size;
      logic [Members-1:0][255:0] m_key;
      logic [Members-1:0][127:0] m_block, m_result;

      if (Cores > Members) begin : gen_bad_cores
        $fatal(1, "accel: Cores must be 1 to the number of channels with the block cipher");
      end

      for (genvar c = 0; c < Channels; c++) begin : gen_member
        if (accel_pkg::core_of(ChannelCores, c) == n) begin : gen_here
          localparam int unsigned M = accel_pkg::count_of(ChannelCores, c, n);

          assign m_key_valid[M]    = key_valid[c];
          assign key_ready[c]      = m_key_ready[M];
          assign m_key_size[M]     = key_size[c];
          assign m_key[M]          = key[c];
          assign m_block_valid[M]  = block_valid[c];
          assign block_ready[c]    = m_block_ready[M];
          assign m_direction[M]    = block_direction[c];
          assign m_block[M]        = block[c];
          assign result_valid[c]   = m_result_valid[M];
          assign m_result_ready[M] = result_ready[c];
          assign result[c]         = m_result[M];
          assign m_zeroise[M]      = channel_zeroise[c];
          assign channel_busy[c]   = m_busy[M];
          assign channel_idle[c]   = m_idle[M];
        end
      end

      accel_cores #(
        .Core           (n),
        .Architecture   (Architecture),
        .SBox           (SBox),
        .Directions     (Directions),
        .KeySizes       (KeySizes),
        .StagesPerRound (StagesPerRound),
        .BlockRam       (BlockRam),
        .KeyStorage     (KeyStorage),
        .Channels       (Members),
        .Cores          (Cores)
      ) u_cores (
        .clk_i             (clk),
        .rst_ni            (rst_n),
        .key_valid_i       (m_key_valid),
        .key_ready_o       (m_key_ready),
        .key_size_i        (m_key_size),
        .key_i             (m_key),
        .block_valid_i     (m_block_valid),
        .block_ready_o     (m_block_ready),
        .block_direction_i (m_direction),
        .block_i           (m_block),
        .block_valid_o     (m_result_valid),
        .block_ready_i     (m_result_ready),
        .block_o           (m_result),
        .zeroise_i         (m_zeroise),
        .busy_o            (m_busy),
        .idle_o            (m_idle)
      );
    end
  end

  for (genvar c = 0; c < Channels; c++) begin : gen_own_core
    if (!accel_pkg::is_outside(accel_pkg::core_of(ChannelCores, c))) begin : gen_inside
      assign key_ready[c]    = 1'b0;
      assign block_ready[c]  = 1'b0;
      assign result_valid[c] = 1'b0;
      assign result[c]       = '0;
      assign channel_busy[c] = 1'b0;
      assign channel_idle[c] = 1'b1;

      logic unused_core;
      assign unused_core = ^{key_valid[c], key_size[c], key[c], block_valid[c],
                             block_direction[c], block[c], result_ready[c], channel_zeroise[c]};
    end
  end

  logic core_idle;

  assign core_idle = &channel_idle; // soc_dma reads it

  logic unused_core_idle;
  assign unused_core_idle = core_idle;

endmodule
