// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The permutation of the standard with its state register: twelve rounds, or the last
// eight of them, RoundsPerCycle in a cycle. The first rounds run in the cycle of
// start_i, which must be low while running_o is high. state_o is the register.
//
// If RoundsPerCycle does not divide the number of rounds, the first cycle runs the
// remainder.
module ascon_permutation
  import ascon_pkg::*;
#(
  parameter int unsigned RoundsPerCycle = 1 // 1, 2, 3, 4, 6, 8 or 12
) (
  input  logic   clk_i,
  input  logic   rst_ni,
  input  logic   clear_i,
  input  logic   start_i,
  input  logic   long_i,
  input  state_t state_i,
  output logic   running_o,
  output state_t state_o
);

  // 1 instead of a division by zero, so that elaboration reports ascon_core's message.
  localparam int unsigned Count = (RoundsPerCycle == 0) ? 1 : RoundsPerCycle;

  // Rounds that the first cycle skips, in the short and the long permutation. At most one
  // of the two is not zero.
  localparam int unsigned ShortSkip = (Count - ShortRounds % Count) % Count;
  localparam int unsigned LongSkip = (Count - LongRounds % Count) % Count;
  localparam int unsigned Skip = ShortSkip + LongSkip;

  logic [3:0] round, round_q; // of the first round in a cycle; 12 when none is left
  logic       skip;
  state_t     state_q, first, last; // before and after the rounds of a cycle

  assign running_o = round_q != 4'(LongRounds);
  assign state_o   = state_q;
  assign first     = start_i ? state_i : state_q;

  if (Count == LongRounds) begin : gen_one_clock
    assign round = '0;
  end else begin : gen_cycles
    always_comb begin
      round = round_q;
      if (start_i) begin
        round = long_i ? 4'(0 - LongSkip) : 4'(LongRounds - ShortRounds - ShortSkip);
      end
    end
  end

  assign skip = start_i && (long_i ? LongSkip != 0 : ShortSkip != 0);

  for (genvar n = 0; n < Count; n++) begin : gen_round
    state_t entering, leaving;

    if (n == 0) begin : gen_first
      assign entering = first;
    end else if (n == Skip) begin : gen_entry
      assign entering = skip ? first : gen_round[n-1].leaving;
    end else begin : gen_next
      assign entering = gen_round[n-1].leaving;
    end

    ascon_round u_round (
      .round_i (round + 4'(n)),
      .state_i (entering),
      .state_o (leaving)
    );
  end

  assign last = gen_round[Count-1].leaving;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      round_q <= 4'(LongRounds);
    end else if (clear_i) begin
      round_q <= 4'(LongRounds);
    end else if (start_i || running_o) begin
      round_q <= round + 4'(Count);
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) state_q <= '0;
    else if (start_i || running_o) state_q <= last;
  end

`ifndef SYNTHESIS
  logic armed_q; // since the first reset

  initial armed_q = 1'b0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      armed_q <= 1'b1;
    end else begin
      no_start_while_running: assert (!armed_q || clear_i || !(start_i && running_o))
        else $error("%m: a permutation began before the end of the one before");
    end
  end
`endif

  // Without a remainder no round is skipped.
  logic unused;
  assign unused = skip;

endmodule
