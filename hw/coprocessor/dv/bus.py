# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Masters for a coprocessor: its register bus itself, AXI4-Lite, or AXI4.

All have ``write(address, data)`` and ``read(address, length)``, pause at random as told, and
check the protocol: answers come within a bounded time, payloads hold until they are taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from ciphermill_dv import stall
from ciphermill_dv.parameters import parameter
from cocotb.triggers import RisingEdge

LIMIT = 300
"""Cycles that a transfer takes at most, pauses included."""
OKAY, SLAVE_ERROR = 0, 2
FIXED, INCREMENT, WRAP = 0, 1, 2


class BusError(Exception):
    """A bus answered with an error."""


class Master:
    """Common part of all masters: the clock, pauses, and beats."""

    def __init__(self, dut: Any, random: Random) -> None:
        self.dut = dut
        self.random = random
        self.width = parameter("DataWidth", 32) // 8
        self.cycles = 0
        self.pauses: Iterator[bool] = iter(())
        self.pause("never")

    def pause(self, pattern: str) -> None:
        """Choose the pattern of idle cycles and of back-pressure."""
        self.pauses = stall.PATTERNS[pattern](self.random)

    async def step(self) -> None:
        """Wait for the end of a cycle."""
        await RisingEdge(self.dut.clk_i)
        self.cycles += 1

    def beats(self, address: int, length: int) -> tuple[int, int]:
        """Return the bytes of a beat and the number of beats of an access."""
        size = min(self.width, length)
        assert length % size == 0 and address % size == 0, (address, length)
        return size, length // size

    async def write_word(self, address: int, word: int) -> None:
        """Write 32 bits."""
        await self.write(address, word.to_bytes(4, "little"))

    async def read_word(self, address: int) -> int:
        """Read 32 bits."""
        return int.from_bytes(await self.read(address, 4), "little")

    async def write(self, address: int, data: bytes) -> None:
        """Write bytes, a power of two below the width or whole beats."""
        raise NotImplementedError

    async def read(self, address: int, length: int) -> bytes:
        """Read bytes, likewise."""
        raise NotImplementedError


class RegisterBus(Master):
    """The register bus."""

    def __init__(self, dut: Any, random: Random) -> None:
        super().__init__(dut, random)
        for name in ("valid", "write", "address", "wdata", "wstrb"):
            getattr(dut, f"bus_{name}_i").value = 0

    async def _transfer(self, write: int, address: int, data: int, strobe: int) -> int:
        dut = self.dut
        while next(self.pauses):
            await self.step()
        dut.bus_write_i.value = write
        dut.bus_address_i.value = address
        dut.bus_wdata_i.value = data
        dut.bus_wstrb_i.value = strobe
        dut.bus_valid_i.value = 1
        for _ in range(LIMIT):
            await self.step()
            if int(dut.bus_ready_o.value):
                read = int(dut.bus_rdata_o.value)
                dut.bus_valid_i.value = 0
                # A payload without valid must not matter.
                dut.bus_wdata_i.value = self.random.getrandbits(8 * self.width)
                return read
        raise AssertionError(f"the bus waits for ever at {address:#x}")

    async def write(self, address: int, data: bytes, strobe: int | None = None) -> None:
        size, count = self.beats(address, len(data))
        for n in range(count):
            lane = (address + n * size) % self.width
            beat = int.from_bytes(data[n * size : (n + 1) * size], "little")
            rest = self.random.getrandbits(8 * self.width)
            mask = ((1 << 8 * size) - 1) << 8 * lane
            lanes = ((1 << size) - 1 if strobe is None else strobe) << lane
            await self._transfer(1, address + n * size, rest & ~mask | beat << 8 * lane, lanes)

    async def read(self, address: int, length: int) -> bytes:
        size, count = self.beats(address, length)
        found = b""
        for n in range(count):
            lane = (address + n * size) % self.width
            strobe = ((1 << size) - 1) << lane if self.width > 4 else self.random.getrandbits(4)
            rest = self.random.getrandbits(8 * self.width)
            beat = await self._transfer(0, address + n * size, rest, strobe)
            found += beat.to_bytes(self.width, "little")[lane : lane + size]
        return found


class Channel:
    """One valid/ready channel of AXI, driven or received a cycle at a time."""

    def __init__(self, master: Master, name: str, fields: tuple[str, ...], driven: bool) -> None:
        prefix = f"s_{name.split('_')[0]}_{name.split('_')[1]}"
        dut = master.dut
        ends = ("i", "o") if driven else ("o", "i")
        self.valid = getattr(dut, f"{prefix}valid_{ends[0]}")
        self.ready = getattr(dut, f"{prefix}ready_{ends[1]}")
        self.fields = {field: getattr(dut, f"{prefix}{field}_{ends[0]}") for field in fields}
        self.master, self.driven = master, driven
        self.held: dict[str, int] | None = None
        self.items: list[dict[str, int]] = []
        (self.valid if driven else self.ready).value = 0

    def drive(self) -> None:
        """Set the signals for the next cycle."""
        pause = next(self.master.pauses)
        if not self.driven:
            self.ready.value = int(not pause)
        elif self.held is None and self.items and not pause:
            self.held = self.items.pop(0)
            for field, value in self.held.items():
                self.fields[field].value = value
            self.valid.value = 1

    def look(self) -> None:
        """Note what happened in the cycle that ended."""
        valid, ready = int(self.valid.value), int(self.ready.value)
        if self.driven:
            if self.held is not None and ready:
                self.held = None
                self.valid.value = 0
        elif valid:
            now = {field: int(signal.value) for field, signal in self.fields.items()}
            assert self.held in (None, now), "the payload changed before ready"
            self.held = now
            if ready:
                self.items.append(now)
                self.held = None
        else:
            assert self.held is None, "valid fell before ready"


class AxiMaster(Master):
    """Common part of both kinds of AXI: channels that move by themselves."""

    channels: dict[str, Channel]

    async def run_until(self, channel: str, count: int) -> list[dict[str, int]]:
        """Run all channels until one response channel has so many items; take them."""
        items = self.channels[channel].items
        beats = len(self.channels["w"].items)
        for _ in range(LIMIT * max(count, beats)):
            if len(items) >= count:
                taken = items[:count]
                del items[:count]
                return taken
            for each in self.channels.values():
                each.drive()
            await self.step()
            for each in self.channels.values():
                each.look()
        raise AssertionError(f"no answer on {channel}")


class AxiLite(AxiMaster):
    """AXI4-Lite."""

    def __init__(self, dut: Any, random: Random) -> None:
        super().__init__(dut, random)
        self.channels = {
            "aw": Channel(self, "axil_aw", ("addr", "prot"), True),
            "w": Channel(self, "axil_w", ("data", "strb"), True),
            "b": Channel(self, "axil_b", ("resp",), False),
            "ar": Channel(self, "axil_ar", ("addr", "prot"), True),
            "r": Channel(self, "axil_r", ("data", "resp"), False),
        }

    async def write(self, address: int, data: bytes) -> None:
        for n in range(0, len(data), 4):
            word = int.from_bytes(data[n : n + 4], "little")
            self.channels["aw"].items.append({"addr": address + n, "prot": 0})
            self.channels["w"].items.append({"data": word, "strb": 15})
            if (await self.run_until("b", 1))[0]["resp"] != OKAY:
                raise BusError

    async def read(self, address: int, length: int) -> bytes:
        found = b""
        for n in range(0, length, 4):
            self.channels["ar"].items.append({"addr": address + n, "prot": 0})
            item = (await self.run_until("r", 1))[0]
            found += item["data"].to_bytes(4, "little")
            if item["resp"] != OKAY:
                raise BusError
        return found


class Axi4(AxiMaster):
    """AXI4; an access is one burst."""

    def __init__(self, dut: Any, random: Random) -> None:
        super().__init__(dut, random)
        address = ("id", "addr", "len", "size", "burst")
        self.channels = {
            "aw": Channel(self, "axi_aw", address, True),
            "w": Channel(self, "axi_w", ("data", "strb", "last"), True),
            "b": Channel(self, "axi_b", ("id", "resp"), False),
            "ar": Channel(self, "axi_ar", address, True),
            "r": Channel(self, "axi_r", ("id", "data", "resp", "last"), False),
        }

    def _address(self, address: int, count: int, size: int, burst: int) -> dict[str, int]:
        return {
            "id": self.random.getrandbits(parameter("IdWidth", 1)),
            "addr": address,
            "len": count - 1,
            "size": size.bit_length() - 1,
            "burst": burst,
        }

    async def write_burst(
        self, address: int, data: bytes, size: int, burst: int = INCREMENT
    ) -> int:
        """Write beats of ``size`` bytes and return the answer."""
        count = len(data) // size
        request = self._address(address, count, size, burst)
        self.channels["aw"].items.append(request)
        for n in range(count):
            lane = (address + n * size) % self.width
            beat = int.from_bytes(data[n * size : (n + 1) * size], "little") << 8 * lane
            mask = (1 << 8 * self.width) - 1
            strobe = ((1 << size) - 1) << lane & ((1 << self.width) - 1)
            item = {"data": beat & mask, "strb": strobe, "last": int(n == count - 1)}
            self.channels["w"].items.append(item)
        answer = (await self.run_until("b", 1))[0]
        assert answer["id"] == request["id"]
        assert not self.channels["w"].items, "answered before the last beat"
        return answer["resp"]

    async def read_burst(
        self, address: int, count: int, size: int, burst: int = INCREMENT
    ) -> tuple[int, bytes]:
        """Read beats of ``size`` bytes and return the answer and the data."""
        request = self._address(address, count, size, burst)
        self.channels["ar"].items.append(request)
        items = await self.run_until("r", count)
        assert [item["last"] for item in items] == [0] * (count - 1) + [1]
        assert {item["id"] for item in items} == {request["id"]}
        assert len({item["resp"] for item in items}) == 1
        found = b""
        for n, item in enumerate(items):
            lane = (address + n * size) % self.width
            found += item["data"].to_bytes(self.width, "little")[lane : lane + size]
        return items[0]["resp"], found

    async def write(self, address: int, data: bytes) -> None:
        if await self.write_burst(address, data, self.beats(address, len(data))[0]) != OKAY:
            raise BusError

    async def read(self, address: int, length: int) -> bytes:
        size, count = self.beats(address, length)
        answer, found = await self.read_burst(address, count, size)
        if answer != OKAY:
            raise BusError
        return found


def master(dut: Any, random: Random) -> Master:
    """Return the master for a top module: by its parameter Front, else the register bus."""
    kinds: dict[int, type[Master]] = {0: RegisterBus, 1: AxiLite, 2: Axi4}
    return kinds[parameter("Front", 0)](dut, random)
