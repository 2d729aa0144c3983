// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! An accelerator behind device files: a board's driver, or a simulator in another process
