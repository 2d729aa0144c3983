// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: ascon_round with the ports of ascon_round_reference. A round number above
// 11 is replaced by 0.
module ascon_round_subject
  import ascon_pkg::*;
(
  input  logic [3:0] round_i,
  input  state_t     state_i,
  output state_t     state_o
);

  ascon_round u_round (
    .round_i ((round_i < 4'd12) ? round_i : 4'd0),
    .state_i (state_i),
    .state_o (state_o)
  );

endmodule
