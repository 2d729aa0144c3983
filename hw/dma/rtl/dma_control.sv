// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Stops the data movers after an abort: no new burst is issued, bursts on the memory bus
// are completed as AXI4 requires, and then all commands and data are dropped and every
// memory is overwritten. The same sweep follows a reset.
module dma_control (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic abort_i,
  input  logic quiet_i,    // nothing is outstanding on the memory bus
  input  logic sweeping_i, // a memory is being overwritten
  output logic halt_o,
  output logic clear_o
);

  typedef enum logic [1:0] {
    StateSweep,
    StateRun,
    StateDrain,
    StateClear
  } state_e;

  state_e state_d, state_q;

  always_comb begin
    state_d = state_q;

    unique case (state_q)
      StateSweep: begin
        if (!sweeping_i) begin
          state_d = StateRun;
        end
      end

      StateRun: begin
        if (abort_i) begin
          state_d = StateDrain;
        end
      end

      StateDrain: begin
        if (quiet_i) begin
          state_d = StateClear;
        end
      end

      StateClear: state_d = StateSweep;

      default: state_d = StateDrain;
    endcase
  end

  assign halt_o  = state_q != StateRun;
  assign clear_o = state_q == StateClear;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StateSweep;
    end else begin
      state_q <= state_d;
    end
  end

endmodule
