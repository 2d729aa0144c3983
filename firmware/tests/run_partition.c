// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Host test of one partition: commands from standard input, results to standard
// output, one a line, numbers and bytes in hexadecimal.
//
//   key BITS DECRYPT BYTES                 -> key STATUS
//   process BLOCKS DECRYPT INPLACE BYTES   -> output STATUS BYTES
//   each BITS DECRYPT BLOCKS KEYS BYTES    -> output STATUS BYTES
//   zeroise                                -> zeroised
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "partition.h"

#define MAXIMUM_BYTES 8192

static char line[2 * MAXIMUM_BYTES + 100];

// Exactly as long as the data, on the heap, so that the sanitiser sees any step beyond.
static uint32_t *parse(const char *text, size_t bytes) {
  uint8_t *data = malloc(bytes ? bytes : 4);
  for (size_t index = 0; index < bytes; index++) {
    unsigned value;
    if (data == NULL || sscanf(text + 2 * index, "%2x", &value) != 1) {
      fprintf(stderr, "bytes are missing: %s", line);
      exit(2);
    }
    data[index] = (uint8_t)value;
  }
  return (uint32_t *)data;
}

static void print(int status, const uint32_t *output, size_t bytes) {
  printf("output %x ", (unsigned)status);
  for (size_t index = 0; status == PARTITION_OK && index < bytes; index++) {
    printf("%02x", ((const uint8_t *)output)[index]);
  }
  printf("\n");
}

static void each(unsigned bits, int decrypt, unsigned blocks, const char *text) {
  unsigned key_words = (bits + 31) / 32;
  size_t bytes = 4 * (size_t)partition_block_words * blocks;
  size_t key_bytes = 4 * (size_t)key_words * blocks;
  uint32_t *keys = parse(text, key_bytes);
  uint32_t *input = parse(text + 2 * key_bytes + 1, bytes);
  uint32_t *output = malloc(bytes);
  print(partition_process_each(keys, key_words, bits, input, output, blocks, decrypt), output,
        bytes);
  free(output);
  free(input);
  free(keys);
}

static void process(unsigned blocks, int decrypt, int in_place, const char *text) {
  size_t bytes = 4 * (size_t)partition_block_words * blocks;
  uint32_t *input = parse(text, bytes);
  uint32_t *output = in_place ? input : malloc(bytes ? bytes : 4);
  print(partition_process(input, output, blocks, decrypt), output, bytes);
  if (!in_place) {
    free(output);
  }
  free(input);
}

int main(void) {
  while (fgets(line, sizeof line, stdin) != NULL) {
    unsigned first;
    unsigned blocks;
    int decrypt;
    int in_place;
    int at = 0;
    if (sscanf(line, "key %x %d %n", &first, &decrypt, &at) == 2 && at != 0) {
      // An 80-bit key ends in the middle of a word: drivers read that word whole.
      size_t bytes = strlen(line + at) / 2;
      uint32_t *key = parse(line + at, bytes);
      printf("key %x\n", (unsigned)partition_set_key(key, first, decrypt));
      free(key);
    } else if (sscanf(line, "process %x %d %d %n", &first, &decrypt, &in_place, &at) == 3) {
      process(first, decrypt, in_place, line + at);
    } else if (sscanf(line, "each %x %d %x %n", &first, &decrypt, &blocks, &at) == 3 && at != 0) {
      each(first, decrypt, blocks, line + at);
    } else if (strcmp(line, "zeroise\n") == 0) {
      partition_zeroise();
      printf("zeroised\n");
    } else {
      fprintf(stderr, "no such command: %s", line);
      return 2;
    }
  }
  return 0;
}
