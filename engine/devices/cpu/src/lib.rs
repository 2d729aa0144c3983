// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Devices on the host's processor: the best implementation here, and OpenSSL with and without AES instructions
