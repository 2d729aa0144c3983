// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// aes_iterative_round with the least switching: it uses the decoder S-box, and the
// logic of the direction that is not in use does not toggle. Combinational; larger
// than aes_iterative_round.
//
// The S-boxes are connected directly to the state register, whose bits change
// together. ShiftRows and its inverse come after them, where an OR joins the two
// directions: the one that is not in use is zero. The logic that turns MixColumns into
// its inverse has zero inputs in encryption; in decryption the round key is zero, so
// another OR joins these two. XORs form trees of equal depth as far as the matrix
// allows, since an operand that arrives before the other causes a glitch.
module aes_iterative_quiet_round
  import aes_pkg::*;
  import aes_functions_pkg::*;
#(
  parameter int unsigned Directions = DirectionsBoth
) (
  input  logic         decrypt_i,
  input  logic         last_i,
  input  logic [127:0] state_i,
  input  logic [127:0] round_key_i,
  output logic [127:0] state_o,
  output logic [127:0] result_o
);

  // MixColumns as in aes_functions_pkg, with both operands of the last XOR two or
  // three gates deep.
  function automatic logic [31:0] mix_column_evenly(input logic [31:0] column);
    logic [31:0] next, pair;
    next = rotate_word(column, 1);
    pair = column ^ next;
    return times_x(pair) ^ (next ^ rotate_word(pair, 2));
  endfunction

  logic [127:0] encrypted, decrypted, substituted;

  for (genvar n = 0; n < 16; n++) begin : gen_byte
    aes_sbox_decoder #(
      .Directions(Directions)
    ) u_sbox (
      .encrypt_i  (!decrypt_i),
      .decrypt_i  (decrypt_i),
      .data_i     (state_i[8*n+:8]),
      .encrypted_o(encrypted[8*n+:8]),
      .decrypted_o(decrypted[8*n+:8])
    );
  end

  assign substituted = shift_rows(encrypted) | inverse_shift_rows(decrypted);

  for (genvar n = 0; n < 4; n++) begin : gen_column
    logic [31:0] keyed, key, corrected;
    assign key = round_key_i[32*n+:32];
    assign keyed = substituted[32*n+:32] ^ ((decrypt_i || last_i) ? key : 32'h0);
    assign corrected = decrypt_i ? keyed : 32'h0;
    assign result_o[32*n+:32] = keyed;
    assign state_o[32*n+:32] = mix_column_evenly(keyed) ^
        (inverse_mix_correction(corrected) | (decrypt_i ? 32'h0 : key));
  end

endmodule
