# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Checks of the structure of the RTL, from the netlist that yosys elaborates.

- :mod:`.netlist`: read a module into registers, memories and combinational arcs between bits;
- :mod:`.crossings`: every clock-domain crossing starts at a flip-flop and is a listed one;
- :mod:`.paths`: combinational paths from an input to an output of a module;
- :mod:`.tops`: the top modules that are checked, and the tables of what is allowed.

``python scripts/lint_structure.py`` runs them all.
"""
