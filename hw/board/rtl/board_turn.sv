// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Whose turn it is: First, First + Stride, First + 2 * Stride, ... modulo Modulus. start_i
// begins again with First.
module board_turn #(
  parameter int unsigned Modulus = 4,
  parameter int unsigned First = 0,
  parameter int unsigned Stride = 1
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       start_i,
  input  logic       advance_i,
  output logic [2:0] turn_o
);

  if (Modulus < 1 || Modulus > 8) begin : gen_bad_modulus
    $error("board_turn: Modulus must be 1 to 8");
  end

  localparam logic [3:0] Step = 4'(Stride % Modulus);

  logic [3:0] next;
  assign next = {1'b0, turn_o} + Step;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) turn_o <= '0;
    else if (start_i) turn_o <= 3'(First % Modulus);
    else if (advance_i) turn_o <= 3'(next >= 4'(Modulus) ? next - 4'(Modulus) : next);
  end

endmodule
