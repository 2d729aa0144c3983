// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Host test of Ascon: commands from standard input, results to standard output, one a
// line, bytes in hexadecimal, "-" for none. `place` is 1 for output in place of the input.
//
//   encrypt PLACE KEY NONCE AAD TEXT      -> TEXT TAG
//   decrypt PLACE KEY NONCE AAD TEXT TAG  -> STATUS TEXT
//   hash MESSAGE                          -> DIGEST
#include "ascon.h"
#include "hexadecimal.h"

#define MAXIMUM_FIELD 8192

int main(void) {
  static char command[16], field[6][MAXIMUM_FIELD + 1];
  while (scanf("%15s", command) == 1) {
    uint8_t *data[6];
    size_t bytes[6];
    int fields = strcmp(command, "hash") == 0 ? 1 : strcmp(command, "encrypt") == 0 ? 5 : 6;
    for (int index = 0; index < fields; index++) {
      if (scanf("%8192s", field[index]) != 1) {
        return 2;
      }
      data[index] = parse(field[index], &bytes[index]);
    }
    uint8_t *output = malloc(fields == 1 ? ASCON_DIGEST_BYTES : bytes[4]);
    if (fields == 1) {
      ascon_hash256(data[0], bytes[0], output);
      print(output, ASCON_DIGEST_BYTES, '\n');
    } else {
      int status = 0;
      uint8_t tag[ASCON_TAG_BYTES];
      uint8_t *target = data[0][0] ? data[4] : output;
      if (fields == 5) {
        ascon_aead128_encrypt(data[1], data[2], data[3], bytes[3], data[4], bytes[4], target, tag);
        print(target, bytes[4], ' ');
        print(tag, sizeof tag, '\n');
      } else {
        status = ascon_aead128_decrypt(data[1], data[2], data[3], bytes[3], data[4], bytes[4],
                                       target, data[5]);
        printf("%d ", status);
        print(target, bytes[4], '\n');
      }
    }
    free(output);
    for (int index = 0; index < fields; index++) {
      free(data[index]);
    }
  }
  return 0;
}
