// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: card_completion writes one entry for each result that it takes, in order, with
// one address and one burst of data, at the place of its number, with its contents; not before
// the output of its message is in memory; and it counts each once. Results that are dropped get
// none.
//
// Assumed: the ring has four entries; its address stays while it is enabled; an enable comes when
// nothing is inside; the memory answers what it was sent; the mover tells of eight outputs at most
// that have no result yet. An arbitrary result is marked as it is taken.
module card_completion_formal
  import card_pkg::*;
#(
  parameter int unsigned DataWidth = 256
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         clear_i,
  input logic [63:0]  base_i,
  input logic         valid_i,
  input result_t      result_i,
  input logic         drop_i,
  input logic         written_i,
  input logic         write_failed_i,
  input logic         aw_ready_i,
  input logic         w_ready_i,
  input logic         b_valid_i,
  input logic         b_error_i,
  input logic         mark_i
);

  localparam int unsigned Log2Entries = 4;
  localparam logic [4:0]  Entries     = 5'd2; // log2: four entries
  localparam int unsigned Beats       = 256 / DataWidth;
  localparam int unsigned Depth       = 4; // results that wait

  logic                   quiet, ready, drained, failed, pulse, notify, error;
  logic                   aw_valid, w_valid, w_last;
  number_t                failed_number, complete;
  logic [31:0]            issued, completed;
  logic [63:0]            aw_address;
  logic [7:0]             aw_beats;
  logic [DataWidth-1:0]   w_data;
  logic [DataWidth/8-1:0] w_strobes;

  card_completion #(
    .DataWidth   (DataWidth),
    .Log2Entries (Log2Entries)
  ) u_dut (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .clear_i           (clear_i),
    .quiet_o           (quiet),
    .base_i            (base_i),
    .log2_i            (Entries),
    .valid_i           (valid_i),
    .ready_o           (ready),
    .result_i          (result_i),
    .drained_o         (drained),
    .drop_i            (drop_i),
    .written_i         (written_i),
    .write_failed_i    (write_failed_i),
    .failed_o          (failed),
    .failed_number_o   (failed_number),
    .complete_o        (complete),
    .issued_o          (issued),
    .completed_o       (completed),
    .completed_pulse_o (pulse),
    .notify_o          (notify),
    .error_o           (error),
    .aw_valid_o        (aw_valid),
    .aw_ready_i        (aw_ready_i),
    .aw_address_o      (aw_address),
    .aw_beats_o        (aw_beats),
    .w_valid_o         (w_valid),
    .w_ready_i         (w_ready_i),
    .w_data_o          (w_data),
    .w_strobes_o       (w_strobes),
    .w_last_o          (w_last),
    .b_valid_i         (b_valid_i),
    .b_error_i         (b_error_i)
  );

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  formal_stream_rules #(
    .Width (72)
  ) u_aw_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (1'b0),
    .valid_i   (aw_valid),
    .ready_i   (aw_ready_i),
    .payload_i ({aw_address, aw_beats})
  );

  formal_stream_rules #(
    .Width (DataWidth + DataWidth / 8 + 1)
  ) u_w_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (1'b0),
    .valid_i   (w_valid),
    .ready_i   (w_ready_i),
    .payload_i ({w_data, w_strobes, w_last})
  );

  // ------------------------------------------------------------ the model

  // Counts that are only compared with each other. They begin equal, differ by less than half
  // of their range and move by one, so what holds of these bits holds of the whole counts.
  typedef logic [5:0] count_t;

  logic              taken, addressed, sent, leaves;
  count_t            taken_q;      // results since the clear that were not dropped
  count_t            addressed_q;  // addresses since the clear
  count_t            sent_q;       // bursts of data
  count_t            answered_q;   // answers
  logic [31:0]       begun_q;      // results whose entry has begun
  logic [31:0]       good_q;       // answers without an error
  logic [7:0]        beat_q;
  logic signed [7:0] debt_q;       // results with an output, less outputs in memory
  logic              marked_q, inside_q; // inside: the marked one waits for its turn
  logic              addressed_one_q, sent_one_q;
  logic [2:0]        ahead_q;      // results before it that wait
  logic signed [7:0] owed_q;       // outputs that must be in memory before its entry
  logic [Entries:0]  index_q;      // its number, up to the phase
  result_t           value_q;
  logic [63:0]       base_q;

  assign taken     = valid_i && ready;
  assign addressed = aw_valid && aw_ready_i;
  assign sent      = w_valid && w_ready_i && w_last;
  assign leaves    = u_dut.queue_taken; // a result begins to be written

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      taken_q         <= '0;
      addressed_q     <= '0;
      sent_q          <= '0;
      answered_q      <= '0;
      begun_q         <= '0;
      good_q          <= '0;
      beat_q          <= '0;
      debt_q          <= '0;
      marked_q        <= 1'b0;
      inside_q        <= 1'b0;
      addressed_one_q <= 1'b0;
      sent_one_q      <= 1'b0;
      ahead_q         <= '0;
      owed_q          <= '0;
      index_q         <= '0;
      value_q         <= '0;
    end else begin
      taken_q     <= drop_i ? addressed_q + count_t'(aw_valid) : taken_q + count_t'(taken);
      addressed_q <= addressed_q + count_t'(addressed);
      sent_q      <= sent_q + count_t'(sent);
      answered_q  <= answered_q + count_t'(b_valid_i);
      begun_q     <= begun_q + 32'(leaves);
      good_q      <= good_q + 32'(b_valid_i && !b_error_i);
      if (w_valid && w_ready_i) begin
        beat_q <= w_last ? '0 : beat_q + 8'd1;
      end
      debt_q <= drop_i ? '0 : debt_q + 8'(taken && result_i.writes) - 8'(written_i);
      if (!marked_q) begin
        marked_q        <= mark_i && taken;
        inside_q        <= 1'b1;
        addressed_one_q <= 1'b0;
        sent_one_q      <= 1'b0;
        ahead_q         <= 3'(u_dut.u_queue.count_q) - 3'(leaves);
        owed_q          <= debt_q + 8'(result_i.writes) - 8'(written_i);
        index_q         <= taken_q[Entries:0];
        value_q         <= result_i;
      end else begin
        if (inside_q) begin
          owed_q   <= owed_q - 8'(written_i);
          ahead_q  <= ahead_q - 3'(leaves);
          inside_q <= !(leaves && ahead_q == '0);
          marked_q <= !drop_i;
        end else begin
          addressed_one_q <= addressed_one_q || addressed;
          sent_one_q      <= sent_one_q || sent;
          marked_q        <= !((addressed_one_q || addressed) && (sent_one_q || sent));
        end
      end
      if (clear_i) begin
        taken_q     <= '0;
        addressed_q <= '0;
        sent_q      <= '0;
        answered_q  <= '0;
        begun_q     <= '0;
        good_q      <= '0;
        debt_q      <= '0;
        marked_q    <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    base_q <= base_i;
  end

  always_comb begin
    assume_geometry: assume (base_i == base_q || clear_i);
    assume_enabled_when_empty: assume (!clear_i || (quiet && drained && !taken && !written_i));
    assume_answers_what_was_sent: assume (!b_valid_i || (answered_q != addressed_q &&
                                                         answered_q != sent_q));
    assume_outputs_ahead: assume (!written_i || debt_q > -8'sd8);
  end

  // ------------------------------------------------------------ properties

  logic [31:0]  place;
  logic [255:0] entry;

  assign place = 32'(index_q[Entries-1:0]);
  assign entry = {value_q.tag, value_q.count, !index_q[$bits(index_q)-1], 11'd0, value_q.status.outcome,
                  value_q.status.error, value_q.status[7:0], value_q.cookie};

  always_comb begin
    // Neither an address nor data without a result, and of each result one.
    addressed_once: assert (taken_q - addressed_q - count_t'(aw_valid) <= count_t'(Depth));
    sent_once:      assert (sent_q + count_t'(w_valid) == addressed_q + count_t'(aw_valid));
    begun_once:     assert (issued == begun_q);
    counted_once:   assert (completed == good_q);
    told_once:      assert (pulse == (b_valid_i && !b_error_i) && error == (b_valid_i && b_error_i));
    quiet_exactly:  assert (quiet == (answered_q == addressed_q && answered_q == sent_q &&
                                      !aw_valid && !w_valid));
    last_is_last:   assert (w_last == (32'(beat_q) == Beats - 1) && 32'(aw_beats) == Beats - 1);
    if (marked_q && !inside_q) begin
      address_once: assert (aw_valid == !addressed_one_q);
      data_once:    assert (w_valid == !sent_one_q);
      output_is_in_memory: assert (!value_q.writes || owed_q <= 8'sd0);
      if (aw_valid) begin
        at_its_place: assert (aw_address == base_i + 64'({place, 5'd0}));
      end
      if (w_valid) begin
        itself: assert (w_data == entry[DataWidth * 32'(beat_q) +: DataWidth] && w_strobes == '1);
      end
      behind_another: cover (index_q == 3'd1 && w_valid && value_q.writes);
    end
    if (failed) begin
      fails_before_its_entry: assert (!drained);
    end
  end

  // ------------------------------------------------------------ invariants for the induction

  function automatic result_t waiting(input logic [1:0] n);
    return u_dut.u_queue.memory[u_dut.u_queue.read_address_q + n];
  endfunction

  function automatic logic has_output(input result_t result);
    logic unused_rest;
    unused_rest = ^result;
    return result.writes;
  endfunction

  // Of the first results that wait, those with an output.
  function automatic logic signed [7:0] outputs(input logic [2:0] count);
    logic signed [7:0] sum;
    sum = '0;
    for (logic [2:0] n = '0; n < 3'(Depth); n++) begin
      if (n < count) begin
        sum = sum + 8'(has_output(waiting(n[1:0])));
      end
    end
    return sum;
  endfunction

  logic inside_marked;
  assign inside_marked = marked_q && inside_q;

  always_comb begin
    why_addresses:  assert (u_dut.u_queue.write_address_q ==
                            u_dut.u_queue.read_address_q + u_dut.u_queue.count_q[1:0]);
    why_count:      assert (32'(u_dut.u_queue.count_q) <= Depth);
    why_taken:      assert (taken_q == count_t'(issued) + count_t'(u_dut.u_queue.count_q));
    why_dropped:    assert (!u_dut.u_queue.u_sweep.run_q ||
                            (u_dut.u_queue.count_q == '0 && !inside_marked));
    why_issued:     assert (count_t'(issued) == addressed_q + count_t'(aw_valid));
    why_beat:       assert (8'(u_dut.beat_q) == beat_q && 32'(beat_q) < Beats && (w_valid || beat_q == '0));
    why_outstanding: assert (count_t'(u_dut.outstanding_q) ==
                             addressed_q + count_t'(aw_valid) - answered_q &&
                             u_dut.outstanding_q <= number_t'(Slots));
    why_answered:   assert (addressed_q - answered_q <= count_t'(Slots) &&
                             sent_q - answered_q <= count_t'(Slots));
    why_debt:       assert (debt_q == outputs(3'(u_dut.u_queue.count_q)) - 8'(u_dut.written_q) &&
                            u_dut.written_q <= number_t'(8) + number_t'(outputs(3'(u_dut.u_queue.count_q))));
    if (inside_marked) begin
      why_inside:   assert (ahead_q < 3'(u_dut.u_queue.count_q));
      why_fresh:    assert (!addressed_one_q && !sent_one_q);
      why_value:    assert (waiting(ahead_q[1:0]) == value_q);
      why_index:    assert (index_q == issued[Entries:0] + ahead_q);
      why_owed:     assert (owed_q == outputs(ahead_q + 3'd1) - 8'(u_dut.written_q));
    end
    if (marked_q && !inside_q) begin
      why_now:      assert (index_q + 3'd1 == issued[Entries:0]);
      why_entry:    assert (!w_valid || u_dut.entry_q == entry >> DataWidth * 32'(beat_q));
      why_one_left: assert (!addressed_one_q || !sent_one_q);
      why_owed_one: assert (owed_q <= 8'sd0 || !value_q.writes);
    end
  end

  logic unused;
  assign unused = ^{failed_number, complete, notify};

endmodule
