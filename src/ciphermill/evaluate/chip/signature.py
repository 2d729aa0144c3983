# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The activity of a signature on P-521, from samples of its two parts.

A signature takes 150,000 cycles, too many for a simulation gate by gate. It has two parts:
the multiple of the base point and the change of coordinates, modulo the prime, as long as
the generation of a key; and the inverse of the nonce, modulo the order. In each, a steady
part is sampled: cycles at equal distances, over one column of the base point's comb and over
several products. Each sample counts for its share of the signature.

The first samples are of a published signature, the others of its verification, which begins
with an inverse modulo the order. This begins only after the point of the public key was
found on the curve, so that products of the cells are checked by then. Results are those of
the RTL, which its own tests check (``hw/ecc/dv``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ciphermill.design import Core
from ciphermill.evaluate.chip.activity.activity import Activity
from ciphermill.evaluate.chip.activity.simulation import Simulation, SimulationError
from ciphermill.evaluate.chip.drivers.driver import PATIENCE_CYCLES, RESET_CYCLES

_BYTES = 66
_CURVE = 2
_SIGN, _VERIFY = 2, 3

# RFC 6979, A.2.7, SHA-512, message "sample".
_PRIVATE, _NONCE, _DIGEST = (
    0x0FAD06DAA62BA3B25D2FB40133DA757205DE67F5BB0018FEE8C86E1B68C7E75CAA896EB32F1F47C70855836A6D16FCC1466F6D8FBEC67DB89EC0C08B0E996B83538,
    0x1DAE2EA071F8110DC26882D4D5EAE0621A3256FC8847FB9022E2B7D28E6F10198B1574FDD03A9053C08A1854A168AA5A57470EC97DD5CE090124EF52A2F7ECBFFD3,
    0x39A5E04AAFF7455D9850C605364F514C11324CE64016960D23D5DC57D3FFD8F49A739468AB8049BF18EEF820CDB1AD6C9015F838556BC7FAD4138B23FDF986C7,
)
_POINT = (
    0x1894550D0785932E00EAA23B694F213F8C3121F86DC97A04E5A7167DB4E5BCD371123D46E45DB6B5D5370A7F20FB633155D38FFA16D2BD761DCAC474B9A2F5023A4,
    0x0493101C962CD4D2FDDF782285E64584139C2F91B47F87FF82354D6630F746A28A0DB25741B5B34A828008B22ACC23F924FAAFBD4D33F81EA66956DFEAA2BFDFCF5,
)
_SIGNATURE = (
    0x0C328FAFCBD79DD77850370C46325D987CB525569FB63C5D3BC53950E6D4C5F174E25A1EE9017B5D450606ADD152B534931D7D4E8455CC91F9B15BF05EC36E377FA,
    0x0617CCE7CF5064806C467F678D3B4080D6F1CC50AF26CA209417308281B68AF282623EAA63E5B5C0723D8B8C37FF0777B1A20F8CCB1DCCC43997F1EE0E44DA4A67A,
)

ORDER_SHARE = (151_877 - 126_151) / 151_877
"""The cycles of a signature that the generation of a key does not take (``hw/ecc/README.md``)."""


@dataclass(frozen=True)
class Samples:
    """Windows at equal distances."""

    name: str
    operation: int
    operands: tuple[int, ...]
    first: int
    """Cycle of the operation at which they begin."""
    distance: int
    """Cycles from one to the next."""
    count: int = 8
    cycles: int = 8
    """Cycles of each."""


PRIME = Samples("prime", _SIGN, (_PRIVATE, _NONCE, _DIGEST), first=2000, distance=104)
ORDER = Samples("order", _VERIFY, (*_POINT, *_SIGNATURE, _DIGEST), first=1600, distance=27)
"""The steady part of each modulus: a column of the comb takes 835 cycles, a product modulo the
order 38."""


MOST_CYCLES = 4_000_000
"""A signature of the smallest multiplier takes a fifth of that."""


@dataclass(frozen=True)
class Part:
    """A part of a signature."""

    name: str
    cycles: int
    """Cycles of the signature that it stands for."""
    activity: Activity
    """As if it had run that long."""
    settled: Activity | None


def signature_parts(simulation: Simulation, module: Core) -> list[Part]:
    """Return the parts of a signature on a simulation, the whole as the last.

    A design that does not state its cycles runs a whole signature first, which counts them.

    Raises:
        SimulationError: The module refuses the operands, or hangs.
    """
    cycles = round(module.cycles_per_block or _whole(simulation, module))
    order = round(ORDER_SHARE * cycles)
    shares = {PRIME: cycles - order, ORDER: order}
    parts = [_sampled(simulation, module, one, shares[one]) for one in shares]
    settled = [part.settled for part in parts if part.settled]
    whole = _sum([part.activity for part in parts])
    return [*parts, Part("run", cycles, whole, _sum(settled) if settled else None)]


def _whole(simulation: Simulation, module: Core) -> int:
    """Run a whole signature; return the cycles from its start to its status."""
    cycles = _start(simulation, module, PRIME.operation, PRIME.operands)
    while not simulation.peek("status_valid_o"):
        if cycles >= MOST_CYCLES:
            raise SimulationError(f"{module.name}: no signature within {MOST_CYCLES:,} cycles")
        simulation.clock()
        cycles += 1
    return cycles - 1


def _start(simulation: Simulation, module: Core, operation: int, operands: tuple[int, ...]) -> int:
    """Reset a module and hand over an operation; return the cycles since its start."""
    for port in simulation.inputs:
        simulation.poke(port, 0)
    simulation.clock(RESET_CYCLES)
    if module.reset is not None:
        simulation.poke(module.reset, 1)
    simulation.clock()
    _until(simulation, module, "busy_o", 0)
    for port, value in (("operation_i", operation), ("curve_i", _CURVE)):
        simulation.poke(port, value)
    for port in ("start_valid_i", "result_ready_i", "status_ready_i"):
        simulation.poke(port, 1)
    _until(simulation, module, "start_ready_o", 1)
    begin = simulation.cycles
    simulation.clock()
    simulation.poke("start_valid_i", 0)
    simulation.poke("operand_valid_i", 1)
    for octet in b"".join(one.to_bytes(_BYTES, "big") for one in operands):
        simulation.poke("operand_i", octet)
        _until(simulation, module, "operand_ready_o", 1)
        simulation.clock()
    simulation.poke("operand_valid_i", 0)
    return simulation.cycles - begin


def _until(simulation: Simulation, module: Core, port: str, value: int) -> None:
    for _ in range(PATIENCE_CYCLES):
        if simulation.peek(port) == value:
            return
        simulation.clock()
    raise SimulationError(f"{module.name}: {port} does not become {value}")


def _sampled(simulation: Simulation, module: Core, samples: Samples, cycles: int) -> Part:
    at = _start(simulation, module, samples.operation, samples.operands)
    found = list(_windows(simulation, samples, at))
    if simulation.peek("idle_o") or simulation.peek("status_valid_o"):
        raise SimulationError(f"{module.name}: refuses the operands of {samples.name}")
    factor = cycles / (samples.count * samples.cycles)
    settled = [one for _, one in found if one]
    return Part(
        samples.name,
        cycles,
        _sum([one for one, _ in found], factor),
        _sum(settled, factor) if settled else None,
    )


def _windows(
    simulation: Simulation, samples: Samples, at: int
) -> Iterator[tuple[Activity, Activity | None]]:
    for number in range(samples.count):
        begin = samples.first + number * samples.distance
        simulation.clock(begin - at)
        simulation.start_window()
        simulation.clock(samples.cycles)
        activity = simulation.end_window()
        yield activity, getattr(simulation, "settled_activity", None)
        at = begin + samples.cycles


def _sum(activities: list[Activity], factor: float = 1.0) -> Activity:
    """Return activities one after the other, each lasting so many times as long."""
    return Activity(
        factor * sum(one.duration_ps for one in activities),
        [round(factor * sum(each)) for each in zip(*(a.toggles for a in activities), strict=True)],
        [factor * sum(each) for each in zip(*(a.high_ps for a in activities), strict=True)],
    )
