// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Round robin: of the requests the one that follows the last one taken, one bit in grant_o;
// zero without a request.
module card_arbiter #(
  parameter int unsigned Requests = 2
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [Requests-1:0] request_i,
  input  logic                taken_i,   // the grant is used in this cycle
  output logic [Requests-1:0] grant_o
);

  logic [Requests-1:0] after_q; // the requests behind the last one taken
  logic [Requests-1:0] ahead, chosen;

  assign ahead   = request_i & after_q;
  assign chosen  = (ahead != '0) ? ahead : request_i;
  assign grant_o = chosen & (~chosen + 1'b1); // its lowest bit

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      after_q <= '0;
    end else if (taken_i) begin
      after_q <= ~(grant_o | (grant_o - 1'b1));
    end
  end

endmodule
