// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// AES as a stream of words by custom instructions, without a bus: push two words, pull
// one, in order, with several blocks in flight. funct3 = 3; the README lists the
// functions.
//
// A complete block waits in an input register, so that a push does not wait for the rounds
// or the key expansion. A key goes to the core when its last words are pushed and no block
// waits in that register. So this unit adds no cycles to those of the core, even with a
// new key for each block.
module coprocessor_stream
  import aes_pkg::*;
  import coprocessor_instruction_registers_pkg::*;
  import coprocessor_pkg::*;
  import coprocessor_registers_pkg::*;
#(
  parameter int unsigned BlocksInFlight = 4,
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned KeySizes = KeySizesAll,
  localparam int unsigned CountWidth = $clog2(BlocksInFlight + 1)
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

  typedef enum logic [2:0] {
    Push    = StreamFunct7Push[2:0],
    Pull    = StreamFunct7Pull[2:0],
    PushKey = StreamFunct7PushKey[2:0],
    Control = StreamFunct7Control[2:0],
    Status  = StreamFunct7Status[2:0]
  } operation_e;

  logic        taken, zeroise;
  logic [63:0] pair;
  logic [2:0]  operation;

  assign operation = instruction_function_i[StreamFunct7Lsb+:3];
  assign instruction_known_o = instruction_function_i[2:0] == StreamFunct3Value &&
      instruction_function_i[9:6] == '0 && operation <= Status;
  assign taken = instruction_valid_i && instruction_known_o;
  assign pair = {instruction_b_i, instruction_a_i};

  logic control;
  assign control = taken && operation == Control;
  assign zeroise = control && instruction_a_i[ControlZeroiseLsb];

  // Direction and key size of the keys and blocks that are pushed next.
  logic      decrypt_q;
  key_size_e key_size_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      decrypt_q  <= 1'b0;
      key_size_q <= KeySize128;
    end else if (control) begin
      decrypt_q  <= instruction_a_i[ControlDecryptLsb];
      key_size_q <= key_size_e'(instruction_a_i[ControlKeySizeLsb+:ControlKeySizeWidth]);
    end
  end

  // Keys: pairs before the last one are stored. A key size that the core does not have is
  // reported as an error when the last pair comes.
  logic         key_push, key_allowed, key_last, key_valid, key_ready, key_done;
  logic [1:0]   key_index_q;
  logic [191:0] key_q;
  logic [255:0] key;

  assign key_push = taken && operation == PushKey;
  assign key_allowed = KeySizes[5'(key_size_q)];
  assign key_last = key_allowed ? {1'b0, key_index_q} == {1'b0, key_size_q} + 3'd1
                                : key_index_q == 2'd3;

  always_comb begin
    key = {64'h0, key_q};
    key[64*key_index_q+:64] = pair;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_index_q <= '0;
      key_q       <= '0;
    end else if (control || (key_push && key_last && key_done)) begin
      key_index_q <= '0;
      key_q       <= '0;
    end else if (key_push && !key_last) begin
      key_index_q <= key_index_q + 2'd1;
      key_q       <= key[191:0];
    end
  end

  // Blocks: the first pair is stored; the second one completes the block in the input
  // register.
  logic         block_push, second_q, push, push_valid, push_ready, push_done;
  logic [63:0]  half_q;
  logic         input_valid_q, input_decrypt_q, input_ready;
  logic [127:0] input_q;
  direction_e   direction;

  assign block_push = taken && operation == Push;
  assign push = block_push && second_q;
  assign push_ready = !input_valid_q || input_ready;
  assign direction = direction_e'(input_decrypt_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      second_q <= 1'b0;
      half_q   <= '0;
    end else if (control || (push && push_done)) begin
      second_q <= 1'b0;
      half_q   <= '0;
    end else if (block_push && !second_q) begin
      second_q <= 1'b1;
      half_q   <= pair;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      input_valid_q   <= 1'b0;
      input_decrypt_q <= 1'b0;
      input_q         <= '0;
    end else if (zeroise) begin
      input_valid_q <= 1'b0;
      input_q       <= '0;
    end else if (push_valid && push_ready) begin
      input_valid_q   <= 1'b1;
      input_decrypt_q <= decrypt_q;
      input_q         <= {pair, half_q};
    end else if (input_ready) begin
      input_valid_q <= 1'b0;
      input_q       <= '0;
    end
  end

  // A key does not overtake a waiting block.
  assign key_valid = key_push && key_last && key_allowed && !input_valid_q;
  assign key_done = !key_allowed || (key_ready && !input_valid_q);

  // Results.
  logic                  pull, read_done, result_valid, pop, sweep;
  logic [1:0]            word_q;
  logic [127:0]          result;
  logic [CountWidth-1:0] results;
  status_t               status;

  assign pull = taken && operation == Pull;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      word_q <= '0;
    end else if (zeroise) begin
      word_q <= '0;
    end else if (pull && result_valid) begin
      word_q <= word_q + 2'd1;
    end
  end

  coprocessor_flow #(
    .BlocksInFlight(BlocksInFlight)
  ) u_flow (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .zeroise_i     (zeroise),
    .key_taken_i   (key_valid && key_ready),
    .bad_i         (key_push && key_last && !key_allowed),
    .clear_error_i (1'b0),
    .push_i        (push),
    .push_allowed_i(Directions[5'(decrypt_q)]),
    .push_valid_o  (push_valid),
    .push_ready_i  (push_ready),
    .push_done_o   (push_done),
    .read_i        (pull),
    .read_last_i   (word_q == 2'd3),
    .read_done_o   (read_done),
    .pop_o         (pop),
    .result_valid_i(result_valid),
    .results_i     (results),
    .sweep_i       (sweep),
    .waiting_i     (key_push && key_last && !key_done),
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
    .key_size_i       (key_size_q),
    .key_i            (key),
    .block_valid_i    (input_valid_q),
    .block_ready_o    (input_ready),
    .block_direction_i(direction),
    .block_i          (input_q),
    .block_valid_o    (result_valid),
    .block_ready_i    (pop),
    .block_o          (result),
    .results_o        (results),
    .sweep_o          (sweep)
  );

  always_comb begin
    instruction_ready_o = instruction_valid_i;
    instruction_result_o = '0;
    if (key_push && key_last) instruction_ready_o = key_done;
    if (push) instruction_ready_o = push_done;
    if (pull) begin
      instruction_ready_o = read_done;
      instruction_result_o = result[32*word_q+:32];
    end
    if (taken && operation == Status) instruction_result_o = status_word(status);
  end

endmodule
