// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Stream to memory. Beats are assigned to transfers by the transfers' lengths, shifted to
// the position of their first byte in a beat of the memory bus, and gathered in a FIFO. A
// burst is issued only when the FIFO holds all its data, so the memory bus never waits
// for the stream.
//
// A beat whose TLAST or TKEEP contradicts the transfer is dropped (it may have been taken
// from the stream), and so are all beats after it until the engine is cleared.
// framing_error_o rises when all transfers before it are written. TREADY depends on
// flip-flops only.
module dma_write
  import dma_pkg::*;
#(
  parameter int unsigned DataWidth   = 32,
  parameter int unsigned StreamWidth = 128,
  parameter int unsigned BurstBeats  = 16,
  parameter int unsigned FifoBeats   = 128,
  localparam int unsigned Strobes = DataWidth / 8,
  localparam int unsigned Lanes   = StreamWidth / 8
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   halt_i,
  input  logic                   clear_i,
  output logic                   quiet_o, // nothing is outstanding on the memory bus
  output logic                   sweeping_o,

  input  logic                   valid_i,
  output logic                   ready_o,
  input  span_t                  span_i,
  input  job_t                   job_i,
  output logic                   done_o, // the oldest transfer is fully written and acknowledged
  output logic                   write_error_o, // high for a cycle
  output logic                   framing_error_o,

  input  logic [StreamWidth-1:0] s_axis_tdata_i,
  input  logic [Lanes-1:0]       s_axis_tkeep_i,
  input  logic                   s_axis_tlast_i,
  input  logic                   s_axis_tvalid_i,
  output logic                   s_axis_tready_o,

  output logic [31:0]            m_axi_awaddr_o,
  output logic [7:0]             m_axi_awlen_o,
  output logic                   m_axi_awvalid_o,
  input  logic                   m_axi_awready_i,
  output logic [DataWidth-1:0]   m_axi_wdata_o,
  output logic [Strobes-1:0]     m_axi_wstrb_o,
  output logic                   m_axi_wlast_o,
  output logic                   m_axi_wvalid_o,
  input  logic                   m_axi_wready_i,
  input  logic [1:0]             m_axi_bresp_i,
  input  logic                   m_axi_bvalid_i,
  output logic                   m_axi_bready_o
);

  localparam int unsigned ByteBits  = $clog2(Strobes);
  localparam int unsigned LaneBits  = $clog2(Lanes);
  localparam int unsigned ShiftBits = (DataWidth > 32) ? ByteBits - 2 : 1;
  localparam int unsigned CountBits = $clog2(FifoBeats + 1);
  localparam int unsigned AheadBits = $clog2(Descriptors + 1);

  if (FifoBeats < 2 * BurstBeats) begin : gen_bad_fifo
    $fatal(1, "dma_write: FifoBeats must be at least twice BurstBeats");
  end

  // ------------------------------------------------------------ the stream, by transfers

  logic jobs_busy, jobs_ready, job_valid, job_pop, job_runs, moved;
  job_t job;

  prim_fifo #(
    .Width ($bits(job_t)),
    .Depth (Descriptors)
  ) u_jobs (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .busy_o  (jobs_busy),
    .valid_i (valid_i),
    .ready_o (jobs_ready),
    .data_i  (job_i),
    .valid_o (job_valid),
    .ready_i (job_pop),
    .data_o  (job)
  );

  assign job_runs = job_valid && !job.skip;
  assign job_pop  = (job_valid && job.skip) || moved;

  logic [29:0]          beat_q;      // number of the stream beat in its transfer
  logic                 received_q;  // all beats of the transfer have come
  logic [AheadBits-1:0] ahead_q;     // transfers whose data have come and that are not done
  logic                 malformed_q; // a beat was refused
  logic                 final_beat, malformed, accept, in_ready;
  logic [Lanes-1:0]     keep;
  logic [LaneBits-1:0]  in_bytes;

  assign final_beat = beat_q == 30'(job.last >> LaneBits);
  assign in_bytes   = final_beat ? job.last[LaneBits-1:0] : '1;
  assign keep       = {Lanes{1'b1}} >> (LaneBits'(Lanes - 1) - in_bytes);
  assign malformed  = (s_axis_tkeep_i != keep) ||
                      (s_axis_tlast_i != (final_beat && job.message_end));

  assign s_axis_tready_o = in_ready && job_runs && !received_q && !malformed_q && !halt_i;
  assign accept          = s_axis_tvalid_i && job_runs && !received_q && !malformed &&
                           !malformed_q && !halt_i;
  assign framing_error_o = malformed_q && (ahead_q == '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_q      <= '0;
      received_q  <= 1'b0;
      malformed_q <= 1'b0;
      ahead_q     <= '0;
    end else if (clear_i) begin
      beat_q      <= '0;
      received_q  <= 1'b0;
      malformed_q <= 1'b0;
      ahead_q     <= '0;
    end else begin
      if (s_axis_tvalid_i && job_runs && !received_q && malformed) begin
        malformed_q <= 1'b1;
      end
      ahead_q <= ahead_q + AheadBits'(job_pop) - AheadBits'(done_o);
      if (accept && in_ready) begin
        beat_q     <= final_beat ? '0 : beat_q + 1'b1;
        received_q <= final_beat;
      end
      // With equal widths both come in the same cycle.
      if (moved) begin
        received_q <= 1'b0;
      end
    end
  end

  // ------------------------------------------------------------ alignment to memory

  logic                 packed_valid, packed_ready, unused_packed_last;
  logic [DataWidth-1:0] packed_data;
  logic [ByteBits-1:0]  unused_packed_bytes;

  prim_stream_resize #(
    .InWidth  (StreamWidth),
    .OutWidth (DataWidth)
  ) u_resize (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .valid_i (accept),
    .ready_o (in_ready),
    .data_i  (s_axis_tdata_i),
    .bytes_i (in_bytes),
    .last_i  (final_beat),
    .valid_o (packed_valid),
    .ready_i (packed_ready),
    .data_o  (packed_data),
    .bytes_o (unused_packed_bytes),
    .last_o  (unused_packed_last)
  );

  // Word 0 is shifted up to the word of the first byte. In dma_funnel this is a shift
  // down by the other words of a beat, from the previous beat. Words that exceed the last
  // beat need one more.
  logic [ShiftBits-1:0] word, shift;
  logic [31:0]          last_byte; // counted from the first beat in memory
  logic [ByteBits:0]    end_byte;
  logic                 placed_valid, placed_ready, placed_first, placed_last;
  logic [DataWidth-1:0] placed_data;
  logic [Strobes-1:0]   placed_strobes;
  logic [ByteBits-1:0]  low_lane, high_lane;

  if (DataWidth > 32) begin : gen_shift
    assign word     = job.word[ShiftBits-1:0];
    assign low_lane = placed_first ? {word, 2'd0} : '0;
    assign end_byte = {1'b0, word, 2'd0} + {1'b0, job.last[ByteBits-1:0]};
    assign last_byte = job.last + 32'({word, 2'd0});
  end else begin : gen_no_shift
    assign word      = '0;
    assign low_lane  = '0;
    assign end_byte  = {1'b0, job.last[ByteBits-1:0]};
    assign last_byte = job.last;
  end

  assign shift     = -word;
  assign high_lane = placed_last ? end_byte[ByteBits-1:0] : '1;

  dma_funnel #(
    .DataWidth (DataWidth)
  ) u_funnel (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .clear_i     (clear_i),
    .job_valid_i (job_runs),
    .shift_i     (shift),
    .prime_i     (1'b0),
    .flush_i     (end_byte[ByteBits]),
    .beats_i     (30'(last_byte >> ByteBits)),
    .done_o      (moved),
    .valid_i     (packed_valid),
    .ready_o     (packed_ready),
    .data_i      (packed_data),
    .valid_o     (placed_valid),
    .ready_i     (placed_ready),
    .data_o      (placed_data),
    .first_o     (placed_first),
    .last_o      (placed_last)
  );

  assign placed_strobes = ({Strobes{1'b1}} << low_lane) &
                          ({Strobes{1'b1}} >> (ByteBits'(Strobes - 1) - high_lane));

  logic fifo_busy, fifo_valid, fifo_ready;

  prim_fifo #(
    .Width (DataWidth + Strobes),
    .Depth (FifoBeats)
  ) u_fifo (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .busy_o  (fifo_busy),
    .valid_i (placed_valid),
    .ready_o (placed_ready),
    .data_i  ({placed_strobes, placed_data}),
    .valid_o (fifo_valid),
    .ready_i (fifo_ready),
    .data_o  ({m_axi_wstrb_o, m_axi_wdata_o})
  );

  // ------------------------------------------------------------ bursts

  logic  spans_busy, spans_ready, span_valid, span_ready;
  span_t span;

  // Both queues are as deep as the scoreboard, so either both have room or neither.
  assign ready_o = spans_ready && jobs_ready;

  prim_fifo #(
    .Width ($bits(span_t)),
    .Depth (Descriptors)
  ) u_spans (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .busy_o  (spans_busy),
    .valid_i (valid_i),
    .ready_o (spans_ready),
    .data_i  (span_i),
    .valid_o (span_valid),
    .ready_i (span_ready),
    .data_o  (span)
  );

  logic        burst_valid, burst_ready, burst_skip, burst_last;
  logic [31:0] burst_address;
  logic [7:0]  burst_beats;

  dma_bursts #(
    .DataWidth  (DataWidth),
    .BurstBeats (BurstBeats)
  ) u_bursts (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .clear_i         (clear_i),
    .span_valid_i    (span_valid),
    .span_ready_o    (span_ready),
    .span_i          (span),
    .burst_valid_o   (burst_valid),
    .burst_ready_i   (burst_ready),
    .burst_skip_o    (burst_skip),
    .burst_last_o    (burst_last),
    .burst_address_o (burst_address),
    .burst_beats_o   (burst_beats)
  );

  logic writes_busy, writes_quiet, issue_ready, issue;
  logic [CountBits-1:0] gathered_q; // beats in the FIFO that no burst has claimed

  assign issue       = burst_valid && issue_ready && !halt_i &&
                       (burst_skip || (32'(gathered_q) > 32'(burst_beats)));
  assign burst_ready = issue;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      gathered_q <= '0;
    end else if (clear_i) begin
      gathered_q <= '0;
    end else begin
      gathered_q <= gathered_q + CountBits'(placed_valid && placed_ready) -
                    ((issue && !burst_skip) ? CountBits'(burst_beats) + CountBits'(1)
                                            : CountBits'(0));
    end
  end

  dma_write_port u_port (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .clear_i         (clear_i),
    .sweeping_o      (writes_busy),
    .quiet_o         (writes_quiet),
    .issue_i         (issue),
    .issue_ready_o   (issue_ready),
    .issue_skip_i    (burst_skip),
    .issue_last_i    (burst_last),
    .issue_address_i (burst_address),
    .issue_beats_i   (burst_beats),
    .done_o          (done_o),
    .error_o         (write_error_o),
    .data_valid_i    (fifo_valid),
    .data_ready_o    (fifo_ready),
    .m_axi_awaddr_o  (m_axi_awaddr_o),
    .m_axi_awlen_o   (m_axi_awlen_o),
    .m_axi_awvalid_o (m_axi_awvalid_o),
    .m_axi_awready_i (m_axi_awready_i),
    .m_axi_wlast_o   (m_axi_wlast_o),
    .m_axi_wvalid_o  (m_axi_wvalid_o),
    .m_axi_wready_i  (m_axi_wready_i),
    .m_axi_bresp_i   (m_axi_bresp_i),
    .m_axi_bvalid_i  (m_axi_bvalid_i),
    .m_axi_bready_o  (m_axi_bready_o)
  );

  assign quiet_o    = writes_quiet;
  assign sweeping_o = jobs_busy || spans_busy || fifo_busy || writes_busy;

  logic unused_job;
  assign unused_job = ^{job.word, end_byte, last_byte, placed_first};

endmodule
