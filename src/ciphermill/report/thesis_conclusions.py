# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The conclusions of the thesis on Zynq ciphers, each checked against the simulated systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ciphermill.campaign.thesis_paper import MODES, OWN_ARM
from ciphermill.design.streaming_platform import StreamMode
from ciphermill.report import format as human
from ciphermill.report.paper import Conclusion
from ciphermill.report.thesis import ThesisView
from ciphermill.report.thesis_misprints import behind

CONSIDERABLE = 2.0
"""A speedup from which hardware is considered to pay."""
NEAR = 0.1
"""Two rates are alike when they differ by no more than this part."""
BOARD, CARD = "zedboard", "zc706"


def conclusions(view: ThesisView) -> Iterator[Conclusion]:
    """Yield every conclusion of the thesis, in its order."""
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


def _rates(values: Mapping[StreamMode, float]) -> str:
    return ", ".join(f"{mode.upper()} {human.significant(rate)}" for mode, rate in values.items())


def _speedups(
    view: ThesisView, platform: str, base: str, *, inside: bool
) -> Mapping[StreamMode, float]:
    rate = view.inside if inside else view.end_to_end
    where = (platform, "throughput", "file")
    return {m: rate(*where, "hardware", m) / rate(*where, base, m) for m in MODES}


def _embedded(view: ThesisView) -> Conclusion:
    inside = _speedups(view, BOARD, "software", inside=True)
    real = _speedups(view, BOARD, "software", inside=False)
    return Conclusion(
        "on the embedded platform hardware improves files considerably, by 20 to 30 times",
        "abstract; sections 9.1.1 and 10",
        min(real.values()) >= CONSIDERABLE,
        f"inside write {_rates(inside)} times; end to end {_rates(real)} times",
        "The factor is that of a copy into DMA buffers over a cipher, both of them inputs. Who "
        "waits for the file waits for the card to be read, whichever way it is encrypted; the "
        "card's writing, left out here, makes it less.",
    )


def _embedded_memory(view: ThesisView) -> Conclusion:
    software = view.results.platforms[BOARD].software_to_sink_mb_s
    gains = {m: view.cipher(BOARD, m).memory_to_sink_mb_s / software[m] for m in MODES}
    return Conclusion(
        "the embedded platform's hardware ciphers are faster than its software",
        "sections 9.1 and 10",
        all(gain > 1 for gain in gains.values()),
        f"from memory to the sink, both end to end: {_rates(gains)} times",
        "Considerably so for CTR only. An iterative core of 73 clocks at 100 MHz is hardly faster "
        "than OpenSSL on a Cortex-A9 at 666 MHz: what it frees is the processor.",
    )


def _hidden(view: ThesisView) -> Conclusion:
    rates = {m: view.inside(BOARD, "throughput", "file", "hardware", m) for m in MODES}
    return Conclusion(
        "DMA and a slow card hide the cipher: ECB and CBC take as long as CTR",
        "section 9.1.1",
        max(rates.values()) / min(rates.values()) - 1 <= NEAR,
        f"{_rates(rates)} MB/s inside write",
        "It follows from what went in: at 11 MB/s from the card (published) no buffer is ever "
        "full, and what is timed is the copy, which was fitted to this very figure.",
    )


def _software_decides(view: ThesisView) -> Conclusion:
    gains = _speedups(view, BOARD, "software", inside=True)
    return Conclusion(
        "ECB and CBC gain more than CTR, because their software is slower",
        "sections 9.1.1, 9.1.2 and 9.1.4",
        min(gains["ecb"], gains["cbc"]) > gains["ctr"],
        f"{_rates(gains)} times inside write",
        "It follows from what went in: all three divide the same copy, which was fitted, by "
        "software at its published rates.",
    )


def _span(view: ThesisView) -> str:
    """What the sizes of update that were swept give, the least and the most."""
    rates = [r for one in view.results.platforms[BOARD].updates for r in one.inside_write_mb_s]
    return f"{human.significant(min(rates))} to {human.significant(max(rates))}"


def _sequential(view: ThesisView) -> Conclusion:
    rates = {a: view.inside(BOARD, a, "file", "hardware", "ctr") for a in ("throughput", "openssl")}
    real = {a: view.cipher(BOARD, "ctr").memory_to_memory_mb_s for a in ("throughput",)}
    return Conclusion(
        "OpenSSL's sequential calls cost most of the throughput: 130 of 400 MB/s in CTR",
        "section 9.1.3",
        rates["openssl"] < 0.5 * rates["throughput"],
        f"CTR inside write {human.significant(rates['throughput'])} and "
        f"{human.significant(rates['openssl'])} MB/s; overlapped from memory to memory it is "
        f"{human.significant(real['throughput'])}",
        "The one is a copy, the other the whole way there and back, so most of the difference is "
        "in what was timed; what the calls lose is the difference to the last figure. Both of "
        "the thesis's went in: the second hangs on the size of an update, which it does not say, "
        f"and is {_span(view)} MB/s for all that were swept. Larger updates, overlapped inside "
        "the call, take it back.",
    )


def _sink(view: ThesisView) -> Conclusion:
    rates = [
        view.inside(BOARD, a, "sink", "hardware", m)
        for a in ("throughput", "openssl")
        for m in MODES
    ]
    return Conclusion(
        "into a hardware sink both applications are alike: nothing is waited for",
        "sections 9.1 and 9.1.4",
        max(rates) / min(rates) - 1 <= NEAR,
        f"{human.significant(min(rates))} to {human.significant(max(rates))} MB/s inside write",
        "It follows from what went in: a copy at the rate that was fitted to the printed bus, "
        "behind a card that is slower than every cipher.",
    )


def _workstation(view: ThesisView) -> Conclusion:
    plain = _speedups(view, CARD, "software", inside=False)
    plus = _speedups(view, CARD, "software+", inside=False)
    return Conclusion(
        "on the workstation hardware does not pay, least against AES instructions",
        "abstract; sections 9.2 and 10",
        max(plain.values()) < CONSIDERABLE and max(plus.values()) < 1,
        f"end to end over software {_rates(plain)} times, over software+ {_rates(plus)} times",
        "A bus of some 600 MB/s (fitted), and a core of 22, stand against a processor of 3,250.",
    )


def _core_bound(view: ThesisView) -> Conclusion:
    one = view.cipher(CARD, "ecb")
    seen = view.end_to_end(CARD, "throughput", "file", "hardware", "ecb")
    return Conclusion(
        "of ECB and CBC on the workstation the iterative core is the bottleneck",
        "section 9.2.1",
        seen >= (1 - NEAR) * one.ideal_mb_s,
        f"{human.significant(seen)} MB/s end to end of {human.significant(one.ideal_mb_s)} that "
        "its clocks give",
        "The comparison that the thesis makes is with 35 MB/s, which its clocks do not give.",
    )


def _bus_bound(view: ThesisView) -> Conclusion:
    seen = view.cipher(CARD, "ctr").memory_to_sink_mb_s
    ours = view.cipher(CARD, "ctr", ours=True).memory_to_sink_mb_s
    bus = view.results.platforms[CARD].bus
    return Conclusion(
        "of CTR on the workstation the PCIe bus is the bottleneck",
        "section 9.2.1",
        None,
        f"its core {human.significant(seen)}, ours {human.significant(ours)}, the bus "
        f"{human.significant(bus.end_to_end_mb_s)} MB/s, from memory to the sink",
        "What goes in decides it, and the thesis contradicts itself there. By section 8.2.1 (600 "
        "MB/s inside write) its CTR, 500 to 580, is as fast as its bus, and it holds. By section "
        "9.2.2 (1000) the bus is faster, and its core must be slower than a block a clock: so "
        "it is fitted here, by ten clocks for a block's 32-bit words, and the bus of "
        f"{human.significant(bus.wires_mb_s)} shows {human.significant(bus.inside_write_mb_s)} "
        "inside write.",
    )


def _sink_of_software(view: ThesisView) -> Conclusion:
    rates = {d: view.inside(CARD, "throughput", d, "software+", "ecb") for d in ("file", "sink")}
    return Conclusion(
        "the way to the sink costs software+ most of its rate: the bus becomes its bottleneck",
        "sections 9.2.2 and 9.2.4",
        rates["sink"] < 0.5 * rates["file"],
        f"{human.significant(rates['file'])} and {human.significant(rates['sink'])} MB/s",
        "It follows from what went in: software at its published rate, and a bus that was fitted "
        "to this drop.",
    )


def _pipelined_ecb(view: ThesisView) -> Conclusion:
    rates = {
        p: {m: view.cipher(p, m, ours=True).memory_to_sink_mb_s for m in MODES}
        for p in view.paper.platforms
    }
    return Conclusion(
        "a fully pipelined ECB would be comparable to CTR",
        "chapter 10 (future work)",
        all(abs(one["ecb"] / one["ctr"] - 1) <= NEAR for one in rates.values()),
        "; ".join(f"{p}: {_rates(one)} MB/s from memory to the sink" for p, one in rates.items()),
        "So are ECB and CBC decryption. CBC encryption waits for each block; several streams at "
        "once would share the pipeline.",
    )


def _larger_buffers(view: ThesisView) -> Conclusion:
    spans, costs = {}, []
    for name in view.paper.platforms:
        one = view.results.platforms[name]
        platform = one.campaign.platform
        rates = {point.kib_each: point.end_to_end_mb_s for point in one.buffer_sizes}
        spans[name] = max(rates.values()) / rates[platform.dma_buffers.kib_each]
        costs.append(f"{platform.bus.buffer_us:g} us on {name}")
    return Conclusion(
        "larger DMA buffers would improve the effective throughput of the buses",
        "chapter 10 (future work)",
        any(span > 1 + NEAR for span in spans.values()),
        "the bus alone, from the buffers as they are to larger ones: "
        + ", ".join(f"{p} {100 * (span - 1):+.1f}%" for p, span in spans.items()),
        f"It hangs on what handing over a buffer takes, which is assumed: {', '.join(costs)}. "
        "More buffers of the same size only swallow more before the writer is made to wait.",
    )


def _own_processor(view: ThesisView) -> Conclusion:
    arm = next(c for c in view.results.own_arm if str(c.operation) == "CTR encrypt")
    card = view.cipher(CARD, "ctr", ours=True)
    printed = view.paper.bench_of(CARD)
    other = behind(printed.bus_mb_s, printed.storage_mb_s)
    return Conclusion(
        "the ZC706 with its own ARM cores as host, and more of the FPGA, may improve performance",
        "chapter 10 (future work)",
        None,
        f"{OWN_ARM} {human.significant(arm.memory_to_sink_mb_s)}, over PCIe "
        f"{human.significant(card.memory_to_sink_mb_s)} MB/s, CTR from memory to the sink",
        "What went in decides it: the one is a copy by its processor, fitted on the Zedboard, the "
        f"other the bus, fitted to section 9.2.2; by section 8.2.1 the bus does {other:.0f}. Its "
        "own software it outruns by far.",
    )


def _without_files(view: ThesisView) -> Conclusion:
    pairs = {
        p: (
            view.inside(p, "throughput", "sink", "hardware", "ecb"),
            view.cipher(p, "ecb").memory_to_sink_mb_s,
        )
        for p in view.paper.platforms
    }
    return Conclusion(
        "file input and output affect the times that were taken, and should be removed",
        "chapter 10 (future work)",
        any(abs(inside / alone - 1) > NEAR for inside, alone in pairs.values()),
        "; ".join(
            f"{p}: ECB {human.significant(inside)} MB/s as taken, {human.significant(alone)} "
            "without files"
            for p, (inside, alone) in pairs.items()
        ),
        "Decisive where the card is slower than the cipher; of no account where it is faster.",
    )
