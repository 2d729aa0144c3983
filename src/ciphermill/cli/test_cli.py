# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Parts of the command line that no real device or user brings about."""

import doctest
import json
import re
from pathlib import Path

import click
import pytest

import ciphermill
from ciphermill.algorithms import ALGORITHMS
from ciphermill.cli import failures, options, running
from ciphermill.cli.failures import ExitCode, Failure
from ciphermill.cli.main import cli
from ciphermill.design import (
    BusInterface,
    Direction,
    Optimisation,
    Partition,
    SoftCore,
    Variant,
)
from ciphermill.evaluate.chip import system_energy
from ciphermill.evaluate.system.errors import DoesNotFit, Hung, WrongOutput
from ciphermill.registry import open_engine_device
from ciphermill.toolchain import cells
from ciphermill.toolchain.errors import ToolError


def test_examples() -> None:
    assert doctest.testmod(options).failed == 0


class Lying:
    """A device whose CBC decryption gets a byte wrong."""

    def __init__(self, honest: ciphermill.Device) -> None:
        self.honest = honest
        self.name = "model:lying"
        self.description = "a device that lies"
        self.architecture = None
        self.clock_mhz = None
        self.stream_bits = None
        self.algorithms = honest.algorithms

    def run(
        self, operation: str, data: bytes, **options: object
    ) -> tuple[bytes, ciphermill.Timing]:
        output, timing = self.honest.run(operation, data, **options)  # type: ignore[arg-type]
        if (options["mode"], operation) == ("cbc", "decrypt"):
            output = output[:7] + bytes([output[7] ^ 1]) + output[8:]
        return output, timing


def test_outputs_that_differ(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cpu = open_engine_device("cpu")
    monkeypatch.setattr(
        "ciphermill.registry.open_device",
        lambda name, **_: Lying(cpu) if name == "model:lying" else cpu,
    )
    path, store = tmp_path / "plain", tmp_path / "store"
    path.write_bytes(bytes(100))
    arguments = ["weigh", str(path), "--store", str(store), "--json"]
    code = failures.run(cli, [*arguments, "--device", "cpu", "--device", "model:lying"])
    assert code == 6
    printed = capsys.readouterr()
    last = printed.err.splitlines()[-1]
    assert last.startswith("ciphermill: outputs differ: CBC decrypt on model:lying differs from")
    assert "at byte 7" in last
    wrong = [m for m in json.loads(printed.out) if not m["correct"]]
    assert [(m["device"], m["mode"], m["operation"]) for m in wrong] == [
        ("model:lying", "cbc", "decrypt")
    ]
    page = (tmp_path / "weigh-1.html").read_text(encoding="utf-8")
    assert "Outputs differ." in page


def test_the_help_of_cosim_names_every_choice(capsys: pytest.CaptureFixture[str]) -> None:
    assert failures.run(cli, ["cosim", "--help"]) == 0
    words = set(re.findall(r"[a-z0-9-]+", capsys.readouterr().out.lower()))
    assert ALGORITHMS.keys() <= words
    for choices in (Partition, Variant, SoftCore, BusInterface, Optimisation, Direction):
        assert {choice.value.lower() for choice in choices} <= words


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--clock-mhz", "50"], "--clock-mhz needs --energy"),
        (["--energy", "nangate45", "--estimate", "picorv32"], "--energy cannot be combined with"),
        (["--energy", "nangate45", "--stuck-bit", "1"], "--energy cannot be combined with"),
    ],
)
def test_energy_of_a_system_and_what_does_not_go_with_it(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert failures.run(cli, ["cosim", "--partition", "shell", "--key-bits", "128", *words]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--partition software --stuck-bit 3", "--stuck-bit needs a coprocessor"),
        (
            "--partition software --soft-core ibex --estimate sa1110",
            "--soft-core ibex has no effect with --estimate sa1110",
        ),
        ("--partition software --interface local", "interface does not apply"),
        ("--partition iterative --variant table", "variant does not apply"),
    ],
)
def test_options_of_cosim_that_do_nothing_are_refused(
    words: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert failures.run(cli, ["cosim", *words.split()]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("paper", ["aes256-hw-sw-partitions", "aes-present-coprocessors"])
def test_cells_of_a_paper_without_energy(paper: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert failures.run(cli, ["paper", paper, "--no-area", "--cells", "osu018"]) == 2
    assert "--cells goes with --energy" in capsys.readouterr().err


def test_a_simulated_system_that_hangs_or_does_not_fit() -> None:
    assert failures.exit_code(Hung("x")) == 5
    assert failures.exit_code(DoesNotFit("x")) == 2
    assert failures.exit_code(WrongOutput("x")) == 6


def test_libraries_that_options_offer_are_those_there_are() -> None:
    assert tuple(cells.CellTarget) == options.CELLS


@pytest.mark.parametrize("paper", ["aes256-hw-sw-partitions", "aes-present-coprocessors"])
def test_a_library_that_is_missing_is_said_before_the_work(
    paper: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    def none(_: cells.CellTarget) -> Path:
        raise ToolError("no cell library sky130: get it")

    monkeypatch.setattr(cells, "find_library", none)
    words = ["--no-area", "--energy", "--cells", "sky130", "--store", str(tmp_path / "s")]
    assert failures.run(cli, ["paper", paper, *words]) == 1
    assert capsys.readouterr().err == "ciphermill: no cell library sky130: get it\n"


def test_a_system_without_energy_is_refused_before_the_first_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def begun(*_: object, **__: object) -> None:
        raise AssertionError("the first run was begun")

    monkeypatch.setattr(cells, "find_library", lambda _: tmp_path)
    monkeypatch.setattr(system_energy, "system_energy", begun)
    runs = tmp_path / "runs.toml"
    one = '[[run]]\npartition = "{}"\nbytes = 64\n'
    runs.write_text(one.format("iterative") + one.format("dma"), encoding="utf-8")
    words = ["--energy", "nangate45", "--store", str(tmp_path / "s")]
    assert failures.run(cli, ["cosim", str(runs), *words]) == 3
    assert "partition dma: the energy of a system" in capsys.readouterr().err
    assert failures.run(cli, ["cosim", "--partition", "dma", *words]) == 2


ERRORS = [
    (ciphermill.InvalidError("x"), 2),
    (ciphermill.UnsupportedError("x"), 2),
    (ciphermill.FileError("x"), 1),
    (ciphermill.DeviceError("x"), 5),
    (ciphermill.DamagedError("x"), 3),
    (ciphermill.AuthenticationError("x"), 4),
    (ciphermill.CancelledError("x"), 130),
    (ciphermill.Error("x"), 1),
    (Failure("x", ExitCode.DIFFERENT), 6),
    (OSError("x"), 1),
    (click.UsageError("x"), 2),
    (KeyboardInterrupt(), 130),
    (failures.Terminated(), 143),
]


@pytest.mark.parametrize(("error", "code"), ERRORS)
def test_exit_codes(error: BaseException, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    @click.command
    def fail() -> None:
        raise error

    assert failures.run(fail, []) == code
    assert capsys.readouterr().err.startswith("ciphermill: ")


@pytest.mark.parametrize("stopped", [KeyboardInterrupt, failures.Terminated, click.Abort])
def test_an_interrupt_says_what_is_stored(
    stopped: type[BaseException], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """After what was stored, before it, and in a command that only reads the store."""
    file = tmp_path / "s.sqlite"

    @click.group
    def group() -> None:
        pass

    @group.command
    @click.option("--measure", is_flag=True)
    def command(measure: bool) -> None:
        with running.open_store(str(file)) as store:
            store.records()
            if measure:
                store.add_run([], command="command")
        raise stopped

    word = "terminated" if stopped is failures.Terminated else "interrupted"
    assert failures.run(group, ["command"]) in (130, 143)
    assert capsys.readouterr().err == f"ciphermill: {word}; no output was left\n"
    for number in (1, 2):
        failures.run(group, ["command", "--measure"])
        said = capsys.readouterr().err
        assert said.endswith(f"; what was measured is stored as run {number} in {file}\n")
        assert said.startswith(f"ciphermill: {word}; ")
    failures.run(group, ["command"])
    assert capsys.readouterr().err == f"ciphermill: {word}; no output was left\n"


def test_what_the_system_refuses_is_said_without_its_number(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    @click.command
    def fail() -> None:
        (tmp_path / "nowhere" / "file").touch()

    assert failures.run(fail, []) == 1
    said = capsys.readouterr().err
    assert said == f"ciphermill: {tmp_path}/nowhere/file: No such file or directory\n"


def test_exit_codes_are_documented() -> None:
    documentation = Path(__file__).parents[3] / "docs" / "reference" / "exit-codes.md"
    documented = re.findall(r"^\| (\d+) \|", documentation.read_text(), re.MULTILINE)
    assert [int(code) for code in documented] == [code.value for code in ExitCode]


def test_a_fault_of_ours_is_not_hidden() -> None:
    @click.command
    def fail() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failures.run(fail, [])


@pytest.mark.parametrize("text", ["", "-1", "1t", "k", "1.5k", "٣", "0x10"])
def test_what_is_no_number_of_bytes(text: str) -> None:
    with pytest.raises(click.BadParameter):
        options.number_of_bytes(None, None, text)


@pytest.mark.parametrize("name", ["plain", ".cm", "folder/.cm", "a.CM"])
def test_a_name_without_suffix_needs_an_output(name: str) -> None:
    with pytest.raises(click.UsageError):
        options.decrypted_name(name, None, "ciphermill")
    assert options.decrypted_name(name, "out", "ciphermill") == "out"
