// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: the handshake rules of a stream (AMBA AXI4-Stream, IHI 0051B,
// section 2.2). Once valid is high it stays high, with the same payload, until
// ready is high with it, or until a reset or a clear.
//
// With Assume the rules are assumptions, otherwise they are proven.
module formal_stream_rules #(
  parameter int unsigned Width = 8,
  parameter bit Assume = 1'b0
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             clear_i,
  input logic             valid_i,
  input logic             ready_i,
  input logic [Width-1:0] payload_i
);

  logic             waiting_q;
  logic [Width-1:0] payload_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waiting_q <= 1'b0;
    end else begin
      waiting_q <= valid_i && !ready_i && !clear_i;
    end
  end

  always_ff @(posedge clk_i) begin
    payload_q <= payload_i;
  end

  if (Assume) begin : gen_assume
    always_comb begin
      if (waiting_q && !clear_i) begin
        assume_valid_stays: assume (valid_i);
        assume_payload_holds: assume (payload_i == payload_q);
      end
    end
  end else begin : gen_assert
    always_comb begin
      if (waiting_q && !clear_i) begin
        valid_stays: assert (valid_i);
        payload_holds: assert (payload_i == payload_q);
        stalled: cover (ready_i);
      end
    end
  end

endmodule
