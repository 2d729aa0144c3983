// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The DMA engine: moves messages from memory to an outgoing stream and from an
// incoming stream to memory, by registers or by chains of descriptors. Both directions
// run at the same time. With Streams above 1 it serves as many pairs of streams, one pair at a
// time; the signals of pair n are element n of each vector of the stream ports. The README
// describes its operation, dma.rdl its registers.
module dma
  import dma_pkg::*;
#(
  parameter int unsigned DataWidth   = 32,  // bits of the memory bus: 32, 64, 128 or 256
  parameter int unsigned StreamWidth = 128, // bits of both streams: 32, 64 or 128
  parameter int unsigned BurstBeats  = 16,  // the longest burst; a power of two, 4 KiB at most
  parameter int unsigned FifoBeats   = 128, // each way; at least twice BurstBeats
  parameter int unsigned Protection  = 0,   // AxPROT of every access to memory, 0 to 7 (AXI4, A4.7)
  parameter int unsigned Streams     = 1,   // pairs of streams, 1 to 32
  localparam int unsigned Strobes = DataWidth / 8,
  localparam int unsigned Lanes   = StreamWidth / 8
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

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
  output logic                   busy_o,

  // The memory bus: INCR bursts of whole beats, every ID zero.
  output logic                   m_axi_awid_o,
  output logic [31:0]            m_axi_awaddr_o,
  output logic [7:0]             m_axi_awlen_o,
  output logic [2:0]             m_axi_awsize_o,
  output logic [1:0]             m_axi_awburst_o,
  output logic [3:0]             m_axi_awcache_o,
  output logic [2:0]             m_axi_awprot_o,
  output logic                   m_axi_awvalid_o,
  input  logic                   m_axi_awready_i,
  output logic [DataWidth-1:0]   m_axi_wdata_o,
  output logic [Strobes-1:0]     m_axi_wstrb_o,
  output logic                   m_axi_wlast_o,
  output logic                   m_axi_wvalid_o,
  input  logic                   m_axi_wready_i,
  input  logic                   m_axi_bid_i,
  input  logic [1:0]             m_axi_bresp_i,
  input  logic                   m_axi_bvalid_i,
  output logic                   m_axi_bready_o,
  output logic                   m_axi_arid_o,
  output logic [31:0]            m_axi_araddr_o,
  output logic [7:0]             m_axi_arlen_o,
  output logic [2:0]             m_axi_arsize_o,
  output logic [1:0]             m_axi_arburst_o,
  output logic [3:0]             m_axi_arcache_o,
  output logic [2:0]             m_axi_arprot_o,
  output logic                   m_axi_arvalid_o,
  input  logic                   m_axi_arready_i,
  input  logic                   m_axi_rid_i,
  input  logic [DataWidth-1:0]   m_axi_rdata_i,
  input  logic [1:0]             m_axi_rresp_i,
  input  logic                   m_axi_rlast_i,
  input  logic                   m_axi_rvalid_i,
  output logic                   m_axi_rready_o,

  output logic [Streams*StreamWidth-1:0] m_axis_tdata_o,
  output logic [Streams*Lanes-1:0]       m_axis_tkeep_o,
  output logic [Streams-1:0]             m_axis_tlast_o,
  output logic [Streams-1:0]             m_axis_tvalid_o,
  input  logic [Streams-1:0]             m_axis_tready_i,
  input  logic [Streams*StreamWidth-1:0] s_axis_tdata_i,
  input  logic [Streams*Lanes-1:0]       s_axis_tkeep_i,
  input  logic [Streams-1:0]             s_axis_tlast_i,
  input  logic [Streams-1:0]             s_axis_tvalid_i,
  output logic [Streams-1:0]             s_axis_tready_o
);

  if (DataWidth != 32 && DataWidth != 64 && DataWidth != 128 && DataWidth != 256)
  begin : gen_bad_data_width
    $fatal(1, "dma: DataWidth must be 32, 64, 128 or 256");
  end
  if (StreamWidth != 32 && StreamWidth != 64 && StreamWidth != 128) begin : gen_bad_stream_width
    $fatal(1, "dma: StreamWidth must be 32, 64 or 128");
  end
  if (Protection > 7) begin : gen_bad_protection
    $fatal(1, "dma: Protection must be 7 or less");
  end
  if (Streams < 1 || Streams > 32) begin : gen_bad_streams
    $fatal(1, "dma: Streams must be 1 to 32");
  end

  // ------------------------------------------------------------ streams

  // Those of the engine go to the pair that is selected; no other pair has a handshake.
  stream_t                stream;
  logic [StreamWidth-1:0] out_tdata, in_tdata;
  logic [Lanes-1:0]       out_tkeep, in_tkeep;
  logic                   out_tlast, out_tvalid, out_tready;
  logic                   in_tlast, in_tvalid, in_tready;
  logic [Streams-1:0]     selected;

  for (genvar n = 0; n < Streams; n++) begin : gen_stream
    assign selected[n]                                  = 32'(stream) == n;
    assign m_axis_tdata_o[n*StreamWidth +: StreamWidth] = out_tdata;
    assign m_axis_tkeep_o[n*Lanes +: Lanes]             = out_tkeep;
    assign m_axis_tlast_o[n]                            = out_tlast;
    assign m_axis_tvalid_o[n]                           = out_tvalid && selected[n];
    assign s_axis_tready_o[n]                           = in_tready && selected[n];
  end

  always_comb begin
    out_tready = 1'b0;
    in_tdata   = '0;
    in_tkeep   = '0;
    in_tlast   = 1'b0;
    in_tvalid  = 1'b0;
    for (int unsigned n = 0; n < Streams; n++) begin
      if (selected[n]) begin
        out_tready = m_axis_tready_i[n];
        in_tdata   = s_axis_tdata_i[n*StreamWidth +: StreamWidth];
        in_tkeep   = s_axis_tkeep_i[n*Lanes +: Lanes];
        in_tlast   = s_axis_tlast_i[n];
        in_tvalid  = s_axis_tvalid_i[n];
      end
    end
  end

  // ------------------------------------------------------------ registers

  logic        abort, transfer, chain, intake_ready, completed, done_interrupt, busy_error;
  descriptor_t from_registers;
  logic [31:0] chain_address;
  stream_t     asked_stream;
  logic        halt, clear, empty, settled;
  error_t      fault, error;
  origin_t     origin, intake_origin, read_origin, write_origin;

  assign busy_o = halt || !empty || !intake_ready || out_tvalid;

  dma_csr #(
    .DataWidth   (DataWidth),
    .StreamWidth (StreamWidth),
    .BurstBeats  (BurstBeats),
    .FifoBeats   (FifoBeats),
    .Streams     (Streams)
  ) u_csr (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
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
    .interrupt_o      (interrupt_o),
    .abort_o          (abort),
    .transfer_o       (transfer),
    .chain_o          (chain),
    .descriptor_o     (from_registers),
    .chain_address_o  (chain_address),
    .stream_o         (asked_stream),
    .busy_i           (busy_o),
    .ready_i          (intake_ready),
    .stopping_i       (halt),
    .completed_i      (completed),
    .done_interrupt_i (done_interrupt),
    .error_i          (error),
    .busy_error_i     (busy_error),
    .origin_i         (origin)
  );

  // ------------------------------------------------------------ control

  logic reads_quiet, writes_quiet, read_sweeping, write_sweeping;

  dma_control u_control (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .abort_i         (abort),
    .error_i         (fault),
    .intake_origin_i (intake_origin),
    .read_origin_i   (read_origin),
    .write_origin_i  (write_origin),
    .quiet_i         (reads_quiet && writes_quiet),
    .sweeping_i      (read_sweeping || write_sweeping),
    .halt_o          (halt),
    .clear_o         (clear),
    .error_o         (error),
    .origin_o        (origin)
  );

  // ------------------------------------------------------------ transfers

  logic        fetch_valid, fetch_ready, fetched_valid;
  logic [31:0] fetch_address;
  logic        given_valid, given_ready;
  descriptor_t given;
  logic        score_ready, read_ready, write_ready, read_done, write_done;
  logic        read_beat_error, read_beat_last;

  dma_intake #(
    .DataWidth   (DataWidth),
    .StreamWidth (StreamWidth),
    .Streams     (Streams)
  ) u_intake (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .halt_i          (halt),
    .transfer_i      (transfer),
    .chain_i         (chain),
    .descriptor_i    (from_registers),
    .chain_address_i (chain_address),
    .stream_i        (asked_stream),
    .ready_o         (intake_ready),
    .busy_error_o    (busy_error),
    .fetch_valid_o   (fetch_valid),
    .fetch_ready_i   (fetch_ready),
    .fetch_address_o (fetch_address),
    .fetched_valid_i (fetched_valid),
    .fetched_data_i  (m_axi_rdata_i),
    .fetched_error_i (read_beat_error),
    .fetched_last_i  (read_beat_last),
    .valid_o         (given_valid),
    .ready_i         (given_ready),
    .descriptor_o    (given),
    .drained_i       (empty),
    .settled_i       (settled),
    .stream_o        (stream),
    .invalid_o       (fault.descriptor),
    .fetch_error_o   (fault.fetch),
    .origin_o        (intake_origin)
  );

  // When the last transfer leaves the scoreboard, its last beat is offered already.
  assign settled = empty && !out_tvalid;

  // A transfer goes to the scoreboard and to both directions in the same cycle.
  assign given_ready = score_ready && read_ready && write_ready;

  dma_scoreboard u_scoreboard (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .clear_i        (clear),
    .valid_i        (given_valid && given_ready),
    .ready_o        (score_ready),
    .origin_i       (given.origin),
    .interrupt_i    (given.flags.notify),
    .read_done_i    (read_done),
    .write_done_i   (write_done),
    .read_origin_o  (read_origin),
    .write_origin_o (write_origin),
    .completed_o    (completed),
    .interrupt_o    (done_interrupt),
    .empty_o        (empty)
  );

  logic  nothing;
  span_t read_span, write_span;
  job_t  read_job, write_job;

  assign nothing = given.length == '0;

  always_comb begin
    read_span.skip        = !given.flags.read || nothing;
    read_span.address     = given.source;
    read_span.last        = given.length - 32'd1;
    write_span.skip       = !given.flags.write || nothing;
    write_span.address    = given.destination;
    write_span.last       = given.length - 32'd1;
    read_job.skip         = read_span.skip;
    read_job.message_end  = given.flags.message_end;
    read_job.word         = given.source[4:2];
    read_job.last         = read_span.last;
    write_job.skip        = write_span.skip;
    write_job.message_end = given.flags.message_end;
    write_job.word        = given.destination[4:2];
    write_job.last        = write_span.last;
  end

  // ------------------------------------------------------------ memory to stream

  logic                 read_burst_valid, read_burst_ready, read_data_valid;
  logic [31:0]          read_burst_address;
  logic [7:0]           read_burst_beats;
  logic [DataWidth-1:0] read_data;

  dma_read #(
    .DataWidth   (DataWidth),
    .StreamWidth (StreamWidth),
    .BurstBeats  (BurstBeats),
    .FifoBeats   (FifoBeats)
  ) u_read (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .halt_i          (halt),
    .clear_i         (clear),
    .sweeping_o      (read_sweeping),
    .valid_i         (given_valid && given_ready),
    .ready_o         (read_ready),
    .span_i          (read_span),
    .job_i           (read_job),
    .done_o          (read_done),
    .read_error_o    (fault.read),
    .burst_valid_o   (read_burst_valid),
    .burst_ready_i   (read_burst_ready),
    .burst_address_o (read_burst_address),
    .burst_beats_o   (read_burst_beats),
    .data_valid_i    (read_data_valid),
    .data_i          (read_data),
    .data_error_i    (read_beat_error),
    .m_axis_tdata_o  (out_tdata),
    .m_axis_tkeep_o  (out_tkeep),
    .m_axis_tlast_o  (out_tlast),
    .m_axis_tvalid_o (out_tvalid),
    .m_axis_tready_i (out_tready)
  );

  dma_read_port #(
    .DataWidth (DataWidth)
  ) u_read_port (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .halt_i          (halt),
    .quiet_o         (reads_quiet),
    .fetch_valid_i   (fetch_valid),
    .fetch_ready_o   (fetch_ready),
    .fetch_address_i (fetch_address),
    .fetched_valid_o (fetched_valid),
    .burst_valid_i   (read_burst_valid),
    .burst_ready_o   (read_burst_ready),
    .burst_address_i (read_burst_address),
    .burst_beats_i   (read_burst_beats),
    .data_valid_o    (read_data_valid),
    .data_o          (read_data),
    .error_o         (read_beat_error),
    .last_o          (read_beat_last),
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

  // ------------------------------------------------------------ stream to memory

  dma_write #(
    .DataWidth   (DataWidth),
    .StreamWidth (StreamWidth),
    .BurstBeats  (BurstBeats),
    .FifoBeats   (FifoBeats)
  ) u_write (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .halt_i          (halt),
    .clear_i         (clear),
    .quiet_o         (writes_quiet),
    .sweeping_o      (write_sweeping),
    .valid_i         (given_valid && given_ready),
    .ready_o         (write_ready),
    .span_i          (write_span),
    .job_i           (write_job),
    .done_o          (write_done),
    .write_error_o   (fault.write),
    .framing_error_o (fault.framing),
    .s_axis_tdata_i  (in_tdata),
    .s_axis_tkeep_i  (in_tkeep),
    .s_axis_tlast_i  (in_tlast),
    .s_axis_tvalid_i (in_tvalid),
    .s_axis_tready_o (in_tready),
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
  // Rules for the surrounding logic. A sender may withdraw a beat while the engine stops or
  // has no transfer of its stream.
  prim_stream_rules #(
    .Width (11)
  ) u_aw_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (1'b0),
    .valid_i   (s_axil_awvalid_i),
    .ready_i   (s_axil_awready_o),
    .payload_i ({s_axil_awaddr_i, s_axil_awprot_i})
  );

  prim_stream_rules #(
    .Width (36)
  ) u_w_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (1'b0),
    .valid_i   (s_axil_wvalid_i),
    .ready_i   (s_axil_wready_o),
    .payload_i ({s_axil_wdata_i, s_axil_wstrb_i})
  );

  prim_stream_rules #(
    .Width (11)
  ) u_ar_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (1'b0),
    .valid_i   (s_axil_arvalid_i),
    .ready_i   (s_axil_arready_o),
    .payload_i ({s_axil_araddr_i, s_axil_arprot_i})
  );

  for (genvar n = 0; n < Streams; n++) begin : gen_stream_rules
    prim_stream_rules #(
      .Width (StreamWidth + Lanes + 1)
    ) u_stream_rules (
      .clk_i     (clk_i),
      .rst_ni    (rst_ni),
      .clear_i   (halt || empty || !selected[n]),
      .valid_i   (s_axis_tvalid_i[n]),
      .ready_i   (s_axis_tready_o[n]),
      .payload_i ({s_axis_tdata_i[n*StreamWidth +: StreamWidth], s_axis_tkeep_i[n*Lanes +: Lanes],
                   s_axis_tlast_i[n]})
    );
  end

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

  // A stream is selected until nothing of its transfers is left inside.
  stream_t last_stream_q;
  logic    unsettled_q;

  // The rule holds from the first reset on.
  initial begin
    unsettled_q = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      last_stream_q <= '0;
      unsettled_q   <= 1'b0;
    end else begin
      last_stream_q <= stream;
      unsettled_q   <= !settled;
      if (unsettled_q) begin
        stream_stays: assert (stream == last_stream_q)
          else $error("%m: another stream was selected amid a transfer");
        stream_exists: assert (selected != '0)
          else $error("%m: no stream is selected");
      end
    end
  end
`endif

endmodule
