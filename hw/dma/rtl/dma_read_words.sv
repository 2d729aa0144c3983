// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// From beats of memory to beats of the stream, for spans that begin at multiples of 4 and
// are multiples of the stream's width unless they end a message. The first word of a span is
// shifted down to word 0, and bytes beyond its end are cleared.
module dma_read_words #(
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

  localparam int unsigned Strobes   = DataWidth / 8;
  localparam int unsigned ByteBits  = $clog2(Strobes);
  localparam int unsigned ShiftBits = (DataWidth > 32) ? ByteBits - 2 : 1;

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
    assign shift    = lane_i[ByteBits-1:2];
    assign end_byte = {1'b0, shift, 2'd0} + {1'b0, tail};
  end else begin : gen_no_shift
    assign shift    = '0;
    assign end_byte = {1'b0, tail};
  end

  assign tail = last_i[ByteBits-1:0];

  dma_funnel #(
    .DataWidth (DataWidth)
  ) u_funnel (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .clear_i     (clear_i),
    .job_valid_i (job_valid_i),
    .shift_i     (shift),
    .prime_i     (shift != '0),
    .flush_i     ((shift != '0) && !end_byte[ByteBits]),
    .beats_i     (30'(last_i >> ByteBits)),
    .done_o      (done_o),
    .valid_i     (valid_i),
    .ready_o     (ready_o),
    .data_i      (data_i),
    .valid_o     (packed_valid),
    .ready_i     (packed_ready),
    .data_o      (packed_data),
    .first_o     (unused_first),
    .last_o      (packed_last)
  );

  assign packed_bytes = packed_last ? tail : '1;

  // Bytes of memory after the end of the span are not sent.
  assign packed_keep = {Strobes{1'b1}} >> (ByteBits'(Strobes - 1) - packed_bytes);

  for (genvar lane = 0; lane < Strobes; lane++) begin : gen_mask
    assign packed_masked[8*lane +: 8] = packed_keep[lane] ? packed_data[8*lane +: 8] : 8'd0;
  end

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
    .last_i  (packed_last && message_end_i),
    .valid_o (valid_o),
    .ready_i (ready_i),
    .data_o  (data_o),
    .bytes_o (bytes_o),
    .last_o  (last_o)
  );

  logic unused_place;
  assign unused_place = ^{lane_i, end_byte[ByteBits-1:0]};

endmodule
