// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Types and constants that every PRESENT module shares.
//
// PRESENT: A. Bogdanov, L. R. Knudsen, G. Leander, C. Paar, A. Poschmann,
// M. J. B. Robshaw, Y. Seurin, C. Vikkelsoe: PRESENT: An Ultra-Lightweight Block
// Cipher, CHES 2007, LNCS 4727; ISO/IEC 29192-2. Comments call it "the paper".
//
// A block or key is the number that the paper prints: bit n of a port is the
// paper's bit n, and in a sequence of bytes byte 0 is the most significant one. An
// 80-bit key is in the low 80 bits of a port; the bits above it are ignored.
package present_pkg;

  typedef enum logic {
    KeySize80 = 1'b0,
    KeySize128 = 1'b1
  } key_size_e;

  typedef enum logic {
    DirectionEncrypt = 1'b0,
    DirectionDecrypt = 1'b1
  } direction_e;

  // No one module uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Rounds with a substitution; another round key is added after the last one.
  parameter int unsigned Rounds = 31;

  // The values of the parameters that choose a core. They are plain integers so
  // that a tool can override them from its command line.
  parameter int unsigned ArchitectureIterative = 0;
  parameter int unsigned ArchitectureUnrolled = 1;
  parameter int unsigned ArchitectureSerial = 2;

  // Bit set of directions.
  parameter int unsigned DirectionsEncrypt = 1;
  parameter int unsigned DirectionsDecrypt = 2;
  parameter int unsigned DirectionsBoth = 3;

  // Bit set of key sizes, one bit for each value of key_size_e.
  parameter int unsigned KeySizes80 = 1;
  parameter int unsigned KeySizes128 = 2;
  parameter int unsigned KeySizesBoth = 3;

  /* verilator lint_on UNUSEDPARAM */

endpackage
