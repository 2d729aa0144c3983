// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Nothing: Cargo fetches the source of OpenSSL for `scripts/build_openssl.sh`, by the versions
//! and checksums in Cargo.lock.
