// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The custom instructions of hw/coprocessor, R-type. funct3 is the unit, funct7 the
// function: both are constants in the program. On the host, where drivers are
// unit-tested, a fake unit answers instead.
#ifndef CIPHERMILL_INSTRUCTIONS_H
#define CIPHERMILL_INSTRUCTIONS_H

#include <stdint.h>

#include "coprocessor_instruction_registers.h"
#include "coprocessor_registers.h"

// The generated numbers: a unit's, a function's, and that of a bit of funct7.
#define FUNCT3(unit) COPROCESSOR_INSTRUCTION__##unit##__FUNCT3_reset
#define FUNCT7(unit, function) COPROCESSOR_INSTRUCTION__##unit##__FUNCT7__##function
#define FUNCT7_BIT(unit, bit) \
  (COPROCESSOR_INSTRUCTION__##unit##__##bit##_bm >> COPROCESSOR_INSTRUCTION__BLOCK__FUNCT7_bp)

#define UNIT_ZKN FUNCT3(ZKN)
#define UNIT_COLUMN FUNCT3(COLUMN)
#define UNIT_BLOCK FUNCT3(BLOCK)
#define UNIT_STREAM FUNCT3(STREAM)
#define UNIT_SPONGE FUNCT3(SPONGE)

// Functions of UNIT_ZKN, below the byte select in bits 6 and 5.
#define ZKN_AES32ESI COPROCESSOR_INSTRUCTION__ZKN__OPERATION__AES32ESI
#define ZKN_AES32ESMI COPROCESSOR_INSTRUCTION__ZKN__OPERATION__AES32ESMI
#define ZKN_AES32DSI COPROCESSOR_INSTRUCTION__ZKN__OPERATION__AES32DSI
#define ZKN_AES32DSMI COPROCESSOR_INSTRUCTION__ZKN__OPERATION__AES32DSMI

// Functions of UNIT_COLUMN: half, decrypt and final are added.
#define COLUMN_HALF FUNCT7_BIT(COLUMN, HALF)
#define COLUMN_DECRYPT FUNCT7_BIT(COLUMN, DECRYPT)
#define COLUMN_FINAL FUNCT7_BIT(COLUMN, FINAL_ROUND)

// Functions of UNIT_BLOCK: a pair's or a word's number is added.
#define BLOCK_KEY_128 FUNCT7(BLOCK, KEY_128)
#define BLOCK_KEY_192 FUNCT7(BLOCK, KEY_192)
#define BLOCK_KEY_256 FUNCT7(BLOCK, KEY_256)
#define BLOCK_ENCRYPT FUNCT7(BLOCK, ENCRYPT)
#define BLOCK_DECRYPT FUNCT7(BLOCK, DECRYPT)
#define BLOCK_GET FUNCT7(BLOCK, GET)
#define BLOCK_STATUS FUNCT7(BLOCK, STATUS)
#define BLOCK_ZEROISE FUNCT7(BLOCK, ZEROISE)

// Functions of UNIT_STREAM. The first operand of STREAM_CONTROL is a word of the block
// coprocessors' CONTROL; STREAM_STATUS and BLOCK_STATUS give one of their STATUS.
#define STREAM_PUSH FUNCT7(STREAM, PUSH)
#define STREAM_PULL FUNCT7(STREAM, PULL)
#define STREAM_PUSH_KEY FUNCT7(STREAM, PUSH_KEY)
#define STREAM_CONTROL FUNCT7(STREAM, CONTROL)
#define STREAM_STATUS FUNCT7(STREAM, STATUS)

// Functions of UNIT_SPONGE: a word's number is added, and to SPONGE_GET twice that and its half.
#define SPONGE_ADD FUNCT7(SPONGE, ADD)
#define SPONGE_SET FUNCT7(SPONGE, SET)
#define SPONGE_GET FUNCT7(SPONGE, GET)
#define SPONGE_PERMUTE_12 FUNCT7(SPONGE, PERMUTE_12)
#define SPONGE_PERMUTE_8 FUNCT7(SPONGE, PERMUTE_8)
#define SPONGE_ZEROISE FUNCT7(SPONGE, ZEROISE)

#ifdef CIPHERMILL_HOST

uint32_t custom_instruction(unsigned unit, unsigned function, uint32_t a, uint32_t b);

#define ZKN(function, a, b) custom_instruction(UNIT_ZKN, function, a, b)
#define COLUMN(function, a, b) custom_instruction(UNIT_COLUMN, function, a, b)
#define UNIT_PUT(unit, function, a, b) ((void)custom_instruction(unit, function, a, b))
#define UNIT_GET(unit, function) custom_instruction(unit, function, 0, 0)

#else

// custom-0, but on PicoRV32 custom-1: that core keeps custom-0 for its interrupt
// instructions. It takes Zkne and Zknd under their own opcode, OP; VexRiscv gives a
// coprocessor nothing but custom-0. In text, for the assembler.
#ifdef SOFT_CORE_PICORV32
#define UNIT_OPCODE "0x2B"
#define ZKN_OPCODE "0x33"
#else
#define UNIT_OPCODE "0x0B"
#define ZKN_OPCODE "0x0B"
#endif

// All of them stay in the order of the program, among each other and among loads and
// stores: those with state need it, and on VexRiscv it decides the speed of the others too
// (an instruction for the unit waits until a load or store before it has left the pipeline,
// two cycles, and its result is there two instructions later).
#define R_TYPE(opcode, unit, function, a, b)                                \
  ({                                                                        \
    uint32_t result_;                                                       \
    __asm__ volatile(".insn r " opcode ", %c3, %c4, %0, %1, %2"             \
                     : "=r"(result_)                                        \
                     : "r"(a), "r"(b), "i"(unit), "i"(function));           \
    result_;                                                                \
  })

#define ZKN(function, a, b) R_TYPE(ZKN_OPCODE, UNIT_ZKN, function, a, b)
#define COLUMN(function, a, b) R_TYPE(UNIT_OPCODE, UNIT_COLUMN, function, a, b)
#define UNIT_PUT(unit, function, a, b)                                        \
  __asm__ volatile(".insn r " UNIT_OPCODE ", %c2, %c3, x0, %0, %1" ::"r"(a),  \
                   "r"(b), "i"(unit), "i"(function))
#define UNIT_GET(unit, function)                                          \
  ({                                                                      \
    uint32_t result_;                                                     \
    __asm__ volatile(".insn r " UNIT_OPCODE ", %c1, %c2, %0, x0, x0"      \
                     : "=r"(result_)                                      \
                     : "i"(unit), "i"(function));                         \
    result_;                                                              \
  })

#endif

#endif
