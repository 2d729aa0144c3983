# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Misprints of the thesis on Zynq ciphers, computed from its own figures."""

from __future__ import annotations

from collections.abc import Iterator

from ciphermill.design import Direction
from ciphermill.evaluate.stream.applications import Application
from ciphermill.papers.paper import Misprint
from ciphermill.papers.thesis_zynq_ciphers.published import TEXTS, ends, middle
from ciphermill.papers.thesis_zynq_ciphers.view import ThesisView, bench_off, cycles


def misprints(view: ThesisView) -> Iterator[Misprint]:
    """The thesis's misprints, computed from its own figures."""
    paper = view.paper
    measured = max(
        one.rate("hardware", "ecb", Direction.ENCRYPT) or 0.0
        for one in paper.result
        if one.platform == "zc706" and one.application == "throughput"
    )
    for name in paper.platforms:
        cipher = view.cipher(name, "ecb")
        yield TEXTS.misprinted(
            "ideal",
            name=name,
            bench=paper.bench_of(name),
            cipher=cipher,
            cycles=cycles(cipher),
            measured=measured,
        )
    wires = view.results.platforms["zedboard"].bus.wires_mb_s
    fast = [
        rate
        for one in paper.result
        if one.platform == "zedboard"
        for printed in (one.hardware.ecb, one.hardware.ctr)
        for rate in ends(printed or 0.0)
        if rate > wires
    ]
    board = paper.bench_of("zedboard")
    yield TEXTS.misprinted("wires", bench=board, wires=wires, least=min(fast), most=max(fast))
    card, ours = paper.bench_of("zc706"), view.results.platforms["zc706"].bus
    seen = paper.of("zc706", "throughput", "sink").software_plus
    plus = middle(seen.ecb) if seen and seen.ecb else 0.0
    yield TEXTS.misprinted(
        "two_buses",
        bench=card,
        plus=plus,
        from_bus=behind(card.bus_mb_s, card.storage_mb_s),
        from_plus=behind(plus, card.storage_mb_s),
        ours=ours,
        off_bus=bench_off(view, "zc706"),
        off_plus=ours.inside_write_mb_s / plus - 1,
    )
    one, other = (
        paper.of("zc706", application, "file").rate("software", "ecb", Direction.DECRYPT) or 0.0
        for application in Application
    )
    yield TEXTS.misprinted("decryption", one=one, other=other)
    yield _one_test(view)
    yield _one_row(view)
    yield TEXTS.misprinted("disk", disk=paper.workstation_disk, storage=card.storage_mb_s)


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
    return TEXTS.misprinted(
        "one_test",
        said=said,
        printed=printed,
        rate=rate,
        software=software,
        times_said=said.mb_s / software,
        times_rate=rate / software,
        nearer=min((said.mb_s, rate), key=lambda one: abs(one / software - said.speedup)),
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
    return TEXTS.misprinted(
        "one_row",
        said=said,
        speedups=", ".join(f"{one:g}" for one in speedups),
        least=min(quotients),
        most=max(quotients),
    )


def behind(inside_mb_s: float, storage_mb_s: float) -> float:
    """The rate end to end of who waits for it inside write, reading outside.

    >>> round(behind(600, 1700))
    443
    """
    return 1 / (1 / inside_mb_s + 1 / storage_mb_s)
