// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// One step of the key schedule, given the result of SubWord: forward for encryption,
// backward for decryption (FIPS 197, section 5.2). aes_pipelined_pkg describes the
// layout of the key state.
module aes_pipelined_key_next
  import aes_pkg::*;
  import aes_pipelined_pkg::*;
#(
  parameter int unsigned KeySizes = KeySizesAll
) (
  input  logic [1:0]  key_size_i,
  input  logic        decrypt_i,
  input  key_step_t   step_i,
  input  logic [31:0] substituted_i,
  input  key_state_t  key_i,
  output key_state_t  key_o
);

  logic is_128, is_192;
  assign is_128 = is_key_size(KeySizes, KeySize128, key_size_i);
  assign is_192 = is_key_size(KeySizes, KeySize192, key_size_i);

  // The words of the window: p of `previous`, c of `current`.
  logic [31:0] p0, p1, p2, p3, c0, c1, c2, c3;
  assign {p3, p2, p1, p0} = key_i.previous;
  assign {c3, c2, c1, c0} = key_i.current;

  logic [31:0] substituted;
  assign substituted = {substituted_i[31:8], substituted_i[7:0] ^ step_i.rcon};

  // a: the words one key length away; n: the new words.
  logic [31:0] a0, a1, a2, a3, n0, n1, n2, n3;

  always_comb begin
    if (!decrypt_i) begin
      {a3, a2, a1, a0} = is_128 ? {c3, c2, c1, c0} :
                         is_192 ? {c1, c0, p3, p2} : {p3, p2, p1, p0};
      n0 = a0 ^ ((is_192 && (!step_i.substitute || step_i.third)) ? c3 : substituted);
      n1 = a1 ^ n0;
      n2 = a2 ^ ((is_192 && step_i.third) ? substituted : n1);
      n3 = a3 ^ n2;
    end else begin
      {a3, a2, a1, a0} = is_128 ? {c3, c2, c1, c0} :
                         is_192 ? {p1, p0, c3, c2} : {p3, p2, p1, p0};
      n0 = a0 ^ ((is_192 && (!step_i.substitute || step_i.third)) ? c1 : substituted);
      n1 = a1 ^ a0;
      n2 = a2 ^ ((is_192 && step_i.third) ? substituted : a1);
      n3 = a3 ^ a2;
    end
  end

  assign key_o.current  = step_i.active ? {n3, n2, n1, n0} : key_i.current;
  assign key_o.previous = step_i.active ? key_i.current : key_i.previous;

  logic unused_step;
  assign unused_step = step_i.rotate;

endmodule
