// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Counts the cycles of a message, on the core's clock, and the bytes that its sink took.
// All counters start from zero with each message and hold their values after it.
module accel_counters
  import accel_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        started_i,
  input  logic        busy_i,
  input  stall_t      stall_i,
  input  logic        sink_valid_i,
  input  logic [3:0]  sink_bytes_i, // bytes taken minus one
  output logic [63:0] cycles_o,
  output logic [31:0] stall_input_o,
  output logic [31:0] stall_output_o,
  output logic [63:0] sink_bytes_o
);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cycles_o       <= '0;
      stall_input_o  <= '0;
      stall_output_o <= '0;
      sink_bytes_o   <= '0;
    end else if (started_i) begin
      cycles_o       <= '0;
      stall_input_o  <= '0;
      stall_output_o <= '0;
      sink_bytes_o   <= '0;
    end else begin
      if (busy_i) begin
        cycles_o <= cycles_o + 64'd1;
      end
      if (stall_i.waits_for_input) begin
        stall_input_o <= stall_input_o + 32'd1;
      end
      if (stall_i.waits_for_output) begin
        stall_output_o <= stall_output_o + 32'd1;
      end
      if (sink_valid_i) begin
        sink_bytes_o <= sink_bytes_o + 64'(sink_bytes_i) + 64'd1;
      end
    end
  end

endmodule
