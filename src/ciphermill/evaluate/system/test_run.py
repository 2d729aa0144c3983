# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Runs on a model that stands in for a real one: what comes out, and what goes wrong."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.systems import write_model

from ciphermill.design import DesignError, Run, make_run
from ciphermill.evaluate.system import run as subject
from ciphermill.evaluate.system.errors import Broke, CosimError, DoesNotFit, Hung
from ciphermill.evaluate.system.messages import first_difference, messages
from ciphermill.evaluate.system.model import Window
from ciphermill.evaluate.system.run import Built, build, run, watchdog
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.firmware import Firmware

Build = Callable[[str], Built]


@pytest.fixture
def built(tmp_path: Path) -> Build:
    def build(fault: str) -> Built:
        path = tmp_path / "firmware.bin"
        path.write_bytes(bytes(0x400))
        return Built(write_model(tmp_path, fault), Firmware(path, 300, 0x2000, {}, {}))

    return build


def asked(**fields: object) -> Run:
    return make_run({"partition": "iterative", "bytes": 64, **fields}, "test")


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"operation": "decrypt", "key_bits": 128},
        {"messages": 3, "fresh_key": True, "key_bits": 192},
        {"messages": 3, "key_caching": False},
        {"algorithm": "present", "messages": 2, "fresh_key": True},
        {"algorithm": "present", "key_bits": 128, "operation": "decrypt"},
    ],
)
def test_the_output_is_the_known_answer(built: Build, fields: dict[str, object]) -> None:
    one = asked(**fields)
    result = run(one.system, one.workload, built=built("right"))
    assert result.correct
    assert result.measurement().correct is True


def test_a_measurement_has_what_the_counters_say(built: Build) -> None:
    one = asked(soft_core="ibex", interface="local", memory_read_wait=2, messages=5)
    seen = run(one.system, one.workload, built=built("right")).measurement().to_json()
    assert seen == {
        "algorithm": "aes",
        "key_bits": 256,
        "mode": "ecb",
        "operation": "encrypt",
        "partition": "iterative",
        "interface": "local",
        "soft_core": "ibex",
        "blocks_in_flight": 2,
        "optimisation": "O2",
        "fresh_key": False,
        "memory.read_wait": 2,
        "memory.write_wait": 0,
        "bytes": 64,
        "messages": 5,
        "cycles.total": 2040,
        "cycles.per_block": 102.0,
        "cycles.processor": 2010,
        "cycles.bus": 20,
        "cycles.accelerator": 10,
        "cycles.worst_message": 408,
        "cycles.key_setup": 77,
        "instructions.total": 10200,
        "bus.transactions": 12,
        "code.bytes": 300,
        "correct": True,
        "method": "simulated",
    }


def test_software_has_no_hardware_to_count(built: Build) -> None:
    one = asked(partition="software")
    seen = run(one.system, one.workload, built=built("right")).measurement()
    assert seen.cycles_accelerator is None
    assert seen.interface is None
    assert seen.variant == "portable"


@pytest.mark.parametrize("bit", [0, 77, 127])
def test_a_stuck_bit_is_found(built: Build, bit: int) -> None:
    one = asked()
    result = run(one.system, one.workload, built=built("right"), stuck_bit=bit)
    assert not result.correct
    assert result.wrong_byte is not None
    assert result.wrong_byte % 16 == bit // 8
    assert result.measurement().correct is False


@pytest.mark.parametrize(
    ("fault", "error", "words"),
    [
        ("hang", Hung, r"within [0-9,]+ simulated cycles.*hello"),
        ("trap", Broke, "stopped after 1,234 cycles: bus error"),
        ("refused", Broke, "does not take this algorithm"),
        ("exception", Broke, r"exception \(cause 5\)"),
        ("unknown", CosimError, "exit code 9"),
        ("crash", CosimError, "out of order"),
    ],
)
def test_a_run_without_a_result_says_why(
    built: Build, fault: str, error: type[CosimError], words: str
) -> None:
    one = asked()
    with pytest.raises(error, match=words):
        run(one.system, one.workload, built=built(fault))


def test_messages_beyond_memory_are_refused(built: Build) -> None:
    one = asked(bytes=131072)
    with pytest.raises(DoesNotFit, match="room for"):
        run(one.system, one.workload, built=built("right"))


def test_a_workload_of_another_system_is_refused(built: Build) -> None:
    one, other = asked(), asked(algorithm="present")
    with pytest.raises(DesignError, match="of present, the system of aes"):
        run(one.system, other.workload, built=built("right"))


def test_the_window_of_a_trace_reaches_the_model(tmp_path: Path) -> None:
    from ciphermill.evaluate.system.model import run_model

    program = tmp_path / "echo"
    program.write_text('#!/bin/sh\necho "$@" >&2\nexit 1\n')
    program.chmod(0o755)
    window = Window(tmp_path / "t.fst", 5, 9)
    with pytest.raises(CosimError, match=r"--max-cycles 7 .*t\.fst --trace-from 5 --trace-to 9"):
        run_model(program, tmp_path / "i", max_cycles=7, trace=window)


def test_the_watchdog_grows_with_the_work() -> None:
    short, long = asked(bytes=64), asked(bytes=6400)
    slow = asked(bytes=64, memory_read_wait=21)
    assert watchdog(short.system, short.workload) < watchdog(long.system, long.workload)
    assert watchdog(slow.system, slow.workload) == 22 * watchdog(short.system, short.workload)


def test_messages_are_the_same_each_time_and_all_different() -> None:
    work = asked(messages=4, fresh_key=True).workload
    first, again = messages(work), messages(work)
    assert first == again
    assert len({*first.keys, *first.inputs, *first.expected}) == 12


def test_the_first_difference() -> None:
    assert first_difference(b"abc", b"abc") is None
    assert first_difference(b"abc", b"abd") == 2
    assert first_difference(b"ab", b"abc") == 2


def test_a_missing_header_for_waveforms_is_found_before_anything_is_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing() -> None:
        raise ToolError("lz4.h is missing")

    def never(*_: object, **__: object) -> None:
        pytest.fail("built something first")

    monkeypatch.setattr(subject, "need_trace_headers", missing)
    monkeypatch.setattr(subject, "ensure_firmware", never)
    monkeypatch.setattr(subject, "ensure_soc", never)
    with pytest.raises(ToolError, match=r"lz4\.h"):
        build(asked().system, trace=True)
