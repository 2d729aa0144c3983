# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The bridges and the system registers: a bench on each, and a width that is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from ciphermill_dv.simulate import PORTS_ONLY, REPOSITORY, lint, run_bench

HERE = Path(__file__).parent
RTL = REPOSITORY / "hw" / "soc" / "rtl"
PACKAGES = [*sorted((RTL / "generated").glob("*.sv")), RTL / "soc_pkg.sv"]
SOURCES = [
    *PACKAGES,
    RTL / "soc_axi_lite_bridge.sv",
    *(RTL / "mapped" / f"soc_axi4_{part}.sv" for part in ("bridge", "reader", "writer")),
]
WIDTHS = (32, 64, 128, 256)


def test_axi_lite_bridge() -> None:
    run_bench(HERE / "bridge_bench.py", "soc_axi_lite_bridge", SOURCES, options=PORTS_ONLY)


@pytest.mark.parametrize("width", WIDTHS)
def test_axi4_bridge(width: int) -> None:
    bench, parameters = HERE / "bridge_bench.py", {"DataWidth": width}
    run_bench(bench, "soc_axi4_bridge", SOURCES, parameters, options=PORTS_ONLY)


def test_cva6_bus() -> None:
    sources = [*PACKAGES, RTL / "cva6" / "soc_cva6_bus.sv"]
    run_bench(HERE / "cva6_bus_bench.py", "soc_cva6_bus", sources, options=PORTS_ONLY)


def test_system_registers() -> None:
    sources = [*PACKAGES, RTL / "soc_counters.sv", RTL / "soc_system.sv"]
    run_bench(HERE / "system_registers_bench.py", "soc_system", sources)


def test_a_width_that_does_not_exist_stops_elaboration() -> None:
    done = lint("soc_axi4_bridge", SOURCES, {"DataWidth": 512})
    assert done.returncode != 0
    assert "soc_axi4_bridge: DataWidth must be 32, 64, 128 or 256" in done.stdout
