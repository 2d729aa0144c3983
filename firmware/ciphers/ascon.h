// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Ascon-AEAD128 and Ascon-Hash256 of NIST SP 800-232, in portable C. Constant time:
// no look-up, no branch and no index depends on key, nonce, data or tag.
#ifndef CIPHERMILL_ASCON_H
#define CIPHERMILL_ASCON_H

#include <stddef.h>
#include <stdint.h>

#define ASCON_KEY_BYTES 16
#define ASCON_NONCE_BYTES 16
#define ASCON_TAG_BYTES 16
#define ASCON_DIGEST_BYTES 32

// Encrypts `bytes` bytes and makes the tag. `input` and `output` may be the same. A
// nonce must not be used twice with a key.
void ascon_aead128_encrypt(const uint8_t *key, const uint8_t *nonce, const uint8_t *aad,
                           size_t aad_bytes, const uint8_t *input, size_t bytes,
                           uint8_t *output, uint8_t *tag);

// Decrypts `bytes` bytes and returns 0 if the tag is right. Otherwise it returns -1 and
// overwrites the output with zeros. `input` and `output` may be the same.
int ascon_aead128_decrypt(const uint8_t *key, const uint8_t *nonce, const uint8_t *aad,
                          size_t aad_bytes, const uint8_t *input, size_t bytes, uint8_t *output,
                          const uint8_t *tag);

// Hashes a message to ASCON_DIGEST_BYTES bytes.
void ascon_hash256(const uint8_t *message, size_t bytes, uint8_t *digest);

#endif
