// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: every well-formed beat that dma_write takes from the stream leaves on the
// memory bus once, in order and unchanged, or is dropped by a clear. Each burst is
// requested once, has exactly its beats, with WLAST on the last one only, and never
// waits for one of them. Memory bus and stream are both 32 bits wide, so that beats are
// not converted; the proofs of dma_funnel and prim_stream_resize cover other widths.
//
// Assumed, as dma_control guarantees: no transfer comes in a halt, a halt lasts until the
// FIFOs are swept, and a clear comes in a halt when nothing is outstanding. The memory
// answers a burst after its request and its last beat.
module dma_write_formal
  import dma_pkg::*;
#(
  parameter int unsigned FifoBeats = 4, // a power of two
  localparam int unsigned BurstBeats = 2
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        halt_i,
  input logic        clear_i,
  input logic        valid_i,
  input logic [31:0] address_i,
  input logic        skip_i,
  input logic        message_end_i,
  input logic [31:0] last_i,
  input logic [31:0] s_axis_tdata_i,
  input logic [3:0]  s_axis_tkeep_i,
  input logic        s_axis_tlast_i,
  input logic        s_axis_tvalid_i,
  input logic        m_axi_awready_i,
  input logic        m_axi_wready_i,
  input logic [1:0]  m_axi_bresp_i,
  input logic        m_axi_bvalid_i,
  input logic        mark_i,
  input logic        mark_burst_i
);

  logic        quiet, sweeping, pending, ready, done, write_error, write_failed, framing_error;
  logic        tready, awvalid, wvalid, wlast, bready;
  logic [31:0] awaddr, wdata;
  logic [7:0]  awlen;
  logic [3:0]  wstrb;

  dma_write #(
    .DataWidth   (32),
    .StreamWidth (32),
    .BurstBeats  (BurstBeats),
    .FifoBeats   (FifoBeats)
  ) u_write (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .halt_i          (halt_i),
    .clear_i         (clear_i),
    .quiet_o         (quiet),
    .sweeping_o      (sweeping),
    .pending_o       (pending),
    .valid_i         (valid_i && ready),
    .ready_o         (ready),
    .skip_i          (skip_i),
    .address_i       (address_i),
    .last_i          (last_i),
    .message_end_i   (message_end_i),
    .done_o          (done),
    .write_error_o   (write_error),
    .write_failed_o  (write_failed),
    .framing_error_o (framing_error),
    .s_axis_tdata_i  (s_axis_tdata_i),
    .s_axis_tkeep_i  (s_axis_tkeep_i),
    .s_axis_tlast_i  (s_axis_tlast_i),
    .s_axis_tvalid_i (s_axis_tvalid_i),
    .s_axis_tready_o (tready),
    .m_axi_awaddr_o  (awaddr),
    .m_axi_awlen_o   (awlen),
    .m_axi_awvalid_o (awvalid),
    .m_axi_awready_i (m_axi_awready_i),
    .m_axi_wdata_o   (wdata),
    .m_axi_wstrb_o   (wstrb),
    .m_axi_wlast_o   (wlast),
    .m_axi_wvalid_o  (wvalid),
    .m_axi_wready_i  (m_axi_wready_i),
    .m_axi_bresp_i   (m_axi_bresp_i),
    .m_axi_bvalid_i  (m_axi_bvalid_i),
    .m_axi_bready_o  (bready)
  );

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  formal_stream_rules #(
    .Width (40)
  ) u_requests (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (1'b0),
    .valid_i   (awvalid),
    .ready_i   (m_axi_awready_i),
    .payload_i ({awaddr, awlen})
  );

  formal_stream_rules #(
    .Width (37)
  ) u_data (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (1'b0),
    .valid_i   (wvalid),
    .ready_i   (m_axi_wready_i),
    .payload_i ({wlast, wstrb, wdata})
  );

  // ------------------------------------------------------------ the model

  logic        take, give, issue, answer;
  logic [5:0]  inside_q;      // beats taken that have not left
  logic [5:0]  ahead_q;       // of these, the beats before the marked one
  logic        marked_q;
  logic [31:0] value_q;

  logic [39:0] asked_q;       // address and length of the newest burst
  logic        asking_q;      // the memory has not taken its request
  logic [3:0]  to_send_q;     // bursts whose last beat has not left
  logic [3:0]  outstanding_q; // bursts that were not answered
  logic [7:0]  beat_q;        // number of the next beat in its burst
  logic        burst_marked_q;
  logic [3:0]  bursts_ahead_q;
  logic [7:0]  length_q;      // of the marked burst, in beats minus one

  assign take   = s_axis_tvalid_i && tready && !u_write.malformed;
  assign give   = wvalid && m_axi_wready_i;
  assign issue  = u_write.issue && !u_write.burst_skip;
  assign answer = m_axi_bvalid_i && bready;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= '0;
      ahead_q  <= '0;
      marked_q <= 1'b0;
      value_q  <= '0;
    end else if (clear_i) begin
      inside_q <= '0;
      ahead_q  <= '0;
      marked_q <= 1'b0;
    end else begin
      inside_q <= inside_q + 6'(take) - 6'(give);
      if (take && mark_i && !marked_q) begin
        marked_q <= 1'b1;
        ahead_q  <= inside_q - 6'(give);
        value_q  <= s_axis_tdata_i;
      end else if (give && marked_q) begin
        marked_q <= ahead_q != '0;
        ahead_q  <= ahead_q - 6'd1;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asked_q        <= '0;
      asking_q       <= 1'b0;
      to_send_q      <= '0;
      outstanding_q  <= '0;
      beat_q         <= '0;
      burst_marked_q <= 1'b0;
      bursts_ahead_q <= '0;
      length_q       <= '0;
    end else begin
      asking_q      <= issue || (asking_q && !m_axi_awready_i);
      to_send_q     <= to_send_q + 4'(issue) - 4'(give && wlast);
      outstanding_q <= outstanding_q + 4'(issue) - 4'(answer);
      if (issue) begin
        asked_q <= {u_write.burst_address, u_write.burst_beats};
      end
      if (give) begin
        beat_q <= wlast ? '0 : beat_q + 1'b1;
      end
      if (issue && mark_burst_i && !burst_marked_q) begin
        burst_marked_q <= 1'b1;
        bursts_ahead_q <= to_send_q - 4'(give && wlast);
        length_q       <= u_write.burst_beats;
      end else if (give && wlast && burst_marked_q) begin
        burst_marked_q <= bursts_ahead_q != '0;
        bursts_ahead_q <= bursts_ahead_q - 4'd1;
      end
    end
  end

  always_comb begin
    assume_halt_takes_nothing: assume (!halt_i || !valid_i);
    assume_halt_until_swept:   assume (halt_i || !(sweeping || clear_i));
    assume_clear_is_quiet:     assume (!clear_i || (halt_i && outstanding_q == '0));
    assume_answers_what_ended: assume (!m_axi_bvalid_i || (outstanding_q > to_send_q &&
                                                           outstanding_q > 4'(asking_q)));
  end

  // ------------------------------------------------------------ properties

  always_comb begin
    if (give) begin
      something_inside: assert (inside_q != '0 && to_send_q != '0);
    end
    if (give && marked_q && ahead_q == '0) begin
      beat_is_itself: assert (wdata == value_q);
    end
    asked_exactly: assert (awvalid == asking_q);
    if (awvalid) begin
      asked_itself: assert ({awaddr, awlen} == asked_q);
    end
    if (issue) begin
      none_overwritten: assert (!asking_q || m_axi_awready_i);
      not_in_a_halt:    assert (!halt_i);
    end
    if (to_send_q != '0) begin
      never_waits: assert (wvalid);
    end
    if (wvalid && burst_marked_q && bursts_ahead_q == '0) begin
      last_is_last: assert (wlast == (beat_q == length_q));
      burst_leaves: cover (give && wlast);
    end
    eight_at_most: assert (outstanding_q <= 4'd8);
    quiet_is_quiet: assert (!quiet || (outstanding_q == '0 && to_send_q == '0 && !asking_q));
  end

  // ------------------------------------------------------------ invariants for the induction

  localparam int unsigned AddressWidth = $clog2(FifoBeats);

  // The address in the FIFO of the beat with n beats before it.
  function automatic logic [AddressWidth-1:0] place(input logic [AddressWidth-1:0] n);
    return u_write.u_fifo.read_address_q + n;
  endfunction

  // Beats of the bursts that have not left, and bursts that were not answered.
  logic [5:0]  claimed;
  logic [3:0]  unanswered;
  logic [7:0]  length;
  logic        longer; // a burst exceeds the FIFO
  logic        skip;
  logic [7:0]  unused_last;

  always_comb begin
    claimed     = '0;
    unused_last = '0;
    longer  = 1'b0;
    length  = '0;
    for (int unsigned n = 0; n < 4; n++) begin
      if (n < 32'(u_write.u_port.u_lengths.count_q)) begin
        length  = u_write.u_port.u_lengths.memory[
            2'(32'(u_write.u_port.u_lengths.read_address_q) + n)];
        claimed = claimed + 6'(length) + 6'd1;
        longer  = longer || 32'(length) >= FifoBeats;
      end
    end
    unanswered  = '0;
    skip        = 1'b0;
    for (int unsigned n = 0; n < 8; n++) begin
      if (n < 32'(u_write.u_port.u_retire.count_q)) begin
        {skip, unused_last[n]} = u_write.u_port.u_retire.memory[
            3'(32'(u_write.u_port.u_retire.read_address_q) + n)];
        unanswered = unanswered + 4'(!skip);
      end
    end
  end

  always_comb begin
    why_inside:        assert (6'(u_write.u_fifo.count_q) == inside_q);
    why_gathered:      assert (6'(u_write.gathered_q) + claimed == inside_q + 6'(beat_q));
    why_bounds:        assert (32'(inside_q) <= FifoBeats && !longer);
    why_beat:          assert (u_write.u_port.beat_q == beat_q);
    why_beat_in_burst: assert (beat_q <= (u_write.u_port.length_valid ? u_write.u_port.length
                                                                      : 8'd0));
    why_write_follows: assert (u_write.u_fifo.write_address_q == place(AddressWidth'(inside_q)));
    why_to_send:       assert (u_write.u_port.u_lengths.count_q == 3'(to_send_q) &&
                               to_send_q <= 4'd4);
    why_lengths_follow: assert (u_write.u_port.u_lengths.write_address_q ==
                                2'(u_write.u_port.u_lengths.read_address_q + 2'(to_send_q)));
    why_retire_follow: assert (u_write.u_port.u_retire.write_address_q ==
                               3'(u_write.u_port.u_retire.read_address_q +
                                  3'(u_write.u_port.u_retire.count_q)));
    why_retire_bounds: assert (u_write.u_port.u_retire.count_q <= 4'd8);
    why_outstanding:   assert (unanswered == outstanding_q);
    why_order:         assert (to_send_q <= outstanding_q && 4'(asking_q) <= outstanding_q);
    if (u_write.u_fifo.u_sweep.run_q) begin
      why_swept_is_empty: assert (inside_q == '0);
    end
    if (u_write.u_fifo.u_sweep.run_q || u_write.u_port.u_lengths.u_sweep.run_q ||
        u_write.u_port.u_retire.u_sweep.run_q) begin
      why_swept_is_quiet: assert (outstanding_q == '0);
    end
    if (marked_q) begin
      why_mark_is_inside: assert (ahead_q < inside_q);
      why_mark_is_stored: assert (u_write.u_fifo.memory[place(AddressWidth'(ahead_q))][31:0] ==
                                  value_q);
    end
    if (burst_marked_q) begin
      why_burst_is_inside: assert (bursts_ahead_q < to_send_q);
      why_length_is_stored: assert (u_write.u_port.u_lengths.memory[
          2'(u_write.u_port.u_lengths.read_address_q + 2'(bursts_ahead_q))] == length_q);
    end
  end

  logic unused_outputs;
  assign unused_outputs = ^{pending, done, write_error, write_failed, framing_error};

endmodule
