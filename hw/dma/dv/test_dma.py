# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The DMA engine: its benches on a few builds, and parameters that are refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from ciphermill_dv.simulate import PORTS_ONLY, REPOSITORY, lint, rtl_sources, run_bench

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
for folder in ("ascon/dv", "present/dv", "ecc/dv", "ecc/programs"):  # the references
    sys.path.insert(0, str(REPOSITORY / "hw" / folder))

import rates  # noqa: E402

WAIVERS = [REPOSITORY / "hw" / ip / "rtl" / f"{ip}.vlt" for ip in ("accel", "dma")]

BUILDS = {
    "32-128": {"DataWidth": 32, "StreamWidth": 128},
    "64-64": {"DataWidth": 64, "StreamWidth": 64, "BurstBeats": 8, "FifoBeats": 20},
    "256-128": {"DataWidth": 256, "StreamWidth": 128, "Protection": 5},
}
"""The memory bus narrower than the streams, as wide, and wider."""


@pytest.mark.parametrize("bench", ["transfers", "faults", "throughput"])
@pytest.mark.parametrize("build", BUILDS)
def test_dma(build: str, bench: str) -> None:
    sources = [*rtl_sources("prim", "dma"), *WAIVERS]
    run_bench(HERE / f"{bench}_bench.py", "dma", sources, BUILDS[build])


@pytest.mark.parametrize("bench", ["transfers", "throughput"])
def test_dma_with_any_byte(bench: str) -> None:
    sources = [*rtl_sources("prim", "dma"), *WAIVERS]
    parameters = {"DataWidth": 64, "StreamWidth": 32, "ByteAlignment": 1}
    run_bench(HERE / f"{bench}_bench.py", "dma", sources, parameters)


def test_several_streams() -> None:
    # Not a power of two, so that FLAGS.stream has numbers next to the last stream's.
    sources = [*rtl_sources("prim", "dma"), *WAIVERS]
    run_bench(HERE / "streams_bench.py", "dma", sources, {"Streams": 3}, options=PORTS_ONLY)


MOVERS = {
    "32-128": {"DataWidth": 32, "StreamWidth": 128, "AddressWidth": 64, "ByteAlignment": 1},
    "64-64": {
        "DataWidth": 64,
        "StreamWidth": 64,
        "AddressWidth": 64,
        "ByteAlignment": 1,
        "BurstBeats": 8,
        "FifoBeats": 20,
    },
    "256-128": {"DataWidth": 256, "StreamWidth": 128, "AddressWidth": 64, "ByteAlignment": 1},
    "128-32": {"DataWidth": 128, "StreamWidth": 32, "AddressWidth": 33, "ByteAlignment": 1},
    "words": {"DataWidth": 128, "StreamWidth": 128, "AddressWidth": 40, "Protection": 5},
}
"""The same widths with addresses beyond 2^32 and bytes; the last one keeps to multiples of 4."""


@pytest.mark.parametrize("build", MOVERS)
def test_mover(build: str) -> None:
    sources = [*rtl_sources("prim", "dma"), *WAIVERS]
    run_bench(HERE / "mover_bench.py", "dma_mover", sources, MOVERS[build])


SUITE = {
    "ChannelCores": 0x3420,
    "Channels": 4,
    "Curves": 1,
    "EccArchitecture": 3,
    "KeySizes": 4,
    "Sha2WordSizes": 3,
    "Sha2Channels": 0,
}
"""Channels of AES, SHA-2 alone, PRESENT and ECC."""


@pytest.mark.parametrize(
    ("bench", "parameters"),
    [
        ("system", {}),
        ("ascon_system", {"ChannelCores": 1}),
        ("sha2_system", {"ChannelCores": 2, "Sha2WordSizes": 3}),
        ("suite_system", SUITE),
    ],
)
def test_accelerator_behind_dma(bench: str, parameters: dict[str, int]) -> None:
    sources = [
        *rtl_sources("prim", "aes", "present", "ghash", "ascon", "ecc", "sha2", "accel", "dma"),
        *WAIVERS,
        HERE / "dma_accel_harness.sv",
    ]
    run_bench(
        HERE / f"{bench}_bench.py", "dma_accel_harness", sources, parameters, options=PORTS_ONLY
    )


def test_pipelined_accelerator_at_the_rate_of_its_core() -> None:
    """Bus, streams and core all move a block a cycle; the memory is far away."""
    build = rates.Build(rates.PIPELINED, (128,), (128,), directions=1, key_sizes=4)
    lengths = (4096, 12288)
    cases = [
        rates.Case(mode, layout, 64, lengths)
        for mode in ("ECB", "CTR", "ECB to the sink")
        for layout in rates.LAYOUTS
    ]
    for rate in rates.measure(build, cases):
        assert rate.fraction >= rates.RATE, rate
        # Ten register writes, the core's 18 stages, and four ways to memory and back.
        assert rate.start <= 260, rate


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"DataWidth": 512}, "DataWidth must be"),
        ({"StreamWidth": 256}, "StreamWidth must be"),
        ({"BurstBeats": 12}, "BurstBeats must be"),
        ({"BurstBeats": 256, "DataWidth": 256, "FifoBeats": 512}, "BurstBeats must be"),
        ({"FifoBeats": 31}, "FifoBeats must be"),
        ({"Protection": 8}, "Protection must be"),
        ({"Streams": 0}, "Streams must be"),
        ({"Streams": 33}, "Streams must be"),
        ({"ByteAlignment": 2}, "ByteAlignment must be"),
    ],
)
def test_bad_parameters_stop_elaboration(parameters: dict[str, int], said: str) -> None:
    done = lint("dma", rtl_sources("prim", "dma"), parameters)
    assert done.returncode != 0
    assert said in done.stdout


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"AddressWidth": 31}, "AddressWidth must be"),
        ({"AddressWidth": 65}, "AddressWidth must be"),
        ({"ByteAlignment": 2}, "ByteAlignment must be"),
        ({"StreamWidth": 16}, "StreamWidth must be"),
    ],
)
def test_bad_parameters_of_the_mover(parameters: dict[str, int], said: str) -> None:
    done = lint("dma_mover", rtl_sources("prim", "dma"), parameters)
    assert done.returncode != 0
    assert said in done.stdout
