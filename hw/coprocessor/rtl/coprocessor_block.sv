// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Whole AES blocks by custom instructions: an instruction writes two words of a key or
// block, whose position is in funct7, or reads one word of a result. funct3 = 2; the
// README lists the functions. Two blocks may be in flight, so that the next one can be
// written while one is computed. An instruction waits for the unit to be able to take or
// give its words, never for a later instruction.
module coprocessor_block
  import aes_pkg::*;
  import coprocessor_instruction_registers_pkg::*;
  import coprocessor_pkg::*;
#(
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned KeySizes = KeySizesAll
) (
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

  localparam int unsigned BlocksInFlight = 2;

  logic [6:0]  function7;
  logic [63:0] pair;
  logic        key_known, put_known, get_known, status_known, zeroise_known, taken;

  assign function7 = instruction_function_i[BlockFunct7Lsb+:BlockFunct7Width];
  assign pair = {instruction_b_i, instruction_a_i};

  // Low bits of funct7: a pair of a key and its size, a pair of a block and its
  // direction, or a word of a result.
  logic [1:0]  index;
  key_size_e   key_size;
  logic        decrypt, key_last;
  direction_e  direction;

  assign index = function7[1:0];
  assign key_size = key_size_e'(function7[3:2]);
  assign decrypt = function7[1];
  assign direction = direction_e'(decrypt);

  assign key_known = function7[6:4] == BlockFunct7Key128[6:4] && KeySizes[5'(function7[3:2])] &&
      {1'b0, index} <= {1'b0, function7[3:2]} + 3'd1;
  assign key_last = {1'b0, index} == {1'b0, function7[3:2]} + 3'd1;
  assign put_known = function7[6:2] == BlockFunct7Encrypt[6:2] && Directions[5'(decrypt)];
  assign get_known = function7[6:2] == BlockFunct7Get[6:2];
  assign status_known = function7 == BlockFunct7Status;
  assign zeroise_known = function7 == BlockFunct7Zeroise;
  assign instruction_known_o = instruction_function_i[2:0] == BlockFunct3Value &&
      (key_known || put_known || get_known || status_known || zeroise_known);
  assign taken = instruction_valid_i && instruction_known_o;

  logic zeroise, key_put, key_done, push, push_done, read, read_done;
  assign zeroise = taken && zeroise_known;
  assign key_put = taken && key_known;
  assign push = taken && put_known && index[0];
  assign read = taken && get_known;

  // Words that wait for the last pair of their key or block.
  logic         key_valid, key_ready, block_valid, block_ready, result_valid, result_ready;
  logic         sweep;
  logic [1:0]   results;
  logic [191:0] key_q;
  logic [63:0]  block_q;
  logic [127:0] result;
  logic [255:0] key;

  always_comb begin
    key = {64'h0, key_q};
    key[64*index+:64] = pair;
  end

  assign key_valid = key_put && key_last;
  assign key_done = !key_last || key_ready;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_q   <= '0;
      block_q <= '0;
    end else if (zeroise) begin
      key_q   <= '0;
      block_q <= '0;
    end else begin
      if (key_put) key_q <= key_last && key_ready ? '0 : key[191:0];
      if (taken && put_known && !index[0]) block_q <= pair;
      else if (push && push_done) block_q <= '0;
    end
  end

  status_t status;

  coprocessor_flow #(
    .BlocksInFlight(BlocksInFlight)
  ) u_flow (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .zeroise_i     (zeroise),
    .key_taken_i   (key_valid && key_ready),
    .bad_i         (1'b0),
    .clear_error_i (1'b0),
    .push_i        (push),
    .push_allowed_i(1'b1),
    .push_valid_o  (block_valid),
    .push_ready_i  (block_ready),
    .push_done_o   (push_done),
    .read_i        (read),
    .read_last_i   (index == 2'd3),
    .read_done_o   (read_done),
    .pop_o         (result_ready),
    .result_valid_i(result_valid),
    .results_i     (results),
    .sweep_i       (sweep),
    .waiting_i     (key_valid && !key_ready),
    .busy_o        (busy_o),
    .status_o      (status)
  );

  coprocessor_aes #(
    .DataPath      (AesIterative),
    .BlocksInFlight(BlocksInFlight),
    .SBox          (SBox),
    .Directions    (Directions),
    .KeySizes      (KeySizes)
  ) u_aes (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .zeroise_i        (zeroise),
    .key_valid_i      (key_valid),
    .key_ready_o      (key_ready),
    .key_size_i       (key_size),
    .key_i            (key),
    .block_valid_i    (block_valid),
    .block_ready_o    (block_ready),
    .block_direction_i(direction),
    .block_i          ({pair, block_q}),
    .block_valid_o    (result_valid),
    .block_ready_i    (result_ready),
    .block_o          (result),
    .results_o        (results),
    .sweep_o          (sweep)
  );

  always_comb begin
    instruction_ready_o = instruction_valid_i;
    instruction_result_o = '0;
    if (key_put) instruction_ready_o = key_done;
    if (push) instruction_ready_o = push_done;
    if (read) begin
      instruction_ready_o = read_done;
      instruction_result_o = result[32*index+:32];
    end
    if (taken && status_known) instruction_result_o = status_word(status);
  end

endmodule
