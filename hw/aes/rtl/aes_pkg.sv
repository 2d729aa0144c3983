// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Types and constants that every AES module shares (FIPS 197).
//
// Byte order everywhere: byte n of a block or key is bits [8*n +: 8], the lane
// that AXI4-Stream gives it. FIPS 197 prints byte 0 leftmost, so a block
// printed as 00112233... has 8'h00 in bits [7:0]. Byte n of the state is row
// n % 4 of column n / 4 (FIPS 197, section 3.4). A key shorter than 256 bits
// is in the low bits; the bits above it are ignored.
package aes_pkg;

  typedef enum logic [1:0] {
    KeySize128 = 2'd0,
    KeySize192 = 2'd1,
    KeySize256 = 2'd2
  } key_size_e;

  typedef enum logic {
    DirectionEncrypt = 1'b0,
    DirectionDecrypt = 1'b1
  } direction_e;

  // No one module uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // The values of the parameters that choose a core. They are plain integers so
  // that a tool can override them from its command line.
  parameter int unsigned ArchitectureIterative = 0;
  parameter int unsigned ArchitecturePipelined = 1;
  parameter int unsigned ArchitectureSerial = 2;

  parameter int unsigned SBoxTable = 0;
  parameter int unsigned SBoxComposite = 1;
  parameter int unsigned SBoxDecoder = 2;

  // Bit set of directions.
  parameter int unsigned DirectionsEncrypt = 1;
  parameter int unsigned DirectionsDecrypt = 2;
  parameter int unsigned DirectionsBoth = 3;

  // Bit set of key sizes, one bit for each value of key_size_e.
  parameter int unsigned KeySizes128 = 1;
  parameter int unsigned KeySizes192 = 2;
  parameter int unsigned KeySizes256 = 4;
  parameter int unsigned KeySizesAll = 7;

  /* verilator lint_on UNUSEDPARAM */

endpackage
