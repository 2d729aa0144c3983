// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition software: SHA-512 by the processor alone.
#define FUNCTION sha512

#include "sha2_software.h"
