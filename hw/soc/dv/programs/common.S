// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// What every test program begins with: the entries of each soft core (PICORV32,
// VEXRISCV, IBEX or CVA6 is defined), then its own `main`. `on_interrupt` is reached by
// interrupts and, but for PicoRV32, by exceptions.

#include "soc_registers.h"

// Offsets from s0, which holds SOC_SYSTEM_BASE.
#define CONSOLE (SOC_SYSTEM_CONSOLE - SOC_SYSTEM_BASE)
#define FINISH (SOC_SYSTEM_FINISH - SOC_SYSTEM_BASE)
#define TIMER_LOW (SOC_SYSTEM_TIMER_LOW - SOC_SYSTEM_BASE)
#define TIMER_HIGH (SOC_SYSTEM_TIMER_HIGH - SOC_SYSTEM_BASE)
#define TIMER_COMPARE (SOC_SYSTEM_TIMER_COMPARE - SOC_SYSTEM_BASE)
#define INTERRUPT_ENABLE (SOC_SYSTEM_INTERRUPT_ENABLE - SOC_SYSTEM_BASE)
#define INTERRUPT_PENDING (SOC_SYSTEM_INTERRUPT_PENDING - SOC_SYSTEM_BASE)
#define MEASURE (SOC_SYSTEM_MEASURE - SOC_SYSTEM_BASE)
#define IDLE (SOC_SYSTEM_IDLE - SOC_SYSTEM_BASE)
#define COUNTERS (SOC_SYSTEM_CYCLES_LOW - SOC_SYSTEM_BASE)
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
#if defined(VEXRISCV) || defined(CVA6)
        li      t0, 0x100
        csrw    mtvec, t0
#elif defined(IBEX)
        li      t0, 0x101
        csrw    mtvec, t0
#endif
        li      s0, SOC_SYSTEM_BASE
        j       main

// Ends the run with the status in a0.
finish:
#if defined(CVA6)
        fence                           // its stores to memory may be behind this one
#endif
        sw      a0, FINISH(s0)
        j       finish

#ifndef HANDLES_INTERRUPTS
on_interrupt:
        li      a0, 99
        j       finish
#endif
