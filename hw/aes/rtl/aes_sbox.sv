// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The S-box of AES for Bytes bytes that go the same way, by the implementation
// that SBox chooses: SubBytes (FIPS 197, section 5.1.1) when encrypting,
// InvSubBytes (section 5.3.2) when decrypting. direction_i matters only where
// Directions says both.
module aes_sbox
  import aes_pkg::*;
#(
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned Bytes = 1
) (
  input  direction_e           direction_i,
  input  logic [8*Bytes-1:0]   data_i,
  output logic [8*Bytes-1:0]   data_o
);

  if (SBox != SBoxTable && SBox != SBoxComposite) begin : gen_bad_sbox
    $error("aes_sbox: SBox must be 0 (table) or 1 (composite)");
  end
  if (Directions < DirectionsEncrypt || Directions > DirectionsBoth) begin : gen_bad_directions
    $error("aes_sbox: Directions must be 1 (encrypt), 2 (decrypt) or 3 (both)");
  end

  if (SBox == SBoxComposite) begin : gen_composite
    aes_sbox_composite #(
      .Directions(Directions),
      .Bytes     (Bytes)
    ) u_sbox (
      .direction_i(direction_i),
      .data_i     (data_i),
      .data_o     (data_o)
    );
  end else begin : gen_table
    aes_sbox_table #(
      .Directions(Directions),
      .Bytes     (Bytes)
    ) u_sbox (
      .direction_i(direction_i),
      .data_i     (data_i),
      .data_o     (data_o)
    );
  end

endmodule
