# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The conclusions of the thesis on Zynq ciphers, each checked against the simulated systems.

Each names the printed figures that the thesis draws it from, the figures of ours that the
check looks at, and, with these, the inputs that decide them. The verdict is computed from
all three (``report.paper.Conclusion.verdict``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ciphermill.design.streaming_platform import Input, StreamMode
from ciphermill.evaluate.stream.bench import CipherBench
from ciphermill.papers.paper import Conclusion, Evidence
from ciphermill.papers.thesis_zynq_ciphers.experiment import MODES, OWN_ARM
from ciphermill.papers.thesis_zynq_ciphers.misprints import behind
from ciphermill.papers.thesis_zynq_ciphers.view import PAPER, ThesisView
from ciphermill.report import format as human

CONSIDERABLE = 2.0
"""A speedup from which hardware is considered to pay."""
NEAR = 0.1
"""Two rates are alike when they differ by no more than this part."""
BOARD, CARD = "zedboard", "zc706"
MB_S = "MB/s"


def conclusions(view: ThesisView) -> Iterator[Conclusion]:
    """Yield every conclusion of the thesis: results in its order, then its future work."""
    yield _embedded(view)
    yield _embedded_memory(view)
    yield _hidden(view)
    yield _software_decides(view)
    yield _sequential(view)
    yield _sink(view)
    yield _workstation(view)
    yield _core_bound(view)
    yield _bus_bound(view)
    yield _sink_of_software(view)
    yield _pipelined_ecb(view)
    yield _larger_buffers(view)
    yield _own_processor(view)
    yield _without_files(view)
    yield _back_pressure(view)
    yield _embedded_bus_bound(view)


def _printed(*places: str) -> tuple[str, ...]:
    """Printed figures of the thesis by their places."""
    return tuple(f"{PAPER}#{place}" for place in places)


def _inside(view: ThesisView, platform: str, *names: str) -> Evidence:
    return _stream(view, platform, *names, inside=True)


def _stream(view: ThesisView, platform: str, *names: str, inside: bool) -> Evidence:
    """The throughput at 1 GiB of a series, by its names as in ``ThesisView.series``."""
    rate, what = (view.inside, "inside write") if inside else (view.end_to_end, "end to end")
    *where, mode = names
    return Evidence(
        f"{platform}, {', '.join(where)}, {mode.upper()} encrypt, {what}",
        rate(platform, *names),
        MB_S,
        view.deciding(platform).of_stream(view.series(*names), inside=inside),
    )


def _memory(view: ThesisView, platform: str, mode: str, *, ours: bool = False) -> Evidence:
    """A cipher's rate from memory to the sink."""
    one = view.cipher(platform, mode, ours=ours)
    return _from_memory(view, platform, one, ours=ours)


def _from_memory(view: ThesisView, platform: str, one: CipherBench, *, ours: bool) -> Evidence:
    series = view.series("throughput", "sink", "hardware", one.operation.mode)
    return Evidence(
        f"{platform}, {'our' if ours else 'its'} core, {one.operation}, from memory to the sink",
        one.memory_to_sink_mb_s,
        MB_S,
        view.deciding(platform).from_memory(series, ours=one if ours else None),
    )


def _bus(view: ThesisView, platform: str) -> Evidence:
    return Evidence(
        f"{platform}, the bus alone, from memory to the sink",
        view.results.platforms[platform].bus.end_to_end_mb_s,
        MB_S,
        view.deciding(platform).of_bus(),
    )


def _over(one: Evidence, other: Evidence) -> Evidence:
    """A quotient of two figures; it rests on what both rest on."""
    both: Mapping[Input, None] = dict.fromkeys((*one.inputs, *other.inputs))
    return Evidence(f"{one.what}, over: {other.what}", one.value / other.value, "", tuple(both))


def _rates(values: Mapping[StreamMode, Evidence]) -> str:
    return ", ".join(f"{mode.upper()} {one}" for mode, one in values.items())


def _least(values: Mapping[StreamMode, Evidence]) -> float:
    return min(one.value for one in values.values())


def _most(values: Mapping[StreamMode, Evidence]) -> float:
    return max(one.value for one in values.values())


def _all(*groups: Mapping[StreamMode, Evidence]) -> tuple[Evidence, ...]:
    return tuple(one for group in groups for one in group.values())


def _speedups(
    view: ThesisView, platform: str, base: str, *, inside: bool
) -> Mapping[StreamMode, Evidence]:
    where = (view, platform, "throughput", "file")
    return {
        mode: _over(
            _stream(*where, "hardware", mode, inside=inside),
            _stream(*where, base, mode, inside=inside),
        )
        for mode in MODES
    }


def _embedded(view: ThesisView) -> Conclusion:
    inside = _speedups(view, BOARD, "software", inside=True)
    real = _speedups(view, BOARD, "software", inside=False)
    return Conclusion(
        "on the embedded platform hardware improves files considerably, by 20 to 30 times",
        "abstract; sections 9.1.1 and 10",
        _least(real) >= CONSIDERABLE,
        f"inside write {_rates(inside)} times; end to end {_rates(real)} times",
        "The factor of the thesis divides a copy into DMA buffers by a cipher. A user waits "
        "until the card has been read, in software and in hardware alike. The card's writing is "
        "left out here; it makes the factor smaller still.",
        f"if every mode is {CONSIDERABLE:g} times as fast as software or faster, end to end",
        _all(real),
        _printed(
            "result.zedboard.throughput.file.hardware", "result.zedboard.throughput.file.speedup"
        ),
    )


def _embedded_memory(view: ThesisView) -> Conclusion:
    software = view.results.platforms[BOARD].software_to_sink_mb_s
    gains = {
        mode: _over(
            _memory(view, BOARD, mode),
            Evidence(
                f"{BOARD}, software, {mode.upper()} encrypt, from memory to the sink",
                software[mode],
                MB_S,
                view.deciding(BOARD).from_memory(
                    view.series("throughput", "sink", "software", mode)
                ),
            ),
        )
        for mode in MODES
    }
    return Conclusion(
        "the embedded platform's hardware ciphers are faster than its software",
        "sections 9.1 and 10",
        _least(gains) > 1,
        f"from memory to the sink, both end to end: {_rates(gains)} times",
        "It is considerable for CTR only. An iterative core of 73 cycles at 100 MHz is hardly "
        "faster than OpenSSL on a Cortex-A9 at 666 MHz: it frees the processor, no more.",
        "if every mode is faster in hardware, from memory to the sink",
        _all(gains),
        _printed("result.zedboard.throughput.sink.hardware", "summary.zedboard"),
    )


def _hidden(view: ThesisView) -> Conclusion:
    rates = {m: _inside(view, BOARD, "throughput", "file", "hardware", m) for m in MODES}
    return Conclusion(
        "DMA and a slow card hide the cipher: ECB and CBC take as long as CTR",
        "section 9.1.1",
        _most(rates) / _least(rates) - 1 <= NEAR,
        f"{_rates(rates)} MB/s inside write",
        "No buffer is ever full behind a card of 11 MB/s, so what is timed is the copy, and the "
        "rate of the copy was fitted to this very figure.",
        f"if the modes are within {100 * NEAR:g}% of each other, inside write",
        _all(rates),
        _printed("result.zedboard.throughput.file.hardware"),
    )


def _software_decides(view: ThesisView) -> Conclusion:
    gains = _speedups(view, BOARD, "software", inside=True)
    return Conclusion(
        "ECB and CBC gain more than CTR, because their software is slower",
        "sections 9.1.1, 9.1.2 and 9.1.4",
        min(gains["ecb"].value, gains["cbc"].value) > gains["ctr"].value,
        f"{_rates(gains)} times inside write",
        "All three divide the same copy, which was fitted, by software at its published rates.",
        "if ECB and CBC gain more than CTR, inside write",
        _all(gains),
        _printed(
            "result.zedboard.throughput.file.hardware",
            "result.zedboard.throughput.file.software",
            "result.zedboard.throughput.file.speedup",
        ),
    )


def _span(view: ThesisView) -> str:
    """The lowest and the highest result of the swept sizes of update."""
    rates = [r for one in view.results.platforms[BOARD].updates for r in one.inside_write_mb_s]
    return f"{human.significant(min(rates))} to {human.significant(max(rates))}"


def _sequential(view: ThesisView) -> Conclusion:
    rates = {
        application: _inside(view, BOARD, application, "file", "hardware", "ctr")
        for application in ("throughput", "openssl")
    }
    overlapped = view.cipher(BOARD, "ctr").memory_to_memory_mb_s
    return Conclusion(
        "OpenSSL's sequential calls cost most of the throughput: 130 of 400 MB/s in CTR",
        "section 9.1.3",
        rates["openssl"].value < 0.5 * rates["throughput"].value,
        f"CTR inside write {rates['throughput']} and "
        f"{rates['openssl']} MB/s; overlapped from memory to memory it "
        f"is {human.significant(overlapped)}",
        "The first figure is a copy, the second the whole way there and back, so most of the "
        "difference lies in what was timed. What the calls lose is the difference from the last "
        "figure. Both of the thesis's went in: the second depends on the size of an update, "
        f"which the thesis does not state, and is {_span(view)} MB/s for the sizes that were "
        "swept. Larger updates, overlapped inside the call, win it back.",
        "if the openssl application has less than half of the other's rate, inside write",
        tuple(rates.values()),
        _printed(
            "result.zedboard.throughput.file.hardware.ctr",
            "result.zedboard.openssl.file.hardware.ctr",
        ),
    )


def _sink(view: ThesisView) -> Conclusion:
    rates = [
        _inside(view, BOARD, application, "sink", "hardware", mode)
        for application in ("throughput", "openssl")
        for mode in MODES
    ]
    values = [one.value for one in rates]
    return Conclusion(
        "into a hardware sink both applications are alike: nothing is waited for",
        "sections 9.1 and 9.1.4",
        max(values) / min(values) - 1 <= NEAR,
        f"{human.significant(min(values))} to {human.significant(max(values))} MB/s inside write",
        "Behind a card that is slower than every cipher, both are a copy, at the rate that was "
        "fitted to the printed bus.",
        f"if both applications are within {100 * NEAR:g}% of each other in every mode, inside "
        "write",
        tuple(rates),
        _printed(
            "result.zedboard.throughput.sink.hardware", "result.zedboard.openssl.sink.hardware"
        ),
    )


def _workstation(view: ThesisView) -> Conclusion:
    plain = _speedups(view, CARD, "software", inside=False)
    plus = _speedups(view, CARD, "software+", inside=False)
    return Conclusion(
        "on the workstation hardware does not pay, least against AES instructions",
        "abstract; sections 9.2 and 10",
        _most(plain) < CONSIDERABLE and _most(plus) < 1,
        f"end to end over software {_rates(plain)} times, over software+ {_rates(plus)} times",
        "A bus of some 600 MB/s (fitted), and a core of 22, stand against a processor of 3,250.",
        f"if no mode is {CONSIDERABLE:g} times as fast as software, and none as fast as software+, "
        "end to end",
        _all(plain, plus),
        _printed(
            "result.zc706.throughput.file.speedup",
            "result.zc706.throughput.file.speedup_over_software_plus",
        ),
    )


def _core_bound(view: ThesisView) -> Conclusion:
    one = view.cipher(CARD, "ecb")
    seen = _stream(view, CARD, "throughput", "file", "hardware", "ecb", inside=False)
    return Conclusion(
        "of ECB and CBC on the workstation the iterative core is the bottleneck",
        "section 9.2.1",
        seen.value >= (1 - NEAR) * one.ideal_mb_s,
        f"{seen} MB/s end to end of {human.significant(one.ideal_mb_s)} that its cycles give",
        "The thesis compares with 35 MB/s, which its core's cycles do not give.",
        f"if the stream reaches {100 * (1 - NEAR):g}% of what the core's cycles give, end to end",
        (seen,),
        _printed("result.zc706.throughput.file.hardware.ecb", "bench.zc706.ecb_cbc_ideal_mb_s"),
    )


def _bus_bound(view: ThesisView) -> Conclusion:
    seen, bus = _memory(view, CARD, "ctr"), _bus(view, CARD)
    ours = view.cipher(CARD, "ctr", ours=True).memory_to_sink_mb_s
    timed = view.results.platforms[CARD].bus
    return Conclusion(
        "of CTR on the workstation the PCIe bus is the bottleneck",
        "section 9.2.1",
        seen.value >= (1 - NEAR) * bus.value,
        f"its core {seen}, ours {human.significant(ours)}, the bus "
        f"{bus} MB/s, from memory to the sink",
        "The thesis contradicts itself there. By section 8.2.1 (600 MB/s inside write) its CTR, "
        "500 to 580, is as fast as its bus, and the conclusion holds. By section 9.2.2 (1000) "
        "the bus is faster, and its core must be slower than a block a cycle: here it is fitted, "
        "by ten cycles for a block's 32-bit words, and the bus of "
        f"{human.significant(timed.wires_mb_s)} shows {human.significant(timed.inside_write_mb_s)} "
        "inside write.",
        f"if CTR reaches {100 * (1 - NEAR):g}% of the bus's own rate, from memory to the sink",
        (seen, bus),
        _printed(
            "result.zc706.throughput.file.hardware.ctr",
            "result.zc706.throughput.sink.hardware.ctr",
            "bench.zc706.bus_mb_s",
        ),
    )


def _sink_of_software(view: ThesisView) -> Conclusion:
    rates = {d: _inside(view, CARD, "throughput", d, "software+", "ecb") for d in ("file", "sink")}
    return Conclusion(
        "the way to the sink costs software+ most of its rate: the bus becomes its bottleneck",
        "sections 9.2.2 and 9.2.4",
        rates["sink"].value < 0.5 * rates["file"].value,
        f"{rates['file']} and {rates['sink']} MB/s",
        "Software runs at its published rate, and the bus was fitted to this drop.",
        "if software+ has less than half of its rate into the sink, inside write, ECB",
        tuple(rates.values()),
        _printed(
            "result.zc706.throughput.file.software_plus",
            "result.zc706.throughput.sink.software_plus",
            "result.zc706.openssl.file.software_plus",
            "result.zc706.openssl.sink.software_plus",
        ),
    )


def _pipelined_ecb(view: ThesisView) -> Conclusion:
    rates = {p: {m: _memory(view, p, m, ours=True) for m in MODES} for p in view.paper.platforms}
    return Conclusion(
        "a fully pipelined ECB would be comparable to CTR",
        "chapter 10 (future work)",
        all(abs(one["ecb"].value / one["ctr"].value - 1) <= NEAR for one in rates.values()),
        "; ".join(f"{p}: {_rates(one)} MB/s from memory to the sink" for p, one in rates.items()),
        "So are ECB and CBC decryption. CBC encryption waits for each block; several streams at "
        "once would share the pipeline.",
        f"if ECB is within {100 * NEAR:g}% of CTR on both platforms, from memory to the sink",
        tuple(one[mode] for one in rates.values() for mode in ("ecb", "ctr")),
    )


def _larger_buffers(view: ThesisView) -> Conclusion:
    spans, costs = {}, []
    for name in view.paper.platforms:
        one = view.results.platforms[name]
        platform = one.platform
        now = platform.dma_buffers.kib_each
        rates = {point.kib_each: point.end_to_end_mb_s for point in one.buffer_sizes}
        sizes = (now, *(kib for kib in rates if kib > now))
        spans[name] = Evidence(
            f"{name}, the bus alone, gain of larger DMA buffers",
            max(rates.values()) / rates[now] - 1,
            "",
            view.deciding(name).of_buffer_sizes(sizes[:1] + sizes[-1:]),
        )
        costs.append(f"{platform.bus.buffer_us:g} us on {name}")
    return Conclusion(
        "larger DMA buffers would improve the effective throughput of the buses",
        "chapter 10 (future work)",
        any(span.value > NEAR for span in spans.values()),
        "the bus alone, from the buffers as they are to larger ones: "
        + ", ".join(f"{p} {100 * span.value:+.1f}%" for p, span in spans.items()),
        f"It depends on the time to hand over a buffer, which is assumed: {', '.join(costs)}. "
        "More buffers of the same size only swallow more before the writer is made to wait.",
        f"if larger buffers raise the bus's own rate by more than {100 * NEAR:g}% on a platform",
        tuple(spans.values()),
    )


def _own_processor(view: ThesisView) -> Conclusion:
    bench = next(c for c in view.results.own_arm if str(c.operation) == "CTR encrypt")
    arm = _from_memory(view, OWN_ARM, bench, ours=True)
    card = _memory(view, CARD, "ctr", ours=True)
    printed = view.paper.bench_of(CARD)
    other = behind(printed.bus_mb_s, printed.storage_mb_s)
    return Conclusion(
        "the ZC706 with its own ARM cores as host, and more of the FPGA, may improve performance",
        "chapter 10 (future work)",
        arm.value > card.value,
        f"{OWN_ARM} {arm}, over PCIe {card} MB/s, CTR from memory to the sink",
        "The first figure is a copy by its processor, fitted on the Zedboard. The second is the "
        f"bus, fitted to section 9.2.2; by section 8.2.1 the bus does {other:.0f}. Its own "
        "software it outruns by far.",
        "if our core is faster there than over PCIe, CTR from memory to the sink",
        (arm, card),
    )


def _without_files(view: ThesisView) -> Conclusion:
    pairs = {
        p: (_inside(view, p, "throughput", "sink", "hardware", "ecb"), _memory(view, p, "ecb"))
        for p in view.paper.platforms
    }
    return Conclusion(
        "file input and output affect the times that were taken, and should be removed",
        "chapter 10 (future work)",
        any(abs(inside.value / alone.value - 1) > NEAR for inside, alone in pairs.values()),
        "; ".join(
            f"{p}: ECB {inside} MB/s as taken, {alone} without files"
            for p, (inside, alone) in pairs.items()
        ),
        "Files decide where the card is slower than the cipher, and do not matter where it is "
        "faster.",
        f"if ECB differs by more than {100 * NEAR:g}% without files on a platform",
        tuple(one for pair in pairs.values() for one in pair),
    )


def _back_pressure(view: ThesisView) -> Conclusion:
    platform = view.platform(BOARD)
    card = Evidence(
        f"{BOARD}, reading the card",
        platform.storage.read_mb_s,
        MB_S,
        (platform.input("storage.read_mb_s"),),
    )
    ciphers = {mode: _memory(view, BOARD, mode) for mode in MODES}
    rates = {m: view.inside(BOARD, "throughput", "sink", "hardware", m) for m in MODES}
    return Conclusion(
        "back-pressure of the iterative core explains why ECB and CBC reach 450 MB/s and CTR 500 "
        "into the sink: the DMA buffers fill",
        "section 9.1.2",
        card.value > min(ciphers["ecb"].value, ciphers["cbc"].value),
        f"the card gives {card} MB/s, the ciphers take {_rates(ciphers)} "
        "MB/s; inside write "
        + ", ".join(f"{m.upper()} {human.significant(rate)}" for m, rate in rates.items()),
        "The model contradicts it: a core that takes more than the card gives empties every "
        "buffer before the next is filled, so that no write waits and all modes are alike. "
        "450 and 500 must differ for another reason, or within what was measured.",
        "if the card is read faster than the iterative core encrypts",
        (card, ciphers["ecb"], ciphers["cbc"]),
        _printed("result.zedboard.throughput.sink.hardware"),
    )


def _embedded_bus_bound(view: ThesisView) -> Conclusion:
    seen, bus = _memory(view, BOARD, "ctr"), _bus(view, BOARD)
    core = view.platform(BOARD).core_of("ctr")
    cycles = core.word_cycles if core else 0
    most = 16 * (core.clock_mhz if core else 0.0) / bus.value
    return Conclusion(
        "of CTR on the embedded platform the AXI4 bus is the bottleneck",
        "section 5.1.5",
        seen.value >= (1 - NEAR) * bus.value,
        f"CTR {seen} of the bus's {bus} MB/s, from memory to the sink",
        f"The model contradicts it. Its wrapper handles a block's words in {cycles} cycles, fitted "
        "to the 500 MB/s of CTR over PCIe (section 9.2.1), and the thesis has the same wrapper on "
        f"both boards. The bus is the limit of a wrapper that needs {most:.1f} cycles or fewer: "
        "one that reads and writes words at the same time. Such a wrapper would follow the PCIe "
        "bus beyond the printed 500 MB/s, unless that bus is the one of section 8.2.1. No figure "
        "that the thesis prints of the embedded platform decides it: they are copies, or 130 "
        "MB/s (section 9.1.3), less than either.",
        f"if CTR reaches {100 * (1 - NEAR):g}% of the bus's own rate, from memory to the sink",
        (seen, bus),
        _printed("bench.zedboard.bus_mb_s", "bench.zedboard.ctr_ideal_mb_s"),
    )
