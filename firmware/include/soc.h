// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The memory map and the system registers of the SoC: the generated addresses and fields,
// and what every program does with them.
#ifndef CIPHERMILL_SOC_H
#define CIPHERMILL_SOC_H

#include <stdint.h>

#include "mmio.h"
#include "soc_registers.h"
#include "soc_system_registers.h"

// Returns the cycles since reset, modulo 2^32.
static inline uint32_t cycles(void) { return register_read(SOC_SYSTEM_TIMER_LOW); }

// Ends the simulation with a status; does not return.
_Noreturn static inline void finish(uint32_t status) {
  register_write(SOC_SYSTEM_FINISH, status);
  for (;;) {
  }
}

#endif
