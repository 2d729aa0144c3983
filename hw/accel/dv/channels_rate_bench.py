# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""How many blocks a clock several streams get out of one core together."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import reference
from channels_device import Device
from reference import BLOCK

ITERATIVE, PIPELINED, SERIAL = range(3)
STREAMS = (1, 2, 4, 6, 8, 15, 16, 17)


async def rate(
    device: Device, streams: int, mode: str, direction: str, blocks: int
) -> tuple[float, float]:
    """Return blocks a clock of all streams together, and of the slowest by its share.

    Measured while every stream has input: from the clock in which each has given its first
    two blocks to the one in which the first has given its last but two.
    """
    answers = []
    for n in range(streams):
        key, data = random.randbytes(32), random.randbytes(blocks * BLOCK)
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
    given = [stream.beats_out for stream in device.streams[:streams]]
    begin = max(beats[1] for beats in given)
    end = min(beats[-2] for beats in given)
    counts = [sum(begin < clock <= end for clock in beats) for beats in given]
    return sum(counts) / (end - begin), min(counts) * streams / (end - begin)


@cocotb.test()
async def rates(dut: Any) -> None:
    """CBC encryption of as many streams as the pipeline has stages makes a block a clock."""
    device = Device(dut)
    await device.reset()
    stages = 15
    for streams in [n for n in STREAMS if n <= device.channels]:
        both, slowest = await rate(device, streams, "cbc", "encrypt", 40)
        text = f"cbc encrypt, {streams} streams: {both:.3f} blocks a clock, slowest {slowest:.3f}"
        dut._log.warning(text)
        if device.architecture == PIPELINED:
            assert both >= 0.99 * min(streams / stages, 1), text
            assert slowest >= 0.9 * both, text
    for mode, direction in (("ecb", "encrypt"), ("ctr", "encrypt"), ("cbc", "decrypt")):
        for streams in [n for n in (1, 2, 4) if n <= device.channels]:
            both, _ = await rate(device, streams, mode, direction, 400)
            text = f"{mode} {direction}, {streams} streams: {both:.3f} blocks a clock"
            dut._log.warning(text)
            if device.architecture == PIPELINED:
                costs = 17 if direction == "decrypt" and streams > 1 else 1
                assert both >= 128 / (128 + costs) * 0.99, text
