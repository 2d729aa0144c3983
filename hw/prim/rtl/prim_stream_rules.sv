// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Checks a stream in simulation: valid and payload must hold until ready, or until a
// clear. An assertion reports a violation.
//
// It is empty in synthesis.
module prim_stream_rules #(
  parameter int unsigned Width = 32
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             clear_i,
  input logic             valid_i,
  input logic             ready_i,
  input logic [Width-1:0] payload_i
);

`ifndef SYNTHESIS
  logic             waits, waiting_q;
  logic [Width-1:0] payload_q;

  assign waits = valid_i && !ready_i && !clear_i;

  // The rules hold from the first reset on.
  initial begin
    waiting_q = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waiting_q <= 1'b0;
      payload_q <= '0;
    end else begin
      waiting_q <= waits;
      payload_q <= waits ? payload_i : '0; // keeps no secret
      if (waiting_q && !clear_i) begin
        valid_stays: assert (valid_i)
          else $error("%m: valid fell before ready");
        payload_holds: assert (!valid_i || payload_i == payload_q)
          else $error("%m: the payload changed before ready");
      end
    end
  end
`endif

endmodule
