# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Verilator's run-time library, compiled once for all self-tests of exports.

It takes 6 s of processor time, three times what the self-test of a small design takes.
"""

from __future__ import annotations

from pathlib import Path

from ciphermill_dv.simulate import build_root

COMPILE_ONCE = {
    "OBJCACHE": f"{Path(__file__).with_name('compile_once.sh')} {build_root() / 'export-run-time'}"
}
"""Environment of a make or a Verilator that compiles (``compile_once.sh``)."""
