// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The message schedule of two rounds a cycle. Ports and rules are those of sha2_schedule,
// with two words and constants.
module sha2_schedule_two
  import sha2_pkg::*;
#(
  parameter int unsigned WordSizes = WordSizesAll,
  localparam int unsigned Width = ((WordSizes & WordSizes64) != 0) ? 64 : 32
) (
  input  logic                  clk_i,
  input  logic                  clear_i,
  input  logic                  wide_i,
  input  logic                  advance_i,
  input  logic                  load_i,
  input  logic [6:0]            round_i,    // the first one of this cycle
  input  logic [1:0][Width-1:0] word_i,
  output logic [1:0][Width-1:0] word_o,
  output logic [1:0][Width-1:0] constant_o
);

  typedef logic [Width-1:0] word_t;

  localparam bit Wide = (WordSizes & WordSizes64) != 0;
  localparam bit Narrow = (WordSizes & WordSizes32) != 0;
  localparam int unsigned Count = 2; // of the rounds of a cycle

  function automatic word_t small_sigma0(input word_t x, input logic wide);
    return (Wide && (!Narrow || wide)) ? Width'(small_sigma0_64(64'(x)))
                                       : Width'(small_sigma0_32(x[31:0]));
  endfunction

  function automatic word_t small_sigma1(input word_t x, input logic wide);
    return (Wide && (!Narrow || wide)) ? Width'(small_sigma1_64(64'(x)))
                                       : Width'(small_sigma1_32(x[31:0]));
  endfunction

  word_t [15:0]      window_q; // the last 16 words, oldest first
  word_t [Count-1:0] next, constant, constant_q;

  for (genvar n = 0; n < Count; n++) begin : gen_word
    word_t expanded;

    prim_sum #(
      .Width    (Width),
      .Operands (4)
    ) u_expanded (
      .operand_i ({small_sigma1(window_q[14+n], wide_i), small_sigma0(window_q[1+n], wide_i),
                   window_q[9+n], window_q[n]}),
      .carry_i   (1'b0),
      .sum_o     (expanded)
    );

    assign next[n] = (round_i < 7'd16) ? word_i[n] : expanded;

    logic [63:0] constant_of_round;
    assign constant_of_round = RoundConstant[round_i + 7'(n)];
    assign constant[n] = (Wide && (!Narrow || wide_i)) ? Width'(constant_of_round)
                                                       : Width'(constant_of_round[63:32]);
  end

  always_ff @(posedge clk_i) begin
    if (clear_i || load_i) begin
      window_q   <= '0;
      constant_q <= '0;
    end else if (advance_i) begin
      window_q   <= {next, window_q[15:Count]};
      constant_q <= constant;
    end
  end

  assign word_o     = window_q[15:16-Count];
  assign constant_o = constant_q;

endmodule
