# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Explorations for tests of reports: their figures follow from a formula, not from hardware."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ciphermill.campaign.exploration import (
    Candidate,
    Exploration,
    Objective,
    State,
    StepRecord,
)
from ciphermill.design import Measurement, Provenance
from ciphermill.design.measurement import digest

PARTITIONS = ("software", "subbytes", "mixcolumns", "iterative")
INTERFACES = ("axi-lite", "axi4-128", "custom-instruction")
CORES = ("ibex", "picorv32", "vexriscv")
_CYCLES = {"software": 4000.0, "subbytes": 2500.0, "mixcolumns": 1400.0, "iterative": 120.0}
_LUTS = {"software": 0, "subbytes": 350, "mixcolumns": 800, "iterative": 2600}
_SPEED = {"axi-lite": 1.0, "axi4-128": 0.62, "custom-instruction": 0.45}
_COST = {"axi-lite": 0, "axi4-128": 240, "custom-instruction": 90}
_SOFT = {"ibex": (1.0, 2400), "picorv32": (2.6, 1100), "vexriscv": (0.9, 1700)}

CYCLES = Objective("cycles.per_block")
LUTS = Objective("area.lut")
ENERGY = Objective("energy.pj_per_bit")
RATE = Objective("throughput.mb_s", "maximise")


def exploration(
    *objectives: Objective,
    candidates: tuple[Candidate, ...] = (),
    ended: bool = True,
    constraints: tuple[str, ...] = ("area.lut < 4500",),
) -> Exploration:
    """Return an exploration of these candidates."""
    return Exploration(
        number=7,
        name="aes-on-a-soft-core",
        started="2026-01-02T03:04:05+00:00",
        ended=ended,
        command="ciphermill explore aes-on-a-soft-core",
        objectives=objectives or (CYCLES, LUTS),
        constraints=constraints,
        steps=(StepRecord("area"), StepRecord("cycles", dear=True)),
        search="guided",
        seed=1,
        total=max(len(candidates), 36),
        definition={"design": {"kind": "system", "partition": list(PARTITIONS)}, "objectives": []},
        candidates=candidates,
    )


def grid() -> tuple[Candidate, ...]:
    """Return candidates in every state: most measured, one of each other state."""
    found = []
    space = itertools.product(PARTITIONS, INTERFACES, CORES)
    for place, (partition, interface, core) in enumerate(space):
        fields = {
            "design.partition": partition,
            "design.interface": interface,
            "design.soft_core": core,
        }
        slower, area = _SOFT[core]
        share = 1.0 if partition == "software" else _SPEED[interface]
        cycles = round(_CYCLES[partition] * slower * share, 1)
        luts = area + _LUTS[partition] + (0 if partition == "software" else _COST[interface])
        one = measured(place, fields, cycles, luts)
        if partition == "software" and interface != "axi-lite":
            one = unmeasured(
                one, State.REFUSED, "The partition software has no interface to choose."
            )
        elif partition == "subbytes" and core == "picorv32":
            one = unmeasured(one, State.DROPPED, "Candidate 21 is smaller and faster.", luts)
        elif (partition, interface, core) == ("mixcolumns", "custom-instruction", "ibex"):
            one = replace(
                unmeasured(one, State.FAILED, "The firmware hung after 1,000,000 cycles.", luts),
                log="%Error: core.sv:12: timeout\nat cycle 1000000",
            )
        if (partition, interface, core) != ("mixcolumns", "axi4-128", "vexriscv"):
            found.append(one)
    return tuple(found)


def measured(place: int, fields: Mapping[str, object], cycles: float, luts: float) -> Candidate:
    """Return a candidate with two measurements."""
    provenance = Provenance(
        commit="0123abcd",
        tools={"verilator": "5.048", "yosys": "0.70"},
        command="ciphermill explore aes-on-a-soft-core",
        processor="A processor",
    )
    own = {"kind": "system", **{name.split(".")[-1]: value for name, value in fields.items()}}
    area = Measurement(
        area_lut=int(luts),
        method="estimated",
        design_fields=own,
        design_digest=digest(own),
        provenance=provenance,
    )
    run = area.model_copy(update={"area_lut": None, "cycles_per_block": cycles})
    run = Measurement.from_json({**run.to_json(), "method": "simulated"})
    figures = {
        "area.lut": float(luts),
        "cycles.per_block": cycles,
        "energy.pj_per_bit": round(cycles * luts / 50_000 + 2, 2),
        "throughput.mb_s": round(1600 / cycles, 3),
    }
    return Candidate(
        digest=digest(dict(fields)),
        place=place,
        fields=fields,
        state=State.MEASURED,
        figures=figures,
        step="cycles",
        seconds={"area": 1.5, "cycles": 12.0},
        measurements=(area, run),
    )


def with_figures(cycles: Sequence[float], luts: Sequence[float]) -> tuple[Candidate, ...]:
    """Return candidates of a function of the user's own, whose figures may be any numbers."""
    return tuple(
        replace(
            measured(place, {"a": place}, 1.0, 1),
            figures={"cycles.per_block": one, "area.lut": float(other)},
            measurements=(),
        )
        for place, (one, other) in enumerate(zip(cycles, luts, strict=True))
    )


def unmeasured(
    one: Candidate, state: State, reason: str = "", luts: float | None = None
) -> Candidate:
    """Return a candidate in another state; with the LUTs of its cheap step, or without figures."""
    return replace(
        one,
        state=state,
        reason=reason,
        figures={} if luts is None else {"area.lut": float(luts)},
        step=None if luts is None else "area",
        seconds={} if luts is None else {"area": 1.5},
        measurements=() if luts is None else one.measurements[:1],
    )


def many(count: int) -> tuple[Candidate, ...]:
    """Return so many measured candidates of a space of four fields."""
    found = []
    for place in range(count):
        width, depth, rest = 8 * (place % 16 + 1), place // 16 % 25 + 1, place // 400
        fields: dict[str, object] = {
            "design.width": width,
            "design.depth": depth,
            "design.interface": INTERFACES[rest % 3],
            "design.sbox": f"sbox-{rest % 5}",
        }
        noise = int(digest(place), 16) % 1000 / 1000
        cycles = round(4000 / width * (1 + 1 / depth) * (1 + noise), 2)
        found.append(measured(place, fields, cycles, 900 + 12 * width + 40 * depth + rest * 35))
    return tuple(found)
