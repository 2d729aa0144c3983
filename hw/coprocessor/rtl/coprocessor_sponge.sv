// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The state of Ascon and its permutation by custom instructions: an instruction writes a
// word of 64 bits from two operands or reads 32 bits. The permutation runs one round a
// cycle while the processor continues. The program adds padding and keys and sequences
// the message. funct3 = 4; the README lists the functions. An instruction waits for the
// end of the permutation.
module coprocessor_sponge
  import ascon_pkg::*;
  import coprocessor_instruction_registers_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        instruction_valid_i,
  input  logic [9:0]  instruction_function_i,
  input  logic [31:0] instruction_a_i,
  input  logic [31:0] instruction_b_i,
  output logic        instruction_known_o,
  output logic        instruction_ready_o,
  output logic [31:0] instruction_result_o,
  output logic        busy_o
);

  // ADD and SET differ in one bit, above the number of the word.
  localparam logic [2:0] Words = 3'd5;

  logic [6:0] function7;
  logic [2:0] put_word, get_word;
  logic       put_known, get_known, permute_known, zeroise_known, taken, done;

  assign function7 = instruction_function_i[SpongeFunct7Lsb+:SpongeFunct7Width];
  assign put_word = function7[2:0];
  assign get_word = function7[3:1];
  assign put_known = function7[6:4] == SpongeFunct7Add[6:4] && put_word < Words;
  assign get_known = function7[6:4] == SpongeFunct7Get[6:4] && get_word < Words;
  assign permute_known = function7[6:1] == SpongeFunct7Permute12[6:1];
  assign zeroise_known = function7 == SpongeFunct7Zeroise;
  assign instruction_known_o = instruction_function_i[2:0] == SpongeFunct3Value &&
      (put_known || get_known || permute_known || zeroise_known);
  assign taken = instruction_valid_i && instruction_known_o;

  state_t     state_q, state_d, rounded;
  logic [3:0] round_q; // LongRounds when the permutation does not run
  logic       running;

  assign running = round_q != 4'(LongRounds);
  assign done = taken && (!running || zeroise_known);
  assign instruction_ready_o = instruction_valid_i && (!taken || done);
  assign instruction_result_o = (done && get_known) ? state_q[get_word][32*function7[0]+:32] : '0;
  assign busy_o = running;

  ascon_round u_round (
    .round_i(round_q),
    .state_i(state_q),
    .state_o(rounded)
  );

  always_comb begin
    state_d = running ? rounded : state_q;
    if (done && put_known) begin
      state_d[put_word] = {instruction_b_i, instruction_a_i} ^
          (function7[3] ? 64'b0 : state_q[put_word]);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= '0;
      round_q <= 4'(LongRounds);
    end else if (done && zeroise_known) begin
      state_q <= '0;
      round_q <= 4'(LongRounds);
    end else begin
      state_q <= state_d;
      if (done && permute_known) round_q <= function7[0] ? 4'(LongRounds - ShortRounds) : '0;
      else if (running) round_q <= round_q + 4'd1;
    end
  end

endmodule
