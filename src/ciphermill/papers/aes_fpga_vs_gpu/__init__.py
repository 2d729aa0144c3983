# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The paper on AES in counter mode on an FPGA and on GPUs."""
