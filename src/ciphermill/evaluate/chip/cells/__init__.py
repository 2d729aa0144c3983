# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A design made of library cells: netlist, timing, simulation of gates, power."""
