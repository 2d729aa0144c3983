// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Reads operands word by word, adds, subtracts and selects them, and feeds the multiplier.
//
// A command is taken with issue_i while ready_o is high. In the cycle after it, and in each
// that follows, the numbers of a word of both operands leave; the words come back a cycle
// later, and results leave one cycle after that. A command that writes a register takes
// three cycles at least, so that the next one can read the result word by word.
//
// hold_i stops everything for a cycle. writes_o says that a result is on its way; busy_o,
// that flags may change.
module ecc_stream
  import ecc_pkg::*;
  import ecc_program_pkg::*;
#(
  parameter int unsigned WordBits = 136,
  localparam int unsigned Words = LongestRows * RowBits / WordBits,
  localparam int unsigned WordWidth = $clog2(Words + 1),
  localparam int unsigned BitWidth = $clog2(WordBits)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,
  input  logic                 hold_i,
  input  logic [WordWidth-1:0] words_i, // of an operand

  input  logic                 issue_i,
  output logic                 ready_o,
  input  instruction_t         command_i,
  input  logic [WordWidth-1:0] bit_word_i,  // of OpcodeBit: the word and the bit in it
  input  logic [BitWidth-1:0]  bit_index_i,
  input  logic                 bit_there_i, // without it, the bit is 0
  output logic                 busy_o,
  output logic                 writes_o,
  output flags_t               flags_o,

  output logic [6:0]           read_a_o,
  output logic [6:0]           read_b_o,
  output logic [WordWidth-1:0] read_word_o,
  input  logic [WordBits-1:0]  a_i,
  input  logic [WordBits-1:0]  b_i,

  output logic                 load_o,
  output logic                 load_modulus_o,
  output logic                 load_factor_o,
  output logic [WordWidth-2:0] word_o, // of a_i and b_i
  input  logic [WordBits-1:0]  modulus_i,

  output logic                 write_o,
  output logic [5:0]           write_register_o,
  output logic [WordWidth-2:0] write_word_o,
  output logic [WordBits-1:0]  write_data_o
);

  typedef logic [WordBits-1:0] word_t;

  // ------------------------------------------------------------ words to read

  logic                 active_q, bit_there_q, ends;
  instruction_t         command_q;
  logic [WordWidth-1:0] word_q, last_word;
  logic [BitWidth-1:0]  bit_index_q;

  always_comb begin
    unique case (command_q.opcode)
      OpcodeMultiply: last_word = words_i - WordWidth'(1);
      OpcodeModulus:  last_word = words_i; // the factor follows the modulus
      OpcodeBit:      last_word = word_q;
      default:        last_word = (words_i == WordWidth'(2)) ? WordWidth'(2)
                                                             : words_i - WordWidth'(1);
    endcase
  end

  assign ends    = word_q == last_word;
  assign ready_o = (!active_q || ends) && !hold_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q    <= 1'b0;
      command_q   <= '0;
      word_q      <= '0;
      bit_index_q <= '0;
      bit_there_q <= 1'b0;
    end else if (clear_i) begin
      active_q    <= 1'b0;
      command_q   <= '0;
      word_q      <= '0;
      bit_index_q <= '0;
      bit_there_q <= 1'b0;
    end else if (!hold_i) begin
      if (issue_i && ready_o) begin
        active_q    <= 1'b1;
        command_q   <= command_i;
        word_q      <= (command_i.opcode == OpcodeBit) ? bit_word_i : '0;
        bit_index_q <= bit_index_i;
        bit_there_q <= bit_there_i;
      end else if (active_q) begin
        active_q <= !ends;
        word_q   <= word_q + WordWidth'(1);
      end
    end
  end

  assign read_a_o    = command_q.a;
  assign read_b_o    = command_q.b;
  assign read_word_o = word_q;

  // ------------------------------------------------------------ words that were read

  logic                 valid_q, there_q;
  instruction_t         now_q;
  logic [WordWidth-1:0] now_word_q;
  logic [BitWidth-1:0]  now_bit_q;
  logic                 first, last, computes;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q    <= 1'b0;
      there_q    <= 1'b0;
      now_q      <= '0;
      now_word_q <= '0;
      now_bit_q  <= '0;
    end else if (clear_i) begin
      valid_q    <= 1'b0;
      there_q    <= 1'b0;
      now_q      <= '0;
      now_word_q <= '0;
      now_bit_q  <= '0;
    end else if (!hold_i) begin
      valid_q    <= active_q && (word_q < words_i || command_q.opcode == OpcodeModulus);
      there_q    <= bit_there_q;
      now_q      <= command_q;
      now_word_q <= word_q;
      now_bit_q  <= bit_index_q;
    end
  end

  assign first          = now_word_q == '0;
  assign last           = now_word_q == words_i - WordWidth'(1);
  assign computes       = valid_q && now_q.opcode inside {OpcodeAdd, OpcodeSubtract, OpcodeSelect};
  assign load_o         = valid_q && !hold_i && now_q.opcode == OpcodeMultiply;
  assign load_modulus_o = valid_q && !hold_i && now_q.opcode == OpcodeModulus &&
                          now_word_q != words_i;
  assign load_factor_o  = valid_q && !hold_i && now_q.opcode == OpcodeModulus &&
                          now_word_q == words_i;
  assign word_o         = now_word_q[WordWidth-2:0];

  // The multiple of the modulus that a subtraction adds: shifted by 1 to 7 bits.
  logic [6:0] above_q; // the highest bits of the word before
  logic [2:0] shift;
  word_t      multiple;

  assign shift = now_q.modifier[2:0];

  always_comb begin
    multiple = '0;
    if (now_q.opcode == OpcodeSubtract && shift != 3'd0) begin
      multiple = word_t'({modulus_i, first ? 7'd0 : above_q} >> (3'd7 - shift));
    end
  end

  // The sum of a word, and what goes over into the next one: -1 to 2.
  logic signed [2:0]          carry_q, carry;
  logic signed [WordBits+2:0] sum;
  flags_t                     flags_q;
  logic                       zero_q, zero;
  word_t                      result;

  assign carry = first ? 3'sd0 : carry_q;

  always_comb begin
    sum = $signed({3'b0, a_i}) + $signed({3'b0, multiple}) + (WordBits+3)'(carry);
    if (now_q.opcode == OpcodeSubtract) sum = sum - $signed({3'b0, b_i});
    else sum = sum + $signed({3'b0, b_i});
    if (now_q.opcode == OpcodeSelect) result = holds(now_q.modifier[5:0], flags_q) ? b_i : a_i;
    else result = sum[WordBits-1:0];
  end

  assign zero    = (first || zero_q) && result == '0;
  assign flags_o = flags_q;

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      above_q <= '0;
      carry_q <= '0;
      zero_q  <= 1'b0;
      flags_q <= '0;
    end else if (!hold_i && valid_q) begin
      above_q <= modulus_i[WordBits-1 -: 7];
      carry_q <= sum[WordBits +: 3];
      zero_q  <= zero;
      if (last && now_q.opcode inside {OpcodeAdd, OpcodeSubtract}) begin
        flags_q.borrow <= sum[WordBits+2];
        flags_q.zero   <= zero;
      end
      if (now_q.opcode == OpcodeBit) begin
        flags_q.digit <= {flags_q.digit[3:0], there_q && b_i[now_bit_q]};
      end
    end
  end

  // ------------------------------------------------------------ words to write

  logic                 write_q;
  logic [5:0]           write_register_q;
  logic [WordWidth-2:0] write_word_q;
  word_t                write_data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q          <= 1'b0;
      write_register_q <= '0;
      write_word_q     <= '0;
    end else if (clear_i) begin
      write_q          <= 1'b0;
      write_register_q <= '0;
      write_word_q     <= '0;
    end else if (!hold_i) begin
      write_q          <= computes;
      write_register_q <= now_q.d[5:0];
      write_word_q     <= now_word_q[WordWidth-2:0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) write_data_q <= '0;
    else if (!hold_i && computes) write_data_q <= result;
  end

  assign write_o          = write_q;
  assign write_register_o = write_register_q;
  assign write_word_o     = write_word_q;
  assign write_data_o     = write_data_q;

  assign busy_o   = active_q || valid_q;
  assign writes_o = write_q || computes ||
                    (active_q && command_q.opcode inside {OpcodeAdd, OpcodeSubtract, OpcodeSelect});

  logic unused;
  assign unused = ^{now_q.a, now_q.b, now_q.d[6], now_q.modifier[6], command_q.d[6]};

`ifndef SYNTHESIS
  // Nothing is ever longer than an operand, and what a multiple was added to is not negative.
  logic armed_q;

  initial armed_q = 1'b0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      armed_q <= 1'b1;
    end else if (armed_q && !clear_i && !hold_i && computes && last) begin
      sum_is_an_operand: assert (now_q.opcode == OpcodeSelect || sum[WordBits +: 3] == 3'd0 ||
          (now_q.opcode == OpcodeSubtract && shift == 3'd0 && sum[WordBits +: 3] == 3'd7))
        else $error("%m: a sum or difference is out of bounds");
    end
  end
`endif

endmodule
