// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Driver of the Ciphermill accelerator, over any register file and data streams
