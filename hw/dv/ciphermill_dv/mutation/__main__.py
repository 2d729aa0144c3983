# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The mutation run: ``python -m ciphermill_dv.mutation``, or ``make mutants``."""

from __future__ import annotations

import argparse
import signal
import sys

from .campaign import IPS, Campaign
from .report import as_json, describe, render, summary


def main() -> int:
    """Run the jobs without a kept result and report; return 1 if a survivor is not explained."""
    parser = argparse.ArgumentParser(
        prog="make mutants",
        description="Break one operator of the RTL at a time and see whether the benches notice.",
    )
    parser.add_argument("--seed", type=int, default=1, help="chooses the mutants (1)")
    parser.add_argument("--count", type=int, default=300, help="mutants of all IPs (300)")
    parser.add_argument("--ip", action="append", choices=IPS, help="this IP only; repeatable")
    parser.add_argument("--mutant", type=int, metavar="N", help="show mutant N and stop")
    parser.add_argument("--report", action="store_true", help="run nothing, report what is kept")
    parser.add_argument("--fresh", action="store_true", help="repeat runs that have a result")
    parser.add_argument("--json", action="store_true", help="the report as JSON")
    arguments = parser.parse_args()
    if arguments.count < 1:
        parser.error("--count must be 1 or more")
    ips = tuple(ip for ip in IPS if arguments.ip is None or ip in arguments.ip)

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    # A termination signal also stops the running simulation.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    campaign = Campaign(arguments.seed, arguments.count, say, arguments.fresh)
    if arguments.mutant is not None:
        if arguments.mutant not in campaign.chosen:
            parser.error(f"--mutant must be 1 to {len(campaign.chosen)}")
        for name, value in describe(campaign.chosen[arguments.mutant], arguments.mutant).items():
            print(f"{name:9} {value}")
        verdict = campaign.verdict(arguments.mutant)
        by = f" by {verdict.by}" if verdict.by else ""
        print(f"{'status':9} {verdict.status}{by}, {verdict.runs} benches")
        return 0
    if not arguments.report:
        try:
            campaign.run(ips)
        except RuntimeError as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
    print(as_json(campaign, ips) if arguments.json else render(campaign, ips))
    survivors = summary(campaign, ips)["survivors"]
    return int(any(item["status"] != "explained" for item in survivors))  # type: ignore[attr-defined]


if __name__ == "__main__":
    sys.exit(main())
