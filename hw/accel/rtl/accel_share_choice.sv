// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Selects the channel whose key a shared core has, and so the channel whose block may
// enter in the next cycle. No keys or data pass through it.
//
// If a core can take a new key with every block (PerBlock: the pipelined core, for
// encryption), all channels that encrypt have a turn together and alternate block by
// block, round robin. Otherwise a key costs cycles, so a turn belongs to one channel. A
// turn ends if another channel requests the core and either the channels of the turn
// request nothing or TurnCycles have passed. Turns are round robin, from the channel with
// which the last turn began. So a channel waits for Channels - 1 turns at most, and in a
// shared turn it gets at least one of every Channels blocks.
//
// The choice for a cycle is made in the cycle before, among two kinds of channels: those
// that already offer a block, and those whose result is about to leave, if they offered
// a block directly after their last result, as CBC encryption does. If such a prediction
// is wrong, the core takes no block for one cycle.
module accel_share_choice #(
  parameter int unsigned Channels   = 2,
  parameter int unsigned TurnCycles = 128,
  parameter int unsigned PerBlock   = 1,
  localparam int unsigned IndexWidth = $clog2(Channels)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  run_i,      // keys may be passed on; low: the core has no key
  input  logic [Channels-1:0]   replaced_i, // from the next cycle on the channel has another key
  input  logic [Channels-1:0]   wants_i,    // it offers a block, and there is room for the result
  input  logic [Channels-1:0]   chains_i,   // its next block comes with its next result
  input  logic [Channels-1:0]   expected_i, // that result leaves the core in the next cycle
  input  logic [Channels-1:0]   decrypts_i,
  input  logic                  issue_i,    // a block of current_o enters the core

  output logic                  key_valid_o, // the key of next_o goes to the core
  input  logic                  key_ready_i,
  output logic [IndexWidth-1:0] next_o,
  output logic                  current_valid_o,
  output logic [IndexWidth-1:0] current_o
);

  if (TurnCycles < Channels) begin : gen_bad_turn
    $fatal(1, "accel_share_choice: TurnCycles must be Channels or more");
  end

  localparam int unsigned ClockWidth = $clog2(TurnCycles + 1);

  logic                  current_valid_q;
  logic [IndexWidth-1:0] current_q;
  logic [IndexWidth-1:0] turn_q;     // the turn began with this channel
  logic                  together_q; // all channels that encrypt share the turn
  logic [ClockWidth-1:0] cycles_left_q;

  // ------------------------------------------------------------ the turn

  logic [Channels-1:0] current, members, others, candidates;
  logic                turn_wants, new_turn, any;

  always_comb begin
    current            = '0;
    current[current_q] = 1'b1;
  end

  assign members    = together_q ? ~decrypts_i : current;
  assign others     = wants_i & ~members;
  assign turn_wants = ((wants_i | chains_i) & members) != '0;
  assign new_turn   = !current_valid_q ||
                      (others != '0 && (!turn_wants || cycles_left_q == '0));

  // In a shared turn, the channel whose block enters now is next only if no other one
  // requests the core. A turn of one channel has no other candidate.
  always_comb begin
    if (!current_valid_q) begin
      candidates = wants_i;
    end else if (new_turn) begin
      candidates = others;
    end else if (together_q) begin
      candidates = (wants_i | (chains_i & expected_i)) & members &
                   ~(issue_i ? current : '0);
    end else begin
      candidates = '0;
    end
  end

  // The first candidate after channel `behind`, modulo the number of channels.
  logic [IndexWidth-1:0] behind;

  assign behind = new_turn ? turn_q : current_q;

  always_comb begin
    any    = 1'b0;
    next_o = current_q;
    for (int unsigned n = 0; n < Channels; n++) begin
      if (candidates[n] && !any) begin
        any    = 1'b1;
        next_o = IndexWidth'(n);
      end
    end
    for (int unsigned n = Channels; n > 0; n--) begin
      if (candidates[n-1] && IndexWidth'(n - 1) > behind) begin
        next_o = IndexWidth'(n - 1);
      end
    end
  end

  logic key_needed;
  assign key_needed  = !current_valid_q || next_o != current_q;
  assign key_valid_o = run_i && any && key_needed;

  // ------------------------------------------------------------ the state

  logic chosen, handed_over; // a new turn may need no new key

  assign chosen      = run_i && any && (!key_needed || key_ready_i);
  assign handed_over = key_valid_o && key_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      current_valid_q <= 1'b0;
      current_q       <= '0;
      turn_q          <= '0;
      together_q      <= 1'b0;
      cycles_left_q   <= '0;
    end else begin
      if (!run_i) begin
        current_valid_q <= 1'b0;
      end else if (handed_over) begin
        current_valid_q <= !replaced_i[next_o];
        current_q       <= next_o;
      end else if (replaced_i[current_q]) begin
        current_valid_q <= 1'b0;
      end

      if (chosen && new_turn) begin
        turn_q        <= next_o;
        together_q    <= (PerBlock != 0) && !decrypts_i[next_o];
        cycles_left_q <= ClockWidth'(TurnCycles);
      end else if (cycles_left_q != '0) begin
        cycles_left_q <= cycles_left_q - 1'b1;
      end
    end
  end

  assign current_valid_o = current_valid_q;
  assign current_o       = current_q;

endmodule
