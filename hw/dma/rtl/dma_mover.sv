// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Moves the data of the DMA engine: spans of memory to an outgoing stream and an incoming
// stream to spans of memory, by two queues of commands, one for each direction. The
// directions know nothing of each other: their commands may have different lengths and
// different numbers. It also fetches descriptors for its user, which it does not
// interpret.
//
// It does not check commands: an address must be a multiple of 4 unless ByteAlignment is
// 1, and a span must end within the address space (beyond it, it goes on at address 0).
//
// An error holds up its own direction only. Nothing stops or is dropped until abort_i, so
// the user can first wait for the commands before the one that failed.
module dma_mover #(
  parameter int unsigned DataWidth     = 32,  // bits of the memory bus: 32, 64, 128 or 256
  parameter int unsigned StreamWidth   = 128, // bits of both streams: 32, 64 or 128
  parameter int unsigned BurstBeats    = 16,  // the longest burst; a power of two, 4 KiB at most
  parameter int unsigned FifoBeats     = 128, // each way; at least twice BurstBeats
  parameter int unsigned AddressWidth  = 32,  // bits of an address, 32 to 64
  parameter int unsigned ByteAlignment = 0,   // 1: any address, and pieces of any length
  parameter int unsigned Protection    = 0,   // AxPROT of every access to memory, 0 to 7
  parameter int unsigned WritesAhead   = 17,  // the most writes in flight; 17 is any number
  localparam int unsigned Strobes = DataWidth / 8,
  localparam int unsigned Lanes   = StreamWidth / 8
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  // Stop: no burst is begun any more, those on the bus end, then every command and all data
  // are dropped. Commands are taken again when stopping_o falls; it is high after reset too.
  input  logic                    abort_i,
  output logic                    stopping_o,
  output logic                    dropped_o, // high for a cycle: no done and no error from here on
  output logic                    busy_o,    // stops, or has a command, or offers a beat

  // Commands of the read direction, memory to stream.
  input  logic                    read_valid_i,
  output logic                    read_ready_o,
  input  logic                    read_skip_i,    // move nothing; done in its place in the order
  input  logic [AddressWidth-1:0] read_address_i,
  input  logic [31:0]             read_length_i,  // bytes; 0 is as read_skip_i
  input  logic                    read_message_end_i, // TLAST with its last byte
  output logic                    read_done_o,    // the oldest one has been read; high for a cycle
  output logic                    read_error_o,   // its memory gave an error; until it stops

  // Commands of the write direction, stream to memory.
  input  logic                    write_valid_i,
  output logic                    write_ready_o,
  input  logic                    write_skip_i,
  input  logic [AddressWidth-1:0] write_address_i,
  input  logic [31:0]             write_length_i,
  input  logic                    write_message_end_i,
  output logic                    write_done_o,   // the memory has acknowledged the oldest one
  output logic                    write_error_o,  // a burst got an error; high for a cycle
  output logic                    write_failed_o, // one of the oldest command did; until it stops
  output logic                    framing_error_o, // TLAST or TKEEP contradict it; until it stops

  // Fetches: a burst of whole beats that does not cross 4 KiB, one at a time.
  input  logic                    fetch_valid_i,
  output logic                    fetch_ready_o,
  input  logic [AddressWidth-1:0] fetch_address_i,
  input  logic [7:0]              fetch_beats_i,  // minus one
  output logic                    fetched_valid_o,
  output logic [DataWidth-1:0]    fetched_data_o,
  output logic                    fetched_error_o,
  output logic                    fetched_last_o,

  // The memory bus: INCR bursts of whole beats, every ID zero.
  output logic                    m_axi_awid_o,
  output logic [AddressWidth-1:0] m_axi_awaddr_o,
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
  output logic [AddressWidth-1:0] m_axi_araddr_o,
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
  output logic                    m_axi_rready_o,

  output logic [StreamWidth-1:0]  m_axis_tdata_o,
  output logic [Lanes-1:0]        m_axis_tkeep_o,
  output logic                    m_axis_tlast_o,
  output logic                    m_axis_tvalid_o,
  input  logic                    m_axis_tready_i,
  input  logic [StreamWidth-1:0]  s_axis_tdata_i,
  input  logic [Lanes-1:0]        s_axis_tkeep_i,
  input  logic                    s_axis_tlast_i,
  input  logic                    s_axis_tvalid_i,
  output logic                    s_axis_tready_o
);

  if (DataWidth != 32 && DataWidth != 64 && DataWidth != 128 && DataWidth != 256)
  begin : gen_bad_data_width
    $fatal(1, "dma_mover: DataWidth must be 32, 64, 128 or 256");
  end
  if (StreamWidth != 32 && StreamWidth != 64 && StreamWidth != 128) begin : gen_bad_stream_width
    $fatal(1, "dma_mover: StreamWidth must be 32, 64 or 128");
  end
  if (AddressWidth < 32 || AddressWidth > 64) begin : gen_bad_address_width
    $fatal(1, "dma_mover: AddressWidth must be 32 to 64");
  end
  if (ByteAlignment > 1) begin : gen_bad_byte_alignment
    $fatal(1, "dma_mover: ByteAlignment must be 0 or 1");
  end
  if (Protection > 7) begin : gen_bad_protection
    $fatal(1, "dma_mover: Protection must be 7 or less");
  end

  // ------------------------------------------------------------ control

  logic halt, clear, reads_quiet, writes_quiet, read_sweeping, write_sweeping;
  logic read_pending, write_pending, read_ready, write_ready;

  dma_control u_control (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .abort_i    (abort_i),
    .quiet_i    (reads_quiet && writes_quiet),
    .sweeping_i (read_sweeping || write_sweeping),
    .halt_o     (halt),
    .clear_o    (clear)
  );

  assign stopping_o    = halt;
  assign dropped_o     = clear;
  assign busy_o        = halt || read_pending || write_pending || m_axis_tvalid_o;
  assign read_ready_o  = read_ready && !halt;
  assign write_ready_o = write_ready && !halt;

  // ------------------------------------------------------------ memory to stream

  logic                    burst_valid, burst_ready, data_valid;
  logic [AddressWidth-1:0] burst_address;
  logic [7:0]              burst_beats;
  logic [DataWidth-1:0]    data;
  logic                    beat_error;

  dma_read #(
    .DataWidth     (DataWidth),
    .StreamWidth   (StreamWidth),
    .BurstBeats    (BurstBeats),
    .FifoBeats     (FifoBeats),
    .AddressWidth  (AddressWidth),
    .ByteAlignment (ByteAlignment)
  ) u_read (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .halt_i          (halt),
    .clear_i         (clear),
    .sweeping_o      (read_sweeping),
    .pending_o       (read_pending),
    .valid_i         (read_valid_i && read_ready_o),
    .ready_o         (read_ready),
    .skip_i          (read_skip_i || (read_length_i == '0)),
    .address_i       (read_address_i),
    .last_i          (read_length_i - 32'd1),
    .message_end_i   (read_message_end_i),
    .done_o          (read_done_o),
    .read_error_o    (read_error_o),
    .burst_valid_o   (burst_valid),
    .burst_ready_i   (burst_ready),
    .burst_address_o (burst_address),
    .burst_beats_o   (burst_beats),
    .data_valid_i    (data_valid),
    .data_i          (data),
    .data_error_i    (beat_error),
    .m_axis_tdata_o  (m_axis_tdata_o),
    .m_axis_tkeep_o  (m_axis_tkeep_o),
    .m_axis_tlast_o  (m_axis_tlast_o),
    .m_axis_tvalid_o (m_axis_tvalid_o),
    .m_axis_tready_i (m_axis_tready_i)
  );

  dma_read_port #(
    .DataWidth    (DataWidth),
    .AddressWidth (AddressWidth)
  ) u_read_port (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .halt_i          (halt),
    .quiet_o         (reads_quiet),
    .fetch_valid_i   (fetch_valid_i),
    .fetch_ready_o   (fetch_ready_o),
    .fetch_address_i (fetch_address_i),
    .fetch_beats_i   (fetch_beats_i),
    .fetched_valid_o (fetched_valid_o),
    .burst_valid_i   (burst_valid),
    .burst_ready_o   (burst_ready),
    .burst_address_i (burst_address),
    .burst_beats_i   (burst_beats),
    .data_valid_o    (data_valid),
    .data_o          (data),
    .error_o         (beat_error),
    .last_o          (fetched_last_o),
    .m_axi_araddr_o  (m_axi_araddr_o),
    .m_axi_arlen_o   (m_axi_arlen_o),
    .m_axi_arvalid_o (m_axi_arvalid_o),
    .m_axi_arready_i (m_axi_arready_i),
    .m_axi_rdata_i   (m_axi_rdata_i),
    .m_axi_rresp_i   (m_axi_rresp_i),
    .m_axi_rlast_i   (m_axi_rlast_i),
    .m_axi_rvalid_i  (m_axi_rvalid_i),
    .m_axi_rready_o  (m_axi_rready_o)
  );

  assign fetched_data_o  = data;
  assign fetched_error_o = beat_error;

  // ------------------------------------------------------------ stream to memory

  dma_write #(
    .DataWidth     (DataWidth),
    .StreamWidth   (StreamWidth),
    .BurstBeats    (BurstBeats),
    .FifoBeats     (FifoBeats),
    .AddressWidth  (AddressWidth),
    .ByteAlignment (ByteAlignment),
    .WritesAhead   (WritesAhead)
  ) u_write (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .halt_i          (halt),
    .clear_i         (clear),
    .quiet_o         (writes_quiet),
    .sweeping_o      (write_sweeping),
    .pending_o       (write_pending),
    .valid_i         (write_valid_i && write_ready_o),
    .ready_o         (write_ready),
    .skip_i          (write_skip_i || (write_length_i == '0)),
    .address_i       (write_address_i),
    .last_i          (write_length_i - 32'd1),
    .message_end_i   (write_message_end_i),
    .done_o          (write_done_o),
    .write_error_o   (write_error_o),
    .write_failed_o  (write_failed_o),
    .framing_error_o (framing_error_o),
    .s_axis_tdata_i  (s_axis_tdata_i),
    .s_axis_tkeep_i  (s_axis_tkeep_i),
    .s_axis_tlast_i  (s_axis_tlast_i),
    .s_axis_tvalid_i (s_axis_tvalid_i),
    .s_axis_tready_o (s_axis_tready_o),
    .m_axi_awaddr_o  (m_axi_awaddr_o),
    .m_axi_awlen_o   (m_axi_awlen_o),
    .m_axi_awvalid_o (m_axi_awvalid_o),
    .m_axi_awready_i (m_axi_awready_i),
    .m_axi_wdata_o   (m_axi_wdata_o),
    .m_axi_wstrb_o   (m_axi_wstrb_o),
    .m_axi_wlast_o   (m_axi_wlast_o),
    .m_axi_wvalid_o  (m_axi_wvalid_o),
    .m_axi_wready_i  (m_axi_wready_i),
    .m_axi_bresp_i   (m_axi_bresp_i),
    .m_axi_bvalid_i  (m_axi_bvalid_i),
    .m_axi_bready_o  (m_axi_bready_o)
  );

  // ------------------------------------------------------------ constant parts of the memory bus

  localparam logic [1:0] Incrementing = 2'b01;   // AXI4, table A3-3
  localparam logic [3:0] Bufferable   = 4'b0011; // normal, non-cacheable (AXI4, table A4-5)
  localparam logic [2:0] BeatSize     = 3'($clog2(Strobes));

  assign m_axi_awid_o    = 1'b0;
  assign m_axi_awsize_o  = BeatSize;
  assign m_axi_awburst_o = Incrementing;
  assign m_axi_awcache_o = Bufferable;
  assign m_axi_awprot_o  = 3'(Protection);
  assign m_axi_arid_o    = 1'b0;
  assign m_axi_arsize_o  = BeatSize;
  assign m_axi_arburst_o = Incrementing;
  assign m_axi_arcache_o = Bufferable;
  assign m_axi_arprot_o  = 3'(Protection);

  logic unused_ids;
  assign unused_ids = ^{m_axi_bid_i, m_axi_rid_i};

`ifndef SYNTHESIS
  // A rule for the memory.
  prim_stream_rules #(
    .Width (2)
  ) u_b_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (1'b0),
    .valid_i   (m_axi_bvalid_i),
    .ready_i   (m_axi_bready_o),
    .payload_i (m_axi_bresp_i)
  );
`endif

endmodule
