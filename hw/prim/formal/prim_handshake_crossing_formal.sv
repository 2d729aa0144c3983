// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: prim_handshake_crossing gives every word that it accepted, once, in order
// and unchanged, and holds it until it is taken, for any two clocks
// (prim_fifo_async_formal explains free clocks).
module prim_handshake_crossing_formal #(
  parameter int unsigned Width = 4,
  parameter int unsigned SyncStages = 2
) (
  input logic             src_clk_i,
  input logic             dst_clk_i,
  input logic             rst_ni,
  input logic             valid_i,
  input logic [Width-1:0] data_i,
  input logic             ready_i
);

  logic             ready, valid;
  logic [Width-1:0] data;

  prim_handshake_crossing #(
    .Width      (Width),
    .SyncStages (SyncStages)
  ) u_crossing (
    .src_clk_i   (src_clk_i),
    .src_rst_ni  (rst_ni),
    .src_valid_i (valid_i),
    .src_ready_o (ready),
    .src_data_i  (data_i),
    .dst_clk_i   (dst_clk_i),
    .dst_rst_ni  (rst_ni),
    .dst_valid_o (valid),
    .dst_ready_i (ready_i),
    .dst_data_o  (data)
  );

  formal_reset u_reset (
    .clk_i  (src_clk_i),
    .rst_ni (rst_ni)
  );

  formal_stream_rules #(
    .Width (Width)
  ) u_rules (
    .clk_i     (dst_clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (1'b0),
    .valid_i   (valid),
    .ready_i   (ready_i),
    .payload_i (data)
  );

  // Words accepted and given, modulo four; at most one is inside.
  logic [1:0]       accepted_q, given_q;
  logic [Width-1:0] newest_q;

  always_ff @(posedge src_clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      accepted_q <= '0;
      newest_q   <= '0;
    end else if (valid_i && ready) begin
      accepted_q <= accepted_q + 2'd1;
      newest_q   <= data_i;
    end
  end

  always_ff @(posedge dst_clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      given_q <= '0;
    end else if (valid && ready_i) begin
      given_q <= given_q + 2'd1;
    end
  end

  logic is_inside;
  assign is_inside = accepted_q != given_q;

  always_comb begin
    one_at_most: assert (accepted_q == given_q || accepted_q == given_q + 2'd1);
    if (valid) begin
      never_invented: assert (is_inside);
      word_is_itself: assert (data == newest_q);
      second_word: cover (ready_i && given_q == 2'd1);
    end
    if (ready) begin
      room_for_it: assert (!is_inside);
    end
  end

  // Invariants for the induction. A toggle differs from the one before it in its chain only
  // while a request travels to the other side or its acknowledgement travels back.
  localparam int unsigned Last = 2 * SyncStages + 1;

  logic [Last:0] chain;

  if (SyncStages == 2) begin : gen_two
    assign chain = {u_crossing.request_q, u_crossing.u_request.meta_q,
                    u_crossing.u_request.data_q, u_crossing.acknowledge_q,
                    u_crossing.u_acknowledge.meta_q, u_crossing.u_acknowledge.data_q};
  end else begin : gen_three
    assign chain = {u_crossing.request_q, u_crossing.u_request.meta_q,
                    u_crossing.u_request.gen_more.middle_q, u_crossing.u_request.data_q,
                    u_crossing.acknowledge_q, u_crossing.u_acknowledge.meta_q,
                    u_crossing.u_acknowledge.gen_more.middle_q, u_crossing.u_acknowledge.data_q};
  end

  always_comb begin
    why_one_step: assert ($onehot0(chain[Last:1] ^ chain[Last-1:0]));
    why_data_held: assert (u_crossing.data_q == newest_q);
    why_request: assert (u_crossing.request_q == accepted_q[0]);
    why_acknowledge: assert (u_crossing.acknowledge_q == given_q[0]);
  end

endmodule
