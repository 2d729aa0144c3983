// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: the bursts of a span cover each of its beats once, in order, and no other
// beat. None is longer than BurstBeats or crosses a multiple of 4 KiB (AXI4, A3.4.1).
// A span to skip gives one burst with skip set. Assumed: spans come one after the other
// and end within the address space.
module dma_bursts_formal #(
  parameter int unsigned DataWidth    = 32,
  parameter int unsigned BurstBeats   = 16,
  parameter int unsigned AddressWidth = 32
) (
  input logic                    clk_i,
  input logic                    rst_ni,
  input logic                    clear_i,
  input logic                    span_valid_i,
  input logic                    span_skip_i,
  input logic [AddressWidth-1:0] span_address_i,
  input logic [31:0]             span_last_i,
  input logic                    burst_ready_i
);

  localparam int unsigned Strobes  = DataWidth / 8;
  localparam int unsigned ByteBits = $clog2(Strobes);

  typedef logic [AddressWidth:0] wide_t; // an address, and whether it is past the last one

  logic                    span_ready, valid, skip, last;
  logic [AddressWidth-1:0] address;
  logic [7:0]              beats;

  dma_bursts #(
    .DataWidth    (DataWidth),
    .BurstBeats   (BurstBeats),
    .AddressWidth (AddressWidth)
  ) u_bursts (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .clear_i         (clear_i),
    .span_valid_i    (span_valid_i),
    .span_ready_o    (span_ready),
    .span_skip_i     (span_skip_i),
    .span_address_i  (span_address_i),
    .span_last_i     (span_last_i),
    .burst_valid_o   (valid),
    .burst_ready_i   (burst_ready_i && valid),
    .burst_skip_o    (skip),
    .burst_last_o    (last),
    .burst_address_o (address),
    .burst_beats_o   (beats)
  );

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  formal_stream_rules #(
    .Width (AddressWidth + 10)
  ) u_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (clear_i),
    .valid_i   (valid),
    .ready_i   (burst_ready_i),
    .payload_i ({skip, last, address, beats})
  );

  // ------------------------------------------------------------ the current span

  logic  active_q, skip_q;
  wide_t next_q;  // address of the first beat not yet in a burst
  wide_t final_q; // address of the last beat
  wide_t end_byte, burst_end;
  logic  take;

  assign end_byte  = wide_t'(span_address_i) + wide_t'(span_last_i);
  assign burst_end = wide_t'(address) + wide_t'(Strobes) * wide_t'(beats); // its last beat
  assign take      = valid && burst_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      skip_q   <= 1'b0;
      next_q   <= '0;
      final_q  <= '0;
    end else if (clear_i) begin
      active_q <= 1'b0;
    end else if (span_ready) begin
      active_q <= span_valid_i;
      skip_q   <= span_skip_i;
      next_q   <= {1'b0, span_address_i[AddressWidth-1:ByteBits], ByteBits'(0)};
      final_q  <= {1'b0, end_byte[AddressWidth-1:ByteBits], ByteBits'(0)};
    end else if (take) begin
      next_q   <= burst_end + wide_t'(Strobes);
    end
  end

  always_comb begin
    if (span_valid_i && !span_skip_i) begin
      assume_in_address_space: assume (!end_byte[AddressWidth]);
    end
    offered_exactly: assert (valid == active_q);
    if (valid) begin
      skip_is_told: assert (skip == skip_q);
      two_bursts: cover (take && last && !skip && beats != '0 && next_q != '0);
    end
    if (valid && skip) begin
      skip_is_one: assert (last);
    end
    if (valid && !skip) begin
      begins_where_due:   assert (wide_t'(address) == next_q);
      stays_inside:       assert (burst_end <= final_q);
      ends_exactly:       assert (last == (burst_end == final_q));
      not_too_long:       assert (32'(beats) < BurstBeats);
      no_page_is_crossed: assert (wide_t'(address) >> 12 == burst_end >> 12);
    end
  end

  // ------------------------------------------------------------ invariants for the induction

  always_comb begin
    if (u_bursts.active_q) begin
      why_active: assert (active_q && u_bursts.skip_q == skip_q);
      if (!skip_q) begin
        why_begin: assert ({1'b0, u_bursts.beat_q, ByteBits'(0)} == next_q);
        why_rest: assert (next_q + (wide_t'(u_bursts.remaining_q) << ByteBits) == final_q &&
                          !final_q[AddressWidth]);
      end else begin
        why_skip: assert (u_bursts.remaining_q == '0);
      end
    end
  end

  logic unused_bytes;
  assign unused_bytes = ^end_byte[ByteBits-1:0];

endmodule
