# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Streaming systems in virtual time: host threads, DMA buffers, a bus, cipher cores."""
