// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: one round of AES as FIPS 197 defines it (sections 5.1 and 5.3), with
// the round keys of encryption: SubBytes by table, ShiftRows byte by byte.
//
//   Cipher:    SubBytes, ShiftRows, MixColumns (not in the last round), AddRoundKey
//   InvCipher: InvShiftRows, InvSubBytes, AddRoundKey, InvMixColumns (not in the last)
module aes_round_reference
  import aes_pkg::*;
#(
  parameter int unsigned Directions = DirectionsBoth
) (
  input  direction_e   direction_i,
  input  logic         last_i,
  input  logic [127:0] state_i,
  input  logic [127:0] round_key_i,
  output logic [127:0] state_o
);

  logic         decrypt;
  direction_e   direction;
  logic [127:0] substituted, keyed, unmixed, mixed;

  assign decrypt = (Directions == DirectionsBoth) ? direction_i == DirectionDecrypt
                                                  : Directions == DirectionsDecrypt;

  // Row r rotates left or right by r columns (sections 5.1.2 and 5.3.1).
  logic [127:0] left, right;

  for (genvar column = 0; column < 4; column++) begin : gen_column
    for (genvar row = 0; row < 4; row++) begin : gen_row
      assign left[8*(4*column + row) +: 8] = state_i[8*(4*((column + row) % 4) + row) +: 8];
      assign right[8*(4*column + row) +: 8] = state_i[8*(4*((column + 4 - row) % 4) + row) +: 8];
    end
  end

  aes_sbox_reference #(
    .Directions (Directions),
    .Bytes      (16)
  ) u_tables (
    .direction_i    (direction_i),
    .encrypt_data_i (left),
    .decrypt_data_i (right),
    .data_o         (substituted)
  );

  assign keyed     = substituted ^ round_key_i;
  assign unmixed   = decrypt ? keyed : substituted;
  assign direction = decrypt ? DirectionDecrypt : DirectionEncrypt;

  for (genvar column = 0; column < 4; column++) begin : gen_mix
    aes_mix_columns_reference u_mix (
      .direction_i (direction),
      .column_i    (unmixed[32*column +: 32]),
      .column_o    (mixed[32*column +: 32])
    );
  end

  assign state_o = last_i ? keyed : decrypt ? mixed : mixed ^ round_key_i;

  if (Directions != DirectionsBoth) begin : gen_one_direction
    logic unused;
    assign unused = direction_i;
  end

endmodule
