// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Greets, runs a loop of LOOPS turns in a measured region, says for 100 turns of
// another that it only waits, and leaves the counters at RESULTS.
#include "common.S"

main:
        la      a1, message
1:      lbu     a2, 0(a1)
        beqz    a2, 2f
        sw      a2, CONSOLE(s0)
        addi    a1, a1, 1
        j       1b

2:      li      t0, 1
        sw      t0, MEASURE(s0)
        li      t1, LOOPS
3:      addi    t1, t1, -1
        bnez    t1, 3b
        sw      t0, IDLE(s0)
        li      t1, 100
4:      addi    t1, t1, -1
        bnez    t1, 4b
        sw      zero, IDLE(s0)
        sw      zero, MEASURE(s0)

        li      t2, RESULTS
        li      t3, 12
        addi    t4, s0, COUNTERS
5:      lw      t5, 0(t4)
        sw      t5, 0(t2)
        addi    t2, t2, 4
        addi    t4, t4, 4
        addi    t3, t3, -1
        bnez    t3, 5b
        li      a0, 0
        j       finish

message:
        .asciz  "hello\n"
