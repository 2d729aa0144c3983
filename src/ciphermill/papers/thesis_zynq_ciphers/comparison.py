# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The thesis's figures beside ours, one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ciphermill.design import Direction, Method
from ciphermill.design.operations import Operation
from ciphermill.design.streaming_platform import Implementation, Input, StreamMode
from ciphermill.evaluate.stream.inputs import bus_parameters, inputs, parameters_of
from ciphermill.papers.compared import Better, Comparison, Figure, Ours, PrintedTable, printed_input
from ciphermill.papers.compared import of_measurement as of
from ciphermill.papers.thesis_zynq_ciphers.experiment import CORE_MODULE, MODES, OUR_CORE
from ciphermill.papers.thesis_zynq_ciphers.published import (
    NAME,
    PrintedRates,
    PublishedBench,
    PublishedStream,
    Summary,
    ThesisPaper,
    load,
)
from ciphermill.papers.thesis_zynq_ciphers.stored import restored
from ciphermill.papers.thesis_zynq_ciphers.view import ThesisView

Shown = Figure[ThesisView]
Side = tuple[Implementation, Direction]
_RATES: dict[str, Side] = {
    "software": ("software", Direction.ENCRYPT),
    "software_decrypt": ("software", Direction.DECRYPT),
    "software_plus": ("software+", Direction.ENCRYPT),
    "software_plus_decrypt": ("software+", Direction.DECRYPT),
    "hardware": ("hardware", Direction.ENCRYPT),
}
"""Fields of a result that are rates."""
_SPEEDUPS: dict[str, tuple[Implementation, Implementation, Direction]] = {
    "speedup": ("hardware", "software", Direction.ENCRYPT),
    "speedup_over_software_plus": ("hardware", "software+", Direction.ENCRYPT),
    "software_plus_speedup": ("software+", "software", Direction.ENCRYPT),
    "software_plus_speedup_decrypt": ("software+", "software", Direction.DECRYPT),
}
"""Fields of a result that are quotients of two rates."""
_ABOUT = (
    "Ours: virtual time on a model of the board, by time inside write, as the thesis timed it. "
    "A model of its own machine: more is no better, so a figure is reproduced or missed."
)

_BUSES = (
    "The workstation's bus was fitted to the 1,000 MB/s of section 9.2.2, which contradicts "
    "the 600 that are printed here: the same bus carries both."
)


def tables(paper: ThesisPaper) -> Sequence[PrintedTable[ThesisView]]:
    """Return the tables, or what the thesis says in place of tables."""
    return (
        *(
            PrintedTable(f"Chapter 8: micro-benchmarks, {one.platform}", tuple(_bench(one)), _ABOUT)
            for one in paper.bench
        ),
        *(
            PrintedTable(
                f"{one.source[0].upper()}{one.source[1:]}: {one.platform}, {one.application} "
                f"application into a {one.destination}",
                tuple(_result(one)),
                _ABOUT,
            )
            for one in paper.result
        ),
        PrintedTable("Section 5.1.6.2: the pipelined core", tuple(_core(paper))),
        PrintedTable("Section 9.1 and chapter 10: the largest of each", tuple(_summary(paper))),
        PrintedTable("Section 9.2: OpenSSL with AES-NI", tuple(_software_plus(paper)), _ABOUT),
    )


def _stream(
    view: ThesisView, printed: PublishedStream, side: Side, mode: StreamMode
) -> tuple[float, tuple[Input, ...], tuple[str, ...]]:
    """Return a rate of ours, its inputs, and the printed figures of the same stream."""
    implementation, direction = side
    operation = Operation(mode, direction)
    names = (printed.application, printed.destination, implementation, mode, direction)
    rate = view.inside(printed.platform, *names)
    platform = view.platform(printed.platform)
    went_in = inputs(platform, parameters_of(platform, view.series(*names)))
    return rate, went_in, tuple(view.alike(printed, implementation, operation))


def _quotient(
    view: ThesisView,
    printed: PublishedStream,
    fast: Implementation,
    slow: Implementation,
    mode: StreamMode,
    direction: Direction = Direction.ENCRYPT,
) -> Ours:
    one, other = (_stream(view, printed, (who, direction), mode) for who in (fast, slow))
    what = f"{fast} over {slow}, both on the model of {printed.platform}"
    return Ours(one[0] / other[0], Method.MODELLED, what, one[1] + other[1], one[2] + other[2])


def _result(printed: PublishedStream) -> Iterator[Shown]:
    for field, side in _RATES.items():
        for mode in _modes(getattr(printed, field)):

            def ours(view: ThesisView, side: Side = side, mode: StreamMode = mode) -> Ours | None:
                rate, went_in, same = _stream(view, printed, side, mode)
                of_ = f"{side[0]} on the model of {printed.platform}"
                return Ours(rate, Method.MODELLED, of_, went_in, same)

            what = f"{side[0]}, {mode.upper()} {side[1]}"
            yield Figure(f"{printed.name}.{field}.{mode}", what, "MB/s", ours=ours)
    for field, (fast, slow, direction) in _SPEEDUPS.items():
        for mode in _modes(getattr(printed, field)):

            def speedup(
                view: ThesisView,
                fast: Implementation = fast,
                slow: Implementation = slow,
                mode: StreamMode = mode,
                direction: Direction = direction,
            ) -> Ours | None:
                return _quotient(view, printed, fast, slow, mode, direction)

            what = f"{fast} over {slow}, {mode.upper()} {direction}"
            yield Figure(f"{printed.name}.{field}.{mode}", what, "x", ours=speedup)


def _modes(rates: PrintedRates | None) -> Sequence[StreamMode]:
    return [mode for mode in MODES if rates and rates.of(mode) is not None]


def _bench(printed: PublishedBench) -> Iterator[Shown]:
    name = printed.platform

    def modelled(
        view: ThesisView, value: float, parameters: Sequence[str], *, arithmetic: bool = False
    ) -> Ours:
        went_in = inputs(view.platform(name), parameters)
        of_ = f"the model of {name}"
        return Ours(value, Method.MODELLED, of_, went_in, arithmetic=arithmetic)

    def bus(view: ThesisView) -> Ours | None:
        rate = view.results.platforms[name].bus.inside_write_mb_s
        return modelled(view, rate, bus_parameters(view.platform(name)))

    def storage(view: ThesisView) -> Ours | None:
        return modelled(view, view.platform(name).storage.read_mb_s, ["storage.read_mb_s"])

    def ideal(mode: StreamMode) -> Callable[[ThesisView], Ours | None]:
        def ours(view: ThesisView) -> Ours | None:
            cipher = view.cipher(name, mode)
            core = view.platform(name).core_of(mode)
            cores = [
                f"cores.{one}.{field}"
                for one, found in view.platform(name).cores.items()
                if found is core
                for field in ("clock_mhz", "cycles_per_block")
            ]
            return modelled(view, cipher.ideal_mb_s, cores, arithmetic=True)

        return ours

    yield Figure(f"bench.{name}.bus_mb_s", "bus", "MB/s", ours=bus)
    yield Figure(f"bench.{name}.storage_mb_s", "storage, reading", "MB/s", ours=storage)
    places = f"bench.{name}.ecb_cbc_ideal_mb_s", f"bench.{name}.ctr_ideal_mb_s"
    yield Figure(places[0], "ECB and CBC, ideal", "MB/s", ours=ideal("ecb"))
    yield Figure(places[1], "CTR, ideal", "MB/s", ours=ideal("ctr"))


def _core(paper: ThesisPaper) -> Iterator[Shown]:
    for field, what, name in (
        ("slice_luts", "slice LUTs", "area_lut"),
        ("slice_registers", "slice registers", "area_ff"),
        ("block_rams", "block RAMs", "area_block_ram"),
    ):

        def area(view: ThesisView, name: str = name) -> Ours | None:
            seen = view.results.core_area
            return of(
                seen, getattr(seen, name) if seen else None, f"{CORE_MODULE}, xc7, synthesised"
            )

        yield Figure(f"pipelined_core.{field}", what, "", Better.LESS, area)

    for field, clock in (("gbit_s", "clock_mhz"), ("nominal_gbit_s", "nominal_clock_mhz")):

        def rate(view: ThesisView, clock: str = clock) -> Ours | None:
            cycles = view.cipher("zedboard", "ctr", ours=True).cycles_per_block
            value = 128 / cycles * getattr(paper.pipelined_core, clock) / 1000
            went_in = (printed_input(NAME, f"pipelined_core.{clock}"),)
            return Ours(value, Method.MODELLED, f"{OUR_CORE} at the same clock", went_in)

        mhz = getattr(paper.pipelined_core, clock)
        what = f"rate at {mhz:g} MHz"
        yield Figure(f"pipelined_core.{field}", what, "Gbit/s", Better.MORE, rate)


def _summary(paper: ThesisPaper) -> Iterator[Shown]:
    for number, one in enumerate(paper.summary):
        what = ", ".join(
            (
                one.platform,
                one.application or "both applications",
                one.destination or "both tests",
                " ".join(one.modes).upper(),
            )
        )
        place = f"summary.{number}"

        def rate(view: ThesisView, one: Summary = one) -> Ours | None:
            hardware: Side = ("hardware", Direction.ENCRYPT)
            found = [_stream(view, at, hardware, mode) for at, mode in _meant(view.paper, one)]
            return _largest(one, found)

        def speedup(view: ThesisView, one: Summary = one) -> Ours | None:
            meant = _meant(view.paper, one)
            quotients = [_quotient(view, at, "hardware", "software", mode) for at, mode in meant]
            return _largest(one, [(q.value, q.inputs, q.same) for q in quotients])

        yield Figure(f"{place}.speedup", f"{what}: speedup", "x", ours=speedup)
        yield Figure(f"{place}.mb_s", f"{what}: rate", "MB/s", ours=rate)


def _meant(paper: ThesisPaper, one: Summary) -> list[tuple[PublishedStream, StreamMode]]:
    """Return the results and modes that a summary is of."""
    return [
        (printed, mode)
        for printed in paper.result
        if printed.platform == one.platform
        and one.application in (None, printed.application)
        and one.destination in (None, printed.destination)
        for mode in one.modes
    ]


def _largest(
    one: Summary, found: Sequence[tuple[float, tuple[Input, ...], tuple[str, ...]]]
) -> Ours:
    """Return the largest of some figures, with the inputs of all."""
    went_in = tuple(dict.fromkeys(one for _, inputs_, _ in found for one in inputs_))
    same = tuple(dict.fromkeys(one for *_, same in found for one in same))
    value = max(rate for rate, *_ in found)
    return Ours(
        value, Method.MODELLED, f"the largest on the model of {one.platform}", went_in, same
    )


def _software_plus(paper: ThesisPaper) -> Iterator[Shown]:
    def over_software(view: ThesisView) -> Ours | None:
        printed = paper.of("zc706", "throughput", "file")
        return _quotient(view, printed, "software+", "software", "ecb")

    yield Figure("software_plus.over_software", "over software, ECB", "x", ours=over_software)
    for mode in _modes(paper.software_plus.over_hardware):

        def over_hardware(view: ThesisView, mode: StreamMode = mode) -> Ours | None:
            printed = paper.of("zc706", "throughput", "file")
            return _quotient(view, printed, "software+", "hardware", mode)

        place = f"software_plus.over_hardware.{mode}"
        yield Figure(place, f"over hardware, {mode.upper()}", "x", ours=over_hardware)


COMPARISON = Comparison(
    lambda: tables(load()),
    lambda stored: ThesisView(load(), restored(stored)),
    load().tolerance.part,
)
