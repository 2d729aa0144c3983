// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Bytes in hexadecimal for host tests, "-" for none.
#ifndef CIPHERMILL_HEXADECIMAL_H
#define CIPHERMILL_HEXADECIMAL_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Exactly as long as the data, on the heap, so that the sanitiser sees any step beyond.
static uint8_t *parse(const char *text, size_t *bytes) {
  *bytes = strcmp(text, "-") == 0 ? 0 : strlen(text) / 2;
  uint8_t *data = malloc(*bytes);
  for (size_t index = 0; index < *bytes; index++) {
    unsigned value;
    if (data == NULL || sscanf(text + 2 * index, "%2x", &value) != 1) {
      fprintf(stderr, "not bytes: %s\n", text);
      exit(2);
    }
    data[index] = (uint8_t)value;
  }
  return data;
}

static void print(const uint8_t *data, size_t bytes, char end) {
  if (bytes == 0) {
    putchar('-');
  }
  for (size_t index = 0; index < bytes; index++) {
    printf("%02x", data[index]);
  }
  putchar(end);
}

#endif
