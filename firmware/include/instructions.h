// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The custom instructions of hw/coprocessor, R-type. funct3 is the unit, funct7 the
// function: both are constants in the program. On the host, where drivers are
// unit-tested, a fake unit answers instead.
#ifndef CIPHERMILL_INSTRUCTIONS_H
#define CIPHERMILL_INSTRUCTIONS_H

#include <stdint.h>

#include "coprocessor_registers.h"

#define UNIT_ZKN 0
#define UNIT_COLUMN 1
#define UNIT_BLOCK 2
#define UNIT_STREAM 3
#define UNIT_SPONGE 4

// Functions of UNIT_ZKN, below the byte select in bits 6 and 5.
#define ZKN_AES32ESI 0x11
#define ZKN_AES32ESMI 0x13
#define ZKN_AES32DSI 0x15
#define ZKN_AES32DSMI 0x17

// Functions of UNIT_COLUMN: half, decrypt and final are added.
#define COLUMN_HALF 1
#define COLUMN_DECRYPT 2
#define COLUMN_FINAL 4

// Functions of UNIT_BLOCK: a pair's or a word's number is added.
#define BLOCK_KEY_128 0x00
#define BLOCK_KEY_192 0x04
#define BLOCK_KEY_256 0x08
#define BLOCK_ENCRYPT 0x10
#define BLOCK_DECRYPT 0x12
#define BLOCK_GET 0x20
#define BLOCK_STATUS 0x30
#define BLOCK_ZEROISE 0x31

// Functions of UNIT_STREAM. The first operand of STREAM_CONTROL is a word of the block
// coprocessors' CONTROL; STREAM_STATUS and BLOCK_STATUS give one of their STATUS.
#define STREAM_PUSH 0x00
#define STREAM_PULL 0x01
#define STREAM_PUSH_KEY 0x02
#define STREAM_CONTROL 0x03
#define STREAM_STATUS 0x04

// Functions of UNIT_SPONGE: a word's number is added, and to SPONGE_GET twice that and its half.
#define SPONGE_ADD 0x00
#define SPONGE_SET 0x08
#define SPONGE_GET 0x10
#define SPONGE_PERMUTE_12 0x20
#define SPONGE_PERMUTE_8 0x21
#define SPONGE_ZEROISE 0x31

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
