// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// SHA-2 (FIPS 180-4) and HMAC with it (FIPS 198-1), in portable C. Constant time: no
// look-up, no branch and no index depends on a message or a key, only on their lengths.
#ifndef CIPHERMILL_SHA2_H
#define CIPHERMILL_SHA2_H

#include <stddef.h>
#include <stdint.h>

#define SHA2_MAXIMUM_BLOCK_BYTES 128
#define SHA2_MAXIMUM_DIGEST_BYTES 64

// A hash value: eight words of 32 or of 64 bits.
union sha2_value {
  uint32_t narrow[8];
  uint64_t wide[8];
};

// A function of the standard. A program links those that it names.
struct sha2_function {
  union sha2_value initial;
  unsigned word_bytes; // 4 or 8
  unsigned block_bytes;
  unsigned digest_bytes;
  void (*compress)(union sha2_value *value, const uint8_t *data, size_t blocks);
};

// ciphers/sha256.c
extern const struct sha2_function sha224, sha256;
// ciphers/sha512.c
extern const struct sha2_function sha384, sha512, sha512_224, sha512_256;

// A message under way.
struct sha2 {
  const struct sha2_function *function;
  union sha2_value value;
  uint8_t block[SHA2_MAXIMUM_BLOCK_BYTES]; // the bytes of a block that is not full
  uint64_t bytes;                          // of the message so far; below 2^61
};

// A message in parts: begin, any number of additions, end. The end writes the function's
// digest_bytes and erases the state.
void sha2_begin(struct sha2 *state, const struct sha2_function *function);
void sha2_add(struct sha2 *state, const uint8_t *data, size_t bytes);
void sha2_end(struct sha2 *state, uint8_t *digest);

// Hashes a whole message. `digest` may be the message itself.
void sha2_digest(const struct sha2_function *function, const uint8_t *message, size_t bytes,
                 uint8_t *digest);

// Makes the authentication code of a message, of the function's digest_bytes, with a key of
// any length. `code` may be the message itself.
void sha2_hmac(const struct sha2_function *function, const uint8_t *key, size_t key_bytes,
               const uint8_t *message, size_t bytes, uint8_t *code);

#endif
