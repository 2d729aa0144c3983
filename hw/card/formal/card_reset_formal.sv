// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: card_reset resets what is behind it only when no burst is on the memory bus and
// no register access is under way; from a reset's first cycle to its last no burst may begin;
// and a reset ends.
//
// Assumed: with halt_o high no burst begins, and with hold_o high no register access does.
module card_reset_formal (
  input logic clk_i,
  input logic rst_ni,
  input logic reset_i,
  input logic memory_idle_i,
  input logic host_idle_i
);

  logic busy, halt, hold, rst_n;

  card_reset u_dut (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .reset_i       (reset_i),
    .busy_o        (busy),
    .halt_o        (halt),
    .memory_idle_i (memory_idle_i),
    .hold_o        (hold),
    .host_idle_i   (host_idle_i),
    .rst_no        (rst_n)
  );

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  // ------------------------------------------------------------ the model

  logic       halt_q, hold_q, memory_idle_q, host_idle_q, rst_nq, asked_q;
  logic [3:0] waits_q; // cycles for which nothing has kept a reset from ending

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      halt_q        <= 1'b1;
      hold_q        <= 1'b1;
      memory_idle_q <= 1'b1;
      host_idle_q   <= 1'b1;
      rst_nq        <= 1'b0;
      asked_q       <= 1'b0;
      waits_q       <= '0;
    end else begin
      halt_q        <= halt;
      hold_q        <= hold;
      memory_idle_q <= memory_idle_i;
      host_idle_q   <= host_idle_i;
      rst_nq        <= rst_n;
      asked_q       <= reset_i && !busy;
      waits_q       <= (!busy || !memory_idle_i || !host_idle_i) ? '0 : waits_q + 4'd1;
    end
  end

  always_comb begin
    assume_no_burst_begins:  assume (!halt_q || !memory_idle_q || memory_idle_i);
    assume_no_access_begins: assume (!hold_q || !host_idle_q || host_idle_i);
  end

  // ------------------------------------------------------------ properties

  always_comb begin
    if (!rst_n && rst_ni) begin
      memory_is_idle:  assert (memory_idle_i || !rst_nq);
      memory_stays:    assert (memory_idle_i);
      host_is_idle:    assert (host_idle_i);
      no_burst_begins: assert (halt || rst_nq == rst_n);
      is_held:         assert (hold);
    end
    if (asked_q) begin
      begins:          assert (busy && halt);
    end
    ends: assert (waits_q < 4'd9);
    halted_alone: cover (halt && !hold && !memory_idle_i);
    was_reset:    cover (rst_ni && rst_n && !rst_nq);
  end

  // ------------------------------------------------------------ invariants for the induction

  // The states of the module.
  localparam logic [1:0] StateReset = 2'd0, StateRun = 2'd1, StateDrain = 2'd2, StateHold = 2'd3;

  always_comb begin
    // StateHold and StateReset come behind an idle memory, the latter behind idle registers.
    why_memory_idle: assert (!(u_dut.state_q inside {StateHold, StateReset}) ||
                             memory_idle_i);
    why_host_idle:   assert (u_dut.state_q != StateReset || host_idle_i);
    why_low_when:    assert (rst_n || u_dut.state_q inside {StateReset, StateRun});
    why_count:       assert (u_dut.state_q == StateReset || u_dut.count_q == '0);
    why_waits: assert (
      (u_dut.state_q == StateRun   && waits_q <= 4'd7) ||
      (u_dut.state_q == StateDrain && waits_q == '0)   ||
      (u_dut.state_q == StateHold  && waits_q <= 4'd2) ||
      (u_dut.state_q == StateReset && waits_q <= 4'd3 + 4'(u_dut.count_q)));
  end

endmodule
