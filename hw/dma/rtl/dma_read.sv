// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Memory to stream. A burst is requested only when the FIFO has room for all of it, so
// the memory bus never waits for the stream. Beats are then moved so that the bytes of the
// spans follow one another from byte 0 of a message's first beat on, and sent at the stream's
// width.
//
// A beat with an error is not sent to the stream; read_error_o is then high until the
// engine is cleared.
module dma_read
  import dma_pkg::*;
#(
  parameter int unsigned DataWidth     = 32,
  parameter int unsigned StreamWidth   = 128,
  parameter int unsigned BurstBeats    = 16,
  parameter int unsigned FifoBeats     = 128,
  parameter int unsigned AddressWidth  = 32,
  parameter int unsigned ByteAlignment = 0,
  localparam int unsigned Lanes = StreamWidth / 8
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    halt_i,
  input  logic                    clear_i,
  output logic                    sweeping_o,
  output logic                    pending_o, // a command is not done

  input  logic                    valid_i,   // only with ready_o
  output logic                    ready_o,
  input  logic                    skip_i,
  input  logic [AddressWidth-1:0] address_i,
  input  logic [31:0]             last_i,    // bytes, minus one
  input  logic                    message_end_i,
  output logic                    done_o, // the last data of the oldest command have been read
  output logic                    read_error_o,

  output logic                    burst_valid_o,
  input  logic                    burst_ready_i,
  output logic [AddressWidth-1:0] burst_address_o,
  output logic [7:0]              burst_beats_o, // minus one
  input  logic                    data_valid_i,
  input  logic [DataWidth-1:0]    data_i,
  input  logic                    data_error_i,

  output logic [StreamWidth-1:0]  m_axis_tdata_o,
  output logic [Lanes-1:0]        m_axis_tkeep_o,
  output logic                    m_axis_tlast_o,
  output logic                    m_axis_tvalid_o,
  input  logic                    m_axis_tready_i
);

  localparam int unsigned AddressLow = (ByteAlignment != 0) ? 0 : 2; // lower bits are zero
  localparam int unsigned RoomBits   = $clog2(FifoBeats + 1);

  if (FifoBeats < 2 * BurstBeats) begin : gen_bad_fifo
    $fatal(1, "dma_read: FifoBeats must be at least twice BurstBeats");
  end

  // ------------------------------------------------------------ bursts

  logic                    spans_busy, spans_ready, jobs_busy, jobs_ready;
  logic                    span_valid, span_ready, span_skip;
  logic [AddressWidth-1:0] span_address;
  logic [31:0]             span_last;

  // A span leaves its queue when its bursts are formed, a job when its data have left.
  assign ready_o = spans_ready && jobs_ready;

  prim_fifo #(
    .Width (AddressWidth + 33),
    .Depth (Descriptors)
  ) u_spans (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .busy_o  (spans_busy),
    .valid_i (valid_i),
    .ready_o (spans_ready),
    .data_i  ({skip_i, address_i, last_i}),
    .valid_o (span_valid),
    .ready_i (span_ready),
    .data_o  ({span_skip, span_address, span_last})
  );

  logic burst_valid, burst_ready, burst_skip, unused_burst_last;

  dma_bursts #(
    .DataWidth    (DataWidth),
    .BurstBeats   (BurstBeats),
    .AddressWidth (AddressWidth)
  ) u_bursts (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .clear_i         (clear_i),
    .span_valid_i    (span_valid),
    .span_ready_o    (span_ready),
    .span_skip_i     (span_skip),
    .span_address_i  (span_address),
    .span_last_i     (span_last),
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

  logic                job_valid, job_skip, job_message_end, job_runs, moved;
  logic [4:AddressLow] job_place; // of the first byte, within a memory beat of 32 bytes
  logic [4:0]          job_lane;
  logic [31:0]         job_last;

  prim_fifo #(
    .Width (34 + 5 - AddressLow),
    .Depth (Descriptors)
  ) u_jobs (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .busy_o  (jobs_busy),
    .valid_i (valid_i),
    .ready_o (jobs_ready),
    .data_i  ({skip_i, message_end_i, address_i[4:AddressLow], last_i}),
    .valid_o (job_valid),
    .ready_i (done_o),
    .data_o  ({job_skip, job_message_end, job_place, job_last})
  );

  assign job_lane   = 5'(job_place) << AddressLow;
  assign job_runs   = job_valid && !job_skip;
  assign done_o     = (job_valid && job_skip) || moved;
  assign pending_o  = job_valid;
  assign sweeping_o = spans_busy || jobs_busy || fifo_busy;

  // ------------------------------------------------------------ the stream

  localparam int unsigned LaneBits = $clog2(Lanes);

  logic                stream_valid;
  logic [LaneBits-1:0] stream_bytes;

  if (ByteAlignment != 0) begin : gen_bytes
    dma_read_bytes #(
      .DataWidth   (DataWidth),
      .StreamWidth (StreamWidth)
    ) u_align (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .clear_i       (clear_i),
      .job_valid_i   (job_runs),
      .lane_i        (job_lane),
      .last_i        (job_last),
      .message_end_i (job_message_end),
      .done_o        (moved),
      .valid_i       (fifo_valid && !fifo_error),
      .ready_o       (fifo_ready),
      .data_i        (fifo_data),
      .valid_o       (stream_valid),
      .ready_i       (m_axis_tready_i && !halt_i),
      .data_o        (m_axis_tdata_o),
      .bytes_o       (stream_bytes),
      .last_o        (m_axis_tlast_o)
    );
  end else begin : gen_words
    dma_read_words #(
      .DataWidth   (DataWidth),
      .StreamWidth (StreamWidth)
    ) u_align (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .clear_i       (clear_i),
      .job_valid_i   (job_runs),
      .lane_i        (job_lane),
      .last_i        (job_last),
      .message_end_i (job_message_end),
      .done_o        (moved),
      .valid_i       (fifo_valid && !fifo_error),
      .ready_o       (fifo_ready),
      .data_i        (fifo_data),
      .valid_o       (stream_valid),
      .ready_i       (m_axis_tready_i && !halt_i),
      .data_o        (m_axis_tdata_o),
      .bytes_o       (stream_bytes),
      .last_o        (m_axis_tlast_o)
    );
  end

  assign m_axis_tvalid_o = stream_valid && !halt_i;
  assign m_axis_tkeep_o  = {Lanes{1'b1}} >> (LaneBits'(Lanes - 1) - stream_bytes);

endmodule
