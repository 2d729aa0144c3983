// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores of every width in memory, multiplication, division and shifts,
// checked against what the instruction set says. The status is the first check
// that failed.
#include "common.S"

#if __riscv_xlen == 64                  // the same, in the lower half of the registers
#define mul mulw
#define sra sraw
#endif

        // The value is one of 32 bits, with its sign in all higher ones.
        .macro  expect register, value, number
        li      a0, \number
        li      t6, (\value ^ 0x80000000) - 0x80000000
        bne     \register, t6, finish
        .endm

main:
        li      s2, RESULTS
        li      t0, 0x81828384
        sw      t0, 0(s2)
        lbu     t1, 0(s2)
        expect  t1, 0x84, 1
        lb      t1, 3(s2)
        expect  t1, 0xFFFFFF81, 2
        lhu     t1, 2(s2)
        expect  t1, 0x8182, 3
        lh      t1, 0(s2)
        expect  t1, 0xFFFF8384, 4
        li      t0, 0x55
        sb      t0, 1(s2)
        lw      t1, 0(s2)
        expect  t1, 0x81825584, 5
        li      t0, 0x1234
        sh      t0, 2(s2)
        lw      t1, 0(s2)
        expect  t1, 0x12345584, 6
        li      t0, 0x10001
        mul     t1, t1, t0
        expect  t1, 0x67B85584, 7
        li      t0, 1000
        divu    t2, t1, t0
        expect  t2, 1740133, 8
        remu    t2, t1, t0
        expect  t2, 764, 9
        sra     t2, t1, t0              // by 1000 mod 32 = 8
        expect  t2, 0x67B855, 10
        li      a0, 0
        j       finish
