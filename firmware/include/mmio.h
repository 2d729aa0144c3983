// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Access to memory-mapped registers, 32 bits at a time and in program order.
// On the host, where drivers are unit-tested, a fake device answers instead.
#ifndef CIPHERMILL_MMIO_H
#define CIPHERMILL_MMIO_H

#include <stdint.h>

#ifdef CIPHERMILL_HOST

uint32_t register_read(uint32_t address);
void register_write(uint32_t address, uint32_t value);

#else

static inline uint32_t register_read(uint32_t address) {
  return *(const volatile uint32_t *)(uintptr_t)address;
}

static inline void register_write(uint32_t address, uint32_t value) {
  *(volatile uint32_t *)(uintptr_t)address = value;
}

#endif

#endif
