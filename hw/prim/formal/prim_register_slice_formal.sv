// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: prim_register_slice gives every word that it accepted, once, in
// order and unchanged, keeps the handshake rules, leaves no word behind after a
// clear, and its ready does not depend on the ready of its output.
//
// One word, any, is marked as it enters, as in prim_fifo_formal.
module prim_register_slice_formal #(
  parameter int unsigned Width = 4
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             clear_i,
  input logic             valid_i,
  input logic [Width-1:0] data_i,
  input logic             ready_i,
  input logic             mark_i
);

  logic             ready, valid, push, pop;
  logic [Width-1:0] data;

  prim_register_slice #(
    .Width (Width)
  ) u_slice (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .valid_i (valid_i),
    .ready_o (ready),
    .data_i  (data_i),
    .valid_o (valid),
    .ready_i (ready_i),
    .data_o  (data)
  );

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  formal_stream_rules #(
    .Width (Width)
  ) u_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (clear_i),
    .valid_i   (valid),
    .ready_i   (ready_i),
    .payload_i (data)
  );

  assign push = valid_i && ready;
  assign pop  = valid && ready_i;

  logic [1:0]       count_q; // words accepted and not yet given
  logic             marked_q, behind_q;
  logic             cleared_q;
  logic [Width-1:0] value_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q   <= '0;
      marked_q  <= 1'b0;
      behind_q  <= 1'b0;
      value_q   <= '0;
      cleared_q <= 1'b1;
    end else begin
      cleared_q <= clear_i;
      if (clear_i) begin
        count_q  <= '0;
        marked_q <= 1'b0;
      end else begin
        count_q <= count_q + 2'(push) - 2'(pop);
        if (push && mark_i && !marked_q) begin
          marked_q <= 1'b1;
          behind_q <= count_q != 2'(pop);
          value_q  <= data_i;
        end else if (pop && marked_q) begin
          marked_q <= behind_q;
          behind_q <= 1'b0;
        end
      end
    end
  end

  always_comb begin
    empty_exactly: assert (valid == (count_q != '0));
    full_exactly:  assert (ready == (count_q != 2'd2 && !cleared_q));
    if (valid && marked_q && !behind_q) begin
      word_is_itself: assert (data == value_q);
      word_leaves: cover (pop && value_q != '0);
    end
    if (cleared_q) begin
      nothing_left: assert (u_slice.data_q == '0 && u_slice.spare_q == '0);
    end
    was_full: cover (count_q == 2'd2);

    // Why it holds.
    why_count_agrees: assert (count_q == 2'(u_slice.valid_q) + 2'(u_slice.spare_valid_q));
    why_count_in_range: assert (count_q <= 2'd2 && (u_slice.valid_q || !u_slice.spare_valid_q));
    why_open_agrees: assert (u_slice.open_q == !cleared_q);
    if (cleared_q) begin
      why_empty_after: assert (count_q == '0);
    end
    if (marked_q) begin
      why_mark_is_inside: assert (behind_q ? count_q == 2'd2 : count_q != '0);
      why_mark_is_stored: assert ((behind_q ? u_slice.spare_q : u_slice.data_q) == value_q);
    end
  end

endmodule
