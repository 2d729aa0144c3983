// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Types, constants and functions of the SHA-2 modules.
//
// SHA-2: FIPS 180-4, August 2015. "The standard" below is that one. Two word sizes share
// one datapath: SHA-224 and SHA-256 have words of 32 bits and 64 rounds, the others have
// words of 64 bits and 80 rounds. A word of 32 bits stands in the low half of the datapath.
//
// In a sequence of bytes, byte 0 is the most significant one of a port, as in the words
// of the standard.
package sha2_pkg;

  typedef enum logic [2:0] {
    FunctionSha224    = 3'd0,
    FunctionSha256    = 3'd1,
    FunctionSha384    = 3'd2,
    FunctionSha512    = 3'd3,
    FunctionSha512224 = 3'd4, // SHA-512/224
    FunctionSha512256 = 3'd5  // SHA-512/256
  } function_e;

  // No one module uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Bit set of word sizes. They are plain integers so that a tool can override them from
  // its command line.
  parameter int unsigned WordSizes32 = 1;
  parameter int unsigned WordSizes64 = 2;
  parameter int unsigned WordSizesAll = 3;

  parameter int unsigned Rounds32 = 64;
  parameter int unsigned Rounds64 = 80;

  // Constants of the 64-bit functions (section 4.2.3). Those of the 32-bit functions
  // (section 4.2.2) are the high halves of the first 64: both are fractional parts of
  // cube roots of the same primes.
  parameter logic [63:0] RoundConstant [80] = '{
    64'h428a2f98d728ae22, 64'h7137449123ef65cd, 64'hb5c0fbcfec4d3b2f, 64'he9b5dba58189dbbc,
    64'h3956c25bf348b538, 64'h59f111f1b605d019, 64'h923f82a4af194f9b, 64'hab1c5ed5da6d8118,
    64'hd807aa98a3030242, 64'h12835b0145706fbe, 64'h243185be4ee4b28c, 64'h550c7dc3d5ffb4e2,
    64'h72be5d74f27b896f, 64'h80deb1fe3b1696b1, 64'h9bdc06a725c71235, 64'hc19bf174cf692694,
    64'he49b69c19ef14ad2, 64'hefbe4786384f25e3, 64'h0fc19dc68b8cd5b5, 64'h240ca1cc77ac9c65,
    64'h2de92c6f592b0275, 64'h4a7484aa6ea6e483, 64'h5cb0a9dcbd41fbd4, 64'h76f988da831153b5,
    64'h983e5152ee66dfab, 64'ha831c66d2db43210, 64'hb00327c898fb213f, 64'hbf597fc7beef0ee4,
    64'hc6e00bf33da88fc2, 64'hd5a79147930aa725, 64'h06ca6351e003826f, 64'h142929670a0e6e70,
    64'h27b70a8546d22ffc, 64'h2e1b21385c26c926, 64'h4d2c6dfc5ac42aed, 64'h53380d139d95b3df,
    64'h650a73548baf63de, 64'h766a0abb3c77b2a8, 64'h81c2c92e47edaee6, 64'h92722c851482353b,
    64'ha2bfe8a14cf10364, 64'ha81a664bbc423001, 64'hc24b8b70d0f89791, 64'hc76c51a30654be30,
    64'hd192e819d6ef5218, 64'hd69906245565a910, 64'hf40e35855771202a, 64'h106aa07032bbd1b8,
    64'h19a4c116b8d2d0c8, 64'h1e376c085141ab53, 64'h2748774cdf8eeb99, 64'h34b0bcb5e19b48a8,
    64'h391c0cb3c5c95a63, 64'h4ed8aa4ae3418acb, 64'h5b9cca4f7763e373, 64'h682e6ff3d6b2b8a3,
    64'h748f82ee5defb2fc, 64'h78a5636f43172f60, 64'h84c87814a1f0ab72, 64'h8cc702081a6439ec,
    64'h90befffa23631e28, 64'ha4506cebde82bde9, 64'hbef9a3f7b2c67915, 64'hc67178f2e372532b,
    64'hca273eceea26619c, 64'hd186b8c721c0c207, 64'heada7dd6cde0eb1e, 64'hf57d4f7fee6ed178,
    64'h06f067aa72176fba, 64'h0a637dc5a2c898a6, 64'h113f9804bef90dae, 64'h1b710b35131c471b,
    64'h28db77f523047d84, 64'h32caab7b40c72493, 64'h3c9ebe0a15c9bebc, 64'h431d67c49c100d4c,
    64'h4cc5d4becb3e42b6, 64'h597f299cfc657e2a, 64'h5fcb6fab3ad6faec, 64'h6c44198c4a475817
  };

  // Initial hash values (section 5.3), H0 first. SHA-256 has the high halves of SHA-512's:
  // both are fractional parts of square roots of the same primes. SHA-224 has the low
  // halves of SHA-384's.
  parameter logic [63:0] InitialValue512 [8] = '{
    64'h6a09e667f3bcc908, 64'hbb67ae8584caa73b, 64'h3c6ef372fe94f82b, 64'ha54ff53a5f1d36f1,
    64'h510e527fade682d1, 64'h9b05688c2b3e6c1f, 64'h1f83d9abfb41bd6b, 64'h5be0cd19137e2179
  };
  parameter logic [63:0] InitialValue384 [8] = '{
    64'hcbbb9d5dc1059ed8, 64'h629a292a367cd507, 64'h9159015a3070dd17, 64'h152fecd8f70e5939,
    64'h67332667ffc00b31, 64'h8eb44a8768581511, 64'hdb0c2e0d64f98fa7, 64'h47b5481dbefa4fa4
  };
  parameter logic [63:0] InitialValue512224 [8] = '{
    64'h8c3d37c819544da2, 64'h73e1996689dcd4d6, 64'h1dfab7ae32ff9c82, 64'h679dd514582f9fcf,
    64'h0f6d2b697bd44da8, 64'h77e36f7304c48942, 64'h3f9d85a86a1d36c8, 64'h1112e6ad91d692a1
  };
  parameter logic [63:0] InitialValue512256 [8] = '{
    64'h22312194fc2bf72c, 64'h9f555fa3c84c64c2, 64'h2393b86b6f53b151, 64'h963877195940eabd,
    64'h96283ee2a88effe3, 64'hbe5e1e2553863992, 64'h2b0199fc2c85b8aa, 64'h0eb72ddc81c52ca2
  };

  /* verilator lint_on UNUSEDPARAM */

  // Whether the words of a function have 64 bits.
  function automatic logic is_wide(input function_e value);
    return !(value inside {FunctionSha224, FunctionSha256});
  endfunction

  // Whether a value is a function, with words of one of the sizes.
  function automatic logic has_function(input int unsigned word_sizes, input function_e value);
    return (value <= FunctionSha512256) &&
           ((word_sizes & (is_wide(value) ? WordSizes64 : WordSizes32)) != 0);
  endfunction

  // Word n of a function's initial hash value; of 32 bits in the low half.
  function automatic logic [63:0] initial_word(input function_e value, input logic [2:0] n);
    unique case (value)
      FunctionSha224:    return {32'b0, InitialValue384[n][31:0]};
      FunctionSha256:    return {32'b0, InitialValue512[n][63:32]};
      FunctionSha384:    return InitialValue384[n];
      FunctionSha512224: return InitialValue512224[n];
      FunctionSha512256: return InitialValue512256[n];
      default:           return InitialValue512[n];
    endcase
  endfunction

  // Blocks of 16 bytes that a digest has, and how many bytes the last one has.
  function automatic logic [2:0] digest_blocks(input function_e value);
    unique case (value)
      FunctionSha384: return 3'd3;
      FunctionSha512: return 3'd4;
      default:        return 3'd2;
    endcase
  endfunction

  function automatic logic [4:0] digest_last_bytes(input function_e value);
    return (value inside {FunctionSha224, FunctionSha512224}) ? 5'd12 : 5'd16;
  endfunction

  // The functions of section 4.1.2, on the low half.
  function automatic logic [31:0] rotate32(input logic [31:0] x, input int unsigned n);
    return (x >> n) | (x << (32 - n));
  endfunction

  function automatic logic [63:0] rotate64(input logic [63:0] x, input int unsigned n);
    return (x >> n) | (x << (64 - n));
  endfunction

  function automatic logic [31:0] big_sigma0_32(input logic [31:0] x);
    return rotate32(x, 2) ^ rotate32(x, 13) ^ rotate32(x, 22);
  endfunction

  function automatic logic [31:0] big_sigma1_32(input logic [31:0] x);
    return rotate32(x, 6) ^ rotate32(x, 11) ^ rotate32(x, 25);
  endfunction

  function automatic logic [31:0] small_sigma0_32(input logic [31:0] x);
    return rotate32(x, 7) ^ rotate32(x, 18) ^ (x >> 3);
  endfunction

  function automatic logic [31:0] small_sigma1_32(input logic [31:0] x);
    return rotate32(x, 17) ^ rotate32(x, 19) ^ (x >> 10);
  endfunction

  // The functions of section 4.1.3.
  function automatic logic [63:0] big_sigma0_64(input logic [63:0] x);
    return rotate64(x, 28) ^ rotate64(x, 34) ^ rotate64(x, 39);
  endfunction

  function automatic logic [63:0] big_sigma1_64(input logic [63:0] x);
    return rotate64(x, 14) ^ rotate64(x, 18) ^ rotate64(x, 41);
  endfunction

  function automatic logic [63:0] small_sigma0_64(input logic [63:0] x);
    return rotate64(x, 1) ^ rotate64(x, 8) ^ (x >> 7);
  endfunction

  function automatic logic [63:0] small_sigma1_64(input logic [63:0] x);
    return rotate64(x, 19) ^ rotate64(x, 61) ^ (x >> 6);
  endfunction

endpackage
