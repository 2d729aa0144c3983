// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Types and constants that every module of the ECC engine shares.
package ecc_pkg;

  // No one module uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Bits of a row of operand memory and constants. A word is a row or a half of it.
  parameter int unsigned RowBits = 136;
  parameter int unsigned RowBytes = RowBits / 8;

  // Rows of the longest operand, that of P-521.
  parameter int unsigned LongestRows = 4;

  // Numbers of registers from this one on name constants.
  parameter int unsigned FirstConstant = 64;

  // Bit set of curves, one bit for each value of curve_e. They are plain integers so that
  // a tool can override them from its command line.
  parameter int unsigned CurvesAll = 7;

  /* verilator lint_on UNUSEDPARAM */

  typedef enum logic [2:0] {
    OperationGenerate = 3'd0,
    OperationPublic   = 3'd1,
    OperationSign     = 3'd2,
    OperationVerify   = 3'd3,
    OperationAgree    = 3'd4
  } operation_e;

  typedef enum logic [1:0] {
    CurveP256 = 2'd0,
    CurveP384 = 2'd1,
    CurveP521 = 2'd2
  } curve_e;

  // How an operation ended. Programs give these numbers.
  typedef enum logic [3:0] {
    StatusGood       = 4'd0,
    StatusRandom     = 4'd1,  // random bits that give no private key: offer others
    StatusPrivate    = 4'd2,  // the private key is not in [1, n - 1]
    StatusNonce      = 4'd3,  // the nonce is not in [1, n - 1]
    StatusCoordinate = 4'd4,  // a coordinate is not below p
    StatusInfinity   = 4'd5,  // the point is (0, 0), which stands for infinity
    StatusCurve      = 4'd6,  // the point is not on the curve
    StatusSignature  = 4'd7,  // r or s is not in [1, n - 1]
    StatusInvalid    = 4'd8,  // the signature is wrong
    StatusZeroR      = 4'd9,  // r would be zero: sign with another nonce
    StatusZeroS      = 4'd10  // s would be zero: sign with another nonce
  } status_e;

  typedef enum logic [3:0] {
    OpcodeAdd      = 4'd0,
    OpcodeSubtract = 4'd1,
    OpcodeSelect   = 4'd2,
    OpcodeMultiply = 4'd3,
    OpcodeModulus  = 4'd4,
    OpcodeBit      = 4'd5,
    OpcodeInput    = 4'd6,
    OpcodeOutput   = 4'd7,
    OpcodeCount    = 4'd8,
    OpcodeStart    = 4'd9,
    OpcodeLoop     = 4'd10,
    OpcodeCall     = 4'd11,
    OpcodeReturn   = 4'd12,
    OpcodeBranch   = 4'd13,
    OpcodeEnd      = 4'd14
  } opcode_e;

  // An instruction. Those that go elsewhere have their target in the last ten bits.
  typedef struct packed {
    opcode_e    opcode;
    logic [6:0] d;
    logic [6:0] a;
    logic [6:0] b;
    logic [6:0] modifier;
  } instruction_t;

  // Flags that conditions name.
  typedef enum logic [3:0] {
    FlagAlways    = 4'd0,
    FlagBorrow    = 4'd1,
    FlagZero      = 4'd2,
    FlagNotBorrow = 4'd3,
    FlagNotZero   = 4'd4,
    FlagMinus     = 4'd5
  } flag_e;

  typedef struct packed {
    logic       borrow;
    logic       zero;
    logic [4:0] digit; // the last five bits that were read, the newest one lowest
  } flags_t;

  // The value of a window without its sign: the lowest bit counts with the next one.
  function automatic logic [3:0] magnitude(input logic [4:0] digit);
    logic [3:0] value;
    value = 4'(digit[3:1]) + 4'(digit[0]);
    return digit[4] ? 4'd8 - value : value;
  endfunction

  // Whether the condition of a selection or branch holds.
  function automatic logic holds(input logic [5:0] condition, input flags_t flags);
    logic result;
    unique case (condition[5:4])
      2'd0: begin
        unique case (flag_e'(condition[3:0]))
          FlagAlways:    result = 1'b1;
          FlagBorrow:    result = flags.borrow;
          FlagZero:      result = flags.zero;
          FlagNotBorrow: result = !flags.borrow;
          FlagNotZero:   result = !flags.zero;
          FlagMinus:     result = flags.digit[4];
          default:       result = 1'b0;
        endcase
      end
      2'd1:    result = flags.digit[3:0] == condition[3:0];
      default: result = magnitude(flags.digit) == condition[3:0];
    endcase
    return result;
  endfunction

  typedef enum logic [1:0] {
    WorkNone      = 2'd0,
    WorkProduct   = 2'd1, // word i of a times word j of b
    WorkDigit     = 2'd2, // quotient digit i: the lowest word of the window times the factor
    WorkReduction = 2'd3  // quotient digit i times word j of the modulus
  } work_e;

  // What a multiplier does in a cycle. offset: the product belongs to the second column of
  // the window, not to the first.
  typedef struct packed {
    logic       offset;
    logic [2:0] j;
    logic [2:0] i;
    work_e      kind;
  } work_t;

  // A cycle of a schedule (programs/ecc_schedule.py).
  typedef struct packed {
    logic  last;
    logic  loadable; // from here on a next multiplication may be issued
    logic  readable; // from here on an instruction that reads the result may be issued
    logic  write;    // the word that leaves the window is one of the result
    logic  shift;    // the lowest word leaves the window after these products
    work_t second;   // of the second multiplier
    work_t first;
  } slot_t;

endpackage
