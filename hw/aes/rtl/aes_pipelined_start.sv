// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The input of the pipeline, before its first register: AddRoundKey with the first
// round key of the block's direction, and the step of the key schedule that keys of
// the largest size need before round 1. Only encryption with 128 and 192-bit keys has
// such a step; with 256-bit keys in KeySizes there is none. With several stages per
// round only SubWord of that step is here (aes_pipelined_round), with a register that
// loads with load_i.
module aes_pipelined_start
  import aes_pkg::*;
  import aes_pipelined_pkg::*;
#(
  parameter int unsigned SBox           = SBoxTable,
  parameter int unsigned Directions     = DirectionsBoth,
  parameter int unsigned KeySizes       = KeySizesAll,
  parameter int unsigned StagesPerRound = 1,
  parameter bit          BlockRam       = 1'b0
) (
  input  logic         clk_i,
  input  logic         clear_i,
  input  logic         load_i,

  input  logic [1:0]   key_size_i,
  input  logic         decrypt_i,
  input  logic [127:0] block_i,
  input  key_state_t   key_i,

  output logic [127:0] block_o,
  output key_state_t   key_o,
  output logic [31:0]  substituted_o
);

  localparam int unsigned Rounds = pipeline_rounds(KeySizes);

  assign block_o = block_i ^
      ((decrypt_i || is_key_size(KeySizes, KeySize256, key_size_i)) ? key_i.previous :
                                                                      key_i.current);

  if ((KeySizes & KeySizes256) == 0 && Directions != DirectionsDecrypt) begin : gen_step
    key_step_t   step;
    logic [31:0] word;

    aes_pipelined_key_control #(
      .KeySizes(KeySizes),
      .Rounds  (Rounds),
      .Round   (0)
    ) u_control (
      .key_size_i,
      .decrypt_i,
      .step_o    (step)
    );

    aes_pipelined_key_word #(
      .KeySizes(KeySizes)
    ) u_word (
      .key_size_i,
      .decrypt_i,
      .step_i    (step),
      .key_i,
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
      .load_i,
      .decrypt_i(1'b0),
      .data_i   (word),
      .data_o   (substituted_o)
    );

    if (StagesPerRound == 1) begin : gen_next
      aes_pipelined_key_next #(
        .KeySizes(KeySizes)
      ) u_next (
        .key_size_i,
        .decrypt_i,
        .step_i       (step),
        .substituted_i(substituted_o),
        .key_i,
        .key_o
      );
    end else begin : gen_later
      assign key_o = key_i;
    end
  end else begin : gen_no_step
    assign key_o = key_i;
    assign substituted_o = '0;

    logic unused_control;
    assign unused_control = ^{clk_i, clear_i, load_i};
  end

endmodule
