// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// One round of AES in either direction, with the round keys of encryption for
// both (FIPS 197, sections 5.1 and 5.3). Combinational.
//
//   encrypting: state_o  = MixColumns(SubBytes(ShiftRows(state))) + key
//   decrypting: state_o  = InvMixColumns(InvSubBytes(InvShiftRows(state)) + key)
//   last round: result_o = SubBytes(ShiftRows(state)) + key, or its inverse
//
// result_o is valid only with last_i, state_o only without. In decryption and in the
// last round the key is added before the column mixer, so that the last round needs
// no XOR of its own.
module aes_iterative_round
  import aes_pkg::*;
  import aes_functions_pkg::*;
#(
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned Directions = DirectionsBoth
) (
  input  direction_e   direction_i,
  input  logic         last_i,
  input  logic [127:0] state_i,
  input  logic [127:0] round_key_i,
  output logic [127:0] state_o,
  output logic [127:0] result_o
);

  logic decrypt;
  assign decrypt = (direction_i == DirectionDecrypt);

  if (SBox == SBoxDecoder) begin : gen_quiet
    aes_iterative_quiet_round #(
      .Directions(Directions)
    ) u_round (
      .decrypt_i  (decrypt),
      .last_i     (last_i),
      .state_i    (state_i),
      .round_key_i(round_key_i),
      .state_o    (state_o),
      .result_o   (result_o)
    );
  end else begin : gen_small
    logic [127:0] substituted;

    aes_sbox_steered #(
      .SBox      (SBox),
      .Directions(Directions),
      .Bytes     (16)
    ) u_sbox (
      .direction_i   (direction_i),
      .encrypt_data_i(shift_rows(state_i)),
      .decrypt_data_i(inverse_shift_rows(state_i)),
      .data_o        (substituted)
    );

    for (genvar n = 0; n < 4; n++) begin : gen_column
      logic [31:0] keyed, key;
      assign key = round_key_i[32*n+:32];
      assign keyed = substituted[32*n+:32] ^ ((decrypt || last_i) ? key : 32'h0);
      assign result_o[32*n+:32] = keyed;
      // Added after MixColumns: the key, or the correction that makes it InvMixColumns.
      assign state_o[32*n+:32] =
          mix_column(keyed) ^ (decrypt ? inverse_mix_correction(keyed) : key);
    end
  end

endmodule
