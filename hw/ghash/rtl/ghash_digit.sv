// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// One step of a multiplication in GF(2^128), Digit coefficients of one factor at a
// time, the highest first (Horner's rule): sum x^Digit + digit H.
module ghash_digit
  import ghash_pkg::element_t;
#(
  parameter int unsigned Digit = 16
) (
  input  element_t         sum_i,
  input  logic [Digit-1:0] digit_i,
  input  element_t         key_i,
  output element_t         sum_o
);

  // A convolution: the digit with its lowest coefficient leftmost, and the shifted key.
  logic [Digit-1:0]       reversed;
  logic [127+2*Digit-1:0] padded;
  logic [127+Digit:0]     raw;

  assign reversed = {<<{digit_i}};
  assign padded   = {{Digit{1'b0}}, key_i, {(Digit-1){1'b0}}};

  always_comb begin
    for (int unsigned n = 0; n < 128 + Digit; n++) begin
      raw[n] = ^(padded[n +: Digit] & reversed);
    end
    raw = raw ^ {sum_i, {Digit{1'b0}}};
  end

  // At most 64 coefficients are above x^127, so one reduction step is enough.
  element_t high;

  assign high  = 128'(raw[127+Digit:128]);
  assign sum_o = raw[127:0] ^ high ^ (high << 1) ^ (high << 2) ^ (high << 7);

endmodule
