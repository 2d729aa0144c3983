// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Waits for the timer interrupt in a loop without end. The status is 0 when the
// interrupt comes when it is due, is pending then, and not before nor after.
#define HANDLES_INTERRUPTS
#include "common.S"

#define DELAY 1000

main:
        lw      s1, TIMER_LOW(s0)
        addi    s1, s1, DELAY
        li      t0, 1
        sw      t0, INTERRUPT_ENABLE(s0)
        sw      s1, TIMER_COMPARE(s0)
        li      a0, 1                   // 1: pending too early
        lw      t0, INTERRUPT_PENDING(s0)
        bnez    t0, finish
#if defined(PICORV32)
        .insn   r 0x0B, 6, 3, x0, x0, x0 // maskirq: none masked
#else
        li      t0, 0x80                // machine timer interrupt
        csrs    mie, t0
        csrsi   mstatus, 8
#endif
1:      j       1b

on_interrupt:
        lw      t1, TIMER_LOW(s0)
        lw      t0, INTERRUPT_PENDING(s0)
        li      a0, 2                   // 2: not pending in its handler
        andi    t0, t0, 1
        beqz    t0, finish
        li      a0, 3                   // 3: too early
        bltu    t1, s1, finish
        li      a0, 4                   // 4: too late
        addi    s1, s1, 100
        bgtu    t1, s1, finish
        li      t0, 1
        sw      t0, INTERRUPT_PENDING(s0)
        lw      t0, INTERRUPT_PENDING(s0)
        li      a0, 5                   // 5: pending after it was put off
        bnez    t0, finish
        lw      a0, TIMER_HIGH(s0)      // 0 so early in a run
        j       finish
