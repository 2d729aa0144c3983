// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: a run begins in reset, which lasts until the first cycle. After that the
// reset is free, so that it may come again at any time.
module formal_reset (
  input logic clk_i,
  input logic rst_ni
);

  logic started_q;

  initial started_q = 1'b0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
  end

  always_comb begin
    if (!started_q) begin
      assume_reset: assume (!rst_ni);
    end
  end

endmodule
