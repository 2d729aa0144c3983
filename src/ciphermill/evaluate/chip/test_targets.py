# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A module on several targets, without a tool."""

import pytest

from ciphermill.design import CellLibrary, Core, DesignError, Direction, Fpga, Rtl, load_platform
from ciphermill.evaluate.chip import targets as physical
from ciphermill.evaluate.chip.targets import Settings, cell_target, on_target
from ciphermill.evaluate.chip.toggles import ToggleCount
from ciphermill.evaluate.chip.workloads import CoreWorkload, chosen, operation_of
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.modules import find_core
from ciphermill.toolchain.nextpnr import Family, Routed

OWN, OTHER = find_core("present-iterative"), find_core("present-minimal")


def test_toggles_are_counted_once_and_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []

    def count_toggles(module: Core, workload: CoreWorkload) -> ToggleCount:
        key_bits, direction = chosen(module, workload)
        counted.append((module.name, workload.name, key_bits, direction))
        toggles = 3000 if module is OWN else 1000
        return ToggleCount(toggles, 100, 10, 8, key_bits, operation_of(module, direction), 50)

    def fail(*_: object, **__: object) -> None:
        raise ToolError("no yosys")

    monkeypatch.setattr(physical, "_counted", {})
    monkeypatch.setattr(physical, "count_toggles", count_toggles)
    monkeypatch.setattr(physical, "synthesise_xc7", fail)
    monkeypatch.setattr(physical, "_place", lambda *_: Routed(100, 50, 0, 0, 60.0))
    settings = Settings(workload="keys", key_bits=80, direction=Direction.ENCRYPT, reference=OTHER)
    (rtl,) = on_target(OWN, load_platform("rtl", Rtl), settings, lambda _: None)
    with pytest.raises(ToolError, match="no yosys"):
        on_target(OWN, load_platform("xc7", Fpga), settings, lambda _: None)
    places = [load_platform(family, Fpga) for family in Family]
    routed = [one for place in places for one in on_target(OWN, place, settings, lambda _: None)]
    assert sorted(counted) == [(one.name, "keys", 80, Direction.ENCRYPT) for one in (OWN, OTHER)]
    assert (rtl.key_bits, rtl.toggles_per_op) == (80, 300)
    for seen in routed:
        assert seen.energy_relative == pytest.approx(3)
        assert seen.energy_reference == OTHER.name
        assert (seen.key_bits, seen.operation) == (80, "encrypt")
        assert seen.notes


def test_a_platform_of_nothing_known_is_refused() -> None:
    with pytest.raises(DesignError, match="no cell library is called 'tsmc7'"):
        cell_target(CellLibrary(name="tsmc7", library="tsmc7"))
    with pytest.raises(DesignError, match="no FPGA family is called 'ecp6'; did you mean ecp5"):
        on_target(OWN, Fpga(name="ecp6", family="ecp6"), Settings(), lambda _: None)
