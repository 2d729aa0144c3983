// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: the rules of a zeroise at the ports of a core. The core is in an arbitrary
// state and gets zeroise_o in the first cycle. One zeroise is enough, since a second one
// would be the first one of another run. swept_o is high in the cycle in which busy_i
// has just fallen: nothing can have been taken since, and every register that holds key or
// data must be zero, which the proof asserts for each register by name.
module formal_zeroise #(
  parameter int unsigned Width = 128,
  // Cycles after which busy_i must have fallen, at most 254.
  parameter int unsigned Longest = 4
) (
  input  logic             clk_i,
  output logic             zeroise_o,
  output logic             swept_o,
  // The outputs of the core.
  input  logic             busy_i,
  input  logic             idle_i,
  input  logic             key_ready_i,
  input  logic             block_ready_i,
  input  logic             block_valid_i,
  input  logic [Width-1:0] block_i
);

  // The number of the cycle.
  logic [7:0] clock_q;
  logic       busy_q;

  initial clock_q = '0;

  always_ff @(posedge clk_i) begin
    clock_q <= clock_q + 8'd1;
    busy_q  <= busy_i;
  end

  assign zeroise_o = clock_q == '0;
  assign swept_o   = (clock_q > 8'd1) && busy_q && !busy_i;

  always_comb begin
    if (clock_q == 8'd1) begin
      begins: assert (busy_i);
    end
    if (clock_q != '0 && busy_i) begin
      nothing_taken: assert (!key_ready_i && !block_ready_i);
      nothing_given: assert (!block_valid_i);
    end
    if (!block_valid_i) begin
      quiet: assert (clock_q == '0 || block_i == '0);
    end
    if (swept_o) begin
      idle_after: assert (idle_i);
    end
    ends: assert (32'(clock_q) < Longest || !busy_i || clock_q == '0);
    was_swept: cover (swept_o);
  end

endmodule
