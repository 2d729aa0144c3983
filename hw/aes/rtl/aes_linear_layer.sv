// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// One round of AES without SubBytes, in either direction, with the round keys
// of encryption for both (FIPS 197, sections 5.1 and 5.3). Combinational. SubBytes
// or InvSubBytes of each byte comes before it; its order with ShiftRows does not matter.
//
//   encrypting: state_o = MixColumns(ShiftRows(state)) + key
//   decrypting: state_o = InvMixColumns(InvShiftRows(state) + key)
//
// last_i leaves MixColumns or InvMixColumns out.
module aes_linear_layer
  import aes_pkg::*;
  import aes_functions_pkg::*;
#(
  parameter int unsigned Directions = DirectionsBoth
) (
  input  direction_e   direction_i,
  input  logic         last_i,
  input  logic [127:0] state_i,
  input  logic [127:0] round_key_i,
  output logic [127:0] state_o
);

  logic         decrypt, key_first;
  logic [127:0] shifted;

  assign decrypt = (Directions == DirectionsBoth) ? direction_i == DirectionDecrypt
                                                  : Directions == DirectionsDecrypt;
  assign key_first = decrypt || last_i;
  assign shifted = decrypt ? inverse_shift_rows(state_i) : shift_rows(state_i);

  if (Directions != DirectionsBoth) begin : gen_one_direction
    logic unused_direction;
    assign unused_direction = direction_i;
  end

  for (genvar n = 0; n < 4; n++) begin : gen_column
    logic [31:0] keyed, key;
    assign key = round_key_i[32*n+:32];
    assign keyed = shifted[32*n+:32] ^ (key_first ? key : 32'h0);
    assign state_o[32*n+:32] = last_i ? keyed :
        mix_column(keyed) ^ (decrypt ? inverse_mix_correction(keyed) : key);
  end

endmodule
