// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Attributes each cycle of a measured region to the processor, the bus or the
// accelerator, so that the three counts add up to the cycles.
//
// The processor waits while anything other than its memory delays it, or when the
// program says that it only waits. Such a cycle counts as the accelerator's while the
// accelerator computes, otherwise as the bus's. All other cycles, including waits for
// memory, count as the processor's.
module soc_counters (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,
  input  logic        run_i,
  input  logic        waiting_i,
  input  logic        computing_i,
  input  logic        retired_i,
  input  logic        transfer_i,
  input  logic        beat_i,
  output logic [63:0] cycles_o,
  output logic [63:0] processor_o,
  output logic [63:0] bus_o,
  output logic [63:0] accelerator_o,
  output logic [63:0] instructions_o,
  output logic [63:0] transactions_o
);

  logic [63:0] processor_q, bus_q, accelerator_q, instructions_q, transactions_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      processor_q    <= '0;
      bus_q          <= '0;
      accelerator_q  <= '0;
      instructions_q <= '0;
      transactions_q <= '0;
    end else if (clear_i) begin
      processor_q    <= '0;
      bus_q          <= '0;
      accelerator_q  <= '0;
      instructions_q <= '0;
      transactions_q <= '0;
    end else if (run_i) begin
      if (!waiting_i) processor_q <= processor_q + 64'd1;
      else if (computing_i) accelerator_q <= accelerator_q + 64'd1;
      else bus_q <= bus_q + 64'd1;
      if (retired_i) instructions_q <= instructions_q + 64'd1;
      if (transfer_i || beat_i) begin
        transactions_q <= transactions_q + 64'(transfer_i) + 64'(beat_i);
      end
    end
  end

  assign cycles_o       = processor_q + bus_q + accelerator_q;
  assign processor_o    = processor_q;
  assign bus_o          = bus_q;
  assign accelerator_o  = accelerator_q;
  assign instructions_o = instructions_q;
  assign transactions_o = transactions_q;

endmodule
