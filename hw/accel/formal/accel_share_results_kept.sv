// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: the results of one channel of a shared core; channel and core are free.
// There is a place for every result, whenever the channel takes results, if the core
// gives no more results than it got blocks. Every offered result came from the core, and
// data are zero while no result is offered.
module accel_share_results_kept #(
  localparam int unsigned Places = 2
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         clear_i,
  input logic         issue_i,
  input logic         result_valid_i,
  input logic [127:0] result_i,
  input logic         ready_i
);

  logic         busy, room, working, idle, valid;
  logic [127:0] block;
  logic [3:0]   working_count, waiting_count, fifo_count;

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  accel_share_results #(
    .Places (Places)
  ) u_results (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .clear_i        (clear_i),
    .busy_o         (busy),
    .issue_i        (issue_i),
    .room_o         (room),
    .inside_o       (working),
    .idle_o         (idle),
    .result_valid_i (result_valid_i),
    .result_i       (result_i),
    .valid_o        (valid),
    .ready_i        (ready_i),
    .block_o        (block)
  );

  assign working_count = 4'(u_results.inside_q);
  assign waiting_count = 4'(u_results.waiting_q);
  assign fifo_count    = 4'(u_results.u_waiting.count_q);

  always_comb begin
    assume_there_is_room: assume (!issue_i || room);
    assume_was_asked:     assume (!result_valid_i || working);
    if (u_results.keep) begin
      no_result_is_lost: assert (u_results.fifo_ready);
    end
    if (valid && fifo_count == '0) begin
      shown_at_once: assert (result_valid_i && block == result_i);
    end
    if (!valid) begin
      no_data_without_a_result: assert (block == '0);
    end
    if (busy || clear_i) begin
      nothing_while_cleared: assert (!valid && !room);
    end
    if (idle) begin
      idle_is_empty: assert (fifo_count == '0 && !valid);
    end
    why_counts: assert (fifo_count == waiting_count &&
                        working_count + waiting_count <= 4'(Places));
    all_places_are_used: cover (fifo_count == 4'(Places));
  end

endmodule
