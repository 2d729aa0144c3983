# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Calls on a real Ray cluster of two nodes, whose workers are killed."""

import contextlib
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import as_completed
from pathlib import Path
from typing import Any

import pytest
from support.ray_cluster import ray_cluster

from ciphermill.campaign.exploration import Objective, State
from ciphermill.campaign.explore.explore import Explorer, Settings, Status
from ciphermill.campaign.explore.job import Measure
from ciphermill.campaign.explore.plan import Plan, plan_of_function
from ciphermill.campaign.store import Store
from ciphermill.toolchain import provenance
from ciphermill.toolchain.errors import ToolError

from . import ray_workers as module
from .ray_workers import RayWorkers, ray_workers

ray = pytest.importorskip("ray", reason="ray is not installed")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    # A worker does not import this file.
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    with ray_cluster(head_measures=True, others=1) as found:
        yield found


@pytest.fixture(scope="module")
def workers(cluster: Any) -> Iterator[RayWorkers]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "_RAY_RETRIES", 1)
        with ray_workers(cluster.address, limit_s=2.0) as found:
            yield found


def measured(place: int, log: Path) -> tuple[int, int]:
    time.sleep(0.02)
    with log.open("a") as file:
        file.write(f"{place}\n")
    return place, os.getpid()


def dying(log: Path, times: int) -> str:
    with log.open("a") as file:
        file.write("x")
    if log.stat().st_size <= times:
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def failing() -> None:
    raise ToolError("no area")


def test_a_run_whose_workers_are_killed_is_whole(workers: RayWorkers, tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert workers.count == 2
    waiting = [workers.submit(measured, place, log) for place in range(60)]
    found, killed = [], set()
    for future in as_completed(waiting, timeout=300):
        found.append(future.result()[0])
        if len(found) in (5, 20):
            killed.add(pid := future.result()[1])
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    assert sorted(found) == list(range(60))
    assert len(killed) == 2


def plan_of(measure: Measure, count: int) -> Plan:
    widths = {"width": {"from": 1, "to": count}}
    return plan_of_function(
        widths, measure, name="squares", code="", objectives=[Objective("area")]
    )


def figures(fields: Mapping[str, Any]) -> dict[str, float]:
    time.sleep(0.02)
    return {"area": fields["width"] ** 2, "pid": os.getpid()}


def test_an_exploration_on_a_cluster_is_whole_when_a_worker_is_killed(
    workers: RayWorkers, tmp_path: Path
) -> None:
    plan = plan_of(figures, 40)
    told: list[Status] = []

    def kill(status: Status) -> None:
        told.append(status)
        if len(told) == 10:
            pids = [one.figures["pid"] for one in explorer.result().candidates if one.figures]
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pids[-1]), signal.SIGKILL)

    with Store(tmp_path / "s") as store:
        explorer = Explorer(plan, Settings("random", budget=40), store=store, told=kill)
        explorer.go(workers)
        found = store.exploration(explorer.number)
    assert found.ended
    assert sorted(one.figures["area"] for one in found.candidates) == [n * n for n in range(1, 41)]
    assert {one.state for one in found.candidates} == {State.MEASURED}
    assert len(told) == 40


def deadly(fields: Mapping[str, Any]) -> dict[str, float]:
    if fields["width"] == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"area": fields["width"]}


def test_a_candidate_that_kills_its_workers_has_failed(
    workers: RayWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_ATTEMPTS", 1)
    found = Explorer(plan_of(deadly, 3), Settings("grid")).go(workers)
    states = {one.fields["width"]: one.state for one in found.candidates}
    assert states == {1: State.MEASURED, 2: State.FAILED, 3: State.MEASURED}
    (failed,) = [one for one in found.candidates if one.state is State.FAILED]
    assert "workers died with the same call" in failed.reason


def test_a_call_is_made_again_when_ray_has_given_it_up(workers: RayWorkers, tmp_path: Path) -> None:
    assert workers.submit(dying, tmp_path / "log", 2).result(300) == "done"


def test_an_exception_of_the_function_comes_back(workers: RayWorkers) -> None:
    with pytest.raises(ToolError, match=r"^no area$"):
        workers.submit(failing).result(300)


def test_a_call_has_a_time_limit(workers: RayWorkers) -> None:
    with pytest.raises(ToolError, match="took longer than 2 s"):
        workers.submit(time.sleep, 30).result(20)


def test_a_node_with_other_code_is_refused(
    workers: RayWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provenance, "commit", lambda: "another")
    with pytest.raises(ToolError, match=r"has Ciphermill at .*, this machine at another"):
        module._check_nodes(ray)


def test_an_address_where_nothing_answers_is_told_in_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_PROBE_S", 3.0)
    start = time.monotonic()
    with (
        pytest.raises(ToolError, match=r"no Ray cluster answers at 127\.0\.0\.1:1: "),
        ray_workers("127.0.0.1:1"),
    ):
        pass
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with (
            pytest.raises(ToolError, match=f"answers at {address} within 3 s"),
            ray_workers(address),
        ):
            pass
    assert time.monotonic() - start < 10


def test_a_missing_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with (
        pytest.raises(ToolError, match=r"pip install 'ciphermill\[cluster\]'"),
        ray_workers("auto"),
    ):
        pass
