// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: every beat that dma_read has requested finds room and leaves on the
// stream once, in order and unchanged, or is dropped by a clear. Memory bus and stream
// are both 32 bits wide, so that beats are not converted; the proofs of dma_funnel and
// prim_stream_resize cover other widths.
//
// Assumed, as dma_control and dma_read_port guarantee: nothing is requested in a halt, a
// halt lasts until the FIFOs are swept, and a clear comes in a halt when no beat is
// outstanding.
module dma_read_formal
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
  input logic        burst_ready_i,
  input logic        data_valid_i,
  input logic [31:0] data_i,
  input logic        data_error_i,
  input logic        m_axis_tready_i,
  input logic        mark_i
);

  logic        sweeping, pending, ready, done, read_error, burst_valid, tlast, tvalid, claim, give;
  logic [31:0] burst_address, tdata, keep;
  logic [7:0]  burst_beats;
  logic [3:0]  tkeep;

  dma_read #(
    .DataWidth   (32),
    .StreamWidth (32),
    .BurstBeats  (BurstBeats),
    .FifoBeats   (FifoBeats)
  ) u_read (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .halt_i          (halt_i),
    .clear_i         (clear_i),
    .sweeping_o      (sweeping),
    .pending_o       (pending),
    .valid_i         (valid_i && ready),
    .ready_o         (ready),
    .skip_i          (skip_i),
    .address_i       (address_i),
    .last_i          (last_i),
    .message_end_i   (message_end_i),
    .done_o          (done),
    .read_error_o    (read_error),
    .burst_valid_o   (burst_valid),
    .burst_ready_i   (burst_ready_i),
    .burst_address_o (burst_address),
    .burst_beats_o   (burst_beats),
    .data_valid_i    (data_valid_i),
    .data_i          (data_i),
    .data_error_i    (data_error_i),
    .m_axis_tdata_o  (tdata),
    .m_axis_tkeep_o  (tkeep),
    .m_axis_tlast_o  (tlast),
    .m_axis_tvalid_o (tvalid),
    .m_axis_tready_i (m_axis_tready_i)
  );

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  formal_stream_rules #(
    .Width (37)
  ) u_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (halt_i || clear_i),
    .valid_i   (tvalid),
    .ready_i   (m_axis_tready_i),
    .payload_i ({tlast, tkeep, tdata})
  );

  assign keep  = {{8{tkeep[3]}}, {8{tkeep[2]}}, {8{tkeep[1]}}, {8{tkeep[0]}}};
  assign claim = burst_valid && burst_ready_i;
  assign give  = tvalid && m_axis_tready_i;

  // ------------------------------------------------------------ the model

  logic [5:0]  outstanding_q; // beats that were requested and have not come
  logic [5:0]  inside_q;      // beats that have come and not left
  logic [5:0]  ahead_q;       // of these, the beats before the marked one
  logic        marked_q, error_q;
  logic [31:0] value_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      outstanding_q <= '0;
      inside_q      <= '0;
      ahead_q       <= '0;
      marked_q      <= 1'b0;
      error_q       <= 1'b0;
      value_q       <= '0;
    end else if (clear_i) begin
      inside_q <= '0;
      ahead_q  <= '0;
      marked_q <= 1'b0;
      error_q  <= 1'b0;
    end else begin
      outstanding_q <= outstanding_q + (claim ? 6'(burst_beats) + 6'd1 : 6'd0) -
                       6'(data_valid_i);
      inside_q      <= inside_q + 6'(data_valid_i) - 6'(give);
      if (data_valid_i && mark_i && !marked_q) begin
        marked_q <= 1'b1;
        ahead_q  <= inside_q - 6'(give);
        value_q  <= data_i;
        error_q  <= data_error_i;
      end else if (give && marked_q) begin
        marked_q <= ahead_q != '0;
        ahead_q  <= ahead_q - 6'd1;
      end
    end
  end

  always_comb begin
    assume_halt_asks_nothing: assume (!halt_i || (!valid_i && !burst_ready_i));
    assume_halt_until_swept:  assume (halt_i || !(sweeping || clear_i));
    assume_clear_is_quiet:    assume (!clear_i || (halt_i && outstanding_q == '0 && !data_valid_i));
    assume_only_asked_for:    assume (!data_valid_i || outstanding_q != '0);
  end

  // ------------------------------------------------------------ properties

  always_comb begin
    if (rst_ni && data_valid_i) begin
      finds_room: assert (u_read.u_fifo.ready_o);
    end
    if (give) begin
      something_inside: assert (inside_q != '0);
    end
    if (give && marked_q && ahead_q == '0) begin
      beat_is_itself: assert (!error_q);
      value_is_itself: assert (tdata == (value_q & keep));
      beat_leaves: cover (value_q != '0 && tkeep != '1);
    end
    was_full: cover (32'(inside_q) == FifoBeats);
  end

  // ------------------------------------------------------------ invariants for the induction

  localparam int unsigned AddressWidth = $clog2(FifoBeats);

  // The address in the FIFO of the beat with n beats before it.
  function automatic logic [AddressWidth-1:0] place(input logic [AddressWidth-1:0] n);
    return u_read.u_fifo.read_address_q + n;
  endfunction

  always_comb begin
    why_inside: assert (6'(u_read.u_fifo.count_q) == inside_q);
    why_room:   assert (6'(u_read.room_q) + outstanding_q + inside_q == 6'(FifoBeats));
    why_bounds: assert (outstanding_q <= 6'(FifoBeats) && inside_q <= 6'(FifoBeats));
    why_write_follows:  assert (u_read.u_fifo.write_address_q == place(AddressWidth'(inside_q)));
    why_swept_is_empty: assert (!u_read.u_fifo.u_sweep.run_q ||
                                (inside_q == '0 && outstanding_q == '0));
    why_jobs_follow:    assert (u_read.u_jobs.write_address_q ==
                                3'(32'(u_read.u_jobs.read_address_q) +
                                   32'(u_read.u_jobs.count_q)));
    why_jobs_in_range:  assert (32'(u_read.u_jobs.count_q) <= Descriptors);
    if (marked_q) begin
      why_mark_is_inside: assert (ahead_q < inside_q);
      why_mark_is_stored: assert (u_read.u_fifo.memory[place(AddressWidth'(ahead_q))] ==
                                  {error_q, value_q});
    end
  end

  logic unused_outputs;
  assign unused_outputs = ^{pending, done, read_error, burst_address, burst_beats};

endmodule
