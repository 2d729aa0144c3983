# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Pages in the browser, served on loopback: pictures, files, and a dashboard."""
