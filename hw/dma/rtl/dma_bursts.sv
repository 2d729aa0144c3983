// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Divides a span of memory into bursts of whole beats. A burst ends at a multiple of the
// longest burst, so none crosses an address that is a multiple of 4 KiB (AXI4, A3.4.1),
// and all between the first and the last have that length. A span to skip gives one
// burst with skip set, which must not be issued.
module dma_bursts #(
  parameter int unsigned DataWidth    = 32,
  parameter int unsigned BurstBeats   = 16,
  parameter int unsigned AddressWidth = 32
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    clear_i,
  input  logic                    span_valid_i,
  output logic                    span_ready_o,
  input  logic                    span_skip_i,
  input  logic [AddressWidth-1:0] span_address_i,
  input  logic [31:0]             span_last_i,     // bytes, minus one
  output logic                    burst_valid_o,
  input  logic                    burst_ready_i,
  output logic                    burst_skip_o,
  output logic                    burst_last_o,    // the last one of the span
  output logic [AddressWidth-1:0] burst_address_o, // a multiple of the bus's width
  output logic [7:0]              burst_beats_o    // minus one, as in AXI4
);

  if (BurstBeats < 2 || BurstBeats > 256 || BurstBeats != 1 << $clog2(BurstBeats) ||
      BurstBeats * DataWidth / 8 > 4096) begin : gen_bad_burst
    $fatal(1, "dma_bursts: BurstBeats must be a power of two from 2 to 256, and 4 KiB at most");
  end

  // A span within 2^32 bytes has its last byte there; elsewhere it may begin within a beat and
  // need one bit more.
  localparam int unsigned LastWidth  = (AddressWidth > 32) ? 33 : 32;
  localparam int unsigned ByteBits   = $clog2(DataWidth / 8);
  localparam int unsigned BeatBits   = $clog2(BurstBeats);
  localparam int unsigned BeatsWidth = AddressWidth - ByteBits;
  localparam int unsigned RestWidth  = LastWidth - ByteBits;

  logic                  active_q, skip_q;
  logic [BeatsWidth-1:0] beat_q;      // address of the next beat, in beats
  logic [RestWidth-1:0]  remaining_q; // beats, minus one
  logic [BeatBits-1:0]   room;        // beats to the next boundary, minus one
  logic                  last;
  logic [LastWidth-1:0]  last_byte;   // of the span, counted from its first beat

  assign room      = ~beat_q[BeatBits-1:0];
  assign last      = remaining_q <= RestWidth'(room);
  assign last_byte = LastWidth'(span_last_i) + LastWidth'(span_address_i[ByteBits-1:0]);

  assign span_ready_o    = !active_q || (burst_ready_i && last);
  assign burst_valid_o   = active_q;
  assign burst_skip_o    = skip_q;
  assign burst_last_o    = last;
  assign burst_address_o = {beat_q, ByteBits'(0)};
  assign burst_beats_o   = last ? 8'(remaining_q) : 8'(room);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q    <= 1'b0;
      skip_q      <= 1'b0;
      beat_q      <= '0;
      remaining_q <= '0;
    end else if (clear_i) begin
      active_q    <= 1'b0;
      skip_q      <= 1'b0;
      beat_q      <= '0;
      remaining_q <= '0;
    end else if (span_ready_o) begin
      active_q    <= span_valid_i;
      skip_q      <= span_skip_i;
      beat_q      <= span_address_i[AddressWidth-1:ByteBits];
      remaining_q <= span_skip_i ? '0 : last_byte[LastWidth-1:ByteBits];
    end else if (burst_ready_i) begin
      beat_q      <= {beat_q[BeatsWidth-1:BeatBits] + 1'b1, BeatBits'(0)};
      remaining_q <= remaining_q - RestWidth'(room) - 1'b1;
    end
  end

  logic unused_bytes;
  assign unused_bytes = ^last_byte[ByteBits-1:0];

endmodule
