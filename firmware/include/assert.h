// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The part of C's assert.h that generated register headers use; a freestanding
// compiler has no such header of its own.
#ifndef CIPHERMILL_ASSERT_H
#define CIPHERMILL_ASSERT_H

#undef static_assert
#define static_assert _Static_assert

#endif
