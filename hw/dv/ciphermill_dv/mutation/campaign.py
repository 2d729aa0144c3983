# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Run the benches of IPs against mutants of their RTL, and keep the result of each run.

Mutants are drawn from all IPs by a seed. For each IP, the benches that its own tests run are
recorded. Each build is made once, with all mutants of the IP in it, and each bench on it first
runs without a mutant, which must pass. Then it runs with each mutant that is in the build and
that no earlier bench has caught, and stops at the first test that fails.

Every run is written to ``build/mutation/results.json`` as it ends, and is not repeated. A run
that passed counts again only while sources and benches are the same; one that failed counts as
long as the mutated file is the same, since benches only gain tests.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from ciphermill_dv.simulate import REPOSITORY, build_folder, build_root

from .mutants import BASE, PACKAGE, Mutant, candidates, modules, write
from .record import Job, jobs_of

IPS = (
    "prim",
    "present",
    "ascon",
    "ghash",
    "board",
    "aes",
    "dma",
    "coprocessor",
    "sha2",
    "ecc",
    "accel",
    "card",
)
"""The IPs that have benches of their own, the fastest benches first."""

ELSEWHERE = {"aes": ("coprocessor/dv/test_coprocessor.py::test_blocks[unrolled-0]",)}
"""Tests of other IPs that also count: no bench of aes itself runs aes_unrolled."""

UNCHECKED = "/* verilator lint_off WIDTH */ "
"""Stands at the beginning of each mutated file. Verilator's lint accepts ``x + 1'b1`` where x is
wider, but warns when a mutant has put that literal into an arm of ``?:``."""

MOST_TIMES = 4
"""A run counts as hung beyond this many times the processor time of a run without a mutant."""
LEAST_LIMIT_S = 10
"""Seconds of processor time that a run has in any case."""
STOPPED = b"return code: -%d" % signal.SIGXCPU
"""The message of cocotb's runner for a simulation that used up its processor time."""
FAILED = re.compile(rb"(?:\s|\x1b\[[\d;]*m)(\w+\.\w+) (?:\x1b\[[\d;]*m)*failed")


@dataclass
class Verdict:
    """The result of a mutant so far.

    Attributes:
        status: ``caught``, ``survived``, ``unreached`` (in no build of the tests) or
            ``not run``.
        by: The test that caught it, or ``time-out``.
        runs: How many benches ran with it.
    """

    status: str
    by: str = ""
    runs: int = 0


@dataclass
class Campaign:
    """A choice of mutants, and the results of their runs.

    Attributes:
        seed: What chooses the mutants.
        count: How many are chosen, of all IPs together.
        say: Is given each line of progress.
        fresh: Results of earlier runs do not count.
    """

    seed: int
    count: int
    say: Callable[[str], None] = print
    fresh: bool = False
    chosen: dict[int, Mutant] = field(default_factory=dict)
    offered: int = 0
    results: dict[str, dict[str, str | float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        offered = [mutant for ip in IPS for file in _files(ip) for mutant in candidates(file)]
        self.offered = len(offered)
        self.chosen = dict(enumerate(choose(offered, self.seed, self.count), 1))
        self.folder = build_root() / "mutation"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.kept = self.folder / "results.json"
        if self.kept.is_file() and not self.fresh:
            self.results = json.loads(self.kept.read_text())

    # ------------------------------------------------------------ what is known

    def of_ip(self, ip: str) -> dict[int, Mutant]:
        """Return the chosen mutants of an IP by their numbers."""
        root = REPOSITORY / "hw" / ip
        return {n: m for n, m in self.chosen.items() if m.file.is_relative_to(root)}

    def verdict(self, number: int) -> Verdict:
        """Return the result of a mutant, from the kept runs."""
        prefix = self.chosen[number].key(REPOSITORY)
        found = [r for name, r in self.results.items() if name.startswith(f"{prefix} ")]
        runs = [result for result in found if result["outcome"] != "unreached"]
        for result in runs:
            if result["outcome"] == "caught":
                return Verdict("caught", str(result["by"]), len(runs))
        if f"{prefix} whole" not in self.results:
            return Verdict("not run", "", len(runs))
        return Verdict("survived" if runs else "unreached", "", len(runs))

    # ------------------------------------------------------------ running

    def run(self, ips: Sequence[str]) -> None:
        """Run the mutants that no kept result decides.

        Raises:
            RuntimeError: A bench fails without a mutant, or a build fails.
        """
        for ip in ips:
            if self.of_ip(ip):
                self._run_ip(ip)

    def _run_ip(self, ip: str) -> None:
        """Run the benches of an IP, build by build."""
        self.clock = time.monotonic()
        self.decided_before = sum(self.verdict(n).status == "caught" for n in self.of_ip(ip))
        hardware = REPOSITORY / "hw"
        elsewhere = (hardware / test for test in ELSEWHERE.get(ip, ()))
        jobs = jobs_of(hardware / ip / "dv", *elsewhere)
        mutated = self._write_sources(ip)
        self.say(f"{ip}: {len(self.of_ip(ip))} mutants, {len(jobs)} runs of benches")
        # Runs of one build come together.
        builds: dict[Path, list[tuple[Job, str]]] = {}
        for original in jobs:
            sources = [str(mutated.get(path, path)) for path in _paths(original.sources)]
            package = str(self.folder / "mutation_pkg.sv")
            job = replace(original, sources=[package, *sources])
            builds.setdefault(self._place(job), []).append((job, _digest_of_run(original)))
        for group in builds.values():
            for job, digest in group:
                self._run_job(ip, job, digest)
        for mutant in self.of_ip(ip).values():
            self.results[f"{mutant.key(REPOSITORY)} whole"] = {"outcome": "unreached"}
        self._keep()

    def _write_sources(self, ip: str) -> dict[Path, Path]:
        """Write the files of an IP with its mutants; return where each went."""
        package = self.folder / "mutation_pkg.sv"
        if not package.is_file() or package.read_text() != PACKAGE:
            package.write_text(PACKAGE)
        mutated = {}
        for file in _files(ip):
            chosen = {n: m for n, m in self.of_ip(ip).items() if m.file == file}
            if chosen:
                target = self.folder / "sources" / file.relative_to(REPOSITORY)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(UNCHECKED + write(file.read_bytes(), chosen))
                mutated[file] = target
        return mutated

    def _alive(self, ip: str, job: Job, name: str, digest: str) -> list[int]:
        """Return the mutants that this job has to run with."""
        within = _closure(job)
        alive = []
        for number, mutant in self.of_ip(ip).items():
            if mutant.file.stem not in within or self.verdict(number).status == "caught":
                continue
            known = self.results.get(f"{mutant.key(REPOSITORY)} {name}")
            if known is None or known.get("digest") != digest:
                alive.append(number)
        return alive

    def _run_job(self, ip: str, job: Job, digest: str) -> None:
        name = _job_name(job)
        alive = self._alive(ip, job, name, digest)
        if not alive:
            return
        self.say(f"{ip}: {name}: {len(alive)} mutants to try")
        outcome, by, seconds = self._one(job, 0, None)
        if outcome == "passed":  # a second time, since the first one may have built
            outcome, by, seconds = self._one(job, 0, None)
        if outcome != "passed":
            log = self._log(0)
            raise RuntimeError(f"{name} fails without a mutant ({by}); its output is in {log}")
        built = _numbers_in(self._place(job))
        limit = max(LEAST_LIMIT_S, int(MOST_TIMES * seconds))
        for number in alive:
            mutant = self.chosen[number]
            # No build known from this bench holds it.
            result: dict[str, str | float] = {"outcome": "unreached", "digest": digest}
            if number in built:
                outcome, by, seconds = self._one(job, number, limit)
                result = {
                    "outcome": outcome,
                    "by": by,
                    "seconds": round(seconds, 1),
                    "digest": digest,
                }
                self._tell(ip, number, outcome, by)
            self.results[f"{mutant.key(REPOSITORY)} {name}"] = result
            self._keep()

    def _tell(self, ip: str, number: int, outcome: str, by: str) -> None:
        mine = self.of_ip(ip)
        caught = sum(self.verdict(n).status == "caught" for n in mine) + (outcome == "caught")
        spent = time.monotonic() - self.clock
        pace = spent / max(1, caught - self.decided_before)
        left = f"about {pace * (len(mine) - caught) / 60:.0f} min left" if caught else ""
        mutant = self.chosen[number]
        where = f"{mutant.file.relative_to(REPOSITORY)}:{mutant.line}"
        what = f"caught by {by}" if outcome == "caught" else "not caught here"
        self.say(
            f"{ip}: {number} {where} ({mutant.operator}) {what}; "
            f"{caught} of {len(mine)} caught, {left}"
        )

    def _place(self, job: Job) -> Path:
        """Return the folder of a job's build: the worker's builds are below this folder."""
        place = build_folder(job.top, _paths(job.sources), job.parameters, job.options)
        return self.folder / place.relative_to(build_root())

    def _log(self, number: int) -> Path:
        return self.folder / "logs" / f"{number}.log"

    def _one(self, job: Job, number: int, limit_s: int | None) -> tuple[str, str, float]:
        """Run a job once; return the outcome, what failed, and the processor seconds."""
        log = self._log(number)
        log.parent.mkdir(exist_ok=True)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file, log.open("wb") as output:
            json.dump(asdict(job), file)
            file.flush()
            return self._watch(Path(file.name), number, limit_s, log, output.fileno())

    def _watch(
        self, job: Path, number: int, limit_s: int | None, log: Path, output: int
    ) -> tuple[str, str, float]:
        def limit() -> None:
            if limit_s is not None:
                resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s + 5))

        before = _children_seconds()
        process = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.worker", str(job), str(number)],
            stdout=output,
            stderr=subprocess.STDOUT,
            env={
                **os.environ,
                "PYTHONUNBUFFERED": "1",
                "PYTHONPATH": str(REPOSITORY / "hw" / "dv"),
                "CIPHERMILL_BUILD": str(self.folder),
            },
            start_new_session=True,
            preexec_fn=limit,
        )
        failed = None
        try:
            while process.poll() is None:
                time.sleep(0.1)
                if number and (failed := FAILED.search(log.read_bytes())):
                    break
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
        seconds = _children_seconds() - before
        said = log.read_bytes()
        failed = failed or FAILED.search(said)
        if code == 0 and not failed:
            return "passed", "", seconds
        if failed:
            return "caught", failed[1].decode(), seconds
        if STOPPED in said:
            return "caught", "time-out", seconds
        return "caught", "an end without a result", seconds

    def _keep(self) -> None:
        new = self.kept.with_suffix(".new")
        new.write_text(json.dumps(self.results, indent=0))
        new.replace(self.kept)


def choose(offered: Sequence[Mutant], seed: int, count: int) -> list[Mutant]:
    """Return mutants that a seed picks, in the order given.

    Each has a rank of its own, so that a change elsewhere leaves most of the choice as it is.
    """
    met: Counter[tuple[object, ...]] = Counter()
    ranks = []
    contents: dict[Path, bytes] = {}
    for mutant in offered:
        content = contents.setdefault(mutant.file, mutant.file.read_bytes())
        facts = (
            str(mutant.file.relative_to(REPOSITORY)),
            mutant.operator,
            mutant.original(content),
        )
        met[facts] += 1
        ranks.append(hashlib.sha256(repr((seed, facts, met[facts])).encode()).digest())
    picked = sorted(range(len(offered)), key=ranks.__getitem__)[:count]
    return [offered[at] for at in sorted(picked)]


def _children_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _files(ip: str) -> list[Path]:
    """Return the files of an IP that are written by hand."""
    files = sorted((REPOSITORY / "hw" / ip / "rtl").rglob("*.sv"))
    return [file for file in files if "generated" not in file.parts]


def _paths(names: Sequence[str]) -> list[Path]:
    return [Path(name) for name in names]


def _job_name(job: Job) -> str:
    values = ",".join(f"{name}={value}" for name, value in job.parameters.items())
    tests = f" {'+'.join(job.tests)}" if job.tests else ""
    return f"{Path(job.bench).stem}{tests} {job.top}({values})"


def _digest_of_run(job: Job) -> str:
    """Return a digest of what a run depends on: sources, the bench's folder, settings."""
    digest = hashlib.sha256(repr((job.options, job.environment, job.seed, job.plusargs)).encode())
    benches = sorted(Path(job.bench).parent.glob("*.py"))
    for file in [*_paths(job.sources), *benches]:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _closure(job: Job) -> set[str]:
    """Return the modules that a job's top module may hold, by their files' stems."""
    inside = modules(path for path in _paths(job.sources) if path.suffix == ".sv")
    stack, found = [job.top], set()
    while stack:
        name = stack.pop()
        if name not in found:
            found.add(name)
            stack += inside.get(name, ())
    return found


def _numbers_in(folder: Path) -> set[int]:
    """Return the numbers of the mutants that a build holds."""
    pattern = re.compile(rf"0x{BASE >> 16:04x}([0-9a-f]{{4}})", re.IGNORECASE)
    numbers: set[int] = set()
    for file in [*folder.glob("*.cpp"), *folder.glob("*.h")]:
        numbers.update(int(digits, 16) for digits in pattern.findall(file.read_text()))
    return numbers
