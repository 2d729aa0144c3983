// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Cache maintenance that the soft cores need from a program.
#ifndef CIPHERMILL_CACHE_H
#define CIPHERMILL_CACHE_H

// Forgets what the data cache holds, so that the next reads see what a bus master has
// written to memory. Writes go through at once: none is lost. Only VexRiscv has a data
// cache; the instruction is its own (a CACHE.FLUSH of the whole cache).
static inline void forget_data_cache(void) {
#ifdef SOFT_CORE_VEXRISCV
  __asm__ volatile(".word 0x500F" ::: "memory");
#endif
}

#endif
