# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The paper's conclusions on its FPGA and on GPUs, each checked with our figures."""

from __future__ import annotations

from collections.abc import Sequence

from ciphermill.design import Measurement
from ciphermill.design.streaming_platform import Input
from ciphermill.papers.aes_fpga_vs_gpu.experiment import CLOCKS_MHZ, OURS, PAPER
from ciphermill.papers.aes_fpga_vs_gpu.published import NAME, TEXTS
from ciphermill.papers.aes_fpga_vs_gpu.view import BLOCK_BITS, FpgaView, mbit_s
from ciphermill.papers.paper import Evidence
from ciphermill.papers.texts import Finding, Judge, Judges, found


def _opinion(name: str, sentence: str) -> Judge[FpgaView]:
    """Return the judge of a conclusion that no figure of a run decides; the sentence says why."""

    def judge(_: FpgaView, __: float) -> str:
        return TEXTS.sentence(sentence)

    judge.__name__ = f"_{name}"
    return judge


def _suitable(view: FpgaView, _: float) -> Finding | str:
    processor = view.fastest(view.processors)
    board, gpu = mbit_s(view.board(PAPER, transfers=True)), view.fastest(view.gpus)
    if not processor:
        return TEXTS.sentence("no_processor")
    if not board:
        return TEXTS.sentence("not_simulated")
    evidence = [
        Evidence("board", board, "Mbit/s", view.link_inputs),
        Evidence("processor", processor, "Mbit/s"),
        *([Evidence("GPU", gpu, "Mbit/s")] if gpu else ()),
    ]
    if board > processor and not gpu:
        return TEXTS.sentence("no_gpu")
    table = view.paper
    return found(
        board > processor and (not gpu or gpu > processor),
        evidence,
        board=board / processor,
        gpu=f"GPU {TEXTS.sentence('factor', gpu / processor)}" if gpu else "no GPU measured",
        theirs=table.rate("FPGA").mbit_s / max(one.mbit_s for one in table.processors),
    )


def _earlier(view: FpgaView, limit: float) -> Finding | str:
    ours, theirs = mbit_s(view.board(PAPER)), view.paper.earlier
    if not ours:
        return TEXTS.sentence("not_simulated")
    gain = ours / (1000 * theirs.gbit_s)
    wanted = view.paper.speedup_over_earlier
    return found(
        gain >= limit * wanted,
        {"our FPGA with its parameters over the published one": gain},
        gain=gain,
        wanted=wanted,
        printed=view.paper.fpga.total_throughput_mbit_s / (1000 * theirs.gbit_s),
    )


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


def _chunk(view: FpgaView, limit: float) -> Finding | str:
    length = view.paper.chunk_mb << 20
    shares = {
        name: rates[length] / max(rates.values())
        for name, rates in view.chunks.items()
        if length in rates and len(rates) > 1
    }
    if not shares:
        return TEXTS.sentence("no_sweep")
    share = min(shares.values())
    evidence = {f"{name}, rate over that of the best chunk": one for name, one in shares.items()}
    best = {max(rates, key=lambda size: rates[size]) for rates in view.chunks.values()}
    listed = ", ".join(str(size >> 20) for size in sorted(best))
    return found(share >= limit, evidence, share=share, best=listed, chunk=view.paper.chunk_mb)


def _fastest(view: FpgaView, _: float) -> Finding | str:
    others = [mbit_s(view.board(PAPER, transfers=True)), *map(mbit_s, view.processors)]
    known = [rate for rate in others if rate]
    gpus = [rate for gpu in view.gpus if (rate := mbit_s(gpu))]
    if not gpus or not known:
        return TEXTS.sentence("no_gpu")
    gain = max(gpus) / max(known)
    return found(gain > 1, {"GPU over the best of board and processors": gain}, gain=gain)


def _processors(view: FpgaView, limit: float) -> Finding | str:
    if not view.processors:
        return TEXTS.sentence("no_processor")
    processors = view.per_mhz(view.processors)
    if not processors:
        return TEXTS.sentence("no_clock")
    board, gpus = view.per_mhz([view.board(PAPER, transfers=True)]), view.per_mhz(view.gpus)
    if not board:
        return TEXTS.sentence("not_simulated")
    most, least = max(processors), min([*board, *gpus])
    evidence = [
        Evidence("board", board[0], "Mbit/s a MHz", view.link_inputs),
        Evidence("best processor", most, "Mbit/s a MHz"),
        *(Evidence("GPU", one, "Mbit/s a MHz") for one in gpus),
    ]
    table = view.paper
    theirs = [
        one.mbit_s_per_mhz / other.mbit_s_per_mhz
        for one in (table.rate("FPGA"), *table.gpus)
        for other in table.processors
    ]
    return found(
        least >= limit * most,
        evidence,
        board=board[0],
        most=most,
        gain=least / most,
        least=min(theirs),
        greatest=max(theirs),
    )


def _alike(view: FpgaView, limit: float) -> Finding | str:
    board, gpus = view.per_mhz([view.board(PAPER, transfers=True)]), view.per_mhz(view.gpus)
    if not gpus or not board:
        return TEXTS.sentence("no_gpu")
    gain = board[0] / max(gpus)
    evidence = (
        Evidence("board", board[0], "Mbit/s a MHz", view.link_inputs),
        Evidence("best GPU", max(gpus), "Mbit/s a MHz"),
    )
    theirs = view.paper.rate("FPGA").mbit_s_per_mhz
    printed = theirs / max(one.mbit_s_per_mhz for one in view.paper.gpus)
    return found(1 / limit <= gain <= limit, evidence, gain=gain, printed=printed)


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
    theirs = sorted(
        bare.mbit_s / one.mbit_s
        for one in view.paper.gpus
        if (bare := view.paper.without(one.platform))
    )
    return found(
        loss <= limit,
        {"GPU's rate without transfers over that with them": loss},
        loss=loss,
        least=theirs[0],
        most=theirs[-1],
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
    wanted = view.paper.speedup_per_clock
    return found(gain >= limit * wanted, {"FPGA over GPU, a MHz": gain}, gain=gain, wanted=wanted)


def _energy_gpu(view: FpgaView, _: float) -> Finding | str:
    if not view.gpus:
        return TEXTS.sentence("no_gpu")
    if not view.processors:
        return TEXTS.sentence("no_processor")
    gpu, processor = (_least_energy(seen) for seen in (view.gpus, view.processors))
    if gpu is None or processor is None:
        return TEXTS.sentence("no_energy", _why_no_energy([*view.gpus, *view.processors]))
    evidence = {"GPU": gpu, "processor": processor}
    return found(gpu < processor, evidence, "pJ a bit", gpu=gpu, processor=processor)


def _least_energy(seen: Sequence[Measurement]) -> float | None:
    known = (one.energy_pj_per_bit for one in seen if one.energy_pj_per_bit)
    return min(known, default=None)


def _why_no_energy(seen: Sequence[Measurement]) -> str:
    """What the measurements say of their energy."""
    notes = dict.fromkeys(note for one in seen for note in one.notes or () if "nergy" in note)
    return " ".join(notes) or TEXTS.sentence("energy_hidden")


def _portable(view: FpgaView, _: float) -> Finding | str:
    right: dict[str, bool] = {}
    for one in view.devices:
        name = (one.device or "").partition(",")[0]
        if name.startswith("opencl"):
            # A device with several settings is one device.
            right[name] = right.get(name, True) and one.correct is True
    if len(right) < 2:
        return TEXTS.sentence("no_opencl")
    count = sum(right.values())
    return found(
        count == len(right),
        {"OpenCL devices with the right output": count},
        right=count,
        of=len(right),
    )


def _port(view: FpgaView, limit: float) -> Finding | str:
    if view.families < limit:
        return TEXTS.sentence("no_area")
    evidence = {"FPGA families to which a core was mapped unchanged": view.families}
    return found(False, evidence, families=view.families)


def _same_fpga(view: FpgaView, _: float) -> Finding | str:
    ours, theirs = mbit_s(view.cores(1)), view.paper.earlier
    if not ours:
        return TEXTS.sentence("not_simulated")
    gain = ours / (1000 * theirs.gbit_s)
    return found(
        gain > 1,
        {"one core over the published one": gain},
        gain=gain,
        ours=ours,
        theirs=1000 * theirs.gbit_s,
        mhz=theirs.clock_mhz,
    )


def _fewer_cycles(view: FpgaView, _: float) -> Finding | str:
    slices, ours = view.slices(PAPER), view.slices(OURS)
    rates = [mbit_s(view.board(design)) for design in (OURS, PAPER)]
    if not rates[0] or not rates[1]:
        return TEXTS.sentence("not_simulated")
    if not slices or not ours:
        return TEXTS.sentence("no_area")
    gain, area = rates[0] / rates[1], ours / slices
    evidence = {"rate over that of the paper's cores": gain, "slices over those": area}
    hoang = next(one for one in view.paper.related_fpga if one.work.startswith("Hoang"))
    return found(
        gain > 1 and area < 1,
        evidence,
        gain=gain,
        area=area,
        cycles=view.paper.fpga.cycles_per_block,
        hoang=hoang,
        own_slices=view.paper.fpga.core_slices,
    )


def _scales(view: FpgaView, limit: float) -> Finding | str:
    rates = [
        rate / mhz for mhz in CLOCKS_MHZ if (seen := view.at_clock(mhz)) and (rate := mbit_s(seen))
    ]
    if len(rates) < len(CLOCKS_MHZ):
        return TEXTS.sentence("not_simulated")
    share = min(rates) / max(rates)
    evidence = {"lowest over highest rate a MHz": share}
    printed = sorted(
        one.gbit_s / one.clock_mhz
        for one in view.paper.related_fpga
        if "pipelined" in one.work and one.clock_mhz
    )
    return found(
        share >= limit,
        evidence,
        share=share,
        least=CLOCKS_MHZ[0],
        most=CLOCKS_MHZ[-1],
        low=printed[0],
        high=printed[-1],
    )


def _threads(view: FpgaView, limit: float) -> Finding | str:
    shares = {
        name: min(rates.values()) / max(rates.values())
        for name, rates in view.swept.items()
        if len(rates) > 1
    }
    if not shares:
        return TEXTS.sentence("no_sweep")
    share = min(shares.values())
    evidence = {f"{name}, slowest over fastest setting": one for name, one in shares.items()}
    settings = max(len(rates) for rates in view.swept.values())
    return found(share <= limit, evidence, share=share, settings=settings)


def _algorithm(view: FpgaView, limit: float) -> Finding:
    """By the paper's table 8 alone."""
    wang, iwai, manavski, own = map(
        view.paper.gpu, ("Wang et al. (CUDA", "Iwai", "Manavski", "the paper's own")
    )
    gains = iwai.gbit_s / wang.gbit_s, manavski.gbit_s / own.gbit_s
    printed = (Input("paper", "related_gpu", "published", (f"{NAME}#related_gpu",)),)
    whats = ("Iwai over Wang, of one GPU", "Manavski over the paper's own")
    evidence = [
        Evidence(what, gain, inputs=printed) for what, gain in zip(whats, gains, strict=True)
    ]
    smaller = manavski.processors < own.processors and manavski.clock_mhz < own.clock_mhz
    same = (iwai.processors, iwai.clock_mhz) == (wang.processors, wang.clock_mhz)
    return found(
        same and smaller and min(gains) >= limit,
        evidence,
        gains=gains,
        iwai=iwai,
        wang=wang,
        manavski=manavski,
        own=own,
    )


def _cuda(view: FpgaView, _: float) -> Finding | str:
    """Each GPU that was measured both ways, by the name of its card."""
    gains = {}
    for card in dict.fromkeys(one.platform for one in view.gpus if one.platform):
        of_card = [one for one in view.gpus if one.platform == card]
        mine, theirs = (
            view.fastest([one for one in of_card if (one.device or "").startswith(family)])
            for family in ("cuda", "opencl")
        )
        if mine and theirs:
            gains[card] = mine / theirs
    if not gains:
        return TEXTS.sentence("no_pair")
    evidence = {f"CUDA over OpenCL on {card}": gain for card, gain in gains.items()}
    least = min(gains.values())
    table = view.paper
    printed = table.gpu("Wang et al. (CUDA").gbit_s / table.gpu("Wang et al. (OpenCL").gbit_s
    return found(least > 1, evidence, gain=least, cards=len(gains), printed=printed)


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


CONCLUSIONS: Judges[FpgaView] = Judges(
    (
        _suitable,
        _earlier,
        _parallel,
        _rate,
        _overlap,
        _chunk,
        _fastest,
        _processors,
        _alike,
        _transfers,
        _light_transfers,
        _per_clock,
        _energy_gpu,
        _opinion("energy_fpga", "opinion_energy_fpga"),
        _opinion("development", "opinion_development"),
        _portable,
        _port,
        _same_fpga,
        _fewer_cycles,
        _scales,
        _threads,
        _algorithm,
        _cuda,
        _comparable,
        _opinion("io", "opinion_io"),
        _preferable,
        _opinion("consumer", "opinion_consumer"),
    )
)
