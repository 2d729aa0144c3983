// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The S-box of AES for Bytes bytes in one direction, in the implementation that SBox
// selects: SubBytes (FIPS 197, section 5.1.1) in encryption, InvSubBytes (section
// 5.3.2) in decryption. direction_i is used only if Directions is both.
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

  if (SBox > SBoxDecoder) begin : gen_bad_sbox
    $error("aes_sbox: SBox must be 0 (table), 1 (composite) or 2 (decoder)");
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
  end else if (SBox == SBoxDecoder) begin : gen_decoder
    logic decrypt;
    assign decrypt = (Directions == DirectionsBoth) ? direction_i == DirectionDecrypt
                                                    : Directions == DirectionsDecrypt;
    if (Directions != DirectionsBoth) begin : gen_one_direction
      logic unused_direction;
      assign unused_direction = direction_i;
    end

    for (genvar n = 0; n < Bytes; n++) begin : gen_byte
      logic [7:0] encrypted, decrypted;
      aes_sbox_decoder #(
        .Directions(Directions)
      ) u_sbox (
        .encrypt_i  (!decrypt),
        .decrypt_i  (decrypt),
        .data_i     (data_i[8*n+:8]),
        .encrypted_o(encrypted),
        .decrypted_o(decrypted)
      );
      assign data_o[8*n+:8] = encrypted | decrypted;
    end
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
