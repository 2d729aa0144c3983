// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The key schedule (FIPS 197, section 5.2), one round key a cycle.
//
// load_i takes a key in cycle t. In cycle t + 1 + r, write_o is high, index_o is r and
// round_key_o is round key r; last_o marks the last one. load_i is allowed when
// write_o is low or last_o is high. clear_i zeroes every register that holds key;
// round_key_o is then zero too.
//
// The window holds the eight newest words, the round key to be written in the
// low four. Each cycle appends four words w[i] = w[i-Nk] + w[i-1]. SubWord is applied
// to the w[i-1] of the first of every Nk words, and of the fifth of eight with a
// 256-bit key. With Nk = 6 that word is the first of the four, then the third, then
// none of them; phase_q counts these cases.
module aes_key_expander
  import aes_pkg::*;
  import aes_functions_pkg::*;
#(
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned KeySizes = KeySizesAll
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         clear_i,

  input  logic         load_i,
  input  key_size_e    key_size_i,
  input  logic [255:0] key_i,

  output key_size_e    key_size_o,
  output logic         write_o,
  output logic         last_o,
  output logic [3:0]   index_o,
  output logic [127:0] round_key_o
);

  key_size_e        key_size_q;
  logic             busy_q;
  logic [3:0]       index_q;
  logic [1:0]       phase_q, phase_d;
  logic [7:0]       constant_q;
  logic [7:0][31:0] window_q, window_d;

  key_size_e key_size;
  logic      is_128, is_192, is_256;
  assign key_size = narrow_key_size(KeySizes, key_size_q);
  assign is_128 = (key_size == KeySize128);
  assign is_192 = (key_size == KeySize192);
  assign is_256 = !is_128 && !is_192;

  // SubWord for the first of the four words, or for the third. A 256-bit key has it in
  // every step, with RotWord and the constant in even phases only.
  logic sub_first, sub_third, rotate;
  assign sub_first = !is_192 || phase_q == 2'd0;
  assign sub_third = is_192 && phase_q == 2'd1;
  assign rotate = !is_256 || phase_q == 2'd0;

  logic [31:0]      sub_in, sub_out, transformed;
  logic [3:0][31:0] appended;

  // The operand of SubWord: the word before the first, or before the third, of the four.
  always_comb begin
    sub_in = window_q[5] ^ (sub_third ? window_q[0] ^ window_q[1] : 32'h0);
    if (is_256) sub_in = window_q[7];
    if (is_128) sub_in = window_q[3];
  end

  aes_sbox #(
    .SBox      (SBox),
    .Directions(DirectionsEncrypt),
    .Bytes     (4)
  ) u_sbox (
    .direction_i(DirectionEncrypt),
    .data_i     (sub_in),
    .data_o     (sub_out)
  );

  assign transformed = (rotate ? rotate_word(sub_out, 1) : sub_out) ^
      {24'h0, rotate ? constant_q : 8'h0};

  always_comb begin
    appended[0] = window_q[0] ^ (sub_first ? transformed : window_q[5]);
    appended[1] = window_q[1] ^ appended[0];
    appended[2] = window_q[2] ^ (sub_third ? transformed : appended[1]);
    appended[3] = window_q[3] ^ appended[2];
  end

  always_comb begin
    window_d = {appended, window_q[7:4]};
    if (is_192) window_d[5:0] = {appended, window_q[5:4]};
    if (is_128) window_d[3:0] = appended;
    if (load_i) window_d = key_i;
  end

  always_comb begin
    phase_d = 2'd0;
    if (is_192 && phase_q != 2'd2) phase_d = phase_q + 2'd1;
    if (is_256) phase_d = {1'b0, !phase_q[0]};
    if (load_i) phase_d = 2'd0;
  end

  assign write_o = busy_q;
  assign last_o = busy_q && index_q == rounds(key_size);
  assign index_o = index_q;
  assign key_size_o = key_size;
  assign round_key_o = window_q[3:0];

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      window_q <= '0;
    end else if (load_i || busy_q) begin
      window_q <= window_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      index_q    <= 4'd0;
      constant_q <= 8'h01;
      phase_q    <= 2'd0;
    end else if (busy_q) begin
      index_q <= index_q + 4'd1;
      phase_q <= phase_d;
      if (rotate && (sub_first || sub_third)) constant_q <= next_round_constant(constant_q);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q     <= 1'b0;
      key_size_q <= KeySize128;
    end else begin
      if (clear_i) busy_q <= 1'b0;
      else if (load_i) busy_q <= 1'b1;
      else if (last_o) busy_q <= 1'b0;
      if (load_i) key_size_q <= key_size_i;
    end
  end

endmodule
