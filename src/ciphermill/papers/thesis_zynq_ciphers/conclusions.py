# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The conclusions of the thesis on Zynq ciphers, each checked against the simulated systems.

Each names the printed figures that the thesis draws it from (``own`` in ``report.toml``), the
figures of ours that the check looks at, and, with these, the inputs that decide them. The verdict
is computed from all three (``papers.paper.Conclusion.verdict``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ciphermill.design.streaming_platform import Input, StreamMode
from ciphermill.evaluate.stream.bench import CipherBench
from ciphermill.papers.paper import Evidence
from ciphermill.papers.texts import Finding, Judges, each, found
from ciphermill.papers.thesis_zynq_ciphers.experiment import MODES, OWN_ARM
from ciphermill.papers.thesis_zynq_ciphers.misprints import behind
from ciphermill.papers.thesis_zynq_ciphers.view import ThesisView

BOARD, CARD = "zedboard", "zc706"
MB_S = "MB/s"
Rates = Mapping[StreamMode, Evidence]


def _stream(view: ThesisView, platform: str, *names: str, inside: bool = False) -> Evidence:
    """The throughput at 1 GiB of a series, by its names as in ``ThesisView.series``."""
    rate, what = (view.inside, "inside write") if inside else (view.end_to_end, "end to end")
    *where, mode = names
    return Evidence(
        f"{platform}, {', '.join(where)}, {mode.upper()} encrypt, {what}",
        rate(platform, *names),
        MB_S,
        view.deciding(platform).of_stream(view.series(*names), inside=inside),
    )


def _inside(view: ThesisView, platform: str, *names: str) -> Evidence:
    return _stream(view, platform, *names, inside=True)


def _memory(view: ThesisView, platform: str, mode: str, *, ours: bool = False) -> Evidence:
    """A cipher's rate from memory to the sink."""
    return _from_memory(view, platform, view.cipher(platform, mode, ours=ours), ours=ours)


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


def _listed(values: Mapping[StreamMode, Evidence | float]) -> str:
    return each("{0} {1}", {mode.upper(): value for mode, value in values.items()})


def _values(evidence: Iterable[Evidence]) -> list[float]:
    return [one.value for one in evidence]


def _apart(evidence: Iterable[Evidence]) -> float:
    """By what part the largest is larger than the least."""
    values = _values(evidence)
    return max(values) / min(values) - 1


def _speedups(view: ThesisView, platform: str, base: str, *, inside: bool = False) -> Rates:
    where = (view, platform, "throughput", "file")
    return {
        mode: _over(
            _stream(*where, "hardware", mode, inside=inside),
            _stream(*where, base, mode, inside=inside),
        )
        for mode in MODES
    }


def _embedded(view: ThesisView, limit: float) -> Finding:
    inside = _speedups(view, BOARD, "software", inside=True)
    real = _speedups(view, BOARD, "software")
    least = min(_values(real.values()))
    return found(least >= limit, real.values(), inside=_listed(inside), real=_listed(real))


def _embedded_memory(view: ThesisView, limit: float) -> Finding:
    software = view.results.platforms[BOARD].software_to_sink_mb_s
    gains = {}
    for mode in MODES:
        series = view.series("throughput", "sink", "software", mode)
        plain = Evidence(
            f"{BOARD}, software, {mode.upper()} encrypt, from memory to the sink",
            software[mode],
            MB_S,
            view.deciding(BOARD).from_memory(series),
        )
        gains[mode] = _over(_memory(view, BOARD, mode), plain)
    return found(min(_values(gains.values())) > limit, gains.values(), gains=_listed(gains))


def _hidden(view: ThesisView, limit: float) -> Finding:
    rates = {m: _inside(view, BOARD, "throughput", "file", "hardware", m) for m in MODES}
    return found(_apart(rates.values()) <= limit, rates.values(), rates=_listed(rates))


def _software_decides(view: ThesisView, _: float) -> Finding:
    gains = _speedups(view, BOARD, "software", inside=True)
    holds = min(gains["ecb"].value, gains["cbc"].value) > gains["ctr"].value
    return found(holds, gains.values(), gains=_listed(gains))


def _sequential(view: ThesisView, limit: float) -> Finding:
    rates = {
        application: _inside(view, BOARD, application, "file", "hardware", "ctr")
        for application in ("throughput", "openssl")
    }
    swept = [r for one in view.results.platforms[BOARD].updates.values() for r in one]
    return found(
        rates["openssl"].value < limit * rates["throughput"].value,
        rates.values(),
        overlapped=view.cipher(BOARD, "ctr").memory_to_memory_mb_s,
        least=min(swept),
        most=max(swept),
        rates=rates,
    )


def _sink(view: ThesisView, limit: float) -> Finding:
    rates = [
        _inside(view, BOARD, application, "sink", "hardware", mode)
        for application in ("throughput", "openssl")
        for mode in MODES
    ]
    values = _values(rates)
    return found(_apart(rates) <= limit, rates, least=min(values), most=max(values))


def _workstation(view: ThesisView, limit: float) -> Finding:
    plain, plus = (_speedups(view, CARD, base) for base in ("software", "software+"))
    return found(
        max(_values(plain.values())) < limit and max(_values(plus.values())) < 1,
        (*plain.values(), *plus.values()),
        plain=_listed(plain),
        plus=_listed(plus),
    )


def _core_bound(view: ThesisView, limit: float) -> Finding:
    ideal = view.cipher(CARD, "ecb").ideal_mb_s
    seen = _stream(view, CARD, "throughput", "file", "hardware", "ecb")
    return found(seen.value >= limit * ideal, [seen], seen=seen, ideal=ideal)


def _bus_bound(view: ThesisView, limit: float) -> Finding:
    seen, bus = _memory(view, CARD, "ctr"), _bus(view, CARD)
    return found(
        seen.value >= limit * bus.value,
        [seen, bus],
        seen=seen,
        bus=bus,
        ours=view.cipher(CARD, "ctr", ours=True).memory_to_sink_mb_s,
        timed=view.results.platforms[CARD].bus,
    )


def _sink_of_software(view: ThesisView, limit: float) -> Finding:
    rates = {d: _inside(view, CARD, "throughput", d, "software+", "ecb") for d in ("file", "sink")}
    return found(rates["sink"].value < limit * rates["file"].value, rates.values(), rates=rates)


def _pipelined_ecb(view: ThesisView, limit: float) -> Finding:
    rates = {p: {m: _memory(view, p, m, ours=True) for m in MODES} for p in view.paper.platforms}
    listed = {platform: _listed(one) for platform, one in rates.items()}
    return found(
        all(abs(one["ecb"].value / one["ctr"].value - 1) <= limit for one in rates.values()),
        [one[mode] for one in rates.values() for mode in ("ecb", "ctr")],
        rates=each("{0}: {1} MB/s from memory to the sink", listed, "; "),
    )


def _larger_buffers(view: ThesisView, limit: float) -> Finding:
    gains, costs = {}, {}
    for name in view.paper.platforms:
        one = view.results.platforms[name]
        now = one.platform.dma_buffers.kib_each
        rates = one.buffer_sizes
        sizes = (now, *(kib for kib in rates if kib > now))
        gains[name] = Evidence(
            f"{name}, the bus alone, gain of larger DMA buffers",
            max(rates.values()) / rates[now] - 1,
            "",
            view.deciding(name).of_buffer_sizes(sizes[:1] + sizes[-1:]),
        )
        costs[name] = one.platform.bus.buffer_us
    return found(
        any(gain.value > limit for gain in gains.values()),
        gains.values(),
        gains=each("{0} {1:+.1%}", gains),
        costs=each("{1:g} us on {0}", costs),
    )


def _own_processor(view: ThesisView, _: float) -> Finding:
    bench = next(c for c in view.results.own_arm if str(c.operation) == "CTR encrypt")
    arm = _from_memory(view, OWN_ARM, bench, ours=True)
    card = _memory(view, CARD, "ctr", ours=True)
    printed = view.paper.bench_of(CARD)
    other = behind(printed.bus_mb_s, printed.storage_mb_s)
    return found(arm.value > card.value, [arm, card], host=OWN_ARM, arm=arm, card=card, other=other)


def _without_files(view: ThesisView, limit: float) -> Finding:
    rows = [
        (p, _inside(view, p, "throughput", "sink", "hardware", "ecb"), _memory(view, p, "ecb"))
        for p in view.paper.platforms
    ]
    return found(
        any(abs(inside.value / alone.value - 1) > limit for _, inside, alone in rows),
        [one for _, *pair in rows for one in pair],
        rates=each("{0}: ECB {1} MB/s as taken, {2} without files", rows, "; "),
    )


def _back_pressure(view: ThesisView, _: float) -> Finding:
    platform = view.platform(BOARD)
    card = Evidence(
        f"{BOARD}, reading the card",
        platform.storage.read_mb_s,
        MB_S,
        (platform.input("storage.read_mb_s"),),
    )
    ciphers = {mode: _memory(view, BOARD, mode) for mode in MODES}
    slow = [ciphers["ecb"], ciphers["cbc"]]
    rates = {m: view.inside(BOARD, "throughput", "sink", "hardware", m) for m in MODES}
    return found(
        card.value > min(_values(slow)),
        [card, *slow],
        card=card,
        ciphers=_listed(ciphers),
        rates=_listed(rates),
    )


def _embedded_bus_bound(view: ThesisView, limit: float) -> Finding:
    seen, bus = _memory(view, BOARD, "ctr"), _bus(view, BOARD)
    core = view.platform(BOARD).core_of("ctr")
    return found(
        seen.value >= limit * bus.value,
        [seen, bus],
        seen=seen,
        bus=bus,
        cycles=core.word_cycles if core else 0,
        most=16 * (core.clock_mhz if core else 0.0) / bus.value,
    )


CONCLUSIONS = Judges(
    (
        *(_embedded, _embedded_memory, _hidden, _software_decides, _sequential, _sink),
        *(_workstation, _core_bound, _bus_bound, _sink_of_software),
        *(_pipelined_ecb, _larger_buffers, _own_processor, _without_files),
        *(_back_pressure, _embedded_bus_bound),
    )
)
"""Every conclusion of the thesis: results in its order, then its future work."""
