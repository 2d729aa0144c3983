# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A misspelt field of published figures, of a report's texts or of figures.toml is refused."""

import copy
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from ciphermill.design.table import Table
from ciphermill.papers import PAPERS
from ciphermill.papers.aes256_hw_sw_partitions.published import PartitionsPaper
from ciphermill.papers.aes_fpga_vs_gpu.published import FpgaVsGpuPaper
from ciphermill.papers.aes_present_coprocessors.published import CoprocessorsPaper
from ciphermill.papers.crypto_suite_sw_vs_hw.published import CryptoSuitePaper
from ciphermill.papers.published import paper_file
from ciphermill.papers.texts import Texts
from ciphermill.papers.thesis_zynq_ciphers.published import ThesisPaper
from ciphermill.report import physical_figures

PUBLISHED: dict[str, type[Table]] = {
    "aes256-hw-sw-partitions": PartitionsPaper,
    "aes-present-coprocessors": CoprocessorsPaper,
    "thesis-zynq-ciphers": ThesisPaper,
    "crypto-suite-sw-vs-hw": CryptoSuitePaper,
    "aes-fpga-vs-gpu": FpgaVsGpuPaper,
}
FIGURES = Path(physical_figures.__file__).with_name("figures.toml")
FILES: dict[str, tuple[Path, type[Table]]] = {
    **{f"{name}/published": (paper_file(name), model) for name, model in PUBLISHED.items()},
    **{
        f"{name}/report": (path, Texts)
        for name in PAPERS
        if (path := paper_file(name, "report.toml")).exists()
    },
    "figures": (FIGURES, physical_figures.Figures),
}
OPEN = ("conclusion", "section", "misprint", "say", "targets")
"""Tables of names that each file chooses."""


def read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def tables(found: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the way to each table."""
    if isinstance(found, dict):
        yield path
    inside = found.items() if isinstance(found, dict) else enumerate(found)
    for name, one in inside:
        if isinstance(one, dict | list):
            yield from tables(one, (*path, name))


@pytest.mark.parametrize("file", FILES)
def test_a_misspelt_field_is_refused_in_every_table(file: str) -> None:
    path, model = FILES[file]
    printed = read(path)
    model.model_validate(printed)
    ways = [way for way in tables(printed) if way not in {(name,) for name in OPEN}]
    assert len(ways) > 4
    for way in ways:
        changed = copy.deepcopy(printed)
        table: Any = changed
        for part in way:
            table = table[part]
        table["fieldd"] = "x"
        with pytest.raises(ValidationError, match="fieldd"):
            model.model_validate(changed)


@pytest.mark.parametrize("name", [name for name in PAPERS if f"{name}/report" in FILES])
def test_every_row_of_a_report_is_named_by_its_papers_code(name: str) -> None:
    folder = paper_file(name).parent
    code = "".join(path.read_text(encoding="utf-8") for path in folder.glob("[!t]*.py"))
    code = code.replace("'", '"')
    rows = read(folder / "report.toml")
    for table in OPEN[:-1]:
        for row in rows.get(table, ()):
            judge = f"def _{row}("
            assert f'"{row}"' in code or (table == "conclusion" and judge in code), (table, row)
