# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The page of live benchmarks: one message on one device a number of times, when it is asked for.

One benchmark runs at a time. It ends after its runs or after its time, whichever is first, and
can be cancelled. The figures of each run are there as soon as the run is done.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import ciphermill
from ciphermill.algorithms import AES
from ciphermill.campaign.run import Point, Run
from ciphermill.campaign.store import StoreError
from ciphermill.design import Measurement
from ciphermill.evaluate.bench.able import has_aes, key_sizes, references
from ciphermill.evaluate.bench.evaluator import Runs
from ciphermill.evaluate.device.weigh import Device, failure
from ciphermill.evaluate.evaluator import Cancelled, Progress
from ciphermill.registry import AnyDevice, open_device, survey
from ciphermill.report import format as human
from ciphermill.toolchain import provenance
from ciphermill.web.errors import Refused
from ciphermill.web.jobs import Job, Jobs
from ciphermill.web.pages import Pages
from ciphermill.web.requests import body_of
from ciphermill.web.stored import Stored

MOST_BYTES = 64 << 20
MOST_RUNS = 1000
MOST_SECONDS = 60
KEPT = 8
"""The number of ended benchmarks that the page shows."""
LENGTHS = (16, 1 << 10, 16 << 10, 256 << 10, 1 << 20, 16 << 20, MOST_BYTES)
"""Lengths of a message that the page offers, in bytes."""


class Asked(BaseModel):
    """What the page asks for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    device: str
    mode: Literal["ecb", "cbc", "ctr", "gcm", "xts"]
    key_bits: Literal[128, 192, 256]
    operation: Literal["encrypt", "decrypt"]
    bytes: Annotated[int, Field(ge=16, le=MOST_BYTES, multiple_of=16)]
    runs: Annotated[int, Field(ge=1, le=MOST_RUNS)]
    seconds: Annotated[float, Field(ge=1, le=MOST_SECONDS)]
    keep: bool
    """Whether the result is stored."""

    @property
    def words(self) -> str:
        """What is measured, in a line."""
        return (
            f"{self.device}: {self.operation} {human.size(self.bytes)} with AES-{self.key_bits} "
            f"in {self.mode.upper()}"
        )

    @property
    def command(self) -> list[str]:
        """The command that measures the same."""
        return [
            *("ciphermill", "bench", "--device", self.device, "--mode", self.mode),
            *("--key-bits", str(self.key_bits), "--operation", self.operation),
            *("--bytes", str(self.bytes), "--runs", str(self.runs)),
        ]


@dataclass
class Benchmark:
    """A benchmark, from its start on."""

    asked: Asked
    times_s: list[float] = field(default_factory=list)
    """Of each run that is done, in seconds."""
    job: Job | None = None

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self.job is not None and self.job.result is None and self.job.error is None

    def facts(self) -> dict[str, Any]:
        """Return what the page gets as JSON."""
        job = self.job
        return {
            "words": self.asked.words,
            "device": self.asked.device,
            "running": self.running,
            "step": job.step if job else "",
            "runs": self.asked.runs,
            "times_s": list(self.times_s),
            "result": job.result if job else None,
            "error": job.error if job else None,
        }


class Benchmarks:
    """The page, and the benchmarks since the server was started."""

    def __init__(self, pages: Pages, jobs: Jobs, stored: Stored, extra: Sequence[str] = ()) -> None:
        """Begin without benchmarks."""
        self._pages, self._jobs, self._stored, self._extra = pages, jobs, stored, extra
        self._all: deque[Benchmark] = deque(maxlen=KEPT)

    @property
    def running(self) -> Benchmark | None:
        """The benchmark that has not ended."""
        return next((one for one in self._all if one.running), None)

    def routes(self) -> list[Route]:
        """Return the routes of the page."""
        return [
            Route("/dashboard/benchmarks", self.page),
            Route("/dashboard/benchmarks", self.start, methods=["POST"]),
            Route("/dashboard/benchmarks/all", self.all),
            Route("/dashboard/benchmarks/running", self.cancel, methods=["DELETE"]),
        ]

    async def page(self, request: Request) -> Response:
        """The page, with the devices that have AES."""
        offered = await run_in_threadpool(self._offered)
        return self._pages.show(
            request,
            "benchmarks.html.j2",
            devices=offered,
            wanted=request.query_params.get("device", ""),
            lengths=LENGTHS,
            most_runs=MOST_RUNS,
            store=self._stored.location,
        )

    async def start(self, request: Request) -> Response:
        """Start a benchmark."""
        try:
            asked = Asked.model_validate_json(await body_of(request))
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False, include_context=False)[0]
            where = ".".join(map(str, first["loc"])) or "the request"
            raise Refused(f"{where}: {first['msg']}", 422) from None
        known = {one["name"]: one for one in await run_in_threadpool(self._offered)}
        if asked.device not in known:
            raise Refused(f"{asked.device} is not usable: choose another device")
        if [asked.mode, asked.operation, asked.key_bits] not in known[asked.device]["able"]:
            raise Refused(f"{asked.words}: the device cannot do this; choose another mode or key")
        if self.running:
            raise Refused("a benchmark is running: wait for its end, or cancel it", 409)
        one = Benchmark(asked)
        one.job = self._jobs.start(lambda job: self._measure(one, job))
        self._all.appendleft(one)
        return JSONResponse(one.facts(), status_code=202)

    async def all(self, _: Request) -> Response:
        """The benchmarks, the newest first."""
        return JSONResponse([one.facts() for one in self._all])

    async def cancel(self, _: Request) -> Response:
        """Cancel the benchmark that runs."""
        one = self.running
        if one is None:
            raise Refused("no benchmark is running", 404)
        if one.job:
            one.job.stop()
        return Response(status_code=204)

    def _offered(self) -> list[dict[str, Any]]:
        opened = [one.device for one in survey(self._extra) if one.device is not None]
        found = [
            {"name": one.name, "description": one.description, "able": _able(one)} for one in opened
        ]
        return [one for one in found if one["able"]]

    def _measure(self, one: Benchmark, job: Job) -> dict[str, Any]:
        asked = one.asked
        job.begin("opening the device")
        device = open_device(asked.device)
        job.begin("warming up")

        def told(timing: Any) -> None:
            one.times_s.append(timing.total_s)
            job.step = "measuring"

        work = Runs(
            asked.bytes,
            asked.mode,
            asked.key_bits,
            asked.operation,
            asked.runs,
            {asked.device: device},
            references([asked.device]),
            most_seconds=asked.seconds,
            told=told,
        )
        origin = provenance.provenance(asked.command)
        try:
            with self._stored.open() if asked.keep else _Nowhere() as store:
                point = Point(Device(asked.device), None, work)
                run = Run(store, origin, [point], progress=Progress(cancelled=job.stopped))
                [seen] = run.go()
        except Cancelled:
            raise ciphermill.CancelledError("cancelled: these figures are of no use") from None
        except StoreError as error:
            raise Refused(str(error)) from error
        if said := failure(seen):
            raise Refused(said)
        return _result(seen, asked, references_name(asked.device), run)


class _Nowhere:
    """In place of a store where nothing is kept."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


def references_name(device: str) -> str:
    """Return the device whose output another's must equal, in words."""
    return "OpenSSL" if device == "cpu" else "cpu"


def _able(device: AnyDevice) -> list[list[Any]]:
    """Return what a device can do: mode, operation and bits of the key."""
    return [
        [mode, operation, bits]
        for mode in AES.modes
        for operation in ("encrypt", "decrypt")
        for bits in key_sizes(mode)
        if has_aes(device, mode, bits, operation)
    ]


def _result(seen: Measurement, asked: Asked, reference: str, run: Run) -> dict[str, Any]:
    """Return the figures of a benchmark in words, and how they were obtained."""
    told = seen.to_json()
    lines = (
        ("median", "time.total_s", human.duration),
        ("fastest", "time.best_s", human.duration),
        ("lower quartile", "time.lower_quartile_s", human.duration),
        ("upper quartile", "time.upper_quartile_s", human.duration),
        ("slowest", "time.worst_message_s", human.duration),
        ("processing, median", "time.processing_s", human.duration),
        ("transfer, median", "time.transfer_s", human.duration),
        ("throughput by processing alone", "throughput.processing_mb_s", human.throughput),
        ("clock cycles", "cycles.total", human.count),
    )
    runs = told.get("runs", 1)
    early = " The time was over before all runs were made." if runs < asked.runs else ""
    if seen.method == "simulated":
        how = "Simulated: clock cycles of the model divided by its clock. "
        early = ""
    else:
        how = (
            f"Measured: wall time in the server's process, median of {runs} runs after one to "
            f"warm up.{early} "
        )
    stored = ""
    if asked.keep:
        stored = (
            f"It could not be stored: {run.unstored}."
            if run.unstored
            else f"Stored as run {run.number}."
        )
    return {
        "rate": human.throughput(told["throughput.mb_s"]),
        "median": human.duration(told["time.total_s"]),
        "runs": runs,
        "correct": seen.correct,
        "how": f"{how}The output was compared with that of {reference}, byte for byte.",
        "rows": [[what, words(told[name])] for what, name, words in lines if told.get(name)],
        "notes": list(seen.notes or ()),
        "command": " ".join(asked.command),
        "stored": stored,
    }
