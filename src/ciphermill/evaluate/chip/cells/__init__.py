# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A design in library cells: netlist, timing, simulation of gates, power."""
