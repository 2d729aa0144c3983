// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Host test of SHA-2 and HMAC: commands from standard input, results to standard output, one
// a line, bytes in hexadecimal, "-" for none. A digest takes its message in parts of STEP
// bytes, or in one call with 0.
//
//   digest FUNCTION STEP MESSAGE  -> DIGEST
//   hmac FUNCTION KEY MESSAGE     -> CODE
#include "hexadecimal.h"
#include "sha2.h"

#define MAXIMUM_FIELD 65536

static const struct {
  const char *name;
  const struct sha2_function *function;
} functions[] = {
    {"sha224", &sha224}, {"sha256", &sha256},         {"sha384", &sha384},
    {"sha512", &sha512}, {"sha512_224", &sha512_224}, {"sha512_256", &sha512_256},
};

static const struct sha2_function *named(const char *name) {
  for (size_t index = 0; index < sizeof functions / sizeof functions[0]; index++) {
    if (strcmp(name, functions[index].name) == 0) {
      return functions[index].function;
    }
  }
  fprintf(stderr, "no such function: %s\n", name);
  exit(2);
}

static void digest(const struct sha2_function *function, size_t step, const uint8_t *message,
                   size_t bytes, uint8_t *output) {
  if (step == 0) {
    sha2_digest(function, message, bytes, output);
    return;
  }
  struct sha2 state;
  sha2_begin(&state, function);
  for (size_t at = 0; at < bytes; at += step) {
    sha2_add(&state, message + at, bytes - at < step ? bytes - at : step);
  }
  sha2_end(&state, output);
  for (size_t index = 0; index < sizeof state; index++) {
    if (((const uint8_t *)&state)[index] != 0) {
      fprintf(stderr, "the state is not erased\n");
      exit(3);
    }
  }
}

int main(void) {
  static char command[16], name[16], first[MAXIMUM_FIELD + 1], second[MAXIMUM_FIELD + 1];
  while (scanf("%15s %15s %65536s %65536s", command, name, first, second) == 4) {
    const struct sha2_function *function = named(name);
    size_t key_bytes, bytes;
    uint8_t *message = parse(second, &bytes);
    uint8_t *output = malloc(function->digest_bytes);
    if (strcmp(command, "digest") == 0) {
      digest(function, strtoul(first, NULL, 10), message, bytes, output);
    } else if (strcmp(command, "hmac") == 0) {
      uint8_t *key = parse(first, &key_bytes);
      sha2_hmac(function, key, key_bytes, message, bytes, output);
      free(key);
    } else {
      fprintf(stderr, "no such command: %s\n", command);
      return 2;
    }
    print(output, function->digest_bytes, '\n');
    free(output);
    free(message);
  }
  return 0;
}
