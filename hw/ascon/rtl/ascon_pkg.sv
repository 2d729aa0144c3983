// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Types and constants that every Ascon module shares.
//
// Ascon-AEAD128 and Ascon-Hash256: NIST SP 800-232, August 2025; comments call it "the
// standard". It differs from Ascon v1.2, which won NIST's competition: bytes are
// little-endian in words, and initial values and padding are different.
//
// Byte 0 of a sequence of bytes is the least significant byte of a port.
package ascon_pkg;

  // The state S0 to S4 of the permutation (section 3); word n is Sn.
  typedef logic [4:0][63:0] state_t;

  typedef enum logic [1:0] {
    OperationEncrypt = 2'd0,
    OperationDecrypt = 2'd1,
    OperationHash    = 2'd2
  } operation_e;

  // What happens to the state before the first round of a permutation.
  typedef struct packed {
    logic       start;      // begin a permutation in this cycle
    logic       long_run;   // 12 rounds; otherwise 8
    logic       initialise; // load the initial value, with key and nonce of AEAD
    logic [4:0] bytes;      // bytes of the block to absorb, the first ones
    logic       pad;        // pad after them, if there is room in 16 bytes
    logic       upper;      // absorb the upper eight bytes of the block as S0
    logic       replace;    // the bytes are ciphertext: they replace the state's
    logic       first_key;  // add the key to S3, S4: end of the initialisation
    logic       final_key;  // add the key to S2, S3: start of the finalisation
    logic       separate;   // add the bit that separates associated data from text
  } command_t;

  // No one module uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Initial values of S0 (sections 4 and 5).
  parameter logic [63:0] AeadInitialValue = 64'h0000_1000_808C_0001;
  parameter logic [63:0] HashInitialValue = 64'h0000_0801_00CC_0002;

  // The rounds of the long permutation; the short one has the last eight of them.
  parameter int unsigned LongRounds = 12;
  parameter int unsigned ShortRounds = 8;

  // Bit set of operations, one bit for each value of operation_e. They are plain
  // integers so that a tool can override them from its command line.
  parameter int unsigned OperationsEncrypt = 1;
  parameter int unsigned OperationsDecrypt = 2;
  parameter int unsigned OperationsHash = 4;
  parameter int unsigned OperationsAll = 7;

  /* verilator lint_on UNUSEDPARAM */

endpackage
