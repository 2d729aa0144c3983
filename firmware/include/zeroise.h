// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Erasing secrets so that the compiler cannot leave it out.
#ifndef CIPHERMILL_ZEROISE_H
#define CIPHERMILL_ZEROISE_H

#include <stddef.h>

// Overwrites `size` bytes with zeros. The store is volatile: it is done even
// where nothing reads the memory again.
static inline void zeroise(void *memory, size_t size) {
  volatile unsigned char *bytes = memory;
  for (size_t index = 0; index < size; index++) {
    bytes[index] = 0;
  }
}

#endif
