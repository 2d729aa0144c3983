// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: one round of AES as FIPS 197 writes it (sections 5.1 and 5.3):
// byte by byte, S-boxes by table, columns multiplied by the matrices of
// equations 5.6 and 5.10 in GF(2^8). No sharing, no cleverness.
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

  // The product in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (section 4.2).
  function automatic logic [7:0] times(input logic [3:0] factor, input logic [7:0] value);
    logic [7:0] power, sum;
    power = value;
    sum   = '0;
    for (int n = 0; n < 4; n++) begin
      if (factor[n]) begin
        sum = sum ^ power;
      end
      power = {power[6:0], 1'b0} ^ (power[7] ? 8'h1b : 8'h00);
    end
    return sum;
  endfunction

  logic                 decrypt;
  logic [127:0]         substituted;
  logic [3:0][3:0][7:0] state, keyed, mixed, key; // by column and row

  assign decrypt = (Directions == DirectionsBoth) ? direction_i == DirectionDecrypt
                                                  : Directions == DirectionsDecrypt;
  assign state   = state_i;
  assign key     = round_key_i;

  for (genvar c = 0; c < 4; c++) begin : gen_column
    for (genvar r = 0; r < 4; r++) begin : gen_row
      assign substituted[32*c + 8*r +: 8] =
          decrypt ? aes_sbox_tables_pkg::InvSubBytesTable[state[(c + 4 - r) % 4][r]]
                  : aes_sbox_tables_pkg::SubBytesTable[state[(c + r) % 4][r]];

      // Decryption adds the key before InvMixColumns, encryption after MixColumns.
      assign keyed[c][r] = substituted[32*c + 8*r +: 8] ^ (decrypt ? key[c][r] : 8'h00);
      assign mixed[c][r] =
          decrypt ? times(4'd14, keyed[c][r]) ^ times(4'd11, keyed[c][(r + 1) % 4]) ^
                    times(4'd13, keyed[c][(r + 2) % 4]) ^ times(4'd9, keyed[c][(r + 3) % 4])
                  : times(4'd2, keyed[c][r]) ^ times(4'd3, keyed[c][(r + 1) % 4]) ^
                    keyed[c][(r + 2) % 4] ^ keyed[c][(r + 3) % 4];
      assign state_o[32*c + 8*r +: 8] =
          (last_i ? keyed[c][r] : mixed[c][r]) ^ (decrypt ? 8'h00 : key[c][r]);
    end
  end

  if (Directions != DirectionsBoth) begin : gen_one_direction
    logic unused;
    assign unused = direction_i;
  end

endmodule
