# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What the paper ran on its cores, registered for ``ciphermill physical --workload``."""

from __future__ import annotations

from ciphermill.evaluate.chip.workloads import WORKLOADS, CoreWorkload

STAND_ALONE = CoreWorkload(
    "stand-alone",
    "10 encryptions at 20 MHz, each with its own key",
    10,
    fresh_keys=True,
    clock_mhz=20.0,
)
"""Guo, Chen and Schaumont (SAMOS 2008), table 3 and section 3.2."""
IN_SYSTEM = CoreWorkload(
    "in-system",
    "4 encryptions at 50 MHz, each with its own key, as far apart as a MicroBlaze has them",
    4,
    fresh_keys=True,
    clock_mhz=50.0,
    period_cycles={"aes": 774, "present": 514},
)
"""The same, table 6; cycles from block to block in the system from table 5."""

for _one in (STAND_ALONE, IN_SYSTEM):
    WORKLOADS[_one.name] = _one
