// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// From beats of the stream to beats of memory, for spans that begin at multiples of 4 and
// are multiples of the stream's width unless they end a message. Word 0 of a span is shifted
// up to the word of its first byte. A malformed beat goes no further.
module dma_write_words #(
  parameter int unsigned DataWidth   = 32,
  parameter int unsigned StreamWidth = 128,
  localparam int unsigned Strobes = DataWidth / 8,
  localparam int unsigned Lanes   = StreamWidth / 8
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,
  input  logic                   stop_i, // take nothing more

  // The span; it holds until done_o.
  input  logic                   job_valid_i,
  input  logic [4:0]             lane_i, // of the first byte, within a memory beat of 32 bytes
  input  logic [31:0]            last_i, // bytes, minus one
  input  logic                   message_end_i,
  output logic                   done_o,
  output logic                   malformed_o, // TLAST or TKEEP contradict the span

  input  logic [StreamWidth-1:0] s_axis_tdata_i,
  input  logic [Lanes-1:0]       s_axis_tkeep_i,
  input  logic                   s_axis_tlast_i,
  input  logic                   s_axis_tvalid_i,
  output logic                   s_axis_tready_o,

  output logic                   valid_o,
  input  logic                   ready_i,
  output logic [DataWidth-1:0]   data_o,
  output logic [Strobes-1:0]     strobes_o
);

  localparam int unsigned ByteBits  = $clog2(Strobes);
  localparam int unsigned LaneBits  = $clog2(Lanes);
  localparam int unsigned ShiftBits = (DataWidth > 32) ? ByteBits - 2 : 1;

  // ------------------------------------------------------------ the stream, by spans

  logic [29:0]         beat_q;     // number of the stream beat in its span
  logic                received_q; // all beats of the span have come
  logic                offered, final_beat, malformed, accept, in_ready;
  logic [Lanes-1:0]    keep;
  logic [LaneBits-1:0] in_bytes;

  assign final_beat = beat_q == 30'(last_i >> LaneBits);
  assign in_bytes   = final_beat ? last_i[LaneBits-1:0] : '1;
  assign keep       = {Lanes{1'b1}} >> (LaneBits'(Lanes - 1) - in_bytes);
  assign malformed  = (s_axis_tkeep_i != keep) ||
                      (s_axis_tlast_i != (final_beat && message_end_i));
  assign offered    = s_axis_tvalid_i && job_valid_i && !received_q;

  assign s_axis_tready_o = in_ready && job_valid_i && !received_q && !stop_i;
  assign accept          = offered && !malformed && !stop_i;
  assign malformed_o     = offered && malformed;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_q     <= '0;
      received_q <= 1'b0;
    end else if (clear_i) begin
      beat_q     <= '0;
      received_q <= 1'b0;
    end else begin
      if (accept && in_ready) begin
        beat_q     <= final_beat ? '0 : beat_q + 1'b1;
        received_q <= final_beat;
      end
      // With equal widths both come in the same cycle.
      if (done_o) begin
        received_q <= 1'b0;
      end
    end
  end

  // ------------------------------------------------------------ to the beats of memory

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
  logic [32:0]          last_byte; // counted from the first beat in memory
  logic [ByteBits:0]    end_byte;
  logic                 placed_first, placed_last;
  logic [ByteBits-1:0]  low_lane, high_lane;

  if (DataWidth > 32) begin : gen_shift
    assign word      = lane_i[ByteBits-1:2];
    assign low_lane  = placed_first ? {word, 2'd0} : '0;
    assign end_byte  = {1'b0, word, 2'd0} + {1'b0, last_i[ByteBits-1:0]};
    assign last_byte = {1'b0, last_i} + 33'({word, 2'd0});
  end else begin : gen_no_shift
    assign word      = '0;
    assign low_lane  = '0;
    assign end_byte  = {1'b0, last_i[ByteBits-1:0]};
    assign last_byte = {1'b0, last_i};
  end

  assign shift     = -word;
  assign high_lane = placed_last ? end_byte[ByteBits-1:0] : '1;

  dma_funnel #(
    .DataWidth (DataWidth)
  ) u_funnel (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .clear_i     (clear_i),
    .job_valid_i (job_valid_i),
    .shift_i     (shift),
    .prime_i     (1'b0),
    .flush_i     (end_byte[ByteBits]),
    .beats_i     (30'(last_byte >> ByteBits)),
    .done_o      (done_o),
    .valid_i     (packed_valid),
    .ready_o     (packed_ready),
    .data_i      (packed_data),
    .valid_o     (valid_o),
    .ready_i     (ready_i),
    .data_o      (data_o),
    .first_o     (placed_first),
    .last_o      (placed_last)
  );

  assign strobes_o = ({Strobes{1'b1}} << low_lane) &
                     ({Strobes{1'b1}} >> (ByteBits'(Strobes - 1) - high_lane));

  logic unused_place;
  assign unused_place = ^{lane_i, end_byte, last_byte, placed_first};

endmodule
