# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The external tools, one module each: inputs in, an artefact out, cached by content."""
