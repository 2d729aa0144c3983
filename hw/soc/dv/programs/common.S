// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// What every test program begins with: the entries of each soft core (PICORV32,
// VEXRISCV or IBEX is defined), then its own `main`. `on_interrupt` is reached by
// interrupts and, but for PicoRV32, by exceptions.

#define SYSTEM 0x80000000
#define CONSOLE 0x00
#define FINISH 0x04
#define TIMER_LOW 0x08
#define TIMER_HIGH 0x0C
#define TIMER_COMPARE 0x10
#define INTERRUPT_ENABLE 0x14
#define INTERRUPT_PENDING 0x18
#define MEASURE 0x1C
#define IDLE 0x20
#define COUNTERS 0x40
#define RESULTS 0x8000

        .option norvc
        .globl  _start
_start:
        j       start
        .org    0x10
        j       on_interrupt
        .org    0x80
        j       start
        .org    0x100
        .rept   32
        j       on_interrupt
        .endr
start:
#if defined(VEXRISCV)
        li      t0, 0x100
        csrw    mtvec, t0
#elif defined(IBEX)
        li      t0, 0x101
        csrw    mtvec, t0
#endif
        li      s0, SYSTEM
        j       main

// Ends the run with the status in a0.
finish:
        sw      a0, FINISH(s0)
        j       finish

#ifndef HANDLES_INTERRUPTS
on_interrupt:
        li      a0, 99
        j       finish
#endif
