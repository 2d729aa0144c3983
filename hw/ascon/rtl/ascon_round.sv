// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// One round of the permutation (section 3 of the standard), combinational: constant
// addition, substitution and linear diffusion. round_i counts the twelve rounds of the
// long permutation from 0.
module ascon_round
  import ascon_pkg::*;
(
  input  logic [3:0] round_i,
  input  state_t     state_i,
  output state_t     state_o
);

  function automatic logic [63:0] rotate(input logic [63:0] word, input int unsigned bits);
    return (word >> bits) | (word << (64 - bits));
  endfunction

  state_t added, mixed, substituted;

  // Section 3.2: the constants fall from 0xF0 by 0x0F a round.
  always_comb begin
    added         = state_i;
    added[2][7:0] = state_i[2][7:0] ^ {~round_i, round_i};
  end

  // The S-box as the circuit of section 3.3, on all 64 columns at once.
  always_comb begin
    mixed    = added;
    mixed[0] = added[0] ^ added[4];
    mixed[2] = added[2] ^ added[1];
    mixed[4] = added[4] ^ added[3];
    for (int unsigned n = 0; n < 5; n++) begin
      substituted[n] = mixed[n] ^ (~mixed[(n + 1) % 5] & mixed[(n + 2) % 5]);
    end
    substituted[1] = substituted[1] ^ substituted[0];
    substituted[3] = substituted[3] ^ substituted[2];
    substituted[0] = substituted[0] ^ substituted[4];
    substituted[2] = ~substituted[2];
  end

  assign state_o[0] = substituted[0] ^ rotate(substituted[0], 19) ^ rotate(substituted[0], 28);
  assign state_o[1] = substituted[1] ^ rotate(substituted[1], 61) ^ rotate(substituted[1], 39);
  assign state_o[2] = substituted[2] ^ rotate(substituted[2], 1) ^ rotate(substituted[2], 6);
  assign state_o[3] = substituted[3] ^ rotate(substituted[3], 10) ^ rotate(substituted[3], 17);
  assign state_o[4] = substituted[4] ^ rotate(substituted[4], 7) ^ rotate(substituted[4], 41);

endmodule
