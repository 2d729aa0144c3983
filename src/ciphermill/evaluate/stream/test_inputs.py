# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a stream is said to rest on is what moves it, and nothing else is."""

import itertools
import math
from collections.abc import Iterator

from pydantic import BaseModel

from ciphermill.design import Direction, load_platform
from ciphermill.design.operations import Operation
from ciphermill.design.streaming_platform import Implementation, StreamingPlatform, StreamMode
from ciphermill.evaluate.stream.applications import (
    Application,
    Destination,
    StreamTimes,
    stream,
    stream_in_software,
)
from ciphermill.evaluate.stream.cores import TimedCore
from ciphermill.evaluate.stream.inputs import changed, deciding, parameters_of
from ciphermill.evaluate.stream.series import Series

ENCRYPT = Direction.ENCRYPT
MODES: tuple[StreamMode, ...] = ("ecb", "ctr")
IMPLEMENTATIONS: tuple[Implementation, ...] = ("software", "hardware")
Kind = tuple[Application, Destination, Implementation, StreamMode]


def small(name: str) -> StreamingPlatform:
    """A platform with few and small DMA buffers, so that short streams fill them."""
    platform = load_platform(name, StreamingPlatform)
    sizes = {"dma_buffers.count": 4, "dma_buffers.kib_each": 32, "host.update_kib": 64.0}
    for parameter, size in sizes.items():
        platform = platform.with_number(parameter, size)
    return platform


def numbers(value: object, at: str = "") -> Iterator[str]:
    """Yield every number of a platform, dotted."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from numbers(one, f"{at}.{name}" if at else name)
    elif isinstance(value, BaseModel):
        yield from numbers(value.model_dump(by_alias=True), at)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield at


def times(platform: StreamingPlatform, kind: Kind, length: int) -> StreamTimes:
    application, destination, implementation, mode = kind
    if implementation == "hardware":
        core = platform.core_of(mode)
        assert core
        return stream(
            platform,
            TimedCore.of(core, platform.cipher.block_bytes),
            length,
            application=application,
            destination=destination,
        )
    rate = platform.software_rate(implementation, mode, ENCRYPT)
    assert rate
    return stream_in_software(platform, rate, length, destination=destination)


def alike(one: StreamTimes, other: StreamTimes) -> bool:
    """Whether times are the same but for rounding."""
    return math.isclose(one.total_s, other.total_s, rel_tol=1e-9) and math.isclose(
        one.inside_write_s, other.inside_write_s, rel_tol=1e-9
    )


def listed(platform: StreamingPlatform, kind: Kind) -> set[str]:
    application, destination, implementation, mode = kind
    series = Series(application, destination, Operation(mode, ENCRYPT), implementation, "aes")
    return set(parameters_of(platform, series))


def test_a_stream_rests_on_what_moves_it() -> None:
    never_moved = set()
    for name in ("zedboard", "zc706"):
        platform = small(name)
        for application, destination, mode in itertools.product(Application, Destination, MODES):
            for implementation in IMPLEMENTATIONS:
                kind: Kind = (application, destination, implementation, mode)
                moving = moving_parameters(platform, kind)
                assert moving <= listed(platform, kind), kind
                never_moved |= {(*kind[:3], one) for one in listed(platform, kind) - moving}
    # What is listed moves such a stream somewhere: on a board, or in another mode.
    assert {one[3] for one in never_moved} <= {
        "bus.burst_bytes",
        "dma_buffers.count",
        "dma_buffers.kib_each",
        "device.fifo_kib",
        "host.wake_us",
        "host.update_kib",
    }


def moving_parameters(platform: StreamingPlatform, kind: Kind) -> set[str]:
    """The numbers of a platform whose change moves a stream's times."""
    # Within the buffers, and with buffers that fill; the last update is short.
    lengths = (72 << 10, 328 << 10)
    before = [times(platform, kind, length) for length in lengths]
    found = set()
    for parameter in numbers(platform):
        value = platform.number(parameter)
        if not value:
            continue
        other = platform.with_number(parameter, changed(parameter, value))
        if not all(map(alike, before, [times(other, kind, length) for length in lengths])):
            found.add(parameter)
    return found


def test_a_figure_is_decided_by_what_moves_it() -> None:
    platform = small("zedboard")
    kind: Kind = (Application.THROUGHPUT, Destination.FILE, "hardware", "ecb")
    parameters = sorted(listed(platform, kind))
    length = 1 << 20

    # Slopes: what begins and ends a stream is left out, as in a long one.
    def inside(one: StreamingPlatform) -> float:
        long, short = (times(one, kind, size).inside_write_s for size in (2 * length, length))
        return length / (long - short)

    def end_to_end(one: StreamingPlatform) -> float:
        long, short = (times(one, kind, size).total_s for size in (2 * length, length))
        return length / (long - short)

    assert [str(one) for one in deciding(platform, parameters, inside)] == [
        "fitted:zedboard.host.copy.shared_mb_s"
    ]
    (card,) = deciding(platform, parameters, end_to_end)
    assert card.parameter == "storage.read_mb_s"
    assert card.names == ("published:thesis-zynq-ciphers#bench.zedboard.storage_mb_s",)


def test_software_of_a_direction_rests_on_its_own_rate() -> None:
    platform = load_platform("zc706", StreamingPlatform)
    decrypt = Operation("cbc", "decrypt")
    series = Series(Application.OPENSSL, Destination.FILE, decrypt, "software+", "aes")
    found = parameters_of(platform, series)
    assert found == ("storage.read_mb_s", "host.software_plus.decrypt.cbc")
    assert math.isfinite(platform.number(found[1]))


def test_what_makes_a_figure_vanish_decides_it() -> None:
    platform = small("zedboard")

    def figure(one: StreamingPlatform) -> float:
        return 1.0 if one.host.copy_rate.mb_s == platform.host.copy_rate.mb_s else 0.0

    (found,) = deciding(platform, ["host.wake_us", "host.copy.mb_s"], figure)
    assert found.parameter == "host.copy.mb_s"
