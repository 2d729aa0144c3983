// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Absorbs a block of up to 16 bytes into the rate of the sponge. Combinational.
//
// The first bytes_i bytes of the block are added to the state; with replace_i they are
// ciphertext and replace the state (section 4.1.2 of the standard, decryption). pad_i
// adds the byte 0x01 after them, if there is room in 16 bytes. text_o is the sum of
// state and block, zero after the last byte.
module ascon_absorb (
  input  logic [127:0] rate_i,
  input  logic [127:0] block_i,
  input  logic [4:0]   bytes_i,
  input  logic         pad_i,
  input  logic         replace_i,
  output logic [127:0] rate_o,
  output logic [127:0] text_o
);

  always_comb begin
    rate_o = rate_i;
    text_o = '0;
    for (int unsigned n = 0; n < 16; n++) begin
      if (5'(n) < bytes_i) begin
        text_o[8*n +: 8] = rate_i[8*n +: 8] ^ block_i[8*n +: 8];
        rate_o[8*n +: 8] = replace_i ? block_i[8*n +: 8] : text_o[8*n +: 8];
      end
      rate_o[8*n] = rate_o[8*n] ^ (pad_i && 5'(n) == bytes_i);
    end
  end

endmodule
