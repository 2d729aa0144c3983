// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: prim_skid_buffer gives every word that it accepted, once, in order
// and unchanged, follows the handshake rules, and adds no cycle. Its ready is a
// flip-flop: it is low exactly while a word is stored and in the first cycle after a
// reset.
//
// An arbitrary word is marked as it enters, as in prim_fifo_formal.
module prim_skid_buffer_formal #(
  parameter int unsigned Width = 4
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             valid_i,
  input logic [Width-1:0] data_i,
  input logic             ready_i,
  input logic             mark_i
);

  logic             ready, valid, push, pop;
  logic [Width-1:0] data;

  prim_skid_buffer #(
    .Width (Width)
  ) u_buffer (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
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
    .clear_i   (1'b0),
    .valid_i   (valid),
    .ready_i   (ready_i),
    .payload_i (data)
  );

  assign push = valid_i && ready;
  assign pop  = valid && ready_i;

  logic             stored_q; // a word was accepted and not given
  logic             reset_q;  // the first cycle after a reset
  logic             marked_q; // the word that is stored is the marked one
  logic [Width-1:0] value_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stored_q <= 1'b0;
      reset_q  <= 1'b1;
      marked_q <= 1'b0;
      value_q  <= '0;
    end else begin
      reset_q  <= 1'b0;
      stored_q <= (stored_q || push) && !pop;
      if (push && mark_i) begin
        marked_q <= !pop;
        value_q  <= data_i;
      end else if (pop) begin
        marked_q <= 1'b0;
      end
    end
  end

  always_comb begin
    never_over_full: assert (!(push && stored_q));
    no_clock_added:  assert (valid == (stored_q || push));
    ready_exactly:   assert (ready == (!stored_q && !reset_q));
    if (valid && push) begin
      passes_unchanged: assert (data == data_i);
    end
    if (marked_q) begin
      word_is_itself: assert (valid && data == value_q);
      word_leaves: cover (pop && value_q != '0);
    end
    if (!stored_q) begin
      nothing_left: assert (u_buffer.data_q == '0);
    end
    passes: cover (push && pop);

    // Invariants for the induction.
    why_stored_agrees: assert (u_buffer.full_q == stored_q);
    why_ready_agrees: assert (u_buffer.ready_q == (!stored_q && !reset_q));
    if (marked_q) begin
      why_mark_is_stored: assert (stored_q && u_buffer.data_q == value_q);
    end
  end

endmodule
