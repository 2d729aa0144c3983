// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The operand of SubWord, RotWord included, in the next step of the key schedule, from
// the key state (FIPS 197, section 5.2; the step is backward for decryption).
module aes_pipelined_key_word
  import aes_pkg::*;
  import aes_pipelined_pkg::*;
#(
  parameter int unsigned KeySizes = KeySizesAll
) (
  input  logic [1:0]  key_size_i,
  input  logic        decrypt_i,
  input  key_step_t   step_i,
  input  key_state_t  key_i,
  output logic [31:0] word_o
);

  logic [31:0] word;

  always_comb begin
    word = key_i.current[127:96];
    if (is_key_size(KeySizes, KeySize192, key_size_i)) begin
      if (decrypt_i && !step_i.third) begin
        word = key_i.current[63:32];
      end else if (!decrypt_i && step_i.third) begin
        // The second of the new words, which this step computes.
        word = key_i.current[127:96] ^ key_i.previous[127:96] ^ key_i.previous[95:64];
      end
    end else if (is_key_size(KeySizes, KeySize128, key_size_i) && decrypt_i) begin
      word = key_i.current[127:96] ^ key_i.current[95:64];
    end
  end

  assign word_o = step_i.rotate ? {word[7:0], word[31:8]} : word;

  logic unused_step;
  assign unused_step = ^{step_i.active, step_i.substitute, step_i.rcon};

endmodule
