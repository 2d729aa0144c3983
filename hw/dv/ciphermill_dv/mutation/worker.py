# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Run one recorded job in a process of its own: ``python -m ciphermill_dv.mutation.worker``.

Its arguments are a file with the job and the number of the mutant, 0 for none.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from ciphermill_dv.simulate import run_bench

from .record import Job


def main() -> None:
    """Run the job; end with an error if a test of the bench fails."""
    job = Job(**json.loads(Path(sys.argv[1]).read_text()))
    sys.path[:0] = job.path
    # Under pytest cocotb's runner raises an error when a test of the bench has failed.
    os.environ["PYTEST_CURRENT_TEST"] = "mutation::bench"
    run_bench(
        Path(job.bench),
        job.top,
        [Path(source) for source in job.sources],
        job.parameters,
        tests=job.tests,
        options=job.options,
        environment=job.environment,
        seed=job.seed,
        plusargs=[*job.plusargs, f"+mutation={sys.argv[2]}"],
    )


if __name__ == "__main__":
    main()
