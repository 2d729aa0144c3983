// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Stream to memory. Beats are assigned to commands by the commands' lengths, moved to
// the position of their first byte in a beat of the memory bus, and gathered in a FIFO. A
// burst is issued only when the FIFO holds all its data, so the memory bus never waits
// for the stream.
//
// A beat whose TLAST or TKEEP contradicts the command is dropped (it may have been taken
// from the stream), and so are all beats after it until the engine is cleared.
// framing_error_o rises when all commands before it are written. TREADY depends on
// flip-flops only.
module dma_write
  import dma_pkg::*;
#(
  parameter int unsigned DataWidth     = 32,
  parameter int unsigned StreamWidth   = 128,
  parameter int unsigned BurstBeats    = 16,
  parameter int unsigned FifoBeats     = 128,
  parameter int unsigned AddressWidth  = 32,
  parameter int unsigned ByteAlignment = 0,
  // Commands whose data can have come and that are not done. Unless the user gives fewer, they
  // are in the queue of spans, in dma_bursts, and at most eight without an answer.
  parameter int unsigned WritesAhead   = Descriptors + 1 + 8,
  localparam int unsigned Strobes = DataWidth / 8,
  localparam int unsigned Lanes   = StreamWidth / 8
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    halt_i,
  input  logic                    clear_i,
  output logic                    quiet_o,   // nothing is outstanding on the memory bus
  output logic                    sweeping_o,
  output logic                    pending_o, // a command is not done

  input  logic                    valid_i,   // only with ready_o
  output logic                    ready_o,
  input  logic                    skip_i,
  input  logic [AddressWidth-1:0] address_i,
  input  logic [31:0]             last_i,    // bytes, minus one
  input  logic                    message_end_i,
  output logic                    done_o, // the oldest command is fully written and acknowledged
  output logic                    write_error_o,  // high for a cycle
  output logic                    write_failed_o, // from then on
  output logic                    framing_error_o,

  input  logic [StreamWidth-1:0]  s_axis_tdata_i,
  input  logic [Lanes-1:0]        s_axis_tkeep_i,
  input  logic                    s_axis_tlast_i,
  input  logic                    s_axis_tvalid_i,
  output logic                    s_axis_tready_o,

  output logic [AddressWidth-1:0] m_axi_awaddr_o,
  output logic [7:0]              m_axi_awlen_o,
  output logic                    m_axi_awvalid_o,
  input  logic                    m_axi_awready_i,
  output logic [DataWidth-1:0]    m_axi_wdata_o,
  output logic [Strobes-1:0]      m_axi_wstrb_o,
  output logic                    m_axi_wlast_o,
  output logic                    m_axi_wvalid_o,
  input  logic                    m_axi_wready_i,
  input  logic [1:0]              m_axi_bresp_i,
  input  logic                    m_axi_bvalid_i,
  output logic                    m_axi_bready_o
);

  localparam int unsigned AddressLow = (ByteAlignment != 0) ? 0 : 2; // lower bits are zero
  localparam int unsigned CountBits  = $clog2(FifoBeats + 1);
  localparam int unsigned AheadBits  = $clog2(WritesAhead + 1);

  if (FifoBeats < 2 * BurstBeats) begin : gen_bad_fifo
    $fatal(1, "dma_write: FifoBeats must be at least twice BurstBeats");
  end

  // ------------------------------------------------------------ the stream, by commands

  logic                jobs_busy, jobs_ready, job_valid, job_pop, job_runs, moved;
  logic                job_skip, job_message_end;
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
    .ready_i (job_pop),
    .data_o  ({job_skip, job_message_end, job_place, job_last})
  );

  assign job_lane = 5'(job_place) << AddressLow;
  assign job_runs = job_valid && !job_skip;
  assign job_pop  = (job_valid && job_skip) || moved;

  logic [AheadBits-1:0] ahead_q;     // commands whose data have come and that are not done
  logic                 malformed_q; // a beat was refused
  logic                 malformed;

  assign framing_error_o = malformed_q && (ahead_q == '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      malformed_q <= 1'b0;
      ahead_q     <= '0;
    end else if (clear_i) begin
      malformed_q <= 1'b0;
      ahead_q     <= '0;
    end else begin
      malformed_q <= malformed_q || malformed;
      ahead_q     <= ahead_q + AheadBits'(job_pop) - AheadBits'(done_o);
    end
  end

  // ------------------------------------------------------------ alignment to memory

  logic                 placed_valid, placed_ready;
  logic [DataWidth-1:0] placed_data;
  logic [Strobes-1:0]   placed_strobes;

  if (ByteAlignment != 0) begin : gen_bytes
    dma_write_bytes #(
      .DataWidth   (DataWidth),
      .StreamWidth (StreamWidth)
    ) u_align (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .clear_i         (clear_i),
      .stop_i          (malformed_q || halt_i),
      .job_valid_i     (job_runs),
      .lane_i          (job_lane),
      .last_i          (job_last),
      .message_end_i   (job_message_end),
      .done_o          (moved),
      .malformed_o     (malformed),
      .s_axis_tdata_i  (s_axis_tdata_i),
      .s_axis_tkeep_i  (s_axis_tkeep_i),
      .s_axis_tlast_i  (s_axis_tlast_i),
      .s_axis_tvalid_i (s_axis_tvalid_i),
      .s_axis_tready_o (s_axis_tready_o),
      .valid_o         (placed_valid),
      .ready_i         (placed_ready),
      .data_o          (placed_data),
      .strobes_o       (placed_strobes)
    );
  end else begin : gen_words
    dma_write_words #(
      .DataWidth   (DataWidth),
      .StreamWidth (StreamWidth)
    ) u_align (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .clear_i         (clear_i),
      .stop_i          (malformed_q || halt_i),
      .job_valid_i     (job_runs),
      .lane_i          (job_lane),
      .last_i          (job_last),
      .message_end_i   (job_message_end),
      .done_o          (moved),
      .malformed_o     (malformed),
      .s_axis_tdata_i  (s_axis_tdata_i),
      .s_axis_tkeep_i  (s_axis_tkeep_i),
      .s_axis_tlast_i  (s_axis_tlast_i),
      .s_axis_tvalid_i (s_axis_tvalid_i),
      .s_axis_tready_o (s_axis_tready_o),
      .valid_o         (placed_valid),
      .ready_i         (placed_ready),
      .data_o          (placed_data),
      .strobes_o       (placed_strobes)
    );
  end

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

  logic                    spans_busy, spans_ready, span_valid, span_ready, span_skip;
  logic [AddressWidth-1:0] span_address;
  logic [31:0]             span_last;

  // A job leaves its queue when its data have come, a span when its bursts are formed.
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

  logic                    burst_valid, burst_ready, burst_skip, burst_last;
  logic [AddressWidth-1:0] burst_address;
  logic [7:0]              burst_beats;

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

  dma_write_port #(
    .AddressWidth (AddressWidth)
  ) u_port (
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
    .failed_o        (write_failed_o),
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
  assign pending_o  = job_valid || span_valid || burst_valid || !writes_quiet;
  assign sweeping_o = jobs_busy || spans_busy || fifo_busy || writes_busy;

endmodule
