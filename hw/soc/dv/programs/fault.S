// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Goes wrong in the way that FAULT says.
#include "common.S"

main:
#if FAULT == 1                          // an instruction that no core has
        .word   0xFFFFFFFF
#elif FAULT == 2                        // a load from an address where nothing is
        li      t0, 0x40000000
        lw      t1, 0(t0)
#elif FAULT == 3                        // a store to a coprocessor that is not there
        li      t0, SOC_COPROCESSOR_BASE
        sw      zero, 0(t0)
#elif FAULT == 4                        // a status of its own
        li      a0, 7
        j       finish
#elif FAULT == 5                        // a custom instruction under the opcode OP
        .insn   r 0x33, FUNCT3, FUNCT7, a0, a1, a2
#endif
1:      j       1b                      // for the watchdog
