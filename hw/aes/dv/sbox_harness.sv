// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Test only: every S-box and column mixer side by side.
module sbox_harness
  import aes_pkg::*;
(
  input  direction_e  direction_i,
  input  logic [7:0]  data_i,
  input  logic [31:0] column_i,
  output logic [7:0]  table_encrypt_o,
  output logic [7:0]  table_decrypt_o,
  output logic [7:0]  table_both_o,
  output logic [7:0]  composite_encrypt_o,
  output logic [7:0]  composite_decrypt_o,
  output logic [7:0]  composite_both_o,
  output logic [7:0]  decoder_encrypt_o,
  output logic [7:0]  decoder_decrypt_o,
  output logic [7:0]  decoder_both_o,
  output logic [31:0] table_word_o,
  output logic [31:0] composite_word_o,
  output logic [31:0] decoder_word_o,
  output logic [31:0] steered_word_o,
  output logic [31:0] mix_encrypt_o,
  output logic [31:0] mix_decrypt_o,
  output logic [31:0] mix_both_o
);

  aes_sbox #(.SBox(SBoxTable), .Directions(DirectionsEncrypt)) u_table_encrypt (
    .direction_i, .data_i, .data_o(table_encrypt_o));
  aes_sbox #(.SBox(SBoxTable), .Directions(DirectionsDecrypt)) u_table_decrypt (
    .direction_i, .data_i, .data_o(table_decrypt_o));
  aes_sbox #(.SBox(SBoxTable), .Directions(DirectionsBoth)) u_table_both (
    .direction_i, .data_i, .data_o(table_both_o));
  aes_sbox #(.SBox(SBoxComposite), .Directions(DirectionsEncrypt)) u_composite_encrypt (
    .direction_i, .data_i, .data_o(composite_encrypt_o));
  aes_sbox #(.SBox(SBoxComposite), .Directions(DirectionsDecrypt)) u_composite_decrypt (
    .direction_i, .data_i, .data_o(composite_decrypt_o));
  aes_sbox #(.SBox(SBoxComposite), .Directions(DirectionsBoth)) u_composite_both (
    .direction_i, .data_i, .data_o(composite_both_o));
  aes_sbox #(.SBox(SBoxDecoder), .Directions(DirectionsEncrypt)) u_decoder_encrypt (
    .direction_i, .data_i, .data_o(decoder_encrypt_o));
  aes_sbox #(.SBox(SBoxDecoder), .Directions(DirectionsDecrypt)) u_decoder_decrypt (
    .direction_i, .data_i, .data_o(decoder_decrypt_o));
  aes_sbox #(.SBox(SBoxDecoder), .Directions(DirectionsBoth)) u_decoder_both (
    .direction_i, .data_i, .data_o(decoder_both_o));

  aes_sbox #(.SBox(SBoxTable), .Directions(DirectionsBoth), .Bytes(4)) u_table_word (
    .direction_i, .data_i({4{data_i}}), .data_o(table_word_o));
  aes_sbox #(.SBox(SBoxComposite), .Directions(DirectionsBoth), .Bytes(4)) u_composite_word (
    .direction_i, .data_i({4{data_i}}), .data_o(composite_word_o));
  aes_sbox #(.SBox(SBoxDecoder), .Directions(DirectionsBoth), .Bytes(4)) u_decoder_word (
    .direction_i, .data_i({4{data_i}}), .data_o(decoder_word_o));

  // The operand of the other direction must not matter.
  aes_sbox_steered #(.SBox(SBoxTable), .Directions(DirectionsBoth), .Bytes(4)) u_steered (
    .direction_i,
    .encrypt_data_i({4{data_i ^ {8{direction_i}}}}),
    .decrypt_data_i({4{data_i ^ {8{!direction_i}}}}),
    .data_o(steered_word_o));

  aes_mix_columns #(.Directions(DirectionsEncrypt)) u_mix_encrypt (
    .direction_i, .column_i, .column_o(mix_encrypt_o));
  aes_mix_columns #(.Directions(DirectionsDecrypt)) u_mix_decrypt (
    .direction_i, .column_i, .column_o(mix_decrypt_o));
  aes_mix_columns #(.Directions(DirectionsBoth)) u_mix_both (
    .direction_i, .column_i, .column_o(mix_both_o));

endmodule
