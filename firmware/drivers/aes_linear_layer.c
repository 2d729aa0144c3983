// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition linear-layer: ShiftRows, MixColumns and AddRoundKey in hardware; SubBytes,
// key expansion and loop in C. SubBytes is by table: NOT constant time where memory
// is cached.
#define KIND COPROCESSOR__IDENTIFICATION__KIND__LINEAR_LAYER
#define before_encrypt aes_substitute_by_table
#define before_decrypt aes_inverse_substitute_by_table

#include "round_coprocessor.h"
