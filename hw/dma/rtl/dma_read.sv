// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Memory to stream. A burst is requested only when the FIFO has room for all of it, so
// the memory bus never waits for the stream. Beats are then shifted so that the first
// byte of the transfer is byte 0, cleared beyond its length, and sent at the stream's
// width.
//
// A beat with an error is not sent to the stream; read_error_o is then high until the
// engine is cleared.
module dma_read
  import dma_pkg::*;
#(
  parameter int unsigned DataWidth   = 32,
  parameter int unsigned StreamWidth = 128,
  parameter int unsigned BurstBeats  = 16,
  parameter int unsigned FifoBeats   = 128,
  localparam int unsigned Lanes = StreamWidth / 8
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   halt_i,
  input  logic                   clear_i,
  output logic                   sweeping_o,

  input  logic                   valid_i,
  output logic                   ready_o,
  input  span_t                  span_i,
  input  job_t                   job_i,
  output logic                   done_o, // the last data of the oldest transfer have been read
  output logic                   read_error_o,

  output logic                   burst_valid_o,
  input  logic                   burst_ready_i,
  output logic [31:0]            burst_address_o,
  output logic [7:0]             burst_beats_o, // minus one
  input  logic                   data_valid_i,
  input  logic [DataWidth-1:0]   data_i,
  input  logic                   data_error_i,

  output logic [StreamWidth-1:0] m_axis_tdata_o,
  output logic [Lanes-1:0]       m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic                   m_axis_tvalid_o,
  input  logic                   m_axis_tready_i
);

  localparam int unsigned Strobes   = DataWidth / 8;
  localparam int unsigned ByteBits  = $clog2(Strobes);
  localparam int unsigned ShiftBits = (DataWidth > 32) ? ByteBits - 2 : 1;
  localparam int unsigned RoomBits  = $clog2(FifoBeats + 1);

  if (FifoBeats < 2 * BurstBeats) begin : gen_bad_fifo
    $fatal(1, "dma_read: FifoBeats must be at least twice BurstBeats");
  end

  // ------------------------------------------------------------ bursts

  logic  spans_busy, spans_ready, jobs_busy, jobs_ready;
  logic  span_valid, span_ready;
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

  logic burst_valid, burst_ready, burst_skip, unused_burst_last;

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
    .burst_last_o    (unused_burst_last),
    .burst_address_o (burst_address_o),
    .burst_beats_o   (burst_beats_o)
  );

  logic [RoomBits-1:0] room_q; // places in the FIFO that no burst has claimed
  logic                claim, fifo_pop;

  assign burst_valid_o = burst_valid && !burst_skip && (32'(room_q) > 32'(burst_beats_o));
  assign claim         = burst_valid_o && burst_ready_i;
  assign burst_ready   = burst_skip || claim;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      room_q <= RoomBits'(FifoBeats);
    end else if (clear_i) begin
      room_q <= RoomBits'(FifoBeats);
    end else begin
      room_q <= room_q + RoomBits'(fifo_pop) -
                (claim ? RoomBits'(burst_beats_o) + RoomBits'(1) : RoomBits'(0));
    end
  end

  // ------------------------------------------------------------ data

  logic                 fifo_busy, unused_fifo_ready, fifo_valid, fifo_ready, fifo_error;
  logic [DataWidth-1:0] fifo_data;

  prim_fifo #(
    .Width (DataWidth + 1),
    .Depth (FifoBeats)
  ) u_fifo (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .busy_o  (fifo_busy),
    .valid_i (data_valid_i),
    .ready_o (unused_fifo_ready),
    .data_i  ({data_error_i, data_i}),
    .valid_o (fifo_valid),
    .ready_i (fifo_ready && !fifo_error),
    .data_o  ({fifo_error, fifo_data})
  );

  assign fifo_pop     = fifo_valid && fifo_ready && !fifo_error;
  assign read_error_o = fifo_valid && fifo_error;

  logic job_valid, skipped, moved;
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
    .ready_i (done_o),
    .data_o  (job)
  );

  assign skipped    = job_valid && job.skip;
  assign done_o     = skipped || moved;
  assign sweeping_o = spans_busy || jobs_busy || fifo_busy;

  // The first word is shifted down to word 0. This takes one beat more from memory than it
  // gives, unless the remaining words of the last beat form an output beat of their own.
  logic [ShiftBits-1:0] shift;
  logic [ByteBits-1:0]  tail; // bytes in the last beat, minus one
  logic [ByteBits:0]    end_byte;
  logic                 packed_valid, packed_ready, packed_last, unused_first;
  logic [DataWidth-1:0] packed_data, packed_masked;
  logic [Strobes-1:0]   packed_keep;
  logic [ByteBits-1:0]  packed_bytes;

  if (DataWidth > 32) begin : gen_shift
    assign shift    = job.word[ShiftBits-1:0];
    assign end_byte = {1'b0, shift, 2'd0} + {1'b0, tail};
  end else begin : gen_no_shift
    assign shift    = '0;
    assign end_byte = {1'b0, tail};
  end

  assign tail = job.last[ByteBits-1:0];

  dma_funnel #(
    .DataWidth (DataWidth)
  ) u_funnel (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .clear_i     (clear_i),
    .job_valid_i (job_valid && !job.skip),
    .shift_i     (shift),
    .prime_i     (shift != '0),
    .flush_i     ((shift != '0) && !end_byte[ByteBits]),
    .beats_i     (30'(job.last >> ByteBits)),
    .done_o      (moved),
    .valid_i     (fifo_valid && !fifo_error),
    .ready_o     (fifo_ready),
    .data_i      (fifo_data),
    .valid_o     (packed_valid),
    .ready_i     (packed_ready),
    .data_o      (packed_data),
    .first_o     (unused_first),
    .last_o      (packed_last)
  );

  assign packed_bytes = packed_last ? tail : '1;

  // Bytes of memory after the end of the transfer are not sent.
  assign packed_keep = {Strobes{1'b1}} >> (ByteBits'(Strobes - 1) - packed_bytes);

  for (genvar lane = 0; lane < Strobes; lane++) begin : gen_mask
    assign packed_masked[8*lane +: 8] = packed_keep[lane] ? packed_data[8*lane +: 8] : 8'd0;
  end

  // ------------------------------------------------------------ the stream

  localparam int unsigned LaneBits = $clog2(Lanes);

  logic                stream_valid;
  logic [LaneBits-1:0] stream_bytes;

  prim_stream_resize #(
    .InWidth  (DataWidth),
    .OutWidth (StreamWidth)
  ) u_resize (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .valid_i (packed_valid),
    .ready_o (packed_ready),
    .data_i  (packed_masked),
    .bytes_i (packed_bytes),
    .last_i  (packed_last && job.message_end),
    .valid_o (stream_valid),
    .ready_i (m_axis_tready_i && !halt_i),
    .data_o  (m_axis_tdata_o),
    .bytes_o (stream_bytes),
    .last_o  (m_axis_tlast_o)
  );

  assign m_axis_tvalid_o = stream_valid && !halt_i;
  assign m_axis_tkeep_o  = {Lanes{1'b1}} >> (LaneBits'(Lanes - 1) - stream_bytes);

  logic unused_job;
  assign unused_job = ^{job.word, end_byte[ByteBits-1:0]};

endmodule
