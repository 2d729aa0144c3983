// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Resets everything but the card's own registers, without breaking a rule of the buses: no
// burst begins any more, those on the memory bus end, the host's register accesses end and no
// new one is taken, then rst_no is low for some cycles. Everything behind sweeps its memories
// after a reset. rst_no comes from a flip-flop.
module card_reset (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic reset_i,       // high for a cycle
  output logic busy_o,
  output logic halt_o,        // no burst may begin
  input  logic memory_idle_i, // no burst is on the bus
  output logic hold_o,        // no register access may begin
  input  logic host_idle_i,   // no register access is under way
  output logic rst_no
);

  typedef enum logic [1:0] {
    StateReset,
    StateRun,
    StateDrain,
    StateHold
  } state_e;

  state_e     state_q;
  logic [1:0] count_q;

  assign busy_o = state_q != StateRun;
  assign halt_o = state_q != StateRun;
  assign hold_o = state_q == StateHold || state_q == StateReset || !rst_no;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StateReset;
      count_q <= '0;
      rst_no  <= 1'b0;
    end else begin
      rst_no <= state_q != StateReset;
      unique case (state_q)
        StateReset: begin
          count_q <= count_q + 2'd1;
          if (count_q == '1) begin
            state_q <= StateRun;
          end
        end
        StateRun: begin
          if (reset_i) begin
            state_q <= StateDrain;
          end
        end
        StateDrain: begin
          if (memory_idle_i) begin
            state_q <= StateHold;
          end
        end
        default: begin // StateHold
          if (host_idle_i) begin
            state_q <= StateReset;
          end
        end
      endcase
    end
  end

endmodule
