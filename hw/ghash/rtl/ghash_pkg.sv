// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The field GF(2^128) of GHASH (NIST SP 800-38D, section 6.3) and the representation
// of its elements in a block.
//
// An element here is a polynomial: bit i is the coefficient of x^i. The standard
// has x^0 leftmost, that is, in the most significant bit of byte 0; byte n of a
// block is bits [8n+7:8n], as in every core. The field's polynomial is
// x^128 + x^7 + x^2 + x + 1.
package ghash_pkg;

  typedef logic [127:0] element_t;

  // Converts a block to an element, or back: reverses the bits of each byte.
  function automatic element_t swap_bits(input logic [127:0] block);
    element_t swapped;
    for (int n = 0; n < 128; n += 8) begin
      swapped[n +: 8] = {<<{block[n +: 8]}};
    end
    return swapped;
  endfunction

  // Reduces a product of two elements, of degree 254 at most. The part from x^128 on is
  // multiplied by x^7 + x^2 + x + 1 and added to the rest; the six bits of that
  // which again exceed x^127 are added to the part beforehand.
  function automatic element_t reduce(input logic [254:0] product);
    element_t high;
    high = {1'b0, product[254:128]};
    high[5:0] = high[5:0] ^ high[126:121];
    high[0] = high[0] ^ product[254];
    return product[127:0] ^ high ^ (high << 1) ^ (high << 2) ^ (high << 7);
  endfunction

endpackage
