# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The control of the accelerator alone: sweeps, keys and locks, cycle by cycle."""

from __future__ import annotations

from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

ALL_WORDS = 0xFF
ECB, CBC, CTR, GCM, XTS = range(5)
KEY_256 = 2 << 4
"""A configuration with a key of 256 bits, in ECB."""
BYPASS = 1 << 8
ERRORS = ("length", "counter", "no_key", "unsupported", "busy", "framing")
COMMANDS = ("start", "load_key", "load_tweak_key", "zeroise", "abort")


async def ready(dut: Any) -> None:
    """Reset the control and let its first sweep end."""
    cocotb.start_soon(Clock(dut.clk_i, 2, unit="ns").start())
    for name in COMMANDS:
        getattr(dut, f"{name}_i").value = 0
    for name in (
        *("length", "unit_length", "iv_blocks", "iv_written", "key_written"),
        *("key_ready", "tweak_key_ready", "framing_error", "message_ended"),
        *("cleared", "released"),
    ):
        getattr(dut, f"{name}_i").value = 0
    dut.configuration_i.value = KEY_256
    dut.rst_ni.value = 0
    await cycles(dut, 3)
    dut.rst_ni.value = 1
    await sweep(dut)


async def cycles(dut: Any, count: int) -> None:
    """Wait until so many cycles have passed."""
    for _ in range(count):
        await FallingEdge(dut.clk_i)


async def command(dut: Any, *names: str, quietly: bool = False) -> None:
    """Raise commands for a cycle; with ``quietly`` they must report no error and end no message."""
    for name in names:
        getattr(dut, f"{name}_i").value = 1
    await Timer(100, "ps")
    assert not quietly or (not errors(dut) and not int(dut.ended_o.value))
    await cycles(dut, 1)
    for name in names:
        getattr(dut, f"{name}_i").value = 0


async def start(dut: Any, length: int, configuration: int) -> set[str]:
    """Start a message; return the errors that refuse it, none when it runs."""
    dut.configuration_i.value = KEY_256 | configuration
    dut.length_i.value = length
    dut.start_i.value = 1
    await Timer(100, "ps")
    assert (int(dut.started_o.value), int(dut.locked_o.value)) == (1, 1)
    await cycles(dut, 1)
    dut.start_i.value = 0
    await Timer(100, "ps")
    # A cycle for the checks.
    assert (int(dut.busy_o.value), int(dut.done_o.value), int(dut.locked_o.value)) == (1, 0, 1)
    refused = errors(dut)
    begins, ends = int(dut.begin_o.value), int(dut.ended_o.value)
    assert begins != ends
    await cycles(dut, 1)
    runs = int(dut.run_o.value)
    assert runs == begins
    assert int(dut.discard_o.value) == bool(refused)
    assert int(dut.done_o.value) == (not runs and not refused)
    assert int(dut.locked_o.value) == runs
    return refused


def errors(dut: Any) -> set[str]:
    """Return the errors that the control reports in this cycle."""
    word = int(dut.error_o.value)
    return {name for bit, name in enumerate(ERRORS) if word >> bit & 1}


async def end(dut: Any, forged: bool = False) -> None:
    """End the message that runs."""
    dut.message_ended_i.value = 1
    dut.failed_i.value = forged
    await Timer(100, "ps")
    assert int(dut.ended_o.value) == 1
    await cycles(dut, 1)
    dut.message_ended_i.value = 0
    await Timer(100, "ps")
    state = [int(getattr(dut, f"{name}_o").value) for name in ("run", "busy", "done", "discard")]
    assert state == [0, 0, not forged, 0]


async def sweep(dut: Any) -> None:
    """Let one sweep end, and check that no second one follows."""
    await cycles(dut, 4)
    assert int(dut.clear_o.value) == 1
    dut.cleared_i.value = 1
    await cycles(dut, 1)
    assert int(dut.clear_o.value) == 0
    dut.cleared_i.value = 0
    dut.released_i.value = 1
    await cycles(dut, 1)
    dut.released_i.value = 0
    assert int(dut.zeroising_o.value) == 0
    for _ in range(4):
        assert int(dut.clear_o.value) == 0, "a second sweep"
        await cycles(dut, 1)


async def load(dut: Any, name: str) -> None:
    """Write a whole key, load it and wait until its core has taken it."""
    dut.key_written_i.value = ALL_WORDS
    await cycles(dut, 1)
    dut.key_written_i.value = 0
    await command(dut, name, quietly=True)
    tweak = name == "load_tweak_key"
    assert (int(dut.key_valid_o.value), int(dut.tweak_key_valid_o.value)) == (not tweak, tweak)
    # The other core's readiness takes no key.
    wanted, other = ("tweak_key_ready_i", "key_ready_i")[:: 1 if tweak else -1]
    getattr(dut, other).value = 1
    await cycles(dut, 3)
    assert int(dut.key_pending_o.value) == 1
    getattr(dut, other).value = 0
    getattr(dut, wanted).value = 1
    await cycles(dut, 1)
    getattr(dut, wanted).value = 0
    assert int(dut.key_pending_o.value) == 0


def loaded(dut: Any) -> tuple[int, int]:
    """Return whether the data key and the tweak key are loaded."""
    return int(dut.key_loaded_o.value), int(dut.tweak_key_loaded_o.value)


@cocotb.test()
async def keys_go_where_they_belong(dut: Any) -> None:
    """Each key goes to its core and stays; refusing one leaves the other in place."""
    await ready(dut)
    assert loaded(dut) == (0, 0)
    await load(dut, "load_key")
    assert loaded(dut) == (1, 0)
    await load(dut, "load_tweak_key")
    await cycles(dut, 5)
    assert loaded(dut) == (1, 1)
    await load(dut, "load_key")
    assert loaded(dut) == (1, 1)
    await command(dut, "load_tweak_key")  # not written
    assert loaded(dut) == (1, 0)
    await load(dut, "load_tweak_key")
    await command(dut, "load_key")
    assert loaded(dut) == (0, 1)


@cocotb.test()
async def a_zeroise_within_a_sweep_follows_it(dut: Any) -> None:
    """A zeroise while an abort clears the data has a sweep of its own, which takes the keys."""
    await ready(dut)
    await load(dut, "load_key")
    await command(dut, "abort")
    await cycles(dut, 2)
    await command(dut, "zeroise")
    assert int(dut.zeroising_o.value) == 1
    assert loaded(dut) == (1, 0), "the abort took the key"
    dut.cleared_i.value = 1
    await cycles(dut, 1)
    dut.cleared_i.value = 0
    dut.released_i.value = 1
    await cycles(dut, 1)
    dut.released_i.value = 0
    assert int(dut.zeroising_o.value) == 1
    await cycles(dut, 1)
    await sweep(dut)
    assert loaded(dut) == (0, 0)


@cocotb.test()
async def the_key_registers_are_locked_until_a_zeroise_has_ended(dut: Any) -> None:
    """Locked from the command to the end of its sweep, the wait for another sweep included."""
    await ready(dut)
    for waits in (False, True):
        assert int(dut.key_locked_o.value) == 0
        if waits:
            await command(dut, "abort")
            assert int(dut.key_locked_o.value) == 0
        dut.zeroise_i.value = 1
        for _ in range(2 + waits):
            dut.cleared_i.value = 0
            for _ in range(3):
                await cycles(dut, 1)
                assert int(dut.key_locked_o.value) == 1
                dut.zeroise_i.value = 0
            if not int(dut.clear_o.value):
                break
            dut.cleared_i.value = 1
            await cycles(dut, 1)
            dut.released_i.value = 1
            assert int(dut.key_locked_o.value) == 1
            await cycles(dut, 1)
            dut.released_i.value = 0
            if not int(dut.zeroising_o.value):
                break
        assert int(dut.zeroising_o.value) == 0


@cocotb.test()
async def messages_begin_and_end(dut: Any) -> None:
    """Starts, refused or not, empty or not: the errors reported, and whether input is dropped."""
    await ready(dut)
    assert await start(dut, 16, ECB) == {"no_key"}
    await load(dut, "load_key")
    for mode, length, refused in (
        (ECB, 32, set()),
        (ECB, 15, {"length"}),
        (CBC, 16, set()),
        (ECB, 0, set()),
        (ECB | BYPASS, 7, set()),
        (7, 16, {"unsupported"}),
        (XTS, 16, {"no_key"}),
        (ECB, 16, set()),
    ):
        dut.unit_length_i.value = 512
        assert await start(dut, length, mode) == refused, (mode, length)
        if not refused and length:
            await cycles(dut, 3)
            await end(dut)
    await load(dut, "load_tweak_key")
    assert await start(dut, 512, XTS) == set()
    await end(dut)
    # A message that ends with a wrong tag does not set `done`.
    assert await start(dut, 16, ECB) == set()
    await end(dut, forged=True)
    # A key that is being loaded delays the message.
    dut.key_written_i.value = ALL_WORDS
    await cycles(dut, 1)
    dut.key_written_i.value = 0
    dut.configuration_i.value = KEY_256
    await command(dut, "load_key", quietly=True)
    await command(dut, "start")
    await cycles(dut, 5)
    assert (int(dut.busy_o.value), int(dut.run_o.value)) == (1, 0)
    dut.key_ready_i.value = 1
    await cycles(dut, 3)
    assert int(dut.run_o.value) == 1
    dut.key_ready_i.value = 0
    await end(dut)


@cocotb.test()
async def one_way_of_counting_an_iv(dut: Any) -> None:
    """An IV serves messages of one counter width, until it is written again."""
    await ready(dut)
    await load(dut, "load_key")
    width_64, width_128 = CTR | 1 << 6, CTR | 2 << 6
    for first, second in ((CTR, width_64), (width_64, width_128), (CBC, CTR), (width_128, GCM)):
        for _ in range(2):
            assert await start(dut, 16, first) == set()
            await end(dut)
        assert await start(dut, 16, second) == {"counter"}
        dut.iv_written_i.value = 1
        await cycles(dut, 1)
        dut.iv_written_i.value = 0


@cocotb.test()
async def an_abort_leaves_nothing_behind(dut: Any) -> None:
    """After an abort no message ends, and the next input is kept."""
    await ready(dut)
    await load(dut, "load_key")
    assert await start(dut, 64, ECB) == set()
    await command(dut, "abort", quietly=True)
    await sweep(dut)
    state = [int(getattr(dut, f"{name}_o").value) for name in ("run", "done", "discard", "busy")]
    assert state == [0, 0, 0, 0]
    # After a framing error input is dropped until the sweep of an abort has ended.
    assert await start(dut, 64, ECB) == set()
    dut.framing_error_i.value = 1
    await cycles(dut, 1)
    dut.framing_error_i.value = 0
    await sweep(dut)
    assert int(dut.discard_o.value) == 1
    await command(dut, "abort", quietly=True)
    await sweep(dut)
    assert int(dut.discard_o.value) == 0
