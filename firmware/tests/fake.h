// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Common part of the fakes. A fake answers a driver's register accesses and instructions
// as the hardware's README says, at once, and is stricter than hardware: anything that
// sets an error bit there, or that a driver need not do, ends the test.
#ifndef CIPHERMILL_FAKE_H
#define CIPHERMILL_FAKE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aes_portable.h"
#include "present_bitsliced.h"

_Noreturn static inline void broken(const char *what, uint32_t value) {
  fprintf(stderr, "the driver breaks the hardware's rules: %s (0x%x)\n", what, (unsigned)value);
  exit(3);
}

// A cipher core with the results of the blocks in flight.
struct core {
  unsigned key_bits; // 0: no key
  struct aes_schedule aes;
  struct present_schedule present;
  unsigned limit; // blocks in flight
  unsigned count;
  uint32_t results[8][4]; // the oldest first
};

static inline void core_key(struct core *core, const uint32_t *key, unsigned bits, int present) {
  core->key_bits = bits;
  if (present ? present_expand(&core->present, key, bits)
              : aes_expand(&core->aes, key, bits, aes_substitute_by_table)) {
    broken("an unknown key size", bits);
  }
}

static inline void core_push(struct core *core, const uint32_t *block, int decrypt, int present) {
  if (core->key_bits == 0) {
    broken("a block before any key", 0);
  }
  if (core->count == core->limit) {
    broken("more blocks in flight than there may be", core->limit);
  }
  uint32_t *result = core->results[core->count++];
  if (present) {
    (decrypt ? present_bitsliced_decrypt : present_bitsliced_encrypt)(&core->present, block, result,
                                                                      1);
  } else {
    (decrypt ? aes_portable_decrypt : aes_portable_encrypt)(&core->aes, (const uint8_t *)block,
                                                            (uint8_t *)result);
  }
}

static inline uint32_t core_word(const struct core *core, unsigned word) {
  if (core->count == 0) {
    broken("a result read with nothing in flight", word);
  }
  return core->results[0][word];
}

static inline void core_pop(struct core *core) {
  core->count--;
  memmove(core->results[0], core->results[1], sizeof core->results - sizeof core->results[0]);
}

static inline void core_clear(struct core *core) {
  unsigned limit = core->limit;
  memset(core, 0, sizeof *core);
  core->limit = limit;
}

#endif
