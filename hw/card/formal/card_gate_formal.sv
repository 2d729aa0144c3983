// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: card_gate lets data pass only for the message that is open. After a reset, a
// close and the end of a message nothing passes in either direction until the next open; in,
// not more packets than the message has; out, not more bytes than its output, and these with
// TLAST on the last one alone. Nothing that is offered is taken and lost.
module card_gate_formal #(
  parameter int unsigned StreamWidth = 32,
  localparam int unsigned Lanes = StreamWidth / 8
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             open_i,
  input logic             close_i,
  input logic [1:0]       packets_i,
  input logic [31:0]      bytes_i,
  input logic             in_last_i,
  input logic             in_valid_i,
  input logic             in_ready_i,
  input logic [Lanes-1:0] out_keep_i,
  input logic             out_last_i,
  input logic             out_valid_i,
  input logic             out_ready_i
);

  logic input_done, output_done, mismatch, in_ready, in_valid, out_ready, out_valid;

  card_gate #(
    .StreamWidth (StreamWidth)
  ) u_gate (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .open_i        (open_i),
    .close_i       (close_i),
    .packets_i     (packets_i),
    .bytes_i       (bytes_i),
    .input_done_o  (input_done),
    .output_done_o (output_done),
    .mismatch_o    (mismatch),
    .in_last_i     (in_last_i),
    .in_valid_i    (in_valid_i),
    .in_ready_o    (in_ready),
    .in_valid_o    (in_valid),
    .in_ready_i    (in_ready_i),
    .out_keep_i    (out_keep_i),
    .out_last_i    (out_last_i),
    .out_valid_i   (out_valid_i),
    .out_ready_o   (out_ready),
    .out_valid_o   (out_valid),
    .out_ready_i   (out_ready_i)
  );

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  // ------------------------------------------------------------ the model

  logic        is_open_q;          // since an open, and no close
  logic [2:0]  packets_q, given_q; // of the message, and those that have passed
  logic [32:0] bytes_q, out_q;     // of its output, and those that have passed
  logic        passes_in, passes_out;
  logic [32:0] kept;               // bytes of the beat

  assign passes_in  = in_valid && in_ready_i;
  assign passes_out = out_valid && out_ready_i;

  always_comb begin
    kept = '0;
    for (int unsigned n = 0; n < Lanes; n++) begin
      kept = kept + 33'(out_keep_i[n]);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      is_open_q <= 1'b0;
      packets_q <= '0;
      given_q   <= '0;
      bytes_q   <= '0;
      out_q     <= '0;
    end else if (close_i) begin
      is_open_q <= 1'b0;
    end else if (open_i) begin
      is_open_q <= 1'b1;
      packets_q <= 3'(packets_i);
      given_q   <= '0;
      bytes_q   <= 33'(bytes_i);
      out_q     <= '0;
    end else begin
      given_q <= given_q + 3'(passes_in && in_last_i);
      out_q   <= out_q + (passes_out ? kept : '0);
    end
  end

  // ------------------------------------------------------------ properties

  always_comb begin
    if (!is_open_q || close_i) begin
      closed_in:  assert (!in_valid && !in_ready);
      closed_out: assert (!out_valid && !out_ready && (!mismatch || is_open_q));
    end
    taken_as_given_in:  assert ((in_valid_i && in_ready) == (in_valid && in_ready_i));
    taken_as_given_out: assert ((out_valid_i && out_ready) == (out_valid && out_ready_i));
    if (is_open_q) begin
      packets_at_most: assert (given_q <= packets_q);
      bytes_at_most:   assert (out_q <= bytes_q);
      input_exactly:   assert (input_done == (given_q == packets_q));
      output_exactly:  assert (output_done == (out_q == bytes_q));
      if (passes_in) begin
        packet_is_due: assert (given_q < packets_q);
      end
      if (passes_out) begin
        last_is_last:  assert (out_last_i == (out_q + kept == bytes_q));
        whole_or_last: assert (out_last_i || kept == 33'(Lanes));
        no_hole:       assert (((33'(out_keep_i) + 33'd1) & 33'(out_keep_i)) == '0);
      end
      ends: cover (input_done && output_done && packets_q == 3'd2 && bytes_q == 33'd6);
    end
    told_apart: cover (mismatch);
  end

  // ------------------------------------------------------------ invariants for the induction

  always_comb begin
    why_live: assert (u_gate.live_q == is_open_q);
    if (is_open_q) begin
      why_packets: assert (3'(u_gate.packets_q) + given_q == packets_q);
      why_bytes:   assert (33'(u_gate.bytes_q) + out_q == bytes_q);
    end else begin
      why_none:    assert (u_gate.packets_q == '0);
    end
    why_few: assert (packets_q <= 3'd3);
  end

endmodule
