// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// From beats of memory to beats of the stream, for spans that begin at any byte and have any
// length: the bytes of the spans of a message follow one another without a gap. Bytes
// that do not fill a beat of the stream wait for the next span, unless they end the message.
//
// A beat of memory that is wider than the stream passes in parts of the stream's width.
module dma_read_bytes #(
  parameter int unsigned DataWidth   = 32,
  parameter int unsigned StreamWidth = 128,
  localparam int unsigned LaneBits = $clog2(StreamWidth / 8)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,

  // The span; it holds until done_o.
  input  logic                   job_valid_i,
  input  logic [4:0]             lane_i, // of the first byte, within a memory beat of 32 bytes
  input  logic [31:0]            last_i, // bytes, minus one
  input  logic                   message_end_i,
  output logic                   done_o,

  input  logic                   valid_i,
  output logic                   ready_o,
  input  logic [DataWidth-1:0]   data_i,

  output logic                   valid_o,
  input  logic                   ready_i,
  output logic [StreamWidth-1:0] data_o,
  output logic [LaneBits-1:0]    bytes_o, // minus one
  output logic                   last_o
);

  localparam int unsigned PartWidth = (DataWidth < StreamWidth) ? DataWidth : StreamWidth;
  localparam int unsigned PartBits  = $clog2(PartWidth / 8);
  localparam int unsigned Parts     = DataWidth / PartWidth; // of a beat of memory

  logic [PartBits-1:0]  low, high;
  logic                 first, last, take, part_ready, part_final;
  logic [PartWidth-1:0] part;
  logic [LaneBits-1:0]  unused_low;

  dma_slices #(
    .PartBytes (PartWidth / 8)
  ) u_slices (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .start_i (lane_i[PartBits-1:0]),
    .last_i  (last_i),
    .take_i  (take),
    .low_o   (low),
    .high_o  (high),
    .first_o (first),
    .last_o  (last)
  );

  if (Parts > 1) begin : gen_parts
    localparam int unsigned IndexBits = $clog2(Parts);

    logic [IndexBits-1:0] index, next_q;

    assign index      = first ? lane_i[PartBits +: IndexBits] : next_q;
    assign part       = data_i[PartWidth * 32'(index) +: PartWidth];
    assign part_final = last || (&index);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        next_q <= '0;
      end else if (clear_i) begin
        next_q <= '0;
      end else if (take) begin
        next_q <= index + 1'b1;
      end
    end
  end else begin : gen_whole
    assign part       = data_i;
    assign part_final = 1'b1;

    logic unused_first;
    assign unused_first = first;
  end

  assign take    = valid_i && job_valid_i && part_ready;
  assign ready_o = job_valid_i && part_ready && part_final;
  assign done_o  = take && last;

  dma_byte_funnel #(
    .InWidth  (PartWidth),
    .OutWidth (StreamWidth)
  ) u_funnel (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .valid_i (valid_i && job_valid_i),
    .ready_o (part_ready),
    .data_i  (part),
    .low_i   (low),
    .high_i  (high),
    .end_i   (last && message_end_i),
    .begin_i ('0),
    .valid_o (valid_o),
    .ready_i (ready_i),
    .data_o  (data_o),
    .low_o   (unused_low),
    .high_o  (bytes_o),
    .last_o  (last_o)
  );

  logic unused_lane;
  assign unused_lane = ^lane_i;

endmodule
