// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The key of a workload: when it is sent, and key caching.
#ifndef CIPHERMILL_KEY_H
#define CIPHERMILL_KEY_H

#include <stddef.h>

#include "program.h"
#include "zeroise.h"

#define KEY_WORDS 8 // the longest key, 256 bits

// The key that is in place, for key caching.
static struct {
  uint32_t words[KEY_WORDS];
  unsigned bits; // 0: none
} cached;

// Constant time: looks at every word, also after a difference. What follows an 80-bit key in its
// last word counts too: where that differs the key is only sent once more.
static int same_key(const uint32_t *key, unsigned bits) {
  const uint32_t *held = cached.words;
  uint32_t difference = bits ^ cached.bits;
  difference |= (key[0] ^ held[0]) | (key[1] ^ held[1]) | (key[2] ^ held[2]);
  if (bits > 96) {
    difference |= key[3] ^ held[3];
  }
  if (bits > 128) {
    difference |= (key[4] ^ held[4]) | (key[5] ^ held[5]);
  }
  if (bits > 192) {
    difference |= (key[6] ^ held[6]) | (key[7] ^ held[7]);
  }
  return difference == 0;
}

// Sends the key, unless caching is on and it is in place.
static enum status set_key(const struct workload *work, const uint32_t *key) {
  uint32_t caching = work->flags & WORKLOAD_KEY_CACHING;
  if (caching && same_key(key, work->key_bits)) {
    return STATUS_OK;
  }
  cached.bits = 0;
  if (partition_set_key(key, work->key_bits, work->operation != OPERATION_ENCRYPT) != PARTITION_OK) {
    return STATUS_KEY_REFUSED;
  }
  if (caching) {
    for (unsigned word = 0; word < (work->key_bits + 31) / 32; word++) {
      cached.words[word] = key[word];
    }
    cached.bits = work->key_bits;
  }
  return STATUS_OK;
}

// Sets the first key before the measured region: every partition's key is set once where
// the workload sends none, and else this finds out what it costs and readies the hardware.
static enum status first_key(const struct workload *work, uint32_t *taken) {
  uint32_t begin = cycles();
  enum status status = set_key(work, (const uint32_t *)(uintptr_t)work->key_address);
  *taken = cycles() - begin;
  if (work->flags & WORKLOAD_KEY_EACH) {
    zeroise(&cached, sizeof cached); // the measured region sends it again
  }
  return status;
}

#endif
