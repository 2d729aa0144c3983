// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Where the cycles of a measured region went: each cycle counts once as the
// processor's, the bus's or the accelerator's, so that the three add up to cycles.
//
// The processor waits while something outside its memory holds it up, or when it
// says that it only waits. Such a cycle is the accelerator's while that computes,
// and the bus's otherwise. Everything else, the wait for memory too, is its own.
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
