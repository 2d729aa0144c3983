// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// A stage of present_unrolled: registers, then the rounds that follow the first
// `Before` ones. With one direction or key size only, it is a constant and needs no
// register.
module present_unrolled_stage
  import present_pkg::*;
#(
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned KeySizes = KeySizesBoth,
  parameter int unsigned TagWidth = 8,
  parameter int unsigned Before = 0,
  parameter int unsigned Count = Rounds
) (
  input  logic                clk_i,
  input  logic                clear_i,
  input  logic                load_i,

  input  direction_e          direction_i,
  input  key_size_e           key_size_i,
  input  logic [63:0]         state_i,
  input  logic [127:0]        key_i,
  input  logic [TagWidth-1:0] tag_i,

  output direction_e          direction_o,
  output key_size_e           key_size_o,
  output logic [63:0]         state_o,
  output logic [127:0]        key_o,
  output logic [TagWidth-1:0] tag_o
);

  direction_e          direction_q;
  key_size_e           key_size_q;
  logic [63:0]         state_q;
  logic [127:0]        key_q;
  logic [TagWidth-1:0] tag_q;

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      direction_q <= DirectionEncrypt;
      key_size_q  <= KeySize80;
      state_q     <= '0;
      key_q       <= '0;
      tag_q       <= '0;
    end else if (load_i) begin
      direction_q <= direction_i;
      key_size_q  <= key_size_i;
      state_q     <= state_i;
      key_q       <= key_i;
      tag_q       <= tag_i;
    end
  end

  assign direction_o = (Directions == DirectionsBoth)    ? direction_q :
                       (Directions == DirectionsDecrypt) ? DirectionDecrypt : DirectionEncrypt;
  assign key_size_o = (KeySizes == KeySizesBoth) ? key_size_q :
                      (KeySizes == KeySizes128)  ? KeySize128 : KeySize80;
  assign tag_o = tag_q;

  logic [4:0]  round, next_round;
  logic [63:0] sum;

  assign round = (direction_o == DirectionDecrypt) ? 5'(Rounds - Before) : 5'(Before + 1);

  present_rounds #(
    .Count(Count)
  ) u_rounds (
    .direction_i(direction_o),
    .key_size_i (key_size_o),
    .round_i    (round),
    .state_i    (state_q),
    .key_i      (key_q),
    .round_o    (next_round),
    .state_o    (state_o),
    .key_o      (key_o),
    .sum_o      (sum)
  );

  // The round numbers are constants here; only the output register uses the sum.
  logic unused;
  assign unused = ^{next_round, sum, direction_q, key_size_q};

endmodule
