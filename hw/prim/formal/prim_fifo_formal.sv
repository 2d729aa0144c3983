// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: prim_fifo gives every word that it accepted, once, in order and
// unchanged; it is full with Depth words and empty with none; and after the sweep of a
// clear or a reset, every word of its memory is zero.
//
// An arbitrary word is marked as it enters: it must leave after exactly as many words as
// the FIFO held then, with the value that it had. Since the choice of the word is free,
// the proof holds for every word.
module prim_fifo_formal #(
  parameter int unsigned Width = 4,
  parameter int unsigned Depth = 4,
  parameter int unsigned BlockRam = 0
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             clear_i,
  input logic             valid_i,
  input logic [Width-1:0] data_i,
  input logic             ready_i,
  input logic             mark_i
);

  localparam int unsigned AddressWidth = $clog2(Depth);

  logic             busy, ready, valid, push, pop, blocked;
  logic [Width-1:0] data;

  prim_fifo #(
    .Width    (Width),
    .Depth    (Depth),
    .BlockRam (BlockRam)
  ) u_fifo (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .busy_o  (busy),
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
    .clear_i   (blocked),
    .valid_i   (valid),
    .ready_i   (ready_i),
    .payload_i (data)
  );

  assign blocked = busy || clear_i;
  assign push    = valid_i && ready;
  assign pop     = valid && ready_i;

  // ------------------------------------------------------------ the model

  int unsigned      count_q;  // words accepted and not yet given
  int unsigned      older_q;  // of these, the words accepted before the last cycle
  int unsigned      ahead_q;  // of these, the words before the marked one
  logic             marked_q; // the marked word is inside
  logic             unused_q; // nothing was accepted since the last sweep
  logic [Width-1:0] value_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q  <= 0;
      older_q  <= 0;
      ahead_q  <= 0;
      marked_q <= 1'b0;
      unused_q <= 1'b1;
      value_q  <= '0;
    end else if (blocked) begin
      count_q  <= 0;
      older_q  <= 0;
      ahead_q  <= 0;
      marked_q <= 1'b0;
      unused_q <= 1'b1;
    end else begin
      count_q  <= count_q + 32'(push) - 32'(pop);
      older_q  <= count_q - 32'(pop);
      unused_q <= unused_q && !push;
      if (push && mark_i && !marked_q) begin
        marked_q <= 1'b1;
        ahead_q  <= count_q - 32'(pop);
        value_q  <= data_i;
      end else if (pop && marked_q) begin
        marked_q <= ahead_q != 0;
        ahead_q  <= ahead_q - 1;
      end
    end
  end

  // An arbitrary address that does not change.
  logic [AddressWidth-1:0] any_q;

  always_ff @(posedge clk_i) begin
    any_q <= any_q;
  end

  // ------------------------------------------------------------ properties

  always_comb begin
    // From block RAM a word comes one cycle later.
    empty_exactly: assert (valid == (!blocked && ((BlockRam == 0) ? count_q : older_q) != 0));
    full_exactly:  assert (ready == (!blocked && count_q != Depth));
    if (valid && marked_q && ahead_q == 0) begin
      word_is_itself: assert (data == value_q);
      word_leaves: cover (pop && value_q != '0);
    end
    if (!valid) begin
      quiet_when_empty: assert (data == '0);
    end
    if (rst_ni && !blocked && unused_q && 32'(any_q) < Depth) begin
      swept: assert (u_fifo.memory[any_q] == '0);
    end
    was_full: cover (count_q == Depth);
  end

  // The read register of the block RAM: empty after a sweep, and otherwise the oldest word.
  if (BlockRam == 1) begin : gen_block_ram
    always_comb begin
      if (rst_ni && !blocked && unused_q) begin
        nothing_left: assert (u_fifo.gen_block_ram.word_q == '0);
      end
      if (rst_ni && unused_q && !(u_fifo.u_sweep.run_q && u_fifo.u_sweep.address_q == '0)) begin
        why_left_before: assert (u_fifo.gen_block_ram.word_q == '0);
      end
      if (unused_q) begin
        why_nothing_inside: assert (count_q == 0 && older_q == 0);
      end
      if (rst_ni && !blocked) begin
        why_valid_agrees: assert (u_fifo.gen_block_ram.valid_q == (older_q != 0));
      end
      if (u_fifo.gen_block_ram.valid_q && rst_ni && !blocked) begin
        why_oldest_word: assert (u_fifo.gen_block_ram.word_q ==
                                 u_fifo.memory[u_fifo.read_address_q]);
      end
    end
  end

  // ------------------------------------------------------------ invariants for the induction

  // The address of the word with n words before it.
  function automatic int unsigned place(input int unsigned n);
    int unsigned sum;
    sum = 32'(u_fifo.read_address_q) + n;
    return (sum >= Depth) ? sum - Depth : sum;
  endfunction

  always_comb begin
    why_count_agrees:    assert (32'(u_fifo.count_q) == count_q);
    why_count_in_range:  assert (count_q <= Depth);
    why_older_in_range:  assert (older_q <= count_q && count_q - older_q <= 1);
    why_read_in_range:   assert (32'(u_fifo.read_address_q) < Depth);
    why_write_in_range:  assert (32'(u_fifo.write_address_q) < Depth);
    why_write_follows:   assert (32'(u_fifo.write_address_q) == place(count_q));
    if (marked_q) begin
      why_mark_is_inside: assert (ahead_q < count_q);
      why_mark_is_stored: assert (u_fifo.memory[AddressWidth'(place(ahead_q))] == value_q);
    end
    if (u_fifo.u_sweep.run_q) begin
      why_sweep_in_range: assert (32'(u_fifo.u_sweep.address_q) < Depth);
      why_nothing_while_sweeping: assert (count_q == 0 && unused_q);
      if (any_q < u_fifo.u_sweep.address_q) begin
        why_swept_so_far: assert (u_fifo.memory[any_q] == '0);
      end
    end else if (unused_q && 32'(any_q) < Depth && rst_ni) begin
      why_swept_still: assert (u_fifo.memory[any_q] == '0 || (clear_i && !u_fifo.u_sweep.start_q));
    end
  end

endmodule
