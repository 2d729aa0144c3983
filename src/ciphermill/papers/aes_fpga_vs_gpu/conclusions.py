# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The paper's conclusions on its FPGA and on GPUs, each checked with our figures."""

from __future__ import annotations

from ciphermill.papers.aes_fpga_vs_gpu.experiment import CLOCKS_MHZ, OURS, PAPER
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


def _fastest(view: FpgaView, _: float) -> Finding | str:
    others = [mbit_s(view.board(PAPER, transfers=True)), *map(mbit_s, view.processors)]
    known = [rate for rate in others if rate]
    gpus = [rate for gpu in view.gpus if (rate := mbit_s(gpu))]
    if not gpus or not known:
        return TEXTS.sentence("no_gpu")
    gain = max(gpus) / max(known)
    return found(gain > 1, {"GPU over the best of board and processors": gain}, gain=gain)


def _processors(_: FpgaView, __: float) -> str:
    return TEXTS.sentence("no_clock")


def _transfers(view: FpgaView, limit: float) -> Finding | str:
    alone, whole = mbit_s(view.board(PAPER)), mbit_s(view.board(PAPER, transfers=True))
    if not alone or not whole:
        return TEXTS.sentence("not_simulated")
    loss = alone / whole
    what = "rate without transfers over that with them"
    evidence = (Evidence(what, loss, inputs=view.link_inputs),)
    theirs = view.paper.fpga.total_throughput_mbit_s / view.paper.rate("FPGA").mbit_s
    return found(loss >= limit, evidence, loss=loss, theirs=theirs)


def _light_transfers(view: FpgaView, limit: float) -> Finding | str:
    losses = [
        alone / rate
        for gpu in view.gpus
        if (alone := view.processing_mbit_s(gpu)) and (rate := mbit_s(gpu))
    ]
    if not losses:
        return TEXTS.sentence("no_gpu")
    loss = max(losses)
    return found(
        loss <= limit, {"GPU's rate without transfers over that with them": loss}, loss=loss
    )


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


def _energy(_: FpgaView, __: float) -> str:
    return TEXTS.sentence("no_energy")


def _portable(view: FpgaView, _: float) -> Finding | str:
    seen = [one for one in view.devices if (one.device or "").startswith("opencl")]
    if len(seen) < 2:
        return TEXTS.sentence("no_opencl")
    right = sum(one.correct is True for one in seen)
    return found(
        right == len(seen),
        {"OpenCL devices with the right output": right},
        right=right,
        of=len(seen),
    )


def _same_fpga(view: FpgaView, _: float) -> Finding | str:
    ours = mbit_s(view.cores(1))
    theirs = next(one for one in view.paper.related_fpga if "same FPGA" in one.work)
    if not ours:
        return TEXTS.sentence("not_simulated")
    gain = ours / (1000 * theirs.gbit_s)
    return found(gain > 1, {"one core over the published one": gain}, gain=gain, ours=ours)


def _fewer_cycles(view: FpgaView, _: float) -> Finding | str:
    slices, ours = view.slices(PAPER), view.slices(OURS)
    rates = [mbit_s(view.board(design)) for design in (OURS, PAPER)]
    if not rates[0] or not rates[1]:
        return TEXTS.sentence("not_simulated")
    if not slices or not ours:
        return TEXTS.sentence("no_area")
    gain, area = rates[0] / rates[1], ours / slices
    evidence = {"rate over that of 33 cycles a block": gain, "slices over those": area}
    return found(gain > 1 and area < 1, evidence, gain=gain, area=area)


def _scales(view: FpgaView, limit: float) -> Finding | str:
    rates = [
        rate / mhz for mhz in CLOCKS_MHZ if (seen := view.at_clock(mhz)) and (rate := mbit_s(seen))
    ]
    if len(rates) < len(CLOCKS_MHZ):
        return TEXTS.sentence("not_simulated")
    share = min(rates) / max(rates)
    evidence = {"lowest over highest rate a MHz": share}
    return found(share >= limit, evidence, share=share, least=CLOCKS_MHZ[0], most=CLOCKS_MHZ[-1])


def _threads(_: FpgaView, __: float) -> str:
    return TEXTS.sentence("no_sweep")


def _cuda(view: FpgaView, _: float) -> Finding | str:
    gains = [
        mine / theirs
        for one in view.gpus
        for other in view.devices
        if (other.device or "").startswith("opencl") and one.clock_mhz == other.clock_mhz
        if (mine := mbit_s(one)) and (theirs := mbit_s(other))
    ]
    if not gains:
        return TEXTS.sentence("no_pair")
    return found(gains[0] > 1, {"CUDA over OpenCL": gains[0]}, gain=gains[0])


def _comparable(view: FpgaView, limit: float) -> Finding | str:
    ours = mbit_s(view.board(PAPER))
    rates = [view.processing_mbit_s(gpu) or mbit_s(gpu) for gpu in view.gpus]
    known = [rate for rate in rates if rate]
    if not known or not ours:
        return TEXTS.sentence("no_gpu")
    gain = max(known) / ours
    return found(1 / limit <= gain <= limit, {"GPU over FPGA, without transfers": gain}, gain=gain)


def _preferable(view: FpgaView, _: float) -> Finding | str:
    ours = mbit_s(view.board(PAPER, transfers=True))
    rates = [rate for gpu in view.gpus if (rate := mbit_s(gpu))]
    if not rates or not ours:
        return TEXTS.sentence("no_gpu")
    gain = max(rates) / ours
    return found(gain > 1, {"GPU over FPGA, transfers included": gain}, gain=gain)


def _consumer(_: FpgaView, __: float) -> str:
    return TEXTS.sentence("no_figure")


CONCLUSIONS: Judges[FpgaView] = Judges(
    (
        _parallel,
        _rate,
        _overlap,
        _fastest,
        _processors,
        _transfers,
        _light_transfers,
        _per_clock,
        _energy,
        _portable,
        _same_fpga,
        _fewer_cycles,
        _scales,
        _threads,
        _cuda,
        _comparable,
        _preferable,
        _consumer,
    )
)
