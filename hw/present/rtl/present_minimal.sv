// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// A minimal PRESENT, a block every 32 cycles: encryption with an 80-bit key; block and
// key are taken together. It has no tag, output register, reset or zeroisation: use
// present_core if you need these, and this core for the fewest gates.
//
// It runs without handshakes. In one cycle of 32 boundary_o is high: block_i and key_i
// are taken in that cycle, and block_o is the result of those taken 32 cycles earlier. In
// other cycles block_o shows intermediate values. After power-up the first boundary_o
// comes within 32 cycles; block_o is undefined then.
//
// Registers hold the state inverted. A key bit moves from bit n to bit n + 61 modulo 80
// in each step and is stored inverted in every other position on its way. The
// multiplexers in front of the registers can therefore be inverting ones, which are
// smaller in cell libraries.
module present_minimal
  import present_functions_pkg::*;
  import present_pkg::*;
(
  input  logic        clk_i,
  input  logic [79:0] key_i,
  input  logic [63:0] block_i,
  output logic        boundary_o,
  output logic [63:0] block_o
);

  function automatic logic [79:0] inverted_key_bits();
    logic [79:0] mask;
    mask = '0;
    for (int unsigned n = 0; n < 80; n++) mask[(n*61)%80] = n[0];
    return mask;
  endfunction

  localparam logic [79:0] KeyMask = inverted_key_bits();

  logic [63:0]  state_n_q;
  logic [79:0]  key, masked_key_q;
  logic [127:0] next_key;
  logic [4:0]   round_q;

  assign key = masked_key_q ^ KeyMask;
  assign next_key = key_next(KeySize80, {key, 48'b0}, round_q);
  assign block_o = ~(state_n_q ^ key[79:16]);
  assign boundary_o = (round_q == '0);

  always_ff @(posedge clk_i) begin
    round_q      <= round_q + 5'd1;
    state_n_q    <= ~(boundary_o ? block_i : substitute_permute(block_o));
    masked_key_q <= KeyMask ^ (boundary_o ? key_i : next_key[127:48]);
  end

  logic unused;
  assign unused = ^next_key[47:0];

endmodule
