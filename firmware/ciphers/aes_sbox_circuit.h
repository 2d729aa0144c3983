// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The AES S-box as a Boolean circuit on 32 bytes at once: word j holds bit j of
// each. Constant time.
#ifndef CIPHERMILL_AES_SBOX_CIRCUIT_H
#define CIPHERMILL_AES_SBOX_CIRCUIT_H

#include <stdint.h>

void aes_sbox_circuit(uint32_t *bits);         // SubBytes on 8 words
void aes_inverse_sbox_circuit(uint32_t *bits); // InvSubBytes

#endif
