// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition round: one round of AES in hardware, key expansion and loop in C.
#define KIND COPROCESSOR__IDENTIFICATION__KIND__ROUND
#define before_encrypt(column) (column)
#define before_decrypt(column) (column)

#include "round_coprocessor.h"
