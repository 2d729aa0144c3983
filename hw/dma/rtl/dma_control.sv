// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Stops the engine after an abort or an error: no new burst is issued, bursts on the
// memory bus are completed as AXI4 requires, and then all transfers and data are dropped
// and every memory is overwritten. The same sweep follows a reset.
module dma_control
  import dma_pkg::*;
(
  input  logic    clk_i,
  input  logic    rst_ni,
  input  logic    abort_i,
  input  error_t  error_i,        // faults, high until the engine is cleared
  input  origin_t intake_origin_i,
  input  origin_t read_origin_i,
  input  origin_t write_origin_i,
  input  logic    quiet_i,        // nothing is outstanding on the memory bus
  input  logic    sweeping_i,     // a memory is being overwritten
  output logic    halt_o,
  output logic    clear_o,
  output error_t  error_o,        // high for a cycle
  output origin_t origin_o        // the transfer with the fault
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
    error_o = '0;

    unique case (state_q)
      StateSweep: begin
        if (!sweeping_i) begin
          state_d = StateRun;
        end
      end

      StateRun: begin
        error_o = error_i;
        if (abort_i || error_i != '0) begin
          state_d = StateDrain;
        end
      end

      StateDrain: begin
        error_o.write = error_i.write; // of a burst that began before the stop
        if (quiet_i) begin
          state_d = StateClear;
        end
      end

      StateClear: state_d = StateSweep;

      default: state_d = StateDrain;
    endcase
  end

  // A fault of the write direction has priority: its transfer is the older one.
  always_comb begin
    if (error_i.write || error_i.framing) begin
      origin_o = write_origin_i;
    end else if (error_i.read) begin
      origin_o = read_origin_i;
    end else begin
      origin_o = intake_origin_i;
    end
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
