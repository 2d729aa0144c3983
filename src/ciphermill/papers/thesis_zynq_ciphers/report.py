# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The thesis on Zynq ciphers beside ours: figure by figure, and which of them went in."""

from __future__ import annotations

from collections.abc import Iterator

from ciphermill.design import Direction, Measurement
from ciphermill.design.operations import streamed_operations
from ciphermill.evaluate.stream.series import IMPLEMENTATIONS
from ciphermill.papers.paper import PaperPlot, PaperReport, as_printed
from ciphermill.papers.thesis_zynq_ciphers.conclusions import CONCLUSIONS
from ciphermill.papers.thesis_zynq_ciphers.misprints import misprints
from ciphermill.papers.thesis_zynq_ciphers.published import TEXTS, ThesisPaper, ends
from ciphermill.papers.thesis_zynq_ciphers.sections import modes, sections
from ciphermill.papers.thesis_zynq_ciphers.stored import ThesisResults, decided
from ciphermill.papers.thesis_zynq_ciphers.view import ThesisView
from ciphermill.report import plots
from ciphermill.report.section import Section, cells
from ciphermill.report.stream_plots import stream_plot


def thesis_report(paper: ThesisPaper, results: ThesisResults) -> PaperReport:
    """Put our results beside the thesis's figures."""
    view = ThesisView(paper, results)
    known = [one.workload for one in decided(results)]
    tables = tuple(sections(view))
    concluded = tuple(CONCLUSIONS(view, TEXTS))
    # What decides figures is known once the conclusions have asked for it.
    deciding = tuple(decided(results))
    return PaperReport(
        paper.paper,
        tables,
        concluded,
        tuple(misprints(view)),
        (*results.measurements, *deciding, *published(paper)),
        _key(view),
        lambda: _plots(view),
        tuple(one for one in deciding if one.workload not in known),
    )


def _key(view: ThesisView) -> Section:
    """Its main test: a file through the throughput application, encrypting."""
    rows = [
        cells(
            name,
            point.implementation,
            modes(point.operations),
            point.published,
            point.inside_write,
            point.end_to_end,
        )
        for name in view.paper.platforms
        for point in view.points()
        if point.printed is view.paper.of(name, "throughput", "file")
        and any(one.verb == "encrypt" for one in point.operations)
    ]
    return TEXTS.table("key", rows)


def _plots(view: ThesisView) -> Iterator[PaperPlot]:
    for name, one in view.results.platforms.items():
        for what, said in (("inside-write", "as the thesis timed it"), ("end-to-end", "as waited")):
            wide, narrow = (
                stream_plot(one.streams, "encrypt", what, colours=plots.PAGE, narrow=narrow)
                for narrow in (False, True)
            )
            yield PaperPlot(
                f"{name}, encrypting: {what.replace('-', ' ')} ({said})",
                wide,
                narrow,
                TEXTS.say["curves"],
            )


def published(paper: ThesisPaper) -> list[Measurement]:
    """Return the thesis's throughputs as measurements; they are time inside write.

    Where a range is printed, each of its ends is a measurement.
    """
    found = []
    for one in paper.result:
        for implementation in IMPLEMENTATIONS:
            for operation in streamed_operations(paper.cipher):
                direction = Direction(operation.verb)
                printed = one.printed(implementation, operation.mode, direction)
                name = one.figure(implementation, operation.mode, direction)
                if printed is None or name is None:
                    continue
                rates = ends(printed)
                for number, rate in enumerate(rates):
                    place = f"{name}.{number}" if len(rates) > 1 else name
                    row = as_printed(
                        paper.paper,
                        [place],
                        algorithm=paper.algorithm,
                        key_bits=paper.key_bits,
                        mode=operation.mode,
                        operation=operation.verb,
                        platform=one.platform,
                        device=implementation,
                        application=one.application,
                        destination=one.destination,
                        throughput_inside_write_mb_s=rate,
                    )
                    found.append(row)
    return found
