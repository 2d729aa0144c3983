// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// AES as FIPS 197 writes it, a byte at a time: small and portable, the software
// that the papers compare with. Table look-ups by secret bytes: NOT constant time
// where memory is cached or its latency depends on the address.
#ifndef CIPHERMILL_AES_PORTABLE_H
#define CIPHERMILL_AES_PORTABLE_H

#include "aes_schedule.h"

// Encrypt or decrypt one block of 16 bytes; input and output may be the same.
void aes_portable_encrypt(const struct aes_schedule *schedule, const uint8_t *input,
                          uint8_t *output);
void aes_portable_decrypt(const struct aes_schedule *schedule, const uint8_t *input,
                          uint8_t *output);

#endif
