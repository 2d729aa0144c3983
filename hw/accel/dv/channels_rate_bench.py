# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The rate of several streams that share one pipelined core, in blocks a cycle."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import reference
from channels_device import Device
from ciphermill_dv.parameters import parameter
from reference import BLOCK

KEY_BYTES = 32 if parameter("KeySizes", 7) & 4 else 16
STAGES = 15 if KEY_BYTES == 32 else 11
"""Registers of the pipeline with one stage a round, its output's included."""
STREAMS = (1, 2, 3, 4, 6, 8, 11, 15, 16, 17)


async def run(
    device: Device, streams: int, mode: str, direction: str, blocks: int
) -> list[list[int]]:
    """Run a message on each of some streams at once; return the cycles of their results."""
    answers = []
    for n in range(streams):
        key, data = random.randbytes(KEY_BYTES), random.randbytes(blocks * BLOCK)
        iv = await device.prepare(n, mode, direction, key)
        answers.append(reference.crypt(mode, direction, key, iv, data).data)
        device.streams[n].source_idle = 1
        device.streams[n].beats_out.clear()
        await device.start(n, len(data))
        device.send(n, data)
    for stream in device.streams:
        stream.source_idle = 0
    for n, answer in enumerate(answers):
        assert await device.receive(n) == answer, n
        await device.wait(n, busy=0)
    return [stream.beats_out for stream in device.streams[:streams]]


def steady(given: list[list[int]]) -> list[float]:
    """Return blocks a cycle of each stream while all of them have input."""
    begin, end = max(beats[1] for beats in given), min(beats[-2] for beats in given)
    rates = []
    for beats in given:
        inside = [cycle for cycle in beats if begin <= cycle <= end]
        rates.append((len(inside) - 1) / (inside[-1] - inside[0]))
    return rates


@cocotb.test()
async def chained_streams_fill_the_pipeline(dut: Any) -> None:
    """CBC encryption of as many streams as the pipeline has stages makes a block a cycle."""
    device = Device(dut)
    await device.reset()
    for streams in [n for n in STREAMS if n <= device.channels]:
        rates = steady(await run(device, streams, "cbc", "encrypt", 30))
        text = f"cbc encrypt, {streams} streams: {sum(rates):.3f} blocks a cycle"
        dut._log.warning(f"{text}, the slowest {min(rates):.4f}")
        assert sum(rates) >= 0.995 * min(streams / STAGES, 1), text
        assert min(rates) * streams >= 0.98 * sum(rates), text


@cocotb.test()
async def keys_cost_little(dut: Any) -> None:
    """Changes of key cost encryption nothing; decryption and mixtures amortise the set-up."""
    device = Device(dut)
    await device.reset()
    streams, blocks = min(device.channels, 4), 300
    for mode, direction in (("ecb", "encrypt"), ("ctr", "encrypt"), ("cbc", "decrypt")):
        given = await run(device, streams, mode, direction, blocks)
        cycles = max(beats[-1] for beats in given) - min(beats[0] for beats in given)
        rate = streams * blocks / cycles
        dut._log.warning(f"{mode} {direction}, {streams} streams: {rate:.3f} blocks a cycle")
        assert rate >= (0.87 if direction == "decrypt" else 0.98)
