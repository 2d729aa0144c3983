// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A simulated accelerator in this process, loaded as a shared library
