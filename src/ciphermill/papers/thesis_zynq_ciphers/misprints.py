# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Misprints of the thesis on Zynq ciphers, computed from its own figures."""

from __future__ import annotations

from collections.abc import Iterator

from ciphermill.design import Direction
from ciphermill.evaluate.stream.applications import Application
from ciphermill.papers.paper import Misprint
from ciphermill.papers.thesis_zynq_ciphers.published import ends, middle
from ciphermill.papers.thesis_zynq_ciphers.view import ThesisView, bench_off, cycles


def misprints(view: ThesisView) -> Iterator[Misprint]:
    """The thesis's misprints, computed from its own figures."""
    for name in view.paper.platforms:
        printed, cipher = view.paper.bench_of(name), view.cipher(name, "ecb")
        measured = max(
            one.rate("hardware", "ecb", Direction.ENCRYPT) or 0.0
            for one in view.paper.result
            if one.platform == "zc706" and one.application == "throughput"
        )
        yield Misprint(
            f"{printed.source}.3, {name}",
            f"ECB and CBC: ideal {printed.ecb_cbc_ideal_mb_s:g} MB/s",
            f"16 bytes in {cycles(cipher)} at {cipher.clock_mhz:g} MHz are "
            f"{cipher.ideal_mb_s:.1f} MB/s, close to the {measured:g} that it measured",
            "it does not fit its core's cycles",
        )
    wires = view.results.platforms["zedboard"].bus.wires_mb_s
    bench = view.paper.bench_of("zedboard")
    fast = sorted(
        {
            rate
            for one in view.paper.result
            if one.platform == "zedboard"
            for printed_rate in (one.hardware.ecb, one.hardware.ctr)
            for rate in ends(printed_rate or 0.0)
            if rate > wires
        }
    )
    yield Misprint(
        "sections 8.1.1, 9.1.2 and 9.1.4, zedboard",
        f"the bus does {bench.bus_mb_s:g} MB/s, the ciphers {min(fast):g} to {max(fast):g}",
        f"32 bits at 100 MHz carry {wires:g} MB/s, and a card of {bench.storage_mb_s:g} MB/s "
        "feeds them",
        "they are time inside write: what a processor copies into DMA buffers",
    )
    printed = view.paper.bench_of("zc706")
    seen = view.paper.of("zc706", "throughput", "sink").software_plus
    plus = middle(seen.ecb) if seen and seen.ecb else 0.0
    ours = view.results.platforms["zc706"].bus
    off = bench_off(view, "zc706"), ours.inside_write_mb_s / plus - 1
    yield Misprint(
        "sections 8.2.1, 9.2.2 and 9.2.4, zc706",
        f"the bus does {printed.bus_mb_s:g} MB/s, software+ {plus:g} into the sink",
        "both are time inside write, through the same bus, fed from the same files: were the "
        "bus the limit, they would be one figure, since what goes before is made up for by "
        f"shorter waits. Of {printed.bus_mb_s:g} follows a bus of "
        f"{behind(printed.bus_mb_s, printed.storage_mb_s):.0f} MB/s end to end, of {plus:g} "
        f"one of {behind(plus, printed.storage_mb_s):.0f}",
        "they contradict each other, and which is right is not to be told from here. The "
        f"platform has {ours.wires_mb_s:g}, fitted to the second: it shows "
        f"{ours.inside_write_mb_s:.0f} for both, {off[0]:+.0%} and {off[1]:+.0%}",
    )
    one, other = (view.paper.of("zc706", application, "file") for application in Application)
    rates = [printed.rate("software", "ecb", Direction.DECRYPT) or 0.0 for printed in (one, other)]
    yield Misprint(
        "sections 9.2.1 and 9.2.3, zc706",
        f"ECB and CBC decryption in software: {rates[0]:g} MB/s, and {rates[1]:g}",
        "both applications call the same OpenSSL for it, and are timed inside it",
        "one of them; the platform has the latter, which section 9.2.4 agrees with",
    )
    yield _one_test(view)
    yield _one_row(view)
    disk = view.paper.workstation_disk
    storage = view.paper.bench_of("zc706").storage_mb_s
    yield Misprint(
        f"{disk.said_in} and {disk.also_said_in}",
        f"the workstation has a {disk.said}, and a {disk.also_said} of {storage:g} MB/s",
        "a spinning disk reads some 200 MB/s, and SATA carries 600",
        "it is one of the two, and the rate is the page cache's",
    )


def _one_test(view: ThesisView) -> Misprint:
    """Two throughputs for one test, of which the printed speedup fits one."""
    printed = view.paper.of("zedboard", "throughput", "file")
    said = next(
        one
        for one in view.paper.summary
        if (one.platform, one.application, one.destination) == ("zedboard", "throughput", "file")
    )
    rate = printed.rate("hardware", "ecb", Direction.ENCRYPT) or 0.0
    software = printed.rate("software", "ecb", Direction.ENCRYPT) or 1.0
    nearer = min((said.mb_s, rate), key=lambda one: abs(one / software - said.speedup))
    return Misprint(
        f"{said.source} and {printed.source}, zedboard",
        f"the hardware does {said.mb_s:g} MB/s in the file test at most, and {rate:g}",
        f"over {software:g} MB/s of software, {said.mb_s:g} are {said.mb_s / software:.1f} times, "
        f"{rate:g} are {rate / software:.1f}; printed is {said.speedup:g}",
        f"one of them; {nearer:g} is what goes with the printed speedup",
    )


def _one_row(view: ThesisView) -> Misprint:
    """Three speedups for CTR into the sink, of which the printed rates give none beyond one."""
    tests = [view.paper.of("zedboard", application, "sink") for application in Application]
    said = next(
        one for one in view.paper.summary if one.modes == ("ctr",) and one.platform == "zedboard"
    )
    speedups = sorted({end for one in tests for end in ends(one.speedup.ctr or 0.0)})
    quotients = [
        hardware / software
        for one in tests
        for hardware in ends(one.hardware.ctr or 0.0)
        for software in ends(one.software.ctr or 1.0)
    ]
    return Misprint(
        f"sections 9.1.2 and 9.1.4, and {said.source}, zedboard",
        "CTR into the sink is "
        f"{', '.join(f'{one:g}' for one in speedups)} and {said.speedup:g} times as fast as its "
        "software",
        f"the printed rates give {min(quotients):.1f} to {max(quotients):.1f} times",
        f"{said.speedup:g} does not follow from any of them",
    )


def behind(inside_mb_s: float, storage_mb_s: float) -> float:
    """The rate end to end of who waits for it inside write, reading outside.

    >>> round(behind(600, 1700))
    443
    """
    return 1 / (1 / inside_mb_s + 1 / storage_mb_s)
