# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The table of every command shows each figure whole on narrow and wide terminals."""

import doctest
from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rich.text import Text
from support.reports import cut_off, invented_system, printed

from ciphermill._engine import Device
from ciphermill.campaign.store import Record
from ciphermill.cli.devices import devices_table
from ciphermill.cli.results import results_table
from ciphermill.design import Measurement, make_run
from ciphermill.report import table as tables
from ciphermill.report.cosim_table import cosim_tables
from ciphermill.report.physical_table import physical_tables
from ciphermill.report.section import Section, section_table
from ciphermill.report.system_energy import energy_table
from ciphermill.report.table import Table
from ciphermill.report.weigh_table import weigh_table

WIDTHS = (30, 40, 60, 80, 100, 120, 200)


def weighed() -> list[Measurement]:
    return [
        Measurement(
            device=device,
            mode=mode,
            operation="encrypt",
            bytes=61306,
            time_total_s=seconds,
            throughput_mb_s=61306 / seconds / 1e6,
            cycles_per_block=15.0 if device.startswith("model") else None,
            correct=device != "model:aes-pipelined-gcm",
            method="simulated" if device.startswith("model") else "measured",
        )
        for mode in ("ecb", "cbc", "ctr")
        for device, seconds in (("software", 1.2345e-4), ("model:aes-pipelined-gcm", 5.4321e-5))
    ]


def simulated() -> list[Measurement]:
    """Two runs of a system, as ``cosim`` prints them."""
    one = Measurement.from_json(
        {
            "algorithm": "aes",
            "key_bits": 256,
            "mode": "ecb",
            "operation": "encrypt",
            "partition": "iterative",
            "interface": "axi-lite",
            "soft_core": "picorv32",
            "bytes": 1600,
            "messages": 1,
            "cycles.total": 264_400,
            "cycles.processor": 250_000,
            "cycles.bus": 10_000,
            "cycles.accelerator": 5_600,
            "cycles.worst_message": 264_400,
            "bus.transactions": 1000,
            "instructions.total": 45_678,
            "code.bytes": 12_345,
            "correct": True,
            "method": "simulated",
        }
    )
    return [one, one.model_copy(update={"bytes": 3200, "correct": False})]


def physical() -> list[Measurement]:
    common = {
        "design": "aes-iterative-256",
        "algorithm": "aes",
        "key_bits": 256,
        "method": "estimated",
    }
    fpga = {"target": "ecp5", "area.lut": 12_345, "area.ff": 2_345, "area.slices_estimated": 4_567}
    cells = {"target": "nangate45", "area.um2": 123_456.7, "area.ge": 154_321.0, "timing.by": "own"}
    power = {
        "target": "nangate45",
        "workload": "stream",
        "operation": "encrypt",
        "power.mw": 12.3,
        "power.idle_mw": 1.23,
        "power.zero_delay_mw": 11.1,
        "energy.pj_per_bit": 4.56,
        "clock.mhz": 333.0,
    }
    toggles = {"target": "rtl", "workload": "stream", "toggles.per_op": 123_456.0}
    return [Measurement.from_json({**common, **one}) for one in (fpga, cells, power, toggles)]


def devices() -> Table:
    one = SimpleNamespace(
        name="model:aes-pipelined-gcm",
        operations=[("ecb", "encrypt"), ("ecb", "decrypt"), ("cbc", "decrypt"), ("gcm", "encrypt")],
        key_sizes=[128, 192, 256],
        description="a simulated accelerator of four channels, AXI4-Stream 128",
    )
    return devices_table([cast(Device, one), cast(Device, one)])


def stored() -> Table:
    seen = [*weighed(), *simulated()]
    started = datetime(2026, 1, 2, tzinfo=UTC).isoformat()
    return results_table([Record(number // 3 + 1, started, m) for number, m in enumerate(seen)])


def energy() -> Table:
    run = make_run({"partition": "iterative", "soft_core": "vexriscv", "bytes": 64}, "test")
    return energy_table(invented_system(run, 123_456, 1.0).measurements())


def section() -> Table:
    return section_table(
        Section(
            "AES-256 ECB, 100 words: our cycles beside theirs, and how far they are apart",
            ("partition", "ours, cycles", "theirs, cycles", "ours / theirs", "why they differ"),
            (
                ("software", "93,225,100", "92,993,825", "1.00x", "-"),
                ("linear layer", "1,225,100", "2,993,825", "0.41x", "the key is set up once here"),
            ),
        )
    )


TABLES: dict[str, Callable[[], list[Table]]] = {
    "weigh": lambda: [weigh_table(weighed())],
    "results": lambda: [stored()],
    "devices": lambda: [devices()],
    "cosim": lambda: cosim_tables(simulated()),
    "cosim --energy": lambda: [energy()],
    "physical": lambda: physical_tables(physical()),
    "paper and campaign": lambda: [section()],
}


def test_examples() -> None:
    assert doctest.testmod(tables).failed == 0


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", TABLES)
def test_nothing_is_cut(name: str, width: int) -> None:
    made = TABLES[name]()
    assert made
    for table in made:
        assert cut_off(table, width) == []


def small(**options: Any) -> Table:
    table = Table("Cycles", **options)
    table.add_column("system")
    table.add_column("cycles/\nblock", figures=True)
    table.add_column("proces-\nsor", figures=True)
    table.add_row("iterative, axi-lite, picorv32", "2,644", "1,234")
    table.add_row("software", "93,000", "")
    return table


def test_words_wrap_before_rows_become_blocks() -> None:
    lines = printed(small(), 35).splitlines()
    assert lines == [
        "Cycles",
        "                   cycles/  proces-",
        "system               block      sor",
        "───────────────────────────────────",
        "iterative,           2,644    1,234",
        "axi-lite,",
        "picorv32",
        "software            93,000",
    ]


def test_a_row_that_does_not_fit_is_a_block_of_lines() -> None:
    assert printed(small(caption="~ simulated"), 26).splitlines() == [
        "Cycles",
        "iterative, axi-lite,",
        "picorv32",
        "  cycles/block  2,644",
        "  processor     1,234",
        "",
        "software",
        "  cycles/block  93,000",
        "~ simulated",
    ]


def test_a_figure_that_does_not_fit_beside_its_name_stands_below_it() -> None:
    assert "  cycles/block\n    93,000\n" in printed(small(), 18)


def test_an_empty_first_cell_is_the_one_above() -> None:
    table = Table()
    table.add_column("run", figures=True)
    table.add_column("device")
    table.add_row("12", Text("software-with-a-name", "bold"))
    table.add_row("", "hardware")
    assert printed(table, 20).splitlines() == [
        "run 12",
        "  device",
        "    software-with-a-",
        "    name",
        "",
        "run 12",
        "  device  hardware",
    ]


def test_all_words_before_the_first_figures_head_a_block() -> None:
    table = Table()
    for name in ("test", "device"):
        table.add_column(name)
    table.add_column("throughput, end to end", figures=True)
    table.add_column("method")
    table.add_row("file", "software", "6.74", "modelled")
    table.add_row("", "hardware", "12.1", "modelled")
    assert printed(table, 34).splitlines() == [
        "file · software",
        "  throughput, end to end  6.74",
        "  method                  modelled",
        "",
        "file · hardware",
        "  throughput, end to end  12.1",
        "  method                  modelled",
    ]


def test_nothing_in_a_cell_is_markup() -> None:
    table = Table("a [b]")
    table.add_column("[c]")
    table.add_row("[bold]d[/]")
    assert printed(table, 40).split() == ["a", "[b]", "[c]", "──────────", "[bold]d[/]"]


def test_a_row_has_a_cell_for_each_column() -> None:
    table = Table()
    table.add_column("a")
    with pytest.raises(ValueError, match="argument"):
        table.add_row("1", "2")
