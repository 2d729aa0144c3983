# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""One module a tool: inputs in, artefact out, cached by content."""
