# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Addresses and fields of the accelerator's registers."""

from __future__ import annotations

from pathlib import Path

from ciphermill_dv.registers import RegisterMap

_MAP = RegisterMap(Path(__file__).resolve().parents[1] / "accel.rdl")

address = _MAP.address
names = _MAP.names
pack = _MAP.pack
unpack = _MAP.unpack
values = _MAP.values
