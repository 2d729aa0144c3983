// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: dma_byte_funnel gives each byte of a run once, in order, and nothing else, for
// runs of any length. The first byte leaves in lane begin_i; every beat but the first begins
// in lane 0, and every beat but the last is filled to its end; lanes without a byte are zero.
// No slice of the next run is taken before the last byte of this one has left.
//
// An arbitrary byte is marked as it enters. Its place is counted from lane 0 of the beat that
// was being filled, and falls by a beat with each beat that leaves.
module dma_byte_funnel_formal #(
  parameter int unsigned InWidth  = 32,
  parameter int unsigned OutWidth = 64,
  localparam int unsigned InBits   = $clog2(InWidth / 8),
  localparam int unsigned OutBits  = $clog2(OutWidth / 8),
  localparam int unsigned OutBytes = OutWidth / 8
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               clear_i,
  input logic               valid_i,
  input logic [InWidth-1:0] data_i,
  input logic [InBits-1:0]  low_i,
  input logic [InBits-1:0]  high_i,
  input logic               end_i,
  input logic [OutBits-1:0] begin_i,
  input logic               ready_i,
  input logic               mark_i,
  input logic [InBits-1:0]  mark_lane_i
);

  typedef logic [OutBits+1:0] count_t;

  logic                ready, valid, last, take, give;
  logic [OutWidth-1:0] data;
  logic [OutBits-1:0]  low, high;

  dma_byte_funnel #(
    .InWidth  (InWidth),
    .OutWidth (OutWidth)
  ) u_funnel (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .valid_i (valid_i),
    .ready_o (ready),
    .data_i  (data_i),
    .low_i   (low_i),
    .high_i  (high_i),
    .end_i   (end_i),
    .begin_i (begin_i),
    .valid_o (valid),
    .ready_i (ready_i),
    .data_o  (data),
    .low_o   (low),
    .high_o  (high),
    .last_o  (last)
  );

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  // Assumed: a slice holds until it is taken.
  formal_stream_rules #(
    .Width  (InWidth + 2 * InBits + OutBits + 1),
    .Assume (1'b1)
  ) u_input (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (clear_i),
    .valid_i   (valid_i),
    .ready_i   (ready),
    .payload_i ({data_i, low_i, high_i, begin_i, end_i})
  );

  formal_stream_rules #(
    .Width (OutWidth + 2 * OutBits + 1)
  ) u_output (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (clear_i),
    .valid_i   (valid),
    .ready_i   (ready_i),
    .payload_i ({data, low, high, last})
  );

  assign take = valid_i && ready && !clear_i;
  assign give = valid && ready_i && !clear_i;

  // ------------------------------------------------------------ the model

  logic               running_q;  // a slice of the run was taken
  logic               ended_q;    // its last one was
  logic [OutBits-1:0] first_q;    // the lane in which the next beat begins
  count_t             inside_q;   // bytes that were taken and have not left
  logic               marked_q;
  count_t             place_q;    // of the marked byte
  logic [7:0]         value_q;

  logic               running, marks, marked;
  logic [OutBits-1:0] first;
  count_t             content, entering, leaving, place;
  logic [7:0]         value;

  // This cycle's slice included.
  assign running  = running_q || take;
  assign first    = running_q ? first_q : begin_i;
  assign entering = take ? count_t'(high_i) - count_t'(low_i) + count_t'(1) : count_t'(0);
  assign content   = inside_q + entering;
  assign leaving  = count_t'(high) - count_t'(low) + count_t'(1);
  assign marks    = take && mark_i && !marked_q && mark_lane_i >= low_i && mark_lane_i <= high_i;
  assign marked   = marked_q || marks;
  assign place    = marks ? count_t'(first) + inside_q + count_t'(mark_lane_i) - count_t'(low_i)
                          : place_q;
  assign value    = marks ? data_i[8 * 32'(mark_lane_i) +: 8] : value_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q <= 1'b0;
      ended_q   <= 1'b0;
      first_q   <= '0;
      inside_q  <= '0;
      marked_q  <= 1'b0;
      place_q   <= '0;
      value_q   <= '0;
    end else if (clear_i) begin
      running_q <= 1'b0;
      ended_q   <= 1'b0;
      inside_q  <= '0;
      marked_q  <= 1'b0;
    end else begin
      running_q <= running && !(give && last);
      ended_q   <= (ended_q || (take && end_i)) && !(give && last);
      first_q   <= give ? '0 : first;
      inside_q  <= content - (give ? leaving : count_t'(0));
      marked_q  <= marked && !(give && place < count_t'(OutBytes));
      place_q   <= give ? place - count_t'(OutBytes) : place;
      value_q   <= value;
    end
  end

  // ------------------------------------------------------------ properties

  logic stray, stray_held; // a byte other than zero lies in a lane that has none

  always_comb begin
    stray      = 1'b0;
    stray_held = 1'b0;
    for (int unsigned lane = 0; lane < OutBytes; lane++) begin
      stray = stray || ((OutBits'(lane) < low || OutBits'(lane) > high) &&
                        data[8*lane +: 8] != 8'd0);
      stray_held = stray_held || ((OutBits'(lane) < first_q ||
                                   OutBits'(lane) >= u_funnel.place_q) &&
                                  u_funnel.held_q[8*lane +: 8] != 8'd0);
    end
  end

  always_comb begin
    if (valid_i) begin
      assume_a_slice: assume (low_i <= high_i);
    end
    if (take) begin
      next_run_waits: assert (!ended_q);
    end
    if (give) begin
      begins_where_due: assert (low == first);
      in_order:         assert (low <= high && leaving <= content);
      filled:           assert (last || (&high));
      last_is_last:     assert (last == ((ended_q || (take && end_i)) && leaving == content));
      zero_elsewhere:   assert (!stray);
      a_beat_more: cover (ended_q && last && high != '0);
    end
    if (give && marked && place < count_t'(OutBytes)) begin
      byte_in_its_lane: assert (OutBits'(place) >= low && OutBits'(place) <= high &&
                                data[8 * 32'(place[OutBits-1:0]) +: 8] == value);
    end
    // What is taken leaves at once where it fills a beat or ends the run.
    if (!clear_i && !give) begin
      nothing_waits: assert (count_t'(first) + content < count_t'(OutBytes) && !(take && end_i) ||
                             content == '0 || ended_q);
    end
    if (ended_q && !clear_i) begin
      ends_by_itself: assert (valid);
    end
  end

  // ------------------------------------------------------------ invariants for the induction

  always_comb begin
    why_running: assert (u_funnel.running_q == running_q && u_funnel.flush_q == ended_q);
    why_bounds:   assert (inside_q < count_t'(OutBytes));
    if (running_q) begin
      why_low:    assert (u_funnel.low_q == first_q);
      why_place:  assert (count_t'(u_funnel.place_q) == count_t'(first_q) + inside_q);
    end else begin
      why_empty:  assert (inside_q == '0 && !marked_q && !ended_q && u_funnel.held_q == '0);
    end
    if (ended_q) begin
      why_flush:  assert (running_q && inside_q != '0 && first_q == '0);
    end
    why_zeros: assert (!running_q || !stray_held);
    if (marked_q) begin
      why_inside: assert (place_q >= count_t'(first_q) &&
                          place_q < count_t'(first_q) + inside_q);
      why_stored: assert (u_funnel.held_q[8 * 32'(place_q[OutBits-1:0]) +: 8] == value_q);
    end
  end

endmodule
