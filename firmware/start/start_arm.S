// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Start-up for the ARM SA-1110 (StrongARM, ARMv4) in an instruction-set simulator.
// An exception ends the run: the firmware expects none. ARMv4 has no BLX, and BX
// only from ARMv4T on: this file uses neither.

#include "soc_registers.h"

        .arch   armv4
        .section .reset, "ax", %progbits
        .globl  _start
_start:
        b       start_up        // reset
        b       trap            // undefined instruction
        b       trap            // software interrupt
        b       trap            // prefetch abort
        b       trap            // data abort
        b       trap            // reserved
        b       trap            // interrupt
        b       trap            // fast interrupt

        .section .text.start_up, "ax", %progbits
start_up:
        ldr     sp, =__stack_top
        ldr     r0, =__bss_start
        ldr     r1, =__bss_end
        mov     r2, #0
1:      cmp     r0, r1
        strlo   r2, [r0], #4
        blo     1b
        ldr     r0, =__stack_bottom
        ldr     r1, =0x5AFEC0DE
        str     r1, [r0]
        bl      main
        ldr     r1, =__stack_bottom
        ldr     r1, [r1]
        ldr     r2, =0x5AFEC0DE
        cmp     r1, r2
        movne   r0, #5          // STATUS_STACK_OVERFLOW (workload.h)
2:      ldr     r1, =SOC_SYSTEM_FINISH
        str     r0, [r1]
3:      b       3b

trap:
        mov     r0, #0x100      // STATUS_TRAP
        b       2b
        .ltorg
