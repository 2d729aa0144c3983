# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Reports of explorations: page, plots, table, reasons for a choice, and exports.

Everything is made from a stored ``Exploration`` alone, finished or not.
"""
