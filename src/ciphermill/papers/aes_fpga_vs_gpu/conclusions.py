# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The paper's conclusions on its FPGA and on GPUs, each checked with our figures."""

from __future__ import annotations

from ciphermill.papers.aes_fpga_vs_gpu.experiment import PAPER
from ciphermill.papers.aes_fpga_vs_gpu.published import TEXTS
from ciphermill.papers.aes_fpga_vs_gpu.view import BLOCK_BITS, FpgaView, mbit_s
from ciphermill.papers.paper import Evidence
from ciphermill.papers.texts import Finding, Judges, found


def _parallel(view: FpgaView, limit: float) -> Finding | str:
    count = view.paper.fpga.cores
    one, all_ = mbit_s(view.cores(1)), mbit_s(view.cores(count))
    if not one or not all_:
        return TEXTS.sentence("not_simulated")
    gain = all_ / one
    return found(gain >= limit * count, {f"{count} cores over one": gain}, gain=gain, cores=count)


def _rate(view: FpgaView, limit: float) -> Finding | str:
    fpga = view.paper.fpga
    ours, theirs = mbit_s(view.board(PAPER)), fpga.total_throughput_mbit_s
    if not ours:
        return TEXTS.sentence("not_simulated")
    return found(
        abs(ours / theirs - 1) <= limit,
        {"of our FPGA with its parameters": ours},
        "Mbit/s",
        ours=ours,
        theirs=theirs,
        cycles=fpga.cores * BLOCK_BITS * fpga.core_clock_mhz / theirs,
    )


def _overlap(view: FpgaView, limit: float) -> Finding | str:
    seen = view.board(PAPER)
    ours = mbit_s(seen)
    if seen is None or not ours:
        return TEXTS.sentence("not_simulated")
    memory = view.memory_mbit_s(seen)
    share = ours / memory
    return found(
        share >= limit, {"share of the memory's rate": share}, share=share, memory=memory, ours=ours
    )


def _transfers(view: FpgaView, limit: float) -> Finding | str:
    alone, whole = mbit_s(view.board(PAPER)), mbit_s(view.board(PAPER, transfers=True))
    if not alone or not whole:
        return TEXTS.sentence("not_simulated")
    loss = alone / whole
    what = "rate without transfers over that with them"
    evidence = (Evidence(what, loss, inputs=view.link_inputs),)
    theirs = view.paper.fpga.total_throughput_mbit_s / view.paper.rate("FPGA").mbit_s
    return found(loss >= limit, evidence, loss=loss, theirs=theirs)


def _per_clock(view: FpgaView, limit: float) -> Finding | str:
    seen, ours = view.board(PAPER), mbit_s(view.board(PAPER))
    gpus = {
        gpu.device: rate / gpu.clock_mhz
        for gpu in view.gpus
        if (rate := mbit_s(gpu)) and gpu.clock_mhz
    }
    if not gpus or seen is None or not ours or not seen.clock_mhz:
        return TEXTS.sentence("no_gpu")
    gain = ours / seen.clock_mhz / max(gpus.values())
    return found(gain >= limit, {"FPGA over GPU, a MHz": gain}, gain=gain)


def _preferable(view: FpgaView, _: float) -> Finding | str:
    ours = mbit_s(view.board(PAPER, transfers=True))
    rates = [rate for gpu in view.gpus if (rate := mbit_s(gpu))]
    if not rates or not ours:
        return TEXTS.sentence("no_gpu")
    gain = max(rates) / ours
    return found(gain > 1, {"GPU over FPGA, transfers included": gain}, gain=gain)


CONCLUSIONS: Judges[FpgaView] = Judges(
    (_parallel, _rate, _overlap, _transfers, _per_clock, _preferable)
)
