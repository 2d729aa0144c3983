// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: card_arbiter grants one request at most, only one that is there, and one
// whenever there is any; and a request that stays waits for fewer grants than there are
// requesters, whatever the others do.
//
// An arbitrary requester is marked from the start.
module card_arbiter_formal #(
  parameter int unsigned Requests = 5
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic [Requests-1:0] request_i,
  input logic                taken_i
);

  localparam int unsigned Bits = $clog2(Requests + 1);

  logic [Requests-1:0] grant;

  card_arbiter #(
    .Requests (Requests)
  ) u_arbiter (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .request_i (request_i),
    .taken_i   (taken_i),
    .grant_o   (grant)
  );

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  // ------------------------------------------------------------ the model

  logic [Bits-1:0] mark_q;    // the requester, any one that does not change
  logic [Bits-1:0] passed_q;  // grants that others have used since it began to wait
  logic            mine, asks;

  assign asks = |(request_i >> mark_q & Requests'(1));
  assign mine = |(grant >> mark_q & Requests'(1));

  always_ff @(posedge clk_i) begin
    mark_q <= mark_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      passed_q <= '0;
    end else if (!asks || (mine && taken_i)) begin
      passed_q <= '0;
    end else if (taken_i) begin
      passed_q <= passed_q + 1'b1;
    end
  end

  always_comb begin
    assume_a_requester: assume (32'(mark_q) < Requests);
    // A grant is used only where there is one.
    assume_there_is_one: assume (!taken_i || request_i != '0);
  end

  // ------------------------------------------------------------ properties

  always_comb begin
    one_at_most:  assert ((grant & (grant - 1'b1)) == '0);
    was_asked:    assert ((grant & ~request_i) == '0);
    one_is_given: assert ((grant != '0) == (request_i != '0));
    is_served:    assert (32'(passed_q) < Requests);
    waits_longest: cover (32'(passed_q) == Requests - 1 && mine && taken_i);
  end

  // ------------------------------------------------------------ invariants for the induction

  // Requesters between the next one in turn and the marked one.
  logic [31:0] next, between;

  always_comb begin
    next = '0;
    for (int unsigned n = 0; n < Requests; n++) begin
      next = next + 32'(!u_arbiter.after_q[n]);
    end
    next    = (next == Requests) ? '0 : next;
    between = (32'(mark_q) >= next) ? 32'(mark_q) - next : 32'(mark_q) + Requests - next;
    why_upper_ones: assert ((~u_arbiter.after_q & (~u_arbiter.after_q + 1'b1)) == '0);
    why_it_nears:   assert (32'(passed_q) + between < Requests);
  end

endmodule
