// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The constants of the curves that Curves chooses. A word is there in the cycle after its
// number, and stays while enable_i is low.
//
// word_i may be one more than an operand has: the first word of the next constant.
module ecc_constants
  import ecc_pkg::*;
  import ecc_program_pkg::*;
#(
  parameter int unsigned Curves = CurvesAll,
  parameter int unsigned WordBits = 136,
  localparam int unsigned Parts = RowBits / WordBits,
  localparam int unsigned WordWidth = $clog2(LongestRows * Parts + 1)
) (
  input  logic                 clk_i,
  input  logic                 enable_i,
  input  curve_e               curve_i,
  input  logic [5:0]           constant_i,
  input  logic [WordWidth-1:0] word_i,
  output logic [WordBits-1:0]  word_o
);

  logic [7:0]         address;
  logic [RowBits-1:0] row256, row384, row521, row;
  logic [WordBits-1:0] word_d;

  if (Parts == 1) begin : gen_whole
    assign address = 8'(constant_i) * 8'(Rows[curve_i]) + 8'(word_i);
    assign word_d  = row;
  end else begin : gen_halves
    assign address = 8'(constant_i) * 8'(Rows[curve_i]) + 8'(word_i[WordWidth-1:1]);
    assign word_d  = word_i[0] ? row[WordBits +: WordBits] : row[0 +: WordBits];
  end

  assign row256 = (Curves & 1) != 0 ? Constants256[7'(address)] : '0;
  assign row384 = (Curves & 2) != 0 ? Constants384[address] : '0;
  assign row521 = (Curves & 4) != 0 ? Constants521[address] : '0;

  always_comb begin
    unique case (curve_i)
      CurveP256: row = row256;
      CurveP384: row = row384;
      CurveP521: row = row521;
      default:   row = '0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (enable_i) word_o <= word_d;
  end

endmodule
