# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A module on several targets, without a tool."""

import pytest

from ciphermill.design import Core, Direction
from ciphermill.evaluate.chip import targets as physical
from ciphermill.evaluate.chip.measures import RTL, XC7
from ciphermill.evaluate.chip.targets import Settings, on_target
from ciphermill.evaluate.chip.toggles import ToggleCount
from ciphermill.evaluate.chip.workloads import CoreWorkload
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.modules import find_core
from ciphermill.toolchain.nextpnr import Family, Routed

OWN, OTHER = find_core("present-iterative"), find_core("present-minimal")


def test_toggles_are_counted_once_and_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []

    def count_toggles(
        module: Core, workload: CoreWorkload, *, key_bits: int, direction: Direction
    ) -> ToggleCount:
        counted.append((module.name, workload.name, key_bits, direction))
        toggles = 3000 if module is OWN else 1000
        return ToggleCount(toggles, 100, 10, 8, key_bits, direction, 50, {})

    def fail(*_: object, **__: object) -> None:
        raise ToolError("no yosys")

    monkeypatch.setattr(physical, "_counted", {})
    monkeypatch.setattr(physical, "count_toggles", count_toggles)
    monkeypatch.setattr(physical, "synthesise_xc7", fail)
    monkeypatch.setattr(physical, "_place", lambda *_: Routed(100, 50, 0, 0, 60.0))
    settings = Settings(workload="keys", key_bits=80, direction=Direction.ENCRYPT, reference=OTHER)
    (rtl,) = on_target(OWN, RTL, settings, lambda _: None)
    with pytest.raises(ToolError, match="no yosys"):
        on_target(OWN, XC7, settings, lambda _: None)
    routed = [one for f in Family for one in on_target(OWN, f.value, settings, lambda _: None)]
    assert sorted(counted) == [(one.name, "keys", 80, Direction.ENCRYPT) for one in (OWN, OTHER)]
    assert (rtl.key_bits, rtl.toggles_per_op) == (80, 300)
    for seen in routed:
        assert seen.energy_relative == pytest.approx(3)
        assert seen.energy_reference == OTHER.name
        assert (seen.key_bits, seen.direction) == (80, "encrypt")
        assert seen.notes
