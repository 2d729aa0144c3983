// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Host test of one partition of an algorithm that takes whole messages: commands from
// standard input, results to standard output, one a line, bytes in hexadecimal, "-" for
// none. `place` is 1 for output in place of the input.
//
//   key BITS KEY                                      -> STATUS
//   run OPERATION PLACE NONCE ASSOCIATED TEXT TAG     -> STATUS OUTPUT TAG
//   zeroise                                           -> zeroised
//
// DIGEST_BYTES is defined for the algorithm.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "partition.h"

#define MAXIMUM_FIELD 4096
#define TAG_BYTES 16

// Whole words on the heap, so that the sanitiser sees any step beyond. What stands behind the
// last byte must not matter.
static uint32_t *parse(const char *text, size_t room, size_t *bytes) {
  *bytes = strcmp(text, "-") == 0 ? 0 : strlen(text) / 2;
  size_t size = ((*bytes > room ? *bytes : room) + 3) / 4 * 4;
  uint8_t *data = malloc(size);
  memset(data, 0xA5, size);
  for (size_t index = 0; index < *bytes; index++) {
    unsigned value;
    if (sscanf(text + 2 * index, "%2x", &value) != 1) {
      fprintf(stderr, "not bytes: %s\n", text);
      exit(2);
    }
    data[index] = (uint8_t)value;
  }
  return (uint32_t *)data;
}

static void print(const uint32_t *data, size_t bytes) {
  for (size_t index = 0; index < bytes; index++) {
    printf("%02x", ((const uint8_t *)data)[index]);
  }
  printf(bytes == 0 ? "-" : "");
}

int main(void) {
  static char first[MAXIMUM_FIELD], second[MAXIMUM_FIELD], third[MAXIMUM_FIELD];
  static char fourth[MAXIMUM_FIELD], command[16];
  while (scanf("%15s", command) == 1) {
    unsigned number;
    size_t bytes;
    if (strcmp(command, "key") == 0 && scanf("%u %4095s", &number, first) == 2) {
      uint32_t *key = parse(first, 0, &bytes);
      printf("%d\n", partition_set_key(key, number, 0));
      free(key);
    } else if (strcmp(command, "run") == 0) {
      unsigned in_place;
      size_t unused;
      struct partition_message message;
      if (scanf("%u %u %4095s %4095s %4095s %4095s", &number, &in_place, first, second, third,
                fourth) != 6) {
        return 2;
      }
      int digest = number == OPERATION_DIGEST || number == OPERATION_AUTHENTICATE;
      uint32_t *nonce = parse(first, 0, &unused);
      uint32_t *associated = parse(second, 0, &message.associated_bytes);
      uint32_t *input = parse(third, in_place && digest ? DIGEST_BYTES : 0, &message.bytes);
      size_t given = digest ? DIGEST_BYTES : message.bytes;
      uint32_t *output = in_place ? input : malloc((given + 3) / 4 * 4);
      uint32_t *tag = parse(fourth, TAG_BYTES, &unused);
      message.nonce = nonce;
      message.associated = associated;
      message.input = input;
      message.output = output;
      message.tag = tag;
      int status = partition_run((enum workload_operation)number, &message);
      printf("%d ", status);
      print(output, status == PARTITION_OK || status == PARTITION_TAG ? given : 0);
      printf(" ");
      print(tag, status == PARTITION_OK && number == OPERATION_ENCRYPT ? TAG_BYTES : 0);
      printf("\n");
      free(tag);
      free(in_place ? NULL : output);
      free(input);
      free(associated);
      free(nonce);
    } else if (strcmp(command, "zeroise") == 0) {
      partition_zeroise();
      printf("zeroised\n");
    } else {
      fprintf(stderr, "no such command: %s\n", command);
      return 2;
    }
  }
  return 0;
}
