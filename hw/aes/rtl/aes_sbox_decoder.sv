// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// SubBytes, InvSubBytes or both for one byte, by a decoder and an encoder: of the three
// forms, the one with the least switching in cells (G. Bertoni, M. Macchetti, L. Negri,
// P. Fragneto: "Power-efficient ASIC synthesis of cryptographic S-boxes", GLSVLSI
// 2004).
//
// Two decoders turn each half of the byte into one of 16 lines, and 256 ANDs combine
// these into one of 256 lines. The S-box itself is wiring: line x is line S(x) of the
// result. The encoder ORs 16 lines at a time into one of 16 lines for each half of the
// result, and these into its bits. So a change of the byte toggles few lines besides
// two in each stage, and all paths have the same gates, which makes glitches rare.
//
// Each direction has ANDs and an encoder of its own; they do not toggle, and give zero,
// while encrypt_i or decrypt_i is low. Larger than the composite form. Combinational.
// Not masked: its power consumption depends on its data.
module aes_sbox_decoder
  import aes_pkg::*;
  import aes_sbox_tables_pkg::*;
#(
  parameter int unsigned Directions = DirectionsBoth
) (
  input  logic       encrypt_i,
  input  logic       decrypt_i,
  input  logic [7:0] data_i,
  output logic [7:0] encrypted_o,
  output logic [7:0] decrypted_o
);

  typedef logic [15:0] half_t;
  typedef logic [255:0] lines_t;

  function automatic half_t decode(input logic [3:0] half, input logic enable);
    half_t lines;
    for (int n = 0; n < 16; n++) lines[n] = enable && half == 4'(n);
    return lines;
  endfunction

  function automatic lines_t combine(input half_t high, input half_t low);
    lines_t lines;
    for (int row = 0; row < 16; row++) lines[16*row+:16] = {16{high[row]}} & low;
    return lines;
  endfunction

  // The number of the line that is high.
  function automatic logic [3:0] number(input half_t lines);
    return {|(lines & 16'hff00), |(lines & 16'hf0f0), |(lines & 16'hcccc), |(lines & 16'haaaa)};
  endfunction

  // The result of the line that is high, by a chain of ORs in the order of the results.
  // Explicit trees of ORs restrict technology mapping: area and energy are then 5 % to
  // 10 % larger.
  function automatic logic [7:0] encode(input logic decrypt, input lines_t lines);
    half_t high, low;
    high = '0;
    low = '0;
    for (int n = 0; n < 256; n++) begin
      high[n/16] |= lines[decrypt ? SubBytesTable[n] : InvSubBytesTable[n]];
      low[n%16] |= lines[decrypt ? SubBytesTable[n] : InvSubBytesTable[n]];
    end
    return {number(high), number(low)};
  endfunction

  half_t low;
  assign low = decode(data_i[3:0], 1'b1);

  if (Directions != DirectionsDecrypt) begin : gen_encrypt
    assign encrypted_o = encode(1'b0, combine(decode(data_i[7:4], encrypt_i), low));
  end else begin : gen_no_encrypt
    logic unused;
    assign unused = encrypt_i;
    assign encrypted_o = '0;
  end

  if (Directions != DirectionsEncrypt) begin : gen_decrypt
    assign decrypted_o = encode(1'b1, combine(decode(data_i[7:4], decrypt_i), low));
  end else begin : gen_no_decrypt
    logic unused;
    assign unused = decrypt_i;
    assign decrypted_o = '0;
  end

endmodule
