// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Start-up of the RISC-V cores. One of SOFT_CORE_PICORV32, SOFT_CORE_VEXRISCV,
// SOFT_CORE_IBEX and SOFT_CORE_CVA6 is defined. Entries: reset at 0x000 (PicoRV32, VexRiscv,
// CVA6) and 0x080 (Ibex), PicoRV32's interrupt at 0x010, traps of the others at 0x100.
// A trap ends the run: the firmware expects none.

#include "soc_registers.h"

#define STATUS_TRAP 0x100
#define STACK_GUARD 0x5AFEC0DE

        .section .reset, "ax", @progbits
        .option push
        .option norvc
        .option norelax
        .globl _start
_start:
        j       start_up

        .org    0x010           // PicoRV32: interrupt, illegal instruction, bus error
        j       trap

        .org    0x080           // Ibex: boot address + 0x80
        j       start_up

        .org    0x100           // Ibex: vectored, 32 entries; VexRiscv, CVA6: the first of them
vectors:
        .rept   32
        j       trap
        .endr
        .option pop

        .section .text.start_up, "ax", @progbits
start_up:
        .option push
        .option norelax
        la      gp, __global_pointer$
        .option pop
        la      sp, __stack_top
#if defined(SOFT_CORE_VEXRISCV)
        la      t0, vectors     // direct mode
        csrw    mtvec, t0
        li      t0, 0x80000000  // the custom function unit is off at reset
        csrw    0xBC0, t0
#elif defined(SOFT_CORE_IBEX)
        la      t0, vectors     // Ibex knows vectored mode only
        ori     t0, t0, 1
        csrw    mtvec, t0
#elif defined(SOFT_CORE_CVA6)
        la      t0, vectors     // direct mode
        csrw    mtvec, t0
#elif !defined(SOFT_CORE_PICORV32)
#error "no such soft core"
#endif
        la      t0, __bss_start
        la      t1, __bss_end
        j       2f
1:      sw      zero, 0(t0)
        addi    t0, t0, 4
2:      bltu    t0, t1, 1b
        la      t0, __stack_bottom
        li      t1, STACK_GUARD
        sw      t1, 0(t0)
        call    main
        la      t0, __stack_bottom
        lw      t0, 0(t0)
        li      t1, STACK_GUARD
        beq     t0, t1, 3f
        li      a0, 5           // STATUS_STACK_OVERFLOW (workload.h)
3:
#if defined(SOFT_CORE_CVA6)
        fence                   // its stores to memory may be behind those to peripherals
#endif
        li      t0, SOC_SYSTEM_FINISH
        sw      a0, 0(t0)
4:      j       4b

trap:
#if defined(SOFT_CORE_PICORV32)
        li      t0, STATUS_TRAP // PicoRV32 has no cause register
#else
        csrr    t0, mcause      // the highest bit: an interrupt
        srli    t1, t0, __riscv_xlen - 8
        andi    t1, t1, 0x80
        andi    t0, t0, 0x7F
        or      t0, t0, t1
        ori     t0, t0, STATUS_TRAP
#endif
        li      t1, SOC_SYSTEM_FINISH
        sw      t0, 0(t1)
5:      j       5b
