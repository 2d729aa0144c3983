// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: one round of PRESENT and one step of its key schedule as the paper
// defines them (CHES 2007, sections 3.3 to 3.6 and appendix II): S-box and its
// inverse by table, bits moved one by one. Keys are left-aligned in 128 bits.
module present_round_reference
  import present_pkg::*;
(
  input  direction_e   direction_i,
  input  key_size_e    key_size_i,
  input  logic [4:0]   round_i,
  input  logic [63:0]  state_i,
  input  logic [127:0] key_i,
  output logic [63:0]  state_o,
  output logic [127:0] key_o
);

  // Section 3.4, entry x in bits [4x+3:4x].
  localparam logic [63:0] Table = 64'h2174_8fe3_da09_b65c;

  function automatic logic [3:0] sub(input logic [3:0] x);
    return Table[4 * 32'(x) +: 4];
  endfunction

  function automatic logic [3:0] undo_sub(input logic [3:0] y);
    logic [3:0] x;
    x = '0;
    for (int n = 0; n < 16; n++) begin
      if (sub(4'(n)) == y) begin
        x = 4'(n);
      end
    end
    return x;
  endfunction

  // Section 3.5: bit n goes to 16 n mod 63; bit 63 stays.
  function automatic int place(input int n);
    return (n == 63) ? 63 : (16 * n) % 63;
  endfunction

  logic [63:0] sum, forward, backward;

  assign sum = state_i ^ key_i[127:64];

  always_comb begin
    forward  = '0;
    backward = '0;
    for (int nibble = 0; nibble < 16; nibble++) begin
      logic [3:0] substituted, gathered;
      substituted = sub(sum[4 * nibble +: 4]);
      gathered    = '0;
      for (int bit_in = 0; bit_in < 4; bit_in++) begin
        forward[place(4 * nibble + bit_in)] = substituted[bit_in];
        gathered[bit_in] = sum[place(4 * nibble + bit_in)];
      end
      backward[4 * nibble +: 4] = undo_sub(gathered);
    end
  end

  // Section 3.6: rotate left by 61, substitute the leftmost nibble (two nibbles for 128
  // bits), and add the round number to bits 19 to 15 (66 to 62).
  logic [79:0]  next_80, last_80, turned_80;
  logic [127:0] next_128, last_128;

  assign turned_80 = {key_i[66:48], key_i[127:67]};
  assign next_80   = {sub(turned_80[79:76]), turned_80[75:20], turned_80[19:15] ^ round_i,
                      turned_80[14:0]};
  assign next_128  = {sub(key_i[66:63]), sub(key_i[62:59]), key_i[58:6],
                      key_i[5:1] ^ round_i, key_i[0], key_i[127:67]};
  assign last_80   = {undo_sub(key_i[127:124]), key_i[123:68], key_i[67:63] ^ round_i,
                      key_i[62:48]};
  assign last_128  = {undo_sub(key_i[127:124]), undo_sub(key_i[123:120]), key_i[119:67],
                      key_i[66:62] ^ round_i, key_i[61:0]};

  always_comb begin
    if (direction_i == DirectionDecrypt) begin
      state_o = backward;
      key_o   = (key_size_i == KeySize128) ? {last_128[60:0], last_128[127:61]}
                                           : {last_80[60:0], last_80[79:61], 48'b0};
    end else begin
      state_o = forward;
      key_o   = (key_size_i == KeySize128) ? next_128 : {next_80, 48'b0};
    end
  end

endmodule
