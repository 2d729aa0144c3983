// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// One round of the pipeline with its part of the key schedule, in one to three
// stages. The register after the last stage is outside, except that of the
// substituted key word, which may be the output of a ROM.
//
//   stages  1                       2                       3
//   first   SubBytes, ShiftRows,    SubBytes | key step     SubBytes | key step
//           MixColumns, AddRoundKey
//           | SubWord, key step
//   second                          ShiftRows, MixColumns,  ShiftRows, first half
//                                   AddRoundKey | SubWord   of the column's sums
//   third                                                   second half, AddRoundKey
//                                                           | SubWord
//
// With one stage, key_i is this round's key and key_o the next round's. With more,
// key_i is the previous round's key and substituted_i its word after SubWord; the
// first stage computes this round's key from them, and key_o is that key.
//
// Decryption is the inverse cipher (FIPS 197, section 5.3), not the equivalent inverse
// cipher: AddRoundKey comes before InvMixColumns, so that the round keys are those of
// encryption. InvMixColumns is a first half of its own, followed by MixColumns.
// A block whose key size has no such round passes through unchanged.
module aes_pipelined_round
  import aes_pkg::*;
  import aes_functions_pkg::*;
  import aes_pipelined_pkg::*;
#(
  parameter int unsigned SBox           = SBoxTable,
  parameter int unsigned Directions     = DirectionsBoth,
  parameter int unsigned KeySizes       = KeySizesAll,
  parameter int unsigned StagesPerRound = 1,
  parameter bit          BlockRam       = 1'b0,
  parameter int unsigned Rounds         = 14,
  parameter int unsigned Round          = 1
) (
  input  logic                      clk_i,
  input  logic                      clear_i,
  // load_i[n]: the register after stage n loads.
  input  logic [StagesPerRound-1:0] load_i,

  input  logic [1:0]                key_size_i,
  input  logic                      decrypt_i,
  input  logic [127:0]              block_i,
  input  key_state_t                key_i,
  input  logic [31:0]               substituted_i,

  output logic [1:0]                key_size_o,
  output logic                      decrypt_o,
  output logic [127:0]              block_o,
  output key_state_t                key_o,
  output logic [31:0]               substituted_o
);

  localparam bit LastRound = Round == Rounds;
  // The key sizes that do not use this round.
  localparam bit Skip128 = (KeySizes & KeySizes128) != 0 && Round + 10 <= Rounds;
  localparam bit Skip192 = (KeySizes & KeySizes192) != 0 && Round + 12 <= Rounds;

  // The inputs of each stage.
  logic [1:0]   key_size[StagesPerRound];
  logic         decrypt [StagesPerRound];
  key_state_t   key     [StagesPerRound];
  logic [127:0] bypass  [StagesPerRound];

  assign key_size[0] = key_size_i;
  assign bypass[0] = block_i;
  assign decrypt[0] = Directions == DirectionsBoth ? decrypt_i : Directions == DirectionsDecrypt;

  // Key schedule: the step, and the operand of SubWord for the step after the next register.
  key_state_t  stepped;
  key_step_t   step;
  logic [31:0] word, step_word;

  aes_pipelined_key_control #(
    .KeySizes(KeySizes),
    .Rounds  (Rounds),
    .Round   (StagesPerRound == 1 ? Round : Round - 1)
  ) u_step_control (
    .key_size_i(key_size[0]),
    .decrypt_i (decrypt[0]),
    .step_o    (step)
  );

  aes_pipelined_key_next #(
    .KeySizes(KeySizes)
  ) u_next (
    .key_size_i   (key_size[0]),
    .decrypt_i    (decrypt[0]),
    .step_i       (step),
    .substituted_i(step_word),
    .key_i        (key_i),
    .key_o        (stepped)
  );

  // SubBytes.
  logic [127:0] substituted;

  aes_pipelined_substitute #(
    .SBox      (SBox),
    .Directions(Directions),
    .Bytes     (16),
    .Registered(StagesPerRound > 1),
    .BlockRam  (BlockRam)
  ) u_substitute (
    .clk_i,
    .clear_i,
    .load_i   (load_i[0]),
    .decrypt_i(decrypt[0]),
    .data_i   (block_i),
    .data_o   (substituted)
  );

  // Stages: direction, key size, key, and a block that passes through unchanged.
  if (StagesPerRound == 1) begin : gen_one_stage
    assign key[0] = key_i;
    assign step_word = substituted_o;
    assign key_o = stepped;

    logic unused_substituted;
    assign unused_substituted = ^substituted_i;
  end else begin : gen_more_stages
    assign key[0] = stepped;
    assign step_word = substituted_i;
    assign key_o = key[StagesPerRound-1];

    for (genvar n = 1; n < StagesPerRound; n++) begin : gen_register
      aes_pipelined_register #(
        .Width(2 + 1 + $bits(key_state_t))
      ) u_register (
        .clk_i,
        .clear_i,
        .load_i(load_i[n-1]),
        .data_i({key_size[n-1], decrypt[n-1], key[n-1]}),
        .data_o({key_size[n], decrypt[n], key[n]})
      );

      if (Skip128 || Skip192) begin : gen_bypass
        aes_pipelined_register #(
          .Width(128)
        ) u_bypass (
          .clk_i,
          .clear_i,
          .load_i(load_i[n-1]),
          .data_i(bypass[n-1]),
          .data_o(bypass[n])
        );
      end else begin : gen_no_bypass
        assign bypass[n] = '0;
      end
    end
  end

  // ShiftRows or InvShiftRows, and for decryption AddRoundKey and the first
  // half of InvMixColumns.
  localparam int unsigned Middle = StagesPerRound == 1 ? 0 : 1;
  logic [127:0] halfway, halfway_q;

  logic [127:0] shifted, unshifted;
  assign shifted = shift_rows(substituted);
  assign unshifted = inverse_shift_rows(substituted);

  for (genvar c = 0; c < 4; c++) begin : gen_column
    if (LastRound) begin : gen_last
      assign halfway[32*c+:32] = decrypt[Middle] ? unshifted[32*c+:32] : shifted[32*c+:32];
    end else begin : gen_mixed
      assign halfway[32*c+:32] = decrypt[Middle] ?
          premix_column(unshifted[32*c+:32] ^ key[Middle].current[32*c+:32]) :
          shifted[32*c+:32];
    end
  end

  if (StagesPerRound == 3) begin : gen_halfway_register
    aes_pipelined_register #(
      .Width(128)
    ) u_halfway (
      .clk_i,
      .clear_i,
      .load_i(load_i[1]),
      .data_i(halfway),
      .data_o(halfway_q)
    );
  end else begin : gen_halfway_wire
    assign halfway_q = halfway;
  end

  // MixColumns, and for encryption AddRoundKey.
  localparam int unsigned End = StagesPerRound - 1;
  logic [127:0] mixed;

  for (genvar c = 0; c < 4; c++) begin : gen_mix
    if (LastRound) begin : gen_last
      assign mixed[32*c+:32] = halfway_q[32*c+:32] ^ key[End].current[32*c+:32];
    end else begin : gen_mixed
      assign mixed[32*c+:32] = mix_column(halfway_q[32*c+:32]) ^
                               (decrypt[End] ? 32'b0 : key[End].current[32*c+:32]);
    end
  end

  logic skip;
  assign skip = (Skip128 & is_key_size(KeySizes, KeySize128, key_size[End])) |
                (Skip192 & is_key_size(KeySizes, KeySize192, key_size[End]));
  assign block_o = skip ? bypass[End] : mixed;

  // SubWord for the next step of the key schedule.
  if (LastRound) begin : gen_no_word
    assign word = '0;
    assign substituted_o = '0;

    logic unused_word;
    assign unused_word = ^{word, load_i[End]};
  end else begin : gen_word
    key_step_t next_step;

    aes_pipelined_key_control #(
      .KeySizes(KeySizes),
      .Rounds  (Rounds),
      .Round   (Round)
    ) u_word_control (
      .key_size_i(key_size[End]),
      .decrypt_i (decrypt[End]),
      .step_o    (next_step)
    );

    aes_pipelined_key_word #(
      .KeySizes(KeySizes)
    ) u_word (
      .key_size_i(key_size[End]),
      .decrypt_i (decrypt[End]),
      .step_i    (next_step),
      .key_i     (key[End]),
      .word_o    (word)
    );

    aes_pipelined_substitute #(
      .SBox      (SBox),
      .Directions(DirectionsEncrypt),
      .Bytes     (4),
      .Registered(StagesPerRound > 1),
      .BlockRam  (BlockRam)
    ) u_substitute (
      .clk_i,
      .clear_i,
      .load_i   (load_i[End]),
      .decrypt_i(1'b0),
      .data_i   (word),
      .data_o   (substituted_o)
    );
  end

  assign key_size_o = key_size[End];
  assign decrypt_o = decrypt[End];

endmodule
