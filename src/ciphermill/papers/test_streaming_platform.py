# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Streaming platforms: those that come along, and files that contradict themselves."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from ciphermill.design import DesignError, Direction, find_home, load_platform, platform_names
from ciphermill.design.streaming_platform import Sourced, StreamingPlatform
from ciphermill.papers.published import printed_figure

PLATFORMS = ("pcie-gen4-x16", "zc706", "zc706-arm", "zedboard", "zynq-ultrascale")


def test_all_that_come_along_load() -> None:
    assert platform_names(StreamingPlatform) == list(PLATFORMS)
    for name in PLATFORMS:
        platform = load_platform(name, StreamingPlatform)
        for table in (platform.bus, platform.storage, platform.host.copy_rate):
            assert table.source


def test_what_the_thesis_says_of_its_platforms() -> None:
    embedded, workstation = (
        load_platform(name, StreamingPlatform) for name in ("zedboard", "zc706")
    )
    assert embedded.bus.mb_s_to(device=True) == 400  # 32 bits at 100 MHz
    assert embedded.bus.mb_s_to(device=False) == 800
    assert embedded.dma_buffers.count * embedded.dma_buffers.kib_each == 4 * 1024
    assert workstation.dma_buffers.count * workstation.dma_buffers.kib_each == 8 * 1024
    assert ideal_mb_s(embedded, "iterative") == pytest.approx(21.9, abs=0.05)
    assert ideal_mb_s(embedded, "pipelined") == 1600
    assert ideal_mb_s(workstation, "pipelined") == 4000


def ideal_mb_s(platform: StreamingPlatform, name: str) -> float:
    """Return the rate that a core's cycle count alone gives."""
    core = platform.cores[name]
    return platform.cipher.block_bytes * core.clock_mhz / core.cycles_per_block


def sourced(value: object, at: str = "") -> Iterator[tuple[str, Sourced]]:
    """Yield every table of a platform that says where its figures are from, with its place."""
    if isinstance(value, Sourced):
        yield at, value
    if isinstance(value, dict):
        children = list(value.items())
    elif isinstance(value, BaseModel):
        fields = type(value).model_fields.items()
        children = [(one.alias or name, getattr(value, name)) for name, one in fields]
    else:
        return
    for name, child in children:
        yield from sourced(child, f"{at}.{name}" if at else name)


@pytest.mark.parametrize("name", PLATFORMS)
def test_provenances_name_figures_that_are_printed(name: str) -> None:
    platform = load_platform(name, StreamingPlatform)
    for place, table in sourced(platform):
        for figures in table.fitted_to.values():
            assert all(printed_figure(figure) for figure in figures)
        for parameter, figures in table.taken_from.items():
            for figure in figures:
                taken = printed_figure(figure)
                mine: object = table
                for part in parameter.split("."):
                    mine = getattr(mine, part)
                if isinstance(mine, BaseModel):
                    # A pair is a range, in which the platform's figure lies.
                    for mode, rate in taken.items():
                        ends = rate if isinstance(rate, list) else [rate]
                        own = getattr(mine, mode)
                        assert ends[0] <= own <= ends[-1], (place, figure, mode)
                else:
                    assert mine == taken, (place, figure)


def test_a_parameter_says_how_it_was_obtained() -> None:
    board = load_platform("zedboard", StreamingPlatform)
    assert str(board.input("host.copy.shared_mb_s")) == "fitted:zedboard.host.copy.shared_mb_s"
    assert str(board.input("host.wake_us")) == "assumed:zedboard.host.wake_us"
    assert board.input("storage.read_mb_s").names == (
        "published:thesis-zynq-ciphers#bench.zedboard.storage_mb_s",
    )
    for absent in ("host.copy.gb_s", "bus.lanes", "host.copy", "name"):
        with pytest.raises(KeyError):
            board.number(absent)
    assert board.with_number("host.copy.mb_s", 7.0).host.copy_rate.mb_s == 7.0
    assert board.host.copy_rate.mb_s == 500


def test_a_provenance_of_what_is_no_parameter_is_refused(tmp_path: Path) -> None:
    text = (find_home() / "platforms" / "zedboard.toml").read_text()
    wrong = text.replace("fitted_to = { update_kib", "fitted_to = { updates_kib")
    (tmp_path / "wrong.toml").write_text(wrong)
    with pytest.raises(DesignError, match="'updates_kib' is named in a provenance"):
        load_platform(tmp_path / "wrong.toml", StreamingPlatform)
    twice = text.replace("[host]\n", '[host]\nassumed = ["update_kib"]\n')
    (tmp_path / "twice.toml").write_text(twice)
    with pytest.raises(DesignError, match="in two of taken_from"):
        load_platform(tmp_path / "twice.toml", StreamingPlatform)


def test_a_printed_figure_has_a_name() -> None:
    place = "thesis-zynq-ciphers#result.zedboard.openssl"
    assert printed_figure(f"{place}.file.hardware.ctr") == 130
    assert printed_figure(f"{place}.sink.hardware.ctr.1") == 500
    for wrong in (f"{place}.hardware.ctr", f"{place}.file.hardware.gcm", "no-paper#figure"):
        with pytest.raises(DesignError):
            printed_figure(wrong)


def test_rates_that_are_not_known_are_absent() -> None:
    platform = load_platform("zynq-ultrascale", StreamingPlatform)
    assert platform.software_rate("software+", "cbc", Direction.ENCRYPT) == 560
    assert platform.software_rate("software+", "cbc", Direction.DECRYPT) is None
    assert platform.software_rate("software+", "ctr", Direction.ENCRYPT) is None


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("to_device_bits = 32", "to_device_bits = 32\nmb_s = 900", "wires carry 400"),
        ("clock_mhz = 100\nto", "clock_mhz = 100\nlanes = 4\nto", "kind axi4 goes with"),
        ("burst_bytes = 1024", "burst_bytes = 1000", "no burst crosses a page"),
        ("burst_bytes = 1024", "burst_bytes = 8", "whole number of blocks of 16"),
        ("burst_bytes = 1024", "burst_bytes = 4096", "the longest burst of AXI4, are 1024"),
        ("to_device_bits = 32", "to_device_bits = 48", "64, 128, 256, 512 or 1024, not 48"),
        ("count = 32", "count = 0", "greater than 0"),
        ("kib_each = 128", "kib_each = 6", "whole number of pages"),
        ("fifo_kib = 2", "fifo_kib = 1", "less than two bursts"),
        ("shared_mb_s = 400", "shared_mb_s = 600", "more than mb_s"),
        ("update_kib = 256", "update_kib = 8192", "its result would never come"),
        ("update_kib = 256", "update_kib = 0.01", "whole number of blocks"),
        ("update_kib = 256", "update_kib = inf", "update_kib"),
        ("read_mb_s = 11", "read_mb_s = nan", "read_mb_s"),
        ('update_kib = 256\nmethod = "assumed"', "update_kib = 256", "host"),
        ('modes = ["ctr"]', 'modes = ["ecb"]', "two of them have the same mode"),
        ("latency_cycles = 29", "latency_cycles = 0", "greater than 0"),
        ("cycles_per_block = 73", "cycles_per_block = 20", "cbc waits for each block"),
        ('name = "zedboard"', 'name = "zedboard"\nalgorithm = "desk"', "there are: aes, present"),
        (
            'name = "zedboard"',
            'name = "zedboard"\nalgorithm = "present"',
            "ecb is no mode in which",
        ),
        ('method = "fitted"', 'method = "measured"', "'published', 'assumed' or 'fitted'"),
        ("read_mb_s = 11", "speed = 11", "speed: is not a field here"),
        ('name = "zedboard"', 'name = "other"', "wake_us"),
    ],
)
def test_contradictions_are_refused(before: str, after: str, message: str, tmp_path: Path) -> None:
    text = (find_home() / "platforms" / "zedboard.toml").read_text(encoding="utf-8")
    assert before in text
    changed = text.replace(before, after, 1)
    if message == "wake_us":
        changed = changed.replace("wake_us = 80", "wake_us = -1")
    path = tmp_path / "zedboard.toml"
    path.write_text(changed, encoding="utf-8")
    with pytest.raises(DesignError) as refused:
        load_platform(path, StreamingPlatform)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("mb_s = 600\n", "mb_s = 1001\n", "wires carry 1000"),
        ("lanes = 4", "lanes = 5", "bus.lanes: input should be 1, 2, 4, 8, 12, 16 or 32, not 5"),
        ("generation = 1", "generation = 6", "less than or equal to 4"),
        ("lanes = 4\n", "", "kind pcie with lanes and generation"),
        ("lanes = 4\n", "lanes = 4\nto_host_bits = 64\n", "kind pcie with lanes and generation"),
    ],
)
def test_links_that_cannot_be_are_refused(
    before: str, after: str, message: str, tmp_path: Path
) -> None:
    text = (find_home() / "platforms" / "zc706.toml").read_text(encoding="utf-8")
    assert before in text
    path = tmp_path / "zc706.toml"
    path.write_text(text.replace(before, after, 1), encoding="utf-8")
    with pytest.raises(DesignError) as refused:
        load_platform(path, StreamingPlatform)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (None, "No such file"),
        (b"", "kind"),
        (b"kind = ", "not TOML"),
        (b"\xff\xfe", "UTF-8"),
        (b'kind = "streaming"\nname = "no cores, no bus"\n', "bus"),
    ],
)
def test_files_that_are_no_platform(contents: bytes | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "board.toml"
    if contents is not None:
        path.write_bytes(contents)
    with pytest.raises(DesignError) as refused:
        load_platform(path, StreamingPlatform)
    assert message in str(refused.value) and str(path) in str(refused.value)


def test_a_file_that_gives_another_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (find_home() / "platforms" / "zc706.toml").read_text(encoding="utf-8")
    (tmp_path / "platforms").mkdir()
    (tmp_path / "platforms" / "mine.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr("ciphermill.design.load.find_home", lambda: tmp_path)
    with pytest.raises(DesignError, match="is 'zc706', but the file says 'mine'"):
        load_platform("mine", StreamingPlatform)


def test_software_that_its_instructions_slow_down_is_refused(tmp_path: Path) -> None:
    text = (find_home() / "platforms" / "zc706.toml").read_text(encoding="utf-8")
    path = tmp_path / "p.toml"
    path.write_text(text.replace("ecb = 3250, cbc = 2250", "ecb = 100, cbc = 2250"), "utf-8")
    with pytest.raises(DesignError, match="ecb encrypt is slower with AES instructions"):
        load_platform(path, StreamingPlatform)


def test_unknown_name_lists_those_that_exist() -> None:
    with pytest.raises(DesignError, match="zc706, zc706-arm, zedboard"):
        load_platform("nexys", StreamingPlatform)
