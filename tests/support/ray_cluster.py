# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A real Ray cluster whose nodes are all on this machine, each with one processor at most."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from support.processes import descendants, words


@contextlib.contextmanager
def ray_cluster(*, head_measures: bool, others: int) -> Iterator[Any]:
    """A head, which may have a processor for calls, and so many other nodes.

    Gives a ``ray.cluster_utils.Cluster``.
    """
    from ray.cluster_utils import Cluster

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    node = {"num_cpus": 1, "object_store_memory": 80 << 20}
    head = {**node, "num_cpus": int(head_measures), "include_dashboard": False}
    found: Any = Cluster(initialize_head=True, head_node_args=head)
    try:
        for _ in range(others):
            found.add_node(**node)
        yield found
    finally:
        found.shutdown()


def calls_of(node: Any) -> list[int]:
    """Return the processes of a node that work on a call of ``ray_workers``."""
    (raylet,) = node.all_processes["raylet"]
    return [one for one in descendants(raylet.process.pid) if words(one).startswith("ray::_call")]
