// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: the slices of a span hold each of its bytes once. The first begins where the
// span does, every other one in lane 0; all but the last reach the end of their part, and the
// last ends with the span's last byte.
//
// Assumed: a span holds until its last slice is taken.
module dma_slices_formal #(
  parameter int unsigned PartBytes = 8,
  localparam int unsigned PartBits = $clog2(PartBytes)
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                clear_i,
  input logic [PartBits-1:0] start_i,
  input logic [31:0]         last_i,
  input logic                take_i
);

  logic [PartBits-1:0] low, high;
  logic                first, last;

  dma_slices #(
    .PartBytes (PartBytes)
  ) u_slices (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .start_i (start_i),
    .last_i  (last_i),
    .take_i  (take_i),
    .low_o   (low),
    .high_o  (high),
    .first_o (first),
    .last_o  (last)
  );

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  // ------------------------------------------------------------ the model

  logic        within_q; // a slice was taken, and not the last one
  logic [32:0] rest_q;   // bytes that no slice has had
  logic [32:0] rest, size;

  assign rest = within_q ? rest_q : {1'b0, last_i} + 33'd1;
  assign size = 33'(high) - 33'(low) + 33'd1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      within_q <= 1'b0;
      rest_q   <= '0;
    end else if (clear_i) begin
      within_q <= 1'b0;
    end else if (take_i) begin
      within_q <= !last;
      rest_q   <= rest - size;
    end
  end

  formal_stream_rules #(
    .Width  (32 + PartBits),
    .Assume (1'b1)
  ) u_span (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (clear_i),
    .valid_i   (1'b1),
    .ready_i   (take_i && last),
    .payload_i ({last_i, start_i})
  );

  // ------------------------------------------------------------ properties

  always_comb begin
    first_is_first: assert (first == !within_q);
    if (!clear_i) begin
      begins_where_due: assert (low == (within_q ? PartBits'(0) : start_i));
      has_bytes:        assert (low <= high && size <= rest);
      last_is_last:     assert (last == (size == rest));
      reaches_its_end:  assert (last || (&high));
      three_slices: cover (take_i && last && u_slices.count_q == 2 && !(&high));
    end
  end

  // ------------------------------------------------------------ invariants for the induction

  always_comb begin
    why_within: assert (within_q == (u_slices.count_q != '0));
    if (within_q && !clear_i) begin
      why_rest: assert (rest_q + (33'(u_slices.count_q) << PartBits) ==
                        {1'b0, last_i} + 33'd1 + 33'(start_i) && rest_q != '0 &&
                        rest_q <= {1'b0, last_i} + 33'd1);
    end
  end

endmodule
