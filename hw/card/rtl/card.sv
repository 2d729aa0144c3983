// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The accelerator with its data movers as a card: rings of descriptors in host memory, a ring
// for each channel. It is what lies behind a PCI block: AXI4-Lite for BAR 0, AXI4 for host
// memory with addresses of 64 bits, and an interrupt for each ring, a pulse of one cycle that
// asks for one message-signalled interrupt. The README describes the operation, card.rdl and
// card_ring.rdl the registers.
module card #(
  parameter int unsigned Rings            = 1,       // 1 to 8; also the accelerator's channels
  parameter int unsigned KeySlots         = 8,       // of each ring, 1 to 255
  parameter int unsigned Log2Entries      = 10,      // of the most descriptors in a ring, to 16
  parameter int unsigned DataWidth        = 128,     // bits of the memory bus: 64, 128 or 256
  parameter int unsigned StreamWidth      = 128,     // of the channels' streams: 32, 64 or 128
  parameter int unsigned BurstBytes       = 256,     // the longest burst; a power of two
  parameter int unsigned FifoBeats        = 128,     // of each mover, each way
  parameter int unsigned ClockKhz         = 100_000, // frequency of clk_i, for the host
  parameter int unsigned Protection       = 0,       // AxPROT of every access to memory, 0 to 7
  parameter int unsigned HangCycles       = 1 << 24,
  // Given to accel.
  parameter int unsigned ChannelCores     = accel_pkg::CoreAes,
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
  parameter int unsigned Directions       = accel_pkg::DirectionsBoth,
  parameter int unsigned RoundsPerCycle   = 1,
  parameter int unsigned EccArchitecture  = accel_pkg::ArchitectureIterative,
  parameter int unsigned Curves           = accel_pkg::CurvesAll,
  parameter int unsigned Sha2WordSizes    = 0,
  parameter int unsigned Sha2Channels     = 32'hFFFF_FFFF,
  parameter int unsigned EccKeySlots      = 0,       // KeySlots of accel
  parameter int unsigned InputFifoBlocks  = 8,
  parameter int unsigned OutputFifoBlocks = 8,
  parameter int unsigned Cores            = 1,
  localparam int unsigned Pages        = 1 + 2 * Rings,
  localparam int unsigned AddressWidth = 12 + $clog2(Pages),
  localparam int unsigned Strobes      = DataWidth / 8
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  // BAR 0.
  input  logic [AddressWidth-1:0] s_axil_awaddr_i,
  input  logic [2:0]              s_axil_awprot_i,
  input  logic                    s_axil_awvalid_i,
  output logic                    s_axil_awready_o,
  input  logic [31:0]             s_axil_wdata_i,
  input  logic [3:0]              s_axil_wstrb_i,
  input  logic                    s_axil_wvalid_i,
  output logic                    s_axil_wready_o,
  output logic [1:0]              s_axil_bresp_o,
  output logic                    s_axil_bvalid_o,
  input  logic                    s_axil_bready_i,
  input  logic [AddressWidth-1:0] s_axil_araddr_i,
  input  logic [2:0]              s_axil_arprot_i,
  input  logic                    s_axil_arvalid_i,
  output logic                    s_axil_arready_o,
  output logic [31:0]             s_axil_rdata_o,
  output logic [1:0]              s_axil_rresp_o,
  output logic                    s_axil_rvalid_o,
  input  logic                    s_axil_rready_i,
  output logic [Rings-1:0]        interrupt_o, // vector n: high for one cycle

  // Host memory: INCR bursts of whole beats, every ID zero.
  output logic                    m_axi_awid_o,
  output logic [63:0]             m_axi_awaddr_o,
  output logic [7:0]              m_axi_awlen_o,
  output logic [2:0]              m_axi_awsize_o,
  output logic [1:0]              m_axi_awburst_o,
  output logic [3:0]              m_axi_awcache_o,
  output logic [2:0]              m_axi_awprot_o,
  output logic                    m_axi_awvalid_o,
  input  logic                    m_axi_awready_i,
  output logic [DataWidth-1:0]    m_axi_wdata_o,
  output logic [Strobes-1:0]      m_axi_wstrb_o,
  output logic                    m_axi_wlast_o,
  output logic                    m_axi_wvalid_o,
  input  logic                    m_axi_wready_i,
  input  logic                    m_axi_bid_i,
  input  logic [1:0]              m_axi_bresp_i,
  input  logic                    m_axi_bvalid_i,
  output logic                    m_axi_bready_o,
  output logic                    m_axi_arid_o,
  output logic [63:0]             m_axi_araddr_o,
  output logic [7:0]              m_axi_arlen_o,
  output logic [2:0]              m_axi_arsize_o,
  output logic [1:0]              m_axi_arburst_o,
  output logic [3:0]              m_axi_arcache_o,
  output logic [2:0]              m_axi_arprot_o,
  output logic                    m_axi_arvalid_o,
  input  logic                    m_axi_arready_i,
  input  logic                    m_axi_rid_i,
  input  logic [DataWidth-1:0]    m_axi_rdata_i,
  input  logic [1:0]              m_axi_rresp_i,
  input  logic                    m_axi_rlast_i,
  input  logic                    m_axi_rvalid_i,
  output logic                    m_axi_rready_o
);

  if (Rings < 1 || Rings > 8) begin : gen_bad_rings
    $fatal(1, "card: Rings must be 1 to 8");
  end
  if (Log2Entries < 1 || Log2Entries > 16) begin : gen_bad_entries
    $fatal(1, "card: Log2Entries must be 1 to 16");
  end
  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256) begin : gen_bad_data_width
    $fatal(1, "card: DataWidth must be 64, 128 or 256");
  end
  if (BurstBytes < 64 || BurstBytes > 4096 || BurstBytes != 1 << $clog2(BurstBytes))
  begin : gen_bad_burst
    $fatal(1, "card: BurstBytes must be a power of two from 64 to 4096");
  end
  if (Protection > 7) begin : gen_bad_protection
    $fatal(1, "card: Protection must be 7 or less");
  end

  localparam int unsigned BurstBeats   = BurstBytes / Strobes;
  localparam int unsigned Lanes        = StreamWidth / 8;
  localparam int unsigned ChannelWidth = 8 + $clog2(Rings);

  // ------------------------------------------------------------ reset

  logic             reset, reset_busy, halt, memory_idle, hold, host_idle, rst_n;
  logic [Rings-1:0] clearing, active, ring_error;

  card_reset u_reset (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .reset_i       (reset),
    .busy_o        (reset_busy),
    .halt_o        (halt),
    .memory_idle_i (memory_idle),
    .hold_o        (hold),
    .host_idle_i   (host_idle),
    .rst_no        (rst_n)
  );

  logic cleared_q; // since the last reset

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      cleared_q <= 1'b0;
    end else begin
      cleared_q <= cleared_q || clearing == '0;
    end
  end

  // Accesses of the host that are under way. While a reset holds them, addresses wait.
  logic [1:0] writes_q, reads_q;
  logic       aw_ready, ar_ready, aw_taken, ar_taken;

  assign s_axil_awready_o = aw_ready && !hold;
  assign s_axil_arready_o = ar_ready && !hold;
  assign aw_taken         = s_axil_awvalid_i && s_axil_awready_o;
  assign ar_taken         = s_axil_arvalid_i && s_axil_arready_o;
  assign host_idle        = writes_q == '0 && reads_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      writes_q <= '0;
      reads_q  <= '0;
    end else begin
      writes_q <= writes_q + 2'(aw_taken) - 2'(s_axil_bvalid_o && s_axil_bready_i);
      reads_q  <= reads_q + 2'(ar_taken) - 2'(s_axil_rvalid_o && s_axil_rready_i);
    end
  end

  // ------------------------------------------------------------ pages

  // Page 0 is the card's, 1 + n ring n's, 1 + Rings + n channel n's.
  logic [11:0]            page_awaddr, page_araddr;
  logic [2:0]             page_awprot, page_arprot;
  logic [3:0]             page_wstrb;
  logic [Pages-1:0]       page_awvalid, page_awready, page_wvalid, page_wready;
  logic [Pages-1:0]       page_bvalid, page_bready, page_arvalid, page_arready;
  logic [Pages-1:0]       page_rvalid, page_rready;
  logic [Pages-1:0][31:0] page_wdata, page_rdata;
  logic [Pages-1:0][1:0]  page_bresp, page_rresp;

  prim_axi_lite_split #(
    .Ports      (Pages),
    .LocalWidth (12)
  ) u_pages (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .s_axil_awaddr_i  (s_axil_awaddr_i),
    .s_axil_awprot_i  (s_axil_awprot_i),
    .s_axil_awvalid_i (s_axil_awvalid_i && !hold),
    .s_axil_awready_o (aw_ready),
    .s_axil_wdata_i   (s_axil_wdata_i),
    .s_axil_wstrb_i   (s_axil_wstrb_i),
    .s_axil_wvalid_i  (s_axil_wvalid_i),
    .s_axil_wready_o  (s_axil_wready_o),
    .s_axil_bresp_o   (s_axil_bresp_o),
    .s_axil_bvalid_o  (s_axil_bvalid_o),
    .s_axil_bready_i  (s_axil_bready_i),
    .s_axil_araddr_i  (s_axil_araddr_i),
    .s_axil_arprot_i  (s_axil_arprot_i),
    .s_axil_arvalid_i (s_axil_arvalid_i && !hold),
    .s_axil_arready_o (ar_ready),
    .s_axil_rdata_o   (s_axil_rdata_o),
    .s_axil_rresp_o   (s_axil_rresp_o),
    .s_axil_rvalid_o  (s_axil_rvalid_o),
    .s_axil_rready_i  (s_axil_rready_i),
    .m_axil_awaddr_o  (page_awaddr),
    .m_axil_awprot_o  (page_awprot),
    .m_axil_awvalid_o (page_awvalid),
    .m_axil_awready_i (page_awready),
    .m_axil_wdata_o   (page_wdata),
    .m_axil_wstrb_o   (page_wstrb),
    .m_axil_wvalid_o  (page_wvalid),
    .m_axil_wready_i  (page_wready),
    .m_axil_bresp_i   (page_bresp),
    .m_axil_bvalid_i  (page_bvalid),
    .m_axil_bready_o  (page_bready),
    .m_axil_araddr_o  (page_araddr),
    .m_axil_arprot_o  (page_arprot),
    .m_axil_arvalid_o (page_arvalid),
    .m_axil_arready_i (page_arready),
    .m_axil_rdata_i   (page_rdata),
    .m_axil_rresp_i   (page_rresp),
    .m_axil_rvalid_i  (page_rvalid),
    .m_axil_rready_o  (page_rready)
  );

  card_csr #(
    .Rings         (Rings),
    .KeySlots      (KeySlots),
    .Log2Entries   (Log2Entries),
    .DataWidth     (DataWidth),
    .ClockKhz      (ClockKhz),
    .ChannelOffset (4096 * (1 + Rings))
  ) u_csr (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .s_axil_awaddr_i  (page_awaddr),
    .s_axil_awprot_i  (page_awprot),
    .s_axil_awvalid_i (page_awvalid[0]),
    .s_axil_awready_o (page_awready[0]),
    .s_axil_wdata_i   (page_wdata[0]),
    .s_axil_wstrb_i   (page_wstrb),
    .s_axil_wvalid_i  (page_wvalid[0]),
    .s_axil_wready_o  (page_wready[0]),
    .s_axil_bresp_o   (page_bresp[0]),
    .s_axil_bvalid_o  (page_bvalid[0]),
    .s_axil_bready_i  (page_bready[0]),
    .s_axil_araddr_i  (page_araddr),
    .s_axil_arprot_i  (page_arprot),
    .s_axil_arvalid_i (page_arvalid[0]),
    .s_axil_arready_o (page_arready[0]),
    .s_axil_rdata_o   (page_rdata[0]),
    .s_axil_rresp_o   (page_rresp[0]),
    .s_axil_rvalid_o  (page_rvalid[0]),
    .s_axil_rready_i  (page_rready[0]),
    .reset_o          (reset),
    .resetting_i      (reset_busy || !cleared_q),
    .active_i         (active),
    .error_i          (ring_error)
  );

  // ------------------------------------------------------------ rings

  logic [Rings-1:0]                    write_valid, write_ready, read_valid, read_ready;
  logic [Rings-1:0][7:0]               write_address, read_address;
  logic [Rings-1:0][31:0]              write_data;
  logic [31:0]                         read_data;
  logic                                read_error;
  logic [Rings-1:0]                    channel_interrupt;
  logic [Rings-1:0][StreamWidth-1:0]   in_tdata, out_tdata;
  logic [Rings-1:0][Lanes-1:0]         in_tkeep, out_tkeep;
  logic [Rings-1:0]                    in_tlast, in_tvalid, in_tready;
  logic [Rings-1:0]                    out_tlast, out_tvalid, out_tready;
  logic [4*Rings-1:0]                  ar_valid, ar_grant, r_valid;
  logic [4*Rings-1:0][63:0]            ar_address;
  logic [4*Rings-1:0][7:0]             ar_beats;
  logic [DataWidth-1:0]                r_data;
  logic                                r_error, r_last, b_error;
  logic [2*Rings-1:0]                  aw_valid, aw_grant, w_valid, w_ready, w_last, b_valid;
  logic [2*Rings-1:0][63:0]            aw_address;
  logic [2*Rings-1:0][7:0]             aw_beats;
  logic [2*Rings-1:0][DataWidth-1:0]   w_data;
  logic [2*Rings-1:0][Strobes-1:0]     w_strobes;

  for (genvar n = 0; n < Rings; n++) begin : gen_ring
    card_ring #(
      .Core        (accel_pkg::core_of(ChannelCores, n)),
      .KeySlots    (KeySlots),
      .Log2Entries (Log2Entries),
      .DataWidth   (DataWidth),
      .StreamWidth (StreamWidth),
      .BurstBeats  (BurstBeats),
      .FifoBeats   (FifoBeats),
      .HangCycles  (HangCycles)
    ) u_ring (
      .clk_i               (clk_i),
      .rst_ni              (rst_n),
      .ring_i              (8'(n)),
      .s_axil_awaddr_i     (page_awaddr),
      .s_axil_awprot_i     (page_awprot),
      .s_axil_awvalid_i    (page_awvalid[1+n]),
      .s_axil_awready_o    (page_awready[1+n]),
      .s_axil_wdata_i      (page_wdata[1+n]),
      .s_axil_wstrb_i      (page_wstrb),
      .s_axil_wvalid_i     (page_wvalid[1+n]),
      .s_axil_wready_o     (page_wready[1+n]),
      .s_axil_bresp_o      (page_bresp[1+n]),
      .s_axil_bvalid_o     (page_bvalid[1+n]),
      .s_axil_bready_i     (page_bready[1+n]),
      .s_axil_araddr_i     (page_araddr),
      .s_axil_arprot_i     (page_arprot),
      .s_axil_arvalid_i    (page_arvalid[1+n]),
      .s_axil_arready_o    (page_arready[1+n]),
      .s_axil_rdata_o      (page_rdata[1+n]),
      .s_axil_rresp_o      (page_rresp[1+n]),
      .s_axil_rvalid_o     (page_rvalid[1+n]),
      .s_axil_rready_i     (page_rready[1+n]),
      .interrupt_o         (interrupt_o[n]),
      .active_o            (active[n]),
      .error_o             (ring_error[n]),
      .clearing_o          (clearing[n]),
      .write_valid_o       (write_valid[n]),
      .write_ready_i       (write_ready[n]),
      .write_address_o     (write_address[n]),
      .write_data_o        (write_data[n]),
      .read_valid_o        (read_valid[n]),
      .read_ready_i        (read_ready[n]),
      .read_address_o      (read_address[n]),
      .read_data_i         (read_data),
      .channel_interrupt_i (channel_interrupt[n]),
      .m_axis_tdata_o      (in_tdata[n]),
      .m_axis_tkeep_o      (in_tkeep[n]),
      .m_axis_tlast_o      (in_tlast[n]),
      .m_axis_tvalid_o     (in_tvalid[n]),
      .m_axis_tready_i     (in_tready[n]),
      .s_axis_tdata_i      (out_tdata[n]),
      .s_axis_tkeep_i      (out_tkeep[n]),
      .s_axis_tlast_i      (out_tlast[n]),
      .s_axis_tvalid_i     (out_tvalid[n]),
      .s_axis_tready_o     (out_tready[n]),
      .ar_valid_o          (ar_valid[4*n +: 4]),
      .ar_ready_i          (ar_grant[4*n +: 4]),
      .ar_address_o        (ar_address[4*n +: 4]),
      .ar_beats_o          (ar_beats[4*n +: 4]),
      .r_valid_i           (r_valid[4*n +: 4]),
      .r_data_i            (r_data),
      .r_error_i           (r_error),
      .r_last_i            (r_last),
      .aw_valid_o          (aw_valid[2*n +: 2]),
      .aw_ready_i          (aw_grant[2*n +: 2]),
      .aw_address_o        (aw_address[2*n +: 2]),
      .aw_beats_o          (aw_beats[2*n +: 2]),
      .w_valid_o           (w_valid[2*n +: 2]),
      .w_ready_i           (w_ready[2*n +: 2]),
      .w_data_o            (w_data[2*n +: 2]),
      .w_strobes_o         (w_strobes[2*n +: 2]),
      .w_last_o            (w_last[2*n +: 2]),
      .b_valid_i           (b_valid[2*n +: 2]),
      .b_error_i           (b_error)
    );
  end

  // ------------------------------------------------------------ the channels' registers

  logic                    view_valid, view_ready;
  logic [ChannelWidth-1:0] view_address;
  logic                    view_awready, view_wready, view_bvalid, view_arready, view_rvalid;
  logic [1:0]              view_bresp, view_rresp;
  logic [31:0]             view_rdata;

  assign page_awready[Pages-1:1+Rings] = {Rings{view_awready}};
  assign page_wready[Pages-1:1+Rings]  = {Rings{view_wready}};
  assign page_bvalid[Pages-1:1+Rings]  = {Rings{view_bvalid}};
  assign page_bresp[Pages-1:1+Rings]   = {Rings{view_bresp}};
  assign page_arready[Pages-1:1+Rings] = {Rings{view_arready}};
  assign page_rvalid[Pages-1:1+Rings]  = {Rings{view_rvalid}};
  assign page_rresp[Pages-1:1+Rings]   = {Rings{view_rresp}};
  assign page_rdata[Pages-1:1+Rings]   = {Rings{view_rdata}};

  card_view #(
    .Rings (Rings)
  ) u_view (
    .clk_i            (clk_i),
    .rst_ni           (rst_n),
    .s_axil_awvalid_i (page_awvalid[Pages-1:1+Rings]),
    .s_axil_awready_o (view_awready),
    .s_axil_wvalid_i  (page_wvalid[Pages-1:1+Rings]),
    .s_axil_wready_o  (view_wready),
    .s_axil_bresp_o   (view_bresp),
    .s_axil_bvalid_o  (view_bvalid),
    .s_axil_bready_i  (page_bready[Pages-1:1+Rings]),
    .s_axil_araddr_i  (page_araddr),
    .s_axil_arvalid_i (page_arvalid[Pages-1:1+Rings]),
    .s_axil_arready_o (view_arready),
    .s_axil_rdata_o   (view_rdata),
    .s_axil_rresp_o   (view_rresp),
    .s_axil_rvalid_o  (view_rvalid),
    .s_axil_rready_i  (page_rready[Pages-1:1+Rings]),
    .read_valid_o     (view_valid),
    .read_ready_i     (view_ready),
    .read_address_o   (view_address),
    .read_data_i      (read_data),
    .read_error_i     (read_error)
  );

  logic [ChannelWidth-1:0] channel_awaddr, channel_araddr;
  logic                    channel_awvalid, channel_awready, channel_wvalid, channel_wready;
  logic                    channel_bvalid, channel_bready, channel_arvalid, channel_arready;
  logic                    channel_rvalid, channel_rready;
  logic [31:0]             channel_wdata, channel_rdata;
  logic [1:0]              channel_bresp, channel_rresp;

  card_registers_bus #(
    .Rings (Rings)
  ) u_registers_bus (
    .clk_i            (clk_i),
    .rst_ni           (rst_n),
    .write_valid_i    (write_valid),
    .write_ready_o    (write_ready),
    .write_address_i  (write_address),
    .write_data_i     (write_data),
    .read_valid_i     (read_valid),
    .read_ready_o     (read_ready),
    .read_address_i   (read_address),
    .read_data_o      (read_data),
    .read_error_o     (read_error),
    .host_valid_i     (view_valid),
    .host_ready_o     (view_ready),
    .host_address_i   (view_address),
    .m_axil_awaddr_o  (channel_awaddr),
    .m_axil_awvalid_o (channel_awvalid),
    .m_axil_awready_i (channel_awready),
    .m_axil_wdata_o   (channel_wdata),
    .m_axil_wvalid_o  (channel_wvalid),
    .m_axil_wready_i  (channel_wready),
    .m_axil_bvalid_i  (channel_bvalid),
    .m_axil_bready_o  (channel_bready),
    .m_axil_araddr_o  (channel_araddr),
    .m_axil_arvalid_o (channel_arvalid),
    .m_axil_arready_i (channel_arready),
    .m_axil_rdata_i   (channel_rdata),
    .m_axil_rresp_i   (channel_rresp),
    .m_axil_rvalid_i  (channel_rvalid),
    .m_axil_rready_o  (channel_rready)
  );

  // ------------------------------------------------------------ the accelerator

  accel #(
    .ChannelCores     (ChannelCores),
    .Architecture     (Architecture),
    .SBox             (SBox),
    .KeySizes         (KeySizes),
    .StagesPerRound   (StagesPerRound),
    .BlockRam         (BlockRam),
    .KeyStorage       (KeyStorage),
    .Gcm              (Gcm),
    .GhashDigit       (GhashDigit),
    .GhashStages      (GhashStages),
    .Xts              (Xts),
    .Directions       (Directions),
    .RoundsPerCycle   (RoundsPerCycle),
    .EccArchitecture  (EccArchitecture),
    .Curves           (Curves),
    .Sha2WordSizes    (Sha2WordSizes),
    .Sha2Channels     (Sha2Channels),
    .KeySlots         (EccKeySlots),
    .StreamWidth      (StreamWidth),
    .InputFifoBlocks  (InputFifoBlocks),
    .OutputFifoBlocks (OutputFifoBlocks),
    .Asynchronous     (0),
    .Channels         (Rings),
    .Cores            (Cores)
  ) u_accel (
    .clk_i            (clk_i),
    .rst_ni           (rst_n),
    .core_clk_i       (1'b0),
    .core_rst_ni      (1'b0),
    .s_axil_awaddr_i  (channel_awaddr),
    .s_axil_awprot_i  ('0),
    .s_axil_awvalid_i (channel_awvalid),
    .s_axil_awready_o (channel_awready),
    .s_axil_wdata_i   (channel_wdata),
    .s_axil_wstrb_i   ('1),
    .s_axil_wvalid_i  (channel_wvalid),
    .s_axil_wready_o  (channel_wready),
    .s_axil_bresp_o   (channel_bresp),
    .s_axil_bvalid_o  (channel_bvalid),
    .s_axil_bready_i  (channel_bready),
    .s_axil_araddr_i  (channel_araddr),
    .s_axil_arprot_i  ('0),
    .s_axil_arvalid_i (channel_arvalid),
    .s_axil_arready_o (channel_arready),
    .s_axil_rdata_o   (channel_rdata),
    .s_axil_rresp_o   (channel_rresp),
    .s_axil_rvalid_o  (channel_rvalid),
    .s_axil_rready_i  (channel_rready),
    .interrupt_o      (channel_interrupt),
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

  logic unused_accel;
  assign unused_accel = ^{channel_bresp, page_wdata[Pages-1:1+Rings]};

  // ------------------------------------------------------------ memory

  card_memory #(
    .DataWidth  (DataWidth),
    .Readers    (4 * Rings),
    .Writers    (2 * Rings),
    .Protection (Protection)
  ) u_memory (
    .clk_i           (clk_i),
    .rst_ni          (rst_n),
    .halt_i          (halt),
    .idle_o          (memory_idle),
    .ar_valid_i      (ar_valid),
    .ar_ready_o      (ar_grant),
    .ar_address_i    (ar_address),
    .ar_beats_i      (ar_beats),
    .r_valid_o       (r_valid),
    .r_data_o        (r_data),
    .r_error_o       (r_error),
    .r_last_o        (r_last),
    .aw_valid_i      (aw_valid),
    .aw_ready_o      (aw_grant),
    .aw_address_i    (aw_address),
    .aw_beats_i      (aw_beats),
    .w_valid_i       (w_valid),
    .w_ready_o       (w_ready),
    .w_data_i        (w_data),
    .w_strobes_i     (w_strobes),
    .w_last_i        (w_last),
    .b_valid_o       (b_valid),
    .b_error_o       (b_error),
    .m_axi_awid_o    (m_axi_awid_o),
    .m_axi_awaddr_o  (m_axi_awaddr_o),
    .m_axi_awlen_o   (m_axi_awlen_o),
    .m_axi_awsize_o  (m_axi_awsize_o),
    .m_axi_awburst_o (m_axi_awburst_o),
    .m_axi_awcache_o (m_axi_awcache_o),
    .m_axi_awprot_o  (m_axi_awprot_o),
    .m_axi_awvalid_o (m_axi_awvalid_o),
    .m_axi_awready_i (m_axi_awready_i),
    .m_axi_wdata_o   (m_axi_wdata_o),
    .m_axi_wstrb_o   (m_axi_wstrb_o),
    .m_axi_wlast_o   (m_axi_wlast_o),
    .m_axi_wvalid_o  (m_axi_wvalid_o),
    .m_axi_wready_i  (m_axi_wready_i),
    .m_axi_bid_i     (m_axi_bid_i),
    .m_axi_bresp_i   (m_axi_bresp_i),
    .m_axi_bvalid_i  (m_axi_bvalid_i),
    .m_axi_bready_o  (m_axi_bready_o),
    .m_axi_arid_o    (m_axi_arid_o),
    .m_axi_araddr_o  (m_axi_araddr_o),
    .m_axi_arlen_o   (m_axi_arlen_o),
    .m_axi_arsize_o  (m_axi_arsize_o),
    .m_axi_arburst_o (m_axi_arburst_o),
    .m_axi_arcache_o (m_axi_arcache_o),
    .m_axi_arprot_o  (m_axi_arprot_o),
    .m_axi_arvalid_o (m_axi_arvalid_o),
    .m_axi_arready_i (m_axi_arready_i),
    .m_axi_rid_i     (m_axi_rid_i),
    .m_axi_rdata_i   (m_axi_rdata_i),
    .m_axi_rresp_i   (m_axi_rresp_i),
    .m_axi_rlast_i   (m_axi_rlast_i),
    .m_axi_rvalid_i  (m_axi_rvalid_i),
    .m_axi_rready_o  (m_axi_rready_o)
  );

endmodule
