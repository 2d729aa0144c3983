# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The primitives: one bench on one build, and parameters that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from ciphermill_dv.simulate import lint, rtl_sources, run_bench

HERE = Path(__file__).parent


BUILDS = {"default": {}, "block-ram": {"BlockRam": 1}, "stages": {"SyncStages": 3, "BlockRam": 1}}


@pytest.mark.parametrize(
    ("bench", "build"),
    [("resize", "default"), *((b, build) for b in ("prim", "reset") for build in BUILDS)],
)
def test_primitives(bench: str, build: str) -> None:
    sources = [*rtl_sources("prim"), HERE / "prim_harness.sv"]
    # The bench of resets gives random inputs, which break the rules of a stream.
    plusargs = ["+verilator+noassert"] if bench == "reset" else []
    run_bench(HERE / f"{bench}_bench.py", "prim_harness", sources, BUILDS[build], plusargs=plusargs)


def test_split() -> None:
    """One access of four has an address behind the last subordinate."""
    parameters = {"Ports": 3, "LocalWidth": 4}
    run_bench(HERE / "split_bench.py", "prim_axi_lite_split", rtl_sources("prim"), parameters)


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("an_offer_that_changes", "payload_holds: the payload changed before ready"),
        ("an_offer_that_is_withdrawn", "valid_stays: valid fell before ready"),
        ("a_clear_that_ends_early", "write_clear_lasts: write_clear_i fell before"),
    ],
)
def test_a_broken_rule_is_reported(
    broken: str, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """The assertions inside the RTL are on in the benches and stop the simulation."""
    sources = [*rtl_sources("prim"), HERE / "prim_harness.sv"]
    with pytest.raises((SystemExit, RuntimeError, AssertionError)):
        run_bench(HERE / "rules_bench.py", "prim_harness", sources, tests=broken)
    printed = capfd.readouterr()
    assert said in printed.out + printed.err


@pytest.mark.parametrize(
    ("top", "parameters"),
    [
        ("prim_fifo", {"Depth": 1}),
        ("prim_fifo", {"BlockRam": 2}),
        ("prim_fifo_async", {"Depth": 6}),
        ("prim_fifo_async", {"BlockRam": 2}),
        ("prim_synchroniser", {"Stages": 1}),
        ("prim_synchroniser", {"Stages": 0}),
        ("prim_stream_to_blocks", {"StreamWidth": 16}),
        ("prim_blocks_to_stream", {"StreamWidth": 256}),
        ("prim_stream_resize", {"InWidth": 8}),
        ("prim_stream_resize", {"OutWidth": 96}),
    ],
)
def test_bad_parameters_stop_elaboration(top: str, parameters: dict[str, int]) -> None:
    done = lint(top, rtl_sources("prim"), parameters)
    assert done.returncode != 0
    assert f"{top}: " in done.stdout
    assert f"{next(iter(parameters))} must be" in done.stdout
