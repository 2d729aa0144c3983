// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The functions of the C library that a compiler may call on its own even in a freestanding
// program (C11, 4 and 5.1.2.1; GCC and Clang manuals), for ARM those of its run-time ABI, 4.3.4.
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict target, const void *restrict source, size_t size);
void *memset(void *target, int value, size_t size);

void *memcpy(void *restrict target, const void *restrict source, size_t size) {
  volatile unsigned char *to = target;
  const unsigned char *from = source;
  if ((((uintptr_t)target | (uintptr_t)source | size) & 3) == 0) {
    volatile uint32_t *to_words = target;
    const uint32_t *from_words = source;
    for (size_t index = 0; index < size / 4; index++) {
      to_words[index] = from_words[index];
    }
    return target;
  }
  for (size_t index = 0; index < size; index++) {
    to[index] = from[index];
  }
  return target;
}

// Volatile, or the compiler would turn the loop into a call of this function.
void *memset(void *target, int value, size_t size) {
  volatile unsigned char *bytes = target;
  for (size_t index = 0; index < size; index++) {
    bytes[index] = (unsigned char)value;
  }
  return target;
}

#ifdef __ARM_EABI__
void __aeabi_memcpy4(void *restrict target, const void *restrict source, size_t size);
void __aeabi_memclr4(void *target, size_t size);

void __aeabi_memcpy4(void *restrict target, const void *restrict source, size_t size) {
  memcpy(target, source, size);
}

void __aeabi_memclr4(void *target, size_t size) { memset(target, 0, size); }
#endif
