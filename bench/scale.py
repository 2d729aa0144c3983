# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What explorations cost beside their measurements: the store, Ray, the shared cache.

Every part is measured with an objective that takes no time. A PostgreSQL server, a Ray cluster
of two nodes and an S3-compatible server are started on this machine; what is not installed is
left out with the reason. Run from the repository's root:

    python bench/scale.py                    # 1,000 and 10,000 candidates
    python bench/scale.py 1000 --part sqlite --json
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ciphermill.campaign.exploration import Candidate, Exploration, Objective, State, StepRecord
from ciphermill.campaign.ray_workers import ray_workers
from ciphermill.campaign.store import Store
from ciphermill.design import Measurement, Method
from ciphermill.toolchain.cache import Cache
from ciphermill.toolchain.shared_cache import SharedCache

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))  # for the PostgreSQL server of the tests

IN_FLIGHT = 64
"""Calls that wait at the Ray cluster at once."""
ARTEFACT_BYTES = 1_000_000
"""A model of a core has about this size."""
HITS = 1000
"""The most hits of the shared cache that are measured: they do not depend on their number."""
STEPS = 2
"""A candidate is kept after each step."""


class Clock:
    """Wall time and processor time since it was made, in seconds."""

    def __init__(self) -> None:
        """Start."""
        self._start = time.perf_counter(), time.process_time()

    def read(self) -> tuple[float, float]:
        """Return both."""
        return time.perf_counter() - self._start[0], time.process_time() - self._start[1]


@dataclass(frozen=True)
class Cost:
    """What a part costs."""

    what: str
    count: int
    seconds: float
    """Wall time of all."""
    processor_s: float
    """Processor time of this process, which does not depend on what else the machine does."""
    bytes: int | None = None
    """Of the store's file."""

    @property
    def each_ms(self) -> float:
        """Milliseconds for one."""
        return 1e3 * self.seconds / self.count


def candidate(place: int, steps: int) -> Candidate:
    """A candidate after some steps, with two measurements of a usual size."""
    seen = Measurement(
        design="aes",
        algorithm="aes",
        partition="memory",
        soft_core="ibex",
        cycles_total=place,
        method=Method.SIMULATED,
    )
    return Candidate(
        digest=f"{place:064x}",
        place=place,
        fields={"design.soft_core": "ibex", "design.partition": "memory", "design.width": place},
        state=State.MEASURED if steps == STEPS else State.WAITING,
        figures={"area.lut": 1000.5 + place, "cycles.per_block": 152.0, "energy.pj_per_bit": 1.5},
        step="area" if steps == 1 else "cycles",
        seconds={"area": 1.5},
        measurements=(seen,) * steps,
    )


def keep(where: Path | str, count: int, called: str) -> Iterator[Cost]:
    """Keep candidates one by one, after each of two steps; then read them all."""
    exploration = Exploration(
        number=0,
        name="bench",
        started="",
        ended=False,
        command="bench",
        objectives=(Objective("area.lut"),),
        constraints=(),
        steps=(StepRecord("area"), StepRecord("cycles", dear=True)),
        search="random",
        seed=0,
        total=count,
    )
    with Store(where) as store:
        number = store.add_exploration(exploration, key=str(count))
        clock = Clock()
        for place in range(count):
            for steps in range(1, STEPS + 1):
                store.keep_candidate(number, candidate(place, steps))
        times = clock.read()
        size = where.stat().st_size if isinstance(where, Path) else None
        yield Cost(f"{called}: keep a candidate, {STEPS} steps", count, *times, size)
        clock = Clock()
        found = store.exploration(number).candidates
        yield Cost(f"{called}: read a candidate", count, *clock.read())
        assert len(found) == count  # noqa: S101 - what was measured is what was meant


def nothing(place: int) -> int:
    """The objective."""
    return place


def call(workers: Any, count: int) -> Cost:
    """Call a function that does nothing."""
    places = iter(range(count))
    running: set[Future[int]] = set()
    found = 0
    clock = Clock()
    while True:
        while len(running) < IN_FLIGHT and (place := next(places, None)) is not None:
            running.add(workers.submit(nothing, place))
        if not running:
            break
        ended, running = wait(running, return_when=FIRST_COMPLETED)
        found += sum(one.result() for one in ended)
    times = clock.read()
    assert found == count * (count - 1) // 2  # noqa: S101 - each once
    return Cost("Ray, two workers: a call", count, *times)


def hit(folder: Path, url: str, count: int, called: str) -> Cost:
    """Take an artefact of the shared cache, each time into another build folder's cache."""
    content = os.urandom(ARTEFACT_BYTES)

    def build(scratch: Path) -> Path:
        path = scratch / "x"
        path.write_bytes(content)
        return path

    def never(_: Path) -> Path:
        raise AssertionError("it is not in the shared cache")

    Cache(folder / "first", SharedCache(url)).get("model", "k" * 64, ".so", build)
    shared = SharedCache(url)
    clock = Clock()
    for _ in range(count):
        path = Cache(folder / "other", shared).get("model", "k" * 64, ".so", never)
        path.unlink()
    return Cost(f"{called}: a hit of {ARTEFACT_BYTES / 1e6:g} MB", count, *clock.read())


@contextmanager
def cluster() -> Iterator[str]:
    """A Ray cluster of two nodes with a processor each."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    # The workers import this file.
    os.environ["PYTHONPATH"] = os.pathsep.join(
        [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    from ray.cluster_utils import Cluster

    node: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 80 << 20}
    found: Any = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    found.add_node(**node)
    try:
        yield found.address
    finally:
        found.shutdown()


@contextmanager
def s3() -> Iterator[str]:
    """An S3-compatible server with a bucket."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    running = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    os.environ.update(
        AWS_ENDPOINT_URL=f"http://{host}:{port}",
        AWS_ACCESS_KEY_ID="ann",
        AWS_SECRET_ACCESS_KEY="word",  # noqa: S106 - of a server that lives as long as this
        AWS_DEFAULT_REGION="us-east-1",
    )
    import s3fs

    s3fs.S3FileSystem().mkdir("bucket")
    try:
        yield "s3://bucket"
    finally:
        running.stop()


def sqlite(counts: list[int], folder: Path) -> Iterator[Cost]:
    """Measure the store in a file."""
    for count in counts:
        yield from keep(folder / f"{count}.sqlite", count, "SQLite")


def postgresql(counts: list[int], _: Path) -> Iterator[Cost]:
    """Measure the store in a database whose commits wait for the disk."""
    from support.postgresql import Unavailable, server

    try:
        with server(durable=True) as running:
            for count in counts:
                yield from keep(running.new_schema(), count, "PostgreSQL")
    except Unavailable as error:
        print(f"bench: {error}", file=sys.stderr)


def ray(counts: list[int], _: Path) -> Iterator[Cost]:
    """Measure calls on a cluster."""
    with cluster() as address, ray_workers(address) as workers:
        # The first calls start the workers' processes.
        call(workers, 2 * IN_FLIGHT)
        for count in counts:
            yield call(workers, count)


def cache(counts: list[int], folder: Path) -> Iterator[Cost]:
    """Measure hits of the shared cache."""
    count = min(HITS, *counts)
    yield hit(folder / "folder", f"file://{folder}/shared", count, "shared folder")
    with s3() as url:
        yield hit(folder / "s3", url, count, "S3 (moto)")


PARTS: dict[str, Callable[[list[int], Path], Iterator[Cost]]] = {
    "sqlite": sqlite,
    "postgresql": postgresql,
    "ray": ray,
    "cache": cache,
}


def measure(parts: list[str], counts: list[int]) -> Iterator[Cost]:
    """Measure some parts; those whose packages are missing are left out."""
    for name in parts:
        with tempfile.TemporaryDirectory() as folder:
            try:
                yield from PARTS[name](counts, Path(folder))
            except ImportError as error:
                print(f"bench: {name}: {error}", file=sys.stderr)


def main() -> int:
    """Print the costs; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("counts", type=int, nargs="*", default=[1_000, 10_000])
    parser.add_argument("--part", action="append", choices=[*PARTS], help="only this part")
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args()
    found = []
    for cost in measure(asked.part or [*PARTS], asked.counts):
        found.append(cost)
        print(
            f"{cost.what}: {cost.count:,}: {cost.each_ms:.3f} ms each, "
            f"{1e3 * cost.processor_s / cost.count:.3f} of processor",
            file=sys.stderr,
        )
    if asked.json:
        print(json.dumps([{**asdict(one), "each_ms": one.each_ms} for one in found], indent=1))
        return 0
    table = Table("part", "count", "ms each", "of processor", "s in all", "bytes")
    for one in found:
        processor = f"{1e3 * one.processor_s / one.count:.3f}"
        size = "" if one.bytes is None else f"{one.bytes:,}"
        table.add_row(
            one.what, f"{one.count:,}", f"{one.each_ms:.3f}", processor, f"{one.seconds:.1f}", size
        )
    Console().print(table)
    return 0


if __name__ == "__main__":
    # Under its own name, so that a worker finds the functions.
    import scale

    sys.exit(scale.main())
