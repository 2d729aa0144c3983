// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// From beats of the stream to beats of memory, for spans that begin at any byte and have any
// length: the stream is cut into spans at any byte, so that a beat may hold the end of one and
// the beginning of the next. A message begins with a beat of the stream.
//
// A beat of the stream that is wider than memory passes in parts of memory's width. It is
// taken with its last byte, and each part is checked when a span reaches it: a malformed part
// and all after it go no further, but the spans before may have taken other parts of its beat.
module dma_write_bytes #(
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
  localparam int unsigned PartWidth = (DataWidth < StreamWidth) ? DataWidth : StreamWidth;
  localparam int unsigned PartBits  = $clog2(PartWidth / 8);
  localparam int unsigned Parts     = StreamWidth / PartWidth; // of a beat of the stream

  // ------------------------------------------------------------ the stream, by spans

  logic [PartBits-1:0]  start_q; // lane of the span's first byte, in the part that it begins in
  logic [PartBits-1:0]  low, high;
  logic                 unused_first, last, ends, take, part_ready;
  logic [PartWidth-1:0] part;
  logic [LaneBits-1:0]  final_lane; // of the slice, in its beat of the stream
  logic [Lanes-1:0]     keep;       // the lanes up to there
  logic                 beat_final, malformed;

  dma_slices #(
    .PartBytes (PartWidth / 8)
  ) u_slices (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .start_i (start_q),
    .last_i  (last_i),
    .take_i  (take),
    .low_o   (low),
    .high_o  (high),
    .first_o (unused_first),
    .last_o  (last)
  );

  if (Parts > 1) begin : gen_parts
    localparam int unsigned IndexBits = $clog2(Parts);

    logic [IndexBits-1:0] index_q;

    assign part       = s_axis_tdata_i[PartWidth * 32'(index_q) +: PartWidth];
    assign final_lane = {index_q, high};

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        index_q <= '0;
      end else if (clear_i) begin
        index_q <= '0;
      end else if (take) begin
        index_q <= ends ? '0 : index_q + IndexBits'(&high);
      end
    end
  end else begin : gen_whole
    assign part       = s_axis_tdata_i;
    assign final_lane = high;
  end

  assign ends       = last && message_end_i;
  assign beat_final = ends || (&final_lane);
  assign keep       = {Lanes{1'b1}} >> (LaneBits'(Lanes - 1) - final_lane);

  // TLAST of a beat that a later span ends in is checked there.
  assign malformed = ((s_axis_tkeep_i & keep) != keep) ||
                     (ends && ((s_axis_tkeep_i & ~keep) != '0)) ||
                     (beat_final && (s_axis_tlast_i != ends));

  assign malformed_o     = s_axis_tvalid_i && job_valid_i && malformed;
  assign take            = s_axis_tvalid_i && job_valid_i && !malformed && !stop_i && part_ready;
  assign done_o          = take && last;
  assign s_axis_tready_o = job_valid_i && !stop_i && part_ready && beat_final;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      start_q <= '0;
    end else if (clear_i) begin
      start_q <= '0;
    end else if (done_o) begin
      start_q <= ends ? '0 : high + 1'b1;
    end
  end

  // ------------------------------------------------------------ to the beats of memory

  logic [ByteBits-1:0] placed_low, placed_high;
  logic                unused_last;

  dma_byte_funnel #(
    .InWidth  (PartWidth),
    .OutWidth (DataWidth)
  ) u_funnel (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .valid_i (s_axis_tvalid_i && job_valid_i && !malformed && !stop_i),
    .ready_o (part_ready),
    .data_i  (part),
    .low_i   (low),
    .high_i  (high),
    .end_i   (last),
    .begin_i (lane_i[ByteBits-1:0]),
    .valid_o (valid_o),
    .ready_i (ready_i),
    .data_o  (data_o),
    .low_o   (placed_low),
    .high_o  (placed_high),
    .last_o  (unused_last)
  );

  assign strobes_o = ({Strobes{1'b1}} << placed_low) &
                     ({Strobes{1'b1}} >> (ByteBits'(Strobes - 1) - placed_high));

  logic unused_lane;
  assign unused_lane = ^lane_i;

endmodule
