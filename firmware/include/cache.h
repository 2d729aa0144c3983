// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Cache and memory maintenance that the soft cores need from a program.
#ifndef CIPHERMILL_CACHE_H
#define CIPHERMILL_CACHE_H

// Forgets what the data cache holds, so that the next reads see what a bus master has
// written to memory. Writes go through at once: none is lost. VexRiscv has an instruction of
// its own (a CACHE.FLUSH of the whole cache); CVA6 empties its data cache when CSR 0x701, which
// enables it, is set after it was clear.
static inline void forget_data_cache(void) {
#ifdef SOFT_CORE_VEXRISCV
  __asm__ volatile(".word 0x500F" ::: "memory");
#elif defined(SOFT_CORE_CVA6)
  __asm__ volatile("csrci 0x701, 1\n\tcsrsi 0x701, 1" ::: "memory");
#endif
}

// Waits until memory has every store so far, so that a bus master reads what was written. Only
// CVA6 may let a later store to a peripheral overtake one to memory.
static inline void finish_stores(void) {
#ifdef SOFT_CORE_CVA6
  __asm__ volatile("fence" ::: "memory");
#endif
}

#endif
