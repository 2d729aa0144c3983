# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Driving the valid/ready streams of a module cycle by cycle, and checking their rules."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from ciphermill_dv import stall


@dataclass(frozen=True)
class Stream:
    """A stream: its valid and its ready, and the signals of its payload.

    Those of ``loose`` need not be zero while an output is not valid.
    """

    valid: str
    ready: str
    payload: tuple[str, ...]
    loose: tuple[str, ...] = ()


class StreamDriver:
    """The streams of one module, driven and checked in every cycle.

    Queue payloads for the inputs with :meth:`offer` and expected payloads of the outputs with
    :meth:`expect`; then call :meth:`step` once a cycle, or :meth:`drain`. While an input is not
    valid, its payload is random. An output must hold its payload until it is taken, and be zero
    while it is not valid.

    Args:
        dut: The module; its clock is ``clk_i``, its reset ``rst_ni``.
        inputs: The streams into it, by name.
        outputs: The streams out of it, by name.
        seed: Of the stalls and of the random payloads.
    """

    def __init__(
        self, dut, inputs: Mapping[str, Stream], outputs: Mapping[str, Stream], *, seed: int = 1
    ) -> None:
        self.dut = dut
        self.random = Random(seed)
        self.inputs = inputs
        self.outputs = outputs
        self.cycle = 0
        self._handles = {
            signal: getattr(dut, signal)
            for stream in (*inputs.values(), *outputs.values())
            for signal in (stream.valid, stream.ready, *stream.payload)
        }
        self._queues: dict[str, deque[tuple[int, ...]]] = {name: deque() for name in inputs}
        self._wanted: dict[str, deque[tuple[int, ...]]] = {name: deque() for name in outputs}
        self.set_stalls()
        self.forget()

    def set_stalls(self, inputs: str = "never", outputs: str = "never", **others: str) -> None:
        """Choose the idle pattern of the inputs and the back-pressure of the outputs.

        ``others`` are patterns of single streams, by name.
        """
        names = {**dict.fromkeys(self.inputs, inputs), **dict.fromkeys(self.outputs, outputs)}
        names |= others
        self._stalls: dict[str, Iterator[bool]] = {
            stream: getattr(stall, name)(self.random) for stream, name in names.items()
        }

    def forget(self) -> None:
        """Drop all that was offered or expected, and the cycles of handshakes."""
        self._offered: dict[str, bool] = dict.fromkeys(self.inputs, False)
        self._noise: dict[str, bool] = dict.fromkeys(self.inputs, False)
        self._held: dict[str, tuple[int, ...] | None] = dict.fromkeys(self.outputs)
        self._ready: dict[str, bool | None] = dict.fromkeys(self.outputs)
        for queue in (*self._queues.values(), *self._wanted.values()):
            queue.clear()
        for stream in self.inputs.values():
            self._handles[stream.valid].value = 0
        self.cycles: dict[str, list[int]] = {name: [] for name in (*self.inputs, *self.outputs)}
        """The cycles of handshakes, by the name of the stream."""

    async def reset(self, *zero: str) -> None:
        """Start the clock with every input and the signals ``zero`` low, and reset the module.

        The module must be busy for one cycle, and take nothing in it.
        """
        dut = self.dut
        for stream in self.inputs.values():
            for signal in (stream.valid, *stream.payload):
                self._handles[signal].value = 0
        for stream in self.outputs.values():
            self._handles[stream.ready].value = 0
        for signal in zero:
            getattr(dut, signal).value = 0
        dut.rst_ni.value = 0
        cocotb.start_soon(Clock(dut.clk_i, 10, unit="ns").start())
        await FallingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        await RisingEdge(dut.clk_i)
        assert int(dut.busy_o.value) == 1, "nothing is cleared after reset"
        for stream in self.inputs.values():
            assert not int(self._handles[stream.ready].value), f"{stream.ready} while busy"
        await RisingEdge(dut.clk_i)
        assert int(dut.busy_o.value) == 0

    # ------------------------------------------------------------ what is queued

    def offer(self, name: str, *payload: int) -> None:
        """Queue a payload of an input."""
        self._queues[name].append(payload)

    def expect(self, name: str, *payload: int) -> None:
        """Queue the payload that an output must give next."""
        self._wanted[name].append(payload)

    def may_offer(self, name: str) -> bool:
        """Whether the next payload of an input may be offered now."""
        del name
        return True

    def waits(self, name: str) -> int:
        """Return how many payloads of an input have not been taken."""
        return len(self._queues[name])

    def offered(self, name: str) -> bool:
        """Return whether an input is valid and has not been taken."""
        return self._offered[name]

    @property
    def done(self) -> bool:
        """Whether every offer was taken and every result has come."""
        return not any((*self._queues.values(), *self._wanted.values()))

    # ------------------------------------------------------------ cycle by cycle

    async def drain(self, limit: int = 100_000) -> None:
        """Step until done, and until the module says that it is idle.

        Raises:
            AssertionError: That takes over ``limit`` cycles.
        """
        while not self.done:
            await self.step()
            limit -= 1
            assert limit, "the module hangs"
        await self.step()
        assert int(self.dut.idle_o.value), "not idle although all is out"

    async def step(self) -> None:
        """Drive the streams for one cycle, wait for its end, and check what happened in it."""
        self._drive()
        await RisingEdge(self.dut.clk_i)
        self.cycle += 1
        for name, stream in self.outputs.items():
            self._check(name, stream)
        for name, stream in self.inputs.items():
            if self._offered[name] and int(self._handles[stream.ready].value):
                self._queues[name].popleft()
                self.cycles[name].append(self.cycle)
                self._offered[name] = False

    def _drive(self) -> None:
        for name, stream in self.inputs.items():
            paused = next(self._stalls[name])
            if self._offered[name]:
                continue
            signals = [self._handles[signal] for signal in stream.payload]
            if self._queues[name] and not paused and self.may_offer(name):
                self._offered[name], self._noise[name] = True, False
                values = self._queues[name][0]
            elif not self._noise[name]:
                # A payload without valid must not matter.
                self._noise[name] = True
                values = tuple(self.random.getrandbits(len(signal)) for signal in signals)
            else:
                continue
            for signal, value in zip(signals, values, strict=True):
                signal.value = value
            self._handles[stream.valid].value = int(self._offered[name])
        for name, stream in self.outputs.items():
            ready = not next(self._stalls[name])
            if ready != self._ready[name]:
                self._ready[name] = ready
                self._handles[stream.ready].value = int(ready)

    def _check(self, name: str, stream: Stream) -> None:
        valid = bool(int(self._handles[stream.valid].value))
        now = tuple(
            int(self._handles[signal].value) if valid or signal not in stream.loose else 0
            for signal in stream.payload
        )
        held = self._held[name]
        if not valid:
            assert held is None, f"{name}: valid fell before ready"
            assert not any(now), f"{name}: not zero without valid"
            return
        assert held in (None, now), f"{name}: the payload changed before ready"
        assert not int(self.dut.idle_o.value), f"{name}: idle while it waits"
        self._held[name] = now
        if self._ready[name]:
            self._held[name] = None
            assert self._wanted[name], f"{name}: an unexpected payload {now}"
            wanted = self._wanted[name].popleft()
            assert now == wanted, f"{name}: {[hex(n) for n in now]}, not {[hex(n) for n in wanted]}"
            self.cycles[name].append(self.cycle)
