// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The message schedule: the words W of section 6.2.2, step 1, and 6.4.2, step 1, of the
// standard, and the constant of each round.
//
// The first 16 words of a block come from word_i, the others from the 16 words before.
// word_o and constant_o are those of the round that advance_i began in the cycle before;
// with load_i instead they are zero.
//
// Shifting 16 words in each cycle would take much more energy than adding them. So most
// words stay where they are until they are needed: between registers lie three of four
// places (young_q) and seven of eight (old_q), of which one is written in a cycle. Adders have
// registers in front of them, since what comes from a choice of places changes several times
// in a cycle. The sum of a word begins a cycle early, with what is known by then.
module sha2_schedule
  import sha2_pkg::*;
#(
  parameter int unsigned WordSizes = WordSizesAll,
  parameter int unsigned CarrySave = 0,
  localparam int unsigned Width = ((WordSizes & WordSizes64) != 0) ? 64 : 32
) (
  input  logic             clk_i,
  input  logic             clear_i,
  input  logic             wide_i,
  input  logic             advance_i,
  input  logic             load_i,
  input  logic [6:0]       round_i,    // t, the round of this cycle
  input  logic [Width-1:0] word_i,     // for rounds 0 to 15
  output logic [Width-1:0] word_o,
  output logic [Width-1:0] constant_o
);

  typedef logic [Width-1:0] word_t;

  localparam bit Wide = (WordSizes & WordSizes64) != 0;
  localparam bit Narrow = (WordSizes & WordSizes32) != 0;

  function automatic word_t small_sigma0(input word_t x, input logic wide);
    return (Wide && (!Narrow || wide)) ? Width'(small_sigma0_64(64'(x)))
                                       : Width'(small_sigma0_32(x[31:0]));
  endfunction

  function automatic word_t small_sigma1(input word_t x, input logic wide);
    return (Wide && (!Narrow || wide)) ? Width'(small_sigma1_64(64'(x)))
                                       : Width'(small_sigma1_32(x[31:0]));
  endfunction

  // ------------------------------------------------------------ words

  word_t       newest_q, second_q; // W[t-1], W[t-2]
  word_t [3:0] young_q;            // W[t-3] to W[t-5], and one that is no longer needed
  word_t       sixth_q;            // W[t-6]
  word_t [7:0] old_q;              // W[t-7] to W[t-13], and one that is no longer needed
  word_t       fourteenth_q;       // W[t-14]
  word_t       fifteenth_q;        // W[t-15]
  word_t       partial_q;          // of W[t], all but W[t-2]
  word_t       partial, expanded;

  // Each place is used once in four or eight rounds, and a block has a multiple of eight. The
  // lowest bit of a round's number is the highest one of a place's, so that in a tree of
  // multiplexers only the last one switches in every round.
  logic       expands; // a word of the next rounds is a sum
  logic [1:0] young_place;
  logic [2:0] old_place;

  assign expands     = |round_i[6:4] || &round_i[3:2];
  assign young_place = {round_i[0], round_i[1]};
  assign old_place   = {round_i[0], round_i[1], round_i[2]};

  prim_sum #(
    .Width     (Width),
    .Operands  (3),
    .CarrySave (CarrySave)
  ) u_partial (
    .operand_i ({small_sigma0(fourteenth_q, wide_i), sixth_q, fifteenth_q}),
    .carry_i   (1'b0),
    .sum_o     (partial)
  );

  prim_sum #(
    .Width     (Width),
    .CarrySave (CarrySave)
  ) u_expanded (
    .operand_i ({small_sigma1(second_q, wide_i), partial_q}),
    .carry_i   (1'b0),
    .sum_o     (expanded)
  );

  always_ff @(posedge clk_i) begin
    if (clear_i || load_i) newest_q <= '0;
    else if (advance_i) newest_q <= (round_i < 7'd16) ? word_i : expanded;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      second_q <= '0;
      sixth_q  <= '0;
    end else if (advance_i) begin
      second_q <= newest_q;
      sixth_q  <= young_q[young_place];
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      fourteenth_q <= '0;
      fifteenth_q  <= '0;
      partial_q    <= '0;
    end else if (advance_i && expands) begin
      fourteenth_q <= old_q[old_place];
      fifteenth_q  <= fourteenth_q;
      partial_q    <= partial;
    end
  end

  // The place that was read in the round before is written.
  for (genvar n = 0; n < 4; n++) begin : gen_young
    localparam logic [1:0] Round = 2'(n + 1);

    always_ff @(posedge clk_i) begin
      if (clear_i) young_q[{n[0], n[1]}] <= '0;
      else if (advance_i && round_i[1:0] == Round) young_q[{n[0], n[1]}] <= second_q;
    end
  end

  for (genvar n = 0; n < 8; n++) begin : gen_old
    localparam logic [2:0] Round = 3'(n + 1);

    always_ff @(posedge clk_i) begin
      if (clear_i) old_q[{n[0], n[1], n[2]}] <= '0;
      else if (advance_i && round_i[2:0] == Round) old_q[{n[0], n[1], n[2]}] <= sixth_q;
    end
  end

  // ------------------------------------------------------------ constants

  word_t       constant, constant_q;
  logic [63:0] constant_of_round;

  assign constant_of_round = RoundConstant[round_i];
  assign constant = (Wide && (!Narrow || wide_i)) ? Width'(constant_of_round)
                                                  : Width'(constant_of_round[63:32]);

  always_ff @(posedge clk_i) begin
    if (clear_i || load_i) constant_q <= '0;
    else if (advance_i) constant_q <= constant;
  end

  assign word_o     = newest_q;
  assign constant_o = constant_q;

endmodule
