// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: accel_share_choice selects the channel whose blocks enter a shared core;
// all of its inputs are free. The selected channel is the one whose key was passed to the
// core last, that key is still the channel's, and no key was passed while the core was
// swept. So no block is ever computed under another channel's key.
module accel_share_choice_key #(
  parameter int unsigned PerBlock = 1,
  localparam int unsigned Channels = 5,
  localparam int unsigned IndexWidth = $clog2(Channels)
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                run_i,
  input logic [Channels-1:0] replaced_i,
  input logic [Channels-1:0] wants_i,
  input logic [Channels-1:0] chains_i,
  input logic [Channels-1:0] expected_i,
  input logic [Channels-1:0] decrypts_i,
  input logic                issue_i,
  input logic                key_ready_i
);

  logic                  key_valid, current_valid;
  logic [IndexWidth-1:0] next, current;

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  accel_share_choice #(
    .Channels   (Channels),
    .TurnCycles (8),
    .PerBlock   (PerBlock)
  ) u_choice (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .run_i           (run_i),
    .replaced_i      (replaced_i),
    .wants_i         (wants_i),
    .chains_i        (chains_i),
    .expected_i      (expected_i),
    .decrypts_i      (decrypts_i),
    .issue_i         (issue_i),
    .key_valid_o     (key_valid),
    .key_ready_i     (key_ready_i),
    .next_o          (next),
    .current_valid_o (current_valid),
    .current_o       (current)
  );

  // Whose key the core holds, and whether it still is that channel's.
  logic                  holds_q, fresh_q;
  logic [IndexWidth-1:0] holder_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      holds_q  <= 1'b0;
      fresh_q  <= 1'b0;
      holder_q <= '0;
    end else if (!run_i) begin
      holds_q <= 1'b0;
    end else if (key_valid && key_ready_i) begin
      holds_q  <= 1'b1;
      holder_q <= next;
      fresh_q  <= !replaced_i[next];
    end else if (replaced_i[holder_q]) begin
      fresh_q <= 1'b0;
    end
  end

  always_comb begin
    if (current_valid) begin
      key_is_its_own: assert (holds_q && fresh_q && holder_q == current);
    end
    if (key_valid) begin
      for_who_wants: assert (run_i && next < IndexWidth'(Channels) &&
                             (wants_i[next] || (chains_i[next] && expected_i[next])));
    end
    why_in_range: assert (current < IndexWidth'(Channels) && holder_q < IndexWidth'(Channels));
    why_the_same: assert (!holds_q || holder_q == current);
    another_takes_over: cover (current_valid && current != '0 && key_valid && next != current);
  end

endmodule
