# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The report of a campaign: survivors, explained mutants, and the share caught."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ciphermill_dv.simulate import REPOSITORY

from .campaign import IPS, Campaign
from .mutants import Mutant

EXPLAINED = Path(__file__).with_name("explained.toml")
"""Survivors that no test can catch, each with its reason."""


@dataclass(frozen=True)
class Explanation:
    """Why a mutant may survive.

    Attributes:
        file: The file, from the repository's root.
        line: The whole line that the mutant is in, without the space around it.
        original: What the mutant changes.
        mutated: What it puts there.
        reason: Why the result is the same for every input that the module allows.
    """

    file: str
    line: str
    original: str
    mutated: str
    reason: str


def explanations(path: Path = EXPLAINED) -> list[Explanation]:
    """Return the explained survivors, from their table."""
    return [Explanation(**row) for row in tomllib.loads(path.read_text()).get("mutant", [])]


def explanation_of(mutant: Mutant, table: list[Explanation]) -> Explanation | None:
    """Return the row that explains a mutant, if there is one."""
    content = mutant.file.read_bytes()
    line = content.decode().splitlines()[mutant.line - 1].strip()
    facts = (
        str(mutant.file.relative_to(REPOSITORY)),
        line,
        mutant.original(content),
        mutant.mutated(content),
    )
    for row in table:
        if (row.file, row.line, row.original, row.mutated) == facts:
            return row
    return None


def summary(campaign: Campaign, ips: tuple[str, ...] = IPS) -> dict[str, object]:
    """Return everything as plain data: counts for each IP, and each survivor."""
    table = explanations()
    counts: dict[str, Counter[str]] = {}
    survivors = []
    for ip in ips:
        counter: Counter[str] = Counter()
        for number, mutant in campaign.of_ip(ip).items():
            verdict = campaign.verdict(number)
            status = verdict.status
            row = explanation_of(mutant, table)
            if status in ("survived", "unreached"):
                status = "explained" if row else status
                survivors.append(
                    {
                        **describe(mutant, number),
                        "status": status,
                        "benches": verdict.runs,
                        "reason": row.reason if row else "",
                    }
                )
            if verdict.by == "time-out":
                counter["time-out"] += 1
            counter[status] += 1
        counts[ip] = counter
    return {
        "seed": campaign.seed,
        "count": campaign.count,
        "offered": campaign.offered,
        "ips": {ip: dict(counter) for ip, counter in counts.items()},
        "survivors": survivors,
    }


def describe(mutant: Mutant, number: int) -> dict[str, object]:
    """Return what a mutant is, as plain data."""
    content = mutant.file.read_bytes()
    return {
        "number": number,
        "place": f"{mutant.file.relative_to(REPOSITORY)}:{mutant.line}",
        "operator": mutant.operator,
        "line": content.decode().splitlines()[mutant.line - 1].strip(),
        "original": mutant.original(content),
        "mutated": mutant.mutated(content),
    }


def share(counter: Counter[str]) -> str:
    """Return the share caught of those that are not explained, once all have run.

    Caught mutants are known first, so the share of a partial run would be too high.
    """
    if counter["not run"]:
        return "-"
    ran = counter["caught"] + counter["survived"] + counter["unreached"]
    return f"{100 * counter['caught'] / ran:.0f} %" if ran else "-"


def render(campaign: Campaign, ips: tuple[str, ...] = IPS) -> str:
    """Return the report as text: a table of the IPs, then the survivors."""
    found = summary(campaign, ips)
    rows = {ip: Counter(counts) for ip, counts in dict(found["ips"]).items()}  # type: ignore[call-overload]
    rows["all"] = sum(rows.values(), Counter())
    names = ("caught", "survived", "unreached", "explained", "not run")
    lines = [
        f"{found['count']} of {found['offered']} mutants, chosen by seed {found['seed']}",
        f"{'IP':12}" + "".join(f"{name:>11}" for name in names) + f"{'share':>8}",
    ]
    lines += [
        f"{ip:12}" + "".join(f"{counter[name]:11}" for name in names) + f"{share(counter):>8}"
        for ip, counter in rows.items()
    ]
    lines.append(f"of those caught, {rows['all']['time-out']} by a time-out")
    for item in found["survivors"]:  # type: ignore[attr-defined]
        lines += [
            "",
            f"{item['number']} {item['place']} ({item['operator']}): {item['status']}, "
            f"{item['benches']} benches",
            f"    - {item['original']}",
            f"    + {item['mutated']}",
        ]
        if item["reason"]:
            lines.append(f"    {item['reason']}")
    return "\n".join(lines)


def as_json(campaign: Campaign, ips: tuple[str, ...] = IPS) -> str:
    """Return the report as JSON."""
    return json.dumps(summary(campaign, ips), indent=1)
