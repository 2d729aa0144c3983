// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: replaces aes_sbox_decoder in the proof of a round. A proof of its own
// shows that aes_sbox_decoder equals it: the tables of FIPS 197, and zero for a direction
// that is not selected.
module aes_sbox_decoder
  import aes_pkg::*;
#(
  parameter int unsigned Directions = DirectionsBoth
) (
  input  logic       encrypt_i,
  input  logic       decrypt_i,
  input  logic [7:0] data_i,
  output logic [7:0] encrypted_o,
  output logic [7:0] decrypted_o
);

  logic encrypts, decrypts;

  assign encrypts = encrypt_i && Directions != DirectionsDecrypt;
  assign decrypts = decrypt_i && Directions != DirectionsEncrypt;
  assign encrypted_o = encrypts ? aes_sbox_tables_pkg::SubBytesTable[data_i] : '0;
  assign decrypted_o = decrypts ? aes_sbox_tables_pkg::InvSubBytesTable[data_i] : '0;

endmodule
