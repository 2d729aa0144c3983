// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: prim_stream_resize passes every byte once, in order and in its lane, marks
// only the last beat as last, and follows the handshake rules if its input does. Assumed,
// as the module requires: only the last beat of a message may be short.
//
// To wider beats, an arbitrary byte is marked as it enters: it must be in its lane of
// the next beat that leaves. To narrower beats nothing is stored, and each part must be
// the next part of the beat at the input.
module prim_stream_resize_formal #(
  parameter int unsigned InWidth  = 16,
  parameter int unsigned OutWidth = 64,
  localparam int unsigned InBytes  = InWidth / 8,
  localparam int unsigned OutBytes = OutWidth / 8,
  localparam int unsigned InBits   = $clog2(InBytes),
  localparam int unsigned OutBits  = $clog2(OutBytes)
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               clear_i,
  input logic               valid_i,
  input logic [InWidth-1:0] data_i,
  input logic [InBits-1:0]  bytes_i,
  input logic               last_i,
  input logic               ready_i,
  input logic               mark_i,
  input logic [InBits-1:0]  mark_lane_i
);

  logic                ready, valid, last, accept, give;
  logic [OutWidth-1:0] data;
  logic [OutBits-1:0]  bytes;

  prim_stream_resize #(
    .InWidth  (InWidth),
    .OutWidth (OutWidth)
  ) u_resize (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .valid_i (valid_i),
    .ready_o (ready),
    .data_i  (data_i),
    .bytes_i (bytes_i),
    .last_i  (last_i),
    .valid_o (valid),
    .ready_i (ready_i),
    .data_o  (data),
    .bytes_o (bytes),
    .last_o  (last)
  );

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  formal_stream_rules #(
    .Width  (InWidth + InBits + 1),
    .Assume (1'b1)
  ) u_input (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (clear_i),
    .valid_i   (valid_i),
    .ready_i   (ready),
    .payload_i ({last_i, bytes_i, data_i})
  );

  formal_stream_rules #(
    .Width (OutWidth + OutBits + 1)
  ) u_output (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (clear_i),
    .valid_i   (valid),
    .ready_i   (ready_i),
    .payload_i ({last, bytes, data})
  );

  assign accept = valid_i && ready;
  assign give   = valid && ready_i;

  always_comb begin
    if (!last_i) begin
      assume_whole: assume (&bytes_i);
    end
    last_leaves: cover (give && last && !(&bytes));
  end

  if (InWidth < OutWidth) begin : gen_gather
    int unsigned        inside_q;  // bytes accepted and not yet given
    logic               ended_q;   // the last of them ended its message
    logic               marked_q;
    logic [OutBits-1:0] place_q;   // of the marked byte in the wide beat
    logic [7:0]         value_q;
    logic               complete;

    // Bytes inside before the beat at the input.
    int unsigned in_front;

    assign in_front   = give ? 0 : inside_q;
    assign complete = inside_q == OutBytes || (inside_q != 0 && ended_q);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        inside_q <= 0;
        ended_q  <= 1'b0;
        marked_q <= 1'b0;
        place_q  <= '0;
        value_q  <= '0;
      end else if (clear_i) begin
        inside_q <= 0;
        ended_q  <= 1'b0;
        marked_q <= 1'b0;
      end else begin
        inside_q <= in_front + (accept ? 32'(bytes_i) + 1 : 0);
        if (accept) begin
          ended_q <= last_i;
        end
        if (give) begin
          marked_q <= 1'b0;
        end
        if (accept && mark_i && (give || !marked_q) && mark_lane_i <= bytes_i) begin
          marked_q <= 1'b1;
          place_q  <= OutBits'(in_front) + OutBits'(mark_lane_i);
          value_q  <= data_i[8 * 32'(mark_lane_i) +: 8];
        end
      end
    end

    always_comb begin
      full_exactly: assert (valid == (complete && !clear_i));
      if (valid) begin
        bytes_counted: assert (32'(bytes) + 1 == inside_q);
        last_is_last:  assert (last == ended_q);
      end
      if (valid && marked_q) begin
        byte_is_itself: assert (data[8 * 32'(place_q) +: 8] == value_q);
        byte_leaves: cover (value_q != '0 && place_q != '0);
      end

      // Invariants for the induction.
      why_in_range: assert (inside_q <= OutBytes);
      why_full_agrees: assert (u_resize.gen_gather.full_q == complete);
      why_index_agrees: assert (32'(u_resize.gen_gather.index_q) * InBytes ==
                            (complete ? 0 : inside_q));
      if (inside_q != 0) begin
        why_bytes_agree: assert (32'(u_resize.gen_gather.bytes_q) + 1 == inside_q);
        why_last_agrees: assert (u_resize.gen_gather.last_q == ended_q);
      end
      if (marked_q) begin
        why_mark_is_inside: assert (32'(place_q) < inside_q);
        why_mark_is_stored: assert (u_resize.gen_gather.data_q[8 * 32'(place_q) +: 8] == value_q);
      end
    end
  end else begin : gen_spread
    int unsigned given_q; // bytes of the beat at the input that were given

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        given_q <= 0;
      end else if (clear_i || accept) begin
        given_q <= 0;
      end else if (give) begin
        given_q <= given_q + 32'(bytes) + 1;
      end
    end

    logic ends;
    assign ends = given_q + 32'(bytes) == 32'(bytes_i);

    always_comb begin
      valid_through: assert (valid == (valid_i && !clear_i));
      if (valid) begin
        part_is_itself: assert (data == data_i[8 * given_q +: OutWidth]);
        bytes_in_range: assert (given_q + 32'(bytes) <= 32'(bytes_i));
        whole_but_last: assert (&bytes || ends);
        last_is_last:   assert (last == (last_i && ends));
        taken_exactly:  assert (ready == (ready_i && ends));
      end

      // Invariants for the induction.
      if (given_q != 0) begin
        why_still_waiting: assert (u_input.waiting_q && given_q <= 32'(u_input.payload_q[InWidth +: InBits]));
      end
      why_index_agrees: assert (32'(u_resize.gen_spread.index_q) * OutBytes == given_q);
    end
  end

endmodule
