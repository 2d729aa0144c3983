# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The library of the simulated card, small and with a memory in Python."""

from __future__ import annotations

import ctypes
import json
from pathlib import Path
from typing import Any

import pytest

from .card import PAGE_BYTES, build_card
from .errors import ToolError

SMALL = {"Rings": 1, "KeySlots": 1, "Gcm": 0, "Xts": 0, "Sha2WordSizes": 0}
MEMORY_BYTES = 1 << 14
BYPASS = 1 << 8  # of CONFIGURATION
# Registers of page 0 (card.rdl) and of ring 0 (RING_rdl).
CHANNEL_OFFSET = 0x020
RING_ENABLE, RING_COMPLETIONS_LOW, RING_ENTRIES = (PAGE_BYTES + n for n in (0x014, 0x028, 0x030))
RING_DOORBELL, RING_INTERRUPT_ENABLE, RING_KEY_SLOT = (
    PAGE_BYTES + n for n in (0x034, 0x048, 0x060)
)
COMPLETIONS, SOURCE, DESTINATION = 0x400, 0x1003, 0x2005
OKAY, SLAVE_ERROR, DECODE_ERROR = 0, 2, 3
SPENT, INTERRUPT, IDLE = 1, 2, 4
FOREVER = 10_000_000

Access = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_uint64,
    ctypes.POINTER(ctypes.c_uint8),
    ctypes.c_size_t,
)


class Memory(ctypes.Structure):
    """``ciphermill_card_memory``."""

    _fields_ = (
        ("context", ctypes.c_void_p),
        ("read", Access),
        ("write", Access),
        ("latency", ctypes.c_uint32),
        ("bytes_per_cycle", ctypes.c_uint32),
    )


class Host:
    """A card with a host's memory."""

    def __init__(self, library: Path, latency: int = 0, bytes_per_cycle: int = 0) -> None:
        self.memory = bytearray(MEMORY_BYTES)
        self.sizes: list[int] = []
        self.model = ctypes.CDLL(str(library))
        for name in ("open", "advance", "cycles"):
            getattr(self.model, f"ciphermill_card_{name}").restype = ctypes.c_void_p
        # The functions stay as long as the card.
        self.about = Memory(None, Access(self._read), Access(self._write), latency, bytes_per_cycle)
        self.card = ctypes.c_void_p(self.model.ciphermill_card_open(ctypes.byref(self.about)))
        assert self.card

    def _read(self, _context: int, address: int, data: Any, length: int) -> int:
        if address + length > MEMORY_BYTES:
            return DECODE_ERROR
        ctypes.memmove(data, bytes(self.memory[address : address + length]), length)
        return OKAY

    def _write(self, _context: int, address: int, data: Any, length: int) -> int:
        if address + length > MEMORY_BYTES:
            return DECODE_ERROR
        self.memory[address : address + length] = ctypes.string_at(data, length)
        self.sizes.append(length)
        return OKAY

    def read(self, address: int) -> tuple[int, int]:
        """Return the answer of a register, and its value."""
        value = ctypes.c_uint32()
        answer = self.model.ciphermill_card_read_register(
            self.card, ctypes.c_uint32(address), ctypes.byref(value)
        )
        return answer, value.value

    def write(self, address: int, value: int) -> int:
        """Write a register, and return its answer."""
        return int(
            self.model.ciphermill_card_write_register(
                self.card, ctypes.c_uint32(address), ctypes.c_uint32(value)
            )
        )

    def advance(self, cycles: int) -> tuple[int, int]:
        """Return the cycles that have passed, and why no more."""
        reason = ctypes.c_uint32()
        passed = self.model.ciphermill_card_advance(
            self.card, ctypes.c_uint64(cycles), ctypes.byref(reason)
        )
        return passed or 0, reason.value

    def run(self, length: int, source: int = SOURCE) -> tuple[bytes, int]:
        """Pass bytes through, and return the completion and the cycles until its interrupt."""
        words = [
            *(BYPASS, 0, 0, 0, 0, 0, length, 0),
            *(source, 0, DESTINATION, 0, 0, length, 0x5555, 0),
        ]
        self.memory[:64] = b"".join(word.to_bytes(4, "little") for word in words)
        for address, value in (
            (RING_COMPLETIONS_LOW, COMPLETIONS),
            (RING_ENTRIES, 2),
            (RING_ENABLE, 1),
            (RING_INTERRUPT_ENABLE, 1),
            (RING_DOORBELL, 1),
        ):
            assert self.write(address, value) == OKAY
        passed, reason = self.advance(FOREVER)
        assert reason == INTERRUPT
        assert self.model.ciphermill_card_interrupts(self.card) == 1
        assert self.model.ciphermill_card_interrupts(self.card) == 0
        completion = bytes(self.memory[COMPLETIONS : COMPLETIONS + 32])
        assert self.advance(FOREVER)[1] == IDLE
        return completion, passed

    def close(self) -> None:
        """Close the card."""
        self.model.ciphermill_card_close(self.card)


@pytest.fixture(scope="module")
def library() -> Path:
    """The library of a small card."""
    return build_card(SMALL, lambda line: None)


def test_the_description_says_what_was_built(library: Path) -> None:
    model = ctypes.CDLL(str(library))
    assert model.ciphermill_card_interface() == 1
    model.ciphermill_card_description.restype = ctypes.c_char_p
    about = json.loads(model.ciphermill_card_description())
    assert about["rings"] == 1
    assert about["bar_bytes"] == 4 * PAGE_BYTES
    assert about["parameters"]["Gcm"] == 0
    with pytest.raises(AttributeError):
        model.sc_time_stamp  # noqa: B018 - a function of Verilator's own


def test_registers_answer_as_the_bus_has_it(library: Path) -> None:
    host = Host(library)
    assert host.read(0) == (OKAY, int.from_bytes(b"CMCD", "little"))
    assert host.read(CHANNEL_OFFSET) == (OKAY, 2 * PAGE_BYTES)
    assert host.read(0x100)[0] == SLAVE_ERROR
    assert host.write(2 * PAGE_BYTES, 1) == SLAVE_ERROR
    assert host.read(3 * PAGE_BYTES)[0] == DECODE_ERROR
    assert host.write(4 * PAGE_BYTES, 1) == DECODE_ERROR
    host.close()


def test_a_message_is_moved_and_a_card_without_work_stands_still(library: Path) -> None:
    host = Host(library)
    host.memory[SOURCE : SOURCE + 700] = bytes(n * 7 % 251 for n in range(700))
    completion, _ = host.run(700)
    assert completion[:16].hex() == "5555000000000000" + "01000080" + "bc020000"
    assert host.memory[DESTINATION : DESTINATION + 700] == host.memory[SOURCE : SOURCE + 700]
    assert host.memory[DESTINATION - 1] == host.memory[DESTINATION + 700] == 0
    assert host.sizes[-1] == 32  # the completion, whole
    assert host.advance(1000) == (0, IDLE)
    host.write(RING_KEY_SLOT, 1)
    assert host.advance(10) == (10, SPENT)
    host.close()


def test_memory_that_is_not_there_fails_by_the_beat(library: Path) -> None:
    host = Host(library)
    assert host.run(100, MEMORY_BYTES - 100)[0][8] == 1  # done
    host.close()
    host = Host(library)
    assert host.run(100, MEMORY_BYTES - 99)[0][8] == 1 << 4  # read
    host.close()


def test_a_slow_link_takes_its_time(library: Path) -> None:
    cycles = {}
    for link in ((1, 0), (500, 0), (1, 4)):
        host = Host(library, *link)
        cycles[link] = host.run(4000)[1]
        host.close()
    # Descriptor, data and completion, one after the other.
    assert cycles[500, 0] > cycles[1, 0] + 3 * 490
    assert 1000 < cycles[1, 4] < 1200


def test_a_parameter_that_the_card_refuses_makes_no_library() -> None:
    with pytest.raises(ToolError, match="Rings must be"):
        build_card({"Rings": 9}, lambda line: None)
