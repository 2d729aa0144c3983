// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The memory map and the system registers of the SoC (hw/soc/README.md).
#ifndef CIPHERMILL_SOC_H
#define CIPHERMILL_SOC_H

#include <stdint.h>

#include "mmio.h"

#define SYSTEM_BASE 0x80000000u
#define COPROCESSOR_BASE 0x80010000u
#define ACCELERATOR_BASE 0x80020000u
#define DMA_BASE 0x80030000u

#define SYSTEM_CONSOLE (SYSTEM_BASE + 0x00u)           // W: low byte to the console
#define SYSTEM_FINISH (SYSTEM_BASE + 0x04u)            // W: end the simulation, 0 is success
#define SYSTEM_TIMER_LOW (SYSTEM_BASE + 0x08u)         // RO: free-running clocks
#define SYSTEM_TIMER_HIGH (SYSTEM_BASE + 0x0Cu)        // RO
#define SYSTEM_TIMER_COMPARE (SYSTEM_BASE + 0x10u)     // RW: timer interrupt
#define SYSTEM_INTERRUPT_ENABLE (SYSTEM_BASE + 0x14u)  // RW
#define SYSTEM_INTERRUPT_PENDING (SYSTEM_BASE + 0x18u) // RO
#define SYSTEM_MEASURE (SYSTEM_BASE + 0x1Cu)           // W: 1 clears and runs the counters, 0 stops
#define SYSTEM_IDLE (SYSTEM_BASE + 0x20u)              // W: 1 while the processor only waits

// Counters, 64 bits each: the low word here, the high word 4 bytes on.
#define SYSTEM_CYCLES (SYSTEM_BASE + 0x40u)
#define SYSTEM_PROCESSOR (SYSTEM_BASE + 0x48u)
#define SYSTEM_BUS (SYSTEM_BASE + 0x50u)
#define SYSTEM_ACCELERATOR (SYSTEM_BASE + 0x58u)
#define SYSTEM_INSTRUCTIONS (SYSTEM_BASE + 0x60u)
#define SYSTEM_TRANSACTIONS (SYSTEM_BASE + 0x68u)

// Bits of INTERRUPT_ENABLE and INTERRUPT_PENDING.
#define INTERRUPT_TIMER 0x1u
#define INTERRUPT_COPROCESSOR 0x2u
#define INTERRUPT_ACCELERATOR 0x4u
#define INTERRUPT_DMA 0x8u

// Returns the clocks since reset, modulo 2^32.
static inline uint32_t clocks(void) { return register_read(SYSTEM_TIMER_LOW); }

// Ends the simulation with a status; does not return.
_Noreturn static inline void finish(uint32_t status) {
  register_write(SYSTEM_FINISH, status);
  for (;;) {
  }
}

#endif
