// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: prim_fifo_async gives every word that it accepted, once, in order and
// unchanged, for any two clocks. Both clocks are free inputs that may rise at any time,
// together or apart, any number of times in a row.
//
// A flip-flop samples the value before the edge. A synchroniser may also sample the new
// value of the one bit of a Gray code that is changing; that is the same as an edge of
// its clock slightly later, which free clocks include. Clears are not covered:
// accel_streams coordinates them.
module prim_fifo_async_formal #(
  parameter int unsigned Width = 2,
  parameter int unsigned Depth = 4,
  parameter int unsigned SyncStages = 2,
  parameter int unsigned BlockRam = 0
) (
  input logic             write_clk_i,
  input logic             read_clk_i,
  input logic             rst_ni,
  input logic             valid_i,
  input logic [Width-1:0] data_i,
  input logic             ready_i,
  input logic             mark_i
);

  localparam int unsigned AddressWidth = $clog2(Depth);

  typedef logic [AddressWidth:0] pointer_t;

  logic             busy, ready, valid;
  logic [Width-1:0] data;

  prim_fifo_async #(
    .Width      (Width),
    .Depth      (Depth),
    .SyncStages (SyncStages),
    .BlockRam   (BlockRam)
  ) u_fifo (
    .write_clk_i   (write_clk_i),
    .write_rst_ni  (rst_ni),
    .write_clear_i (1'b0),
    .write_busy_o  (busy),
    .write_valid_i (valid_i),
    .write_ready_o (ready),
    .write_data_i  (data_i),
    .read_clk_i    (read_clk_i),
    .read_rst_ni   (rst_ni),
    .read_clear_i  (1'b0),
    .read_valid_o  (valid),
    .read_ready_i  (ready_i),
    .read_data_o   (data)
  );

  formal_reset u_reset (
    .clk_i  (write_clk_i),
    .rst_ni (rst_ni)
  );

  // ------------------------------------------------------------ the model

  // Words accepted and words given, modulo twice the depth.
  pointer_t         accepted_q, given_q;
  logic             marked_q; // a word was marked
  pointer_t         place_q;  // number of words accepted before it
  logic [Width-1:0] value_q;

  always_ff @(posedge write_clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      accepted_q <= '0;
      marked_q   <= 1'b0;
      place_q    <= '0;
      value_q    <= '0;
    end else if (valid_i && ready) begin
      accepted_q <= accepted_q + 1'b1;
      if (mark_i && !marked_q) begin
        marked_q <= 1'b1;
        place_q  <= accepted_q;
        value_q  <= data_i;
      end
    end
  end

  // The marked word has left; place_q may then come again for another one.
  logic left_q;

  always_ff @(posedge read_clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      given_q <= '0;
      left_q  <= 1'b0;
    end else if (valid && ready_i) begin
      given_q <= given_q + 1'b1;
      left_q  <= left_q || (marked_q && given_q == place_q);
    end
  end

  always_comb begin
    if (valid && marked_q && !left_q && given_q == place_q) begin
      word_is_itself: assert (data == value_q);
      word_leaves: cover (ready_i && value_q != '0);
    end
    if (valid) begin
      never_invented: assert (accepted_q != given_q);
    end else begin
      quiet_when_empty: assert (data == '0);
    end
    never_over_full: assert (32'(pointer_t'(accepted_q - given_q)) <= Depth);
    if (ready) begin
      room_for_it: assert (32'(pointer_t'(accepted_q - given_q)) < Depth);
    end
    was_full: cover (rst_ni && !busy && !ready);
  end

  // ------------------------------------------------------------ invariants for the induction

  function automatic pointer_t binary(input pointer_t gray);
    pointer_t result;
    result = gray;
    for (int unsigned n = 1; n <= AddressWidth; n++) begin
      result = result ^ (gray >> n);
    end
    return result;
  endfunction

  // The pointer of each side in the flip-flops of the other side's synchroniser, from the first
  // to the last; with two stages, the one between is the first one.
  pointer_t read_1, read_between, read_2, write_1, write_between, write_2;
  assign read_1  = binary(u_fifo.u_read_gray.meta_q);
  assign read_2  = binary(u_fifo.u_read_gray.data_q);
  assign write_1 = binary(u_fifo.u_write_gray.meta_q);
  assign write_2 = binary(u_fifo.u_write_gray.data_q);

  if (SyncStages == 2) begin : gen_two
    assign read_between  = read_1;
    assign write_between = write_1;
  end else begin : gen_three
    assign read_between  = binary(u_fifo.u_read_gray.gen_more.middle_q);
    assign write_between = binary(u_fifo.u_write_gray.gen_more.middle_q);
  end

  if (BlockRam == 1) begin : gen_block_ram
    always_comb begin
      if (u_fifo.gen_block_ram.wipe_q) begin
        why_wiped_first: assert (!u_fifo.gen_block_ram.valid_q && given_q == '0);
      end
      if (u_fifo.gen_block_ram.valid_q) begin
        why_oldest_word: assert (write_2 != given_q && u_fifo.gen_block_ram.word_q ==
                                 u_fifo.memory[given_q[AddressWidth-1:0]]);
      end
    end
  end

  always_comb begin
    why_accepted_agrees: assert (u_fifo.write_q == accepted_q);
    why_given_agrees:    assert (u_fifo.read_q == given_q);
    why_write_gray:      assert (binary(u_fifo.write_gray_q) == accepted_q);
    why_read_gray:       assert (binary(u_fifo.read_gray_q) == given_q);
    // Around the circle of pointer values, none overtakes the next: the read pointer as the
    // writer sees it, its next values in the synchroniser, the read pointer itself, the write
    // pointer as the reader sees it, and so on.
    why_in_order: assert (32'(pointer_t'(read_between - read_2)) +
                          32'(pointer_t'(read_1 - read_between)) +
                          32'(pointer_t'(given_q - read_1)) +
                          32'(pointer_t'(write_2 - given_q)) +
                          32'(pointer_t'(write_between - write_2)) +
                          32'(pointer_t'(write_1 - write_between)) +
                          32'(pointer_t'(accepted_q - write_1)) <= Depth);
    if (marked_q && !left_q) begin
      why_mark_is_inside: assert (pointer_t'(place_q - given_q) < pointer_t'(accepted_q - given_q));
      why_mark_is_stored: assert (u_fifo.memory[place_q[AddressWidth-1:0]] == value_q);
    end
    if (left_q) begin
      why_left_was_marked: assert (marked_q);
    end
    if (busy) begin
      why_empty_while_sweeping: assert (accepted_q == '0 && !marked_q);
      why_nothing_came_yet: assert (given_q == '0 && write_1 == '0 && write_between == '0 &&
                                    write_2 == '0);
    end
  end

endmodule
