# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Streaming systems in virtual time, against what arithmetic gives."""

import os

import pytest

from ciphermill.design import load_platform
from ciphermill.design.operations import Operation
from ciphermill.design.streaming_platform import StreamingPlatform, StreamMode
from ciphermill.evaluate.stream.applications import (
    Application,
    Destination,
    StreamTimes,
    stream,
    stream_in_software,
    stream_on_channels,
    stream_together,
)
from ciphermill.evaluate.stream.cores import TimedCore, Wire
from ciphermill.evaluate.stream.device_side import DeviceSide
from ciphermill.evaluate.stream.kernel import (
    Gate,
    Process,
    Simulation,
    SimulationError,
    WrongStreamError,
)
from ciphermill.evaluate.stream.model_core import ModelCore, measure_core
from ciphermill.evaluate.stream.rate import calibrate
from ciphermill.evaluate.stream.shared_model import SharedModel
from ciphermill.toolchain.model import ensure_model

MIB = 1 << 20


def run(
    name: str,
    mode: str,
    length: int,
    application: Application = Application.THROUGHPUT,
    destination: Destination = Destination.SINK,
) -> StreamTimes:
    platform = load_platform(name, StreamingPlatform)
    core = platform.core_of(mode)
    assert core
    return stream(platform, TimedCore.of(core, 16), length, application, destination=destination)


def from_memory(platform: StreamingPlatform) -> StreamingPlatform:
    storage = platform.storage.model_copy(update={"read_mb_s": 1e9, "write_mb_s": 1e9})
    return platform.model_copy(update={"storage": storage})


def test_processes_that_wait_for_each_other_are_named() -> None:
    simulation = Simulation()
    gate = simulation.gate()

    def waits(gate: Gate) -> Process:
        yield 1.0
        yield gate

    simulation.spawn("the patient one", waits(gate))
    with pytest.raises(SimulationError, match=r"after 1 s: the patient one wait"):
        simulation.run()


def test_times_are_in_order() -> None:
    simulation, seen = Simulation(), []

    def sleeper(name: str, seconds: float) -> Process:
        yield seconds
        seen.append((name, simulation.now))

    for name, seconds in (("b", 2.0), ("a", 1.0), ("c", 2.0)):
        simulation.spawn(name, sleeper(name, seconds))
    assert simulation.run() == 2.0
    assert seen == [("a", 1.0), ("b", 2.0), ("c", 2.0)]


def test_a_core_is_its_clock_counts() -> None:
    core = TimedCore(period_s=2.0, latency_s=10.0, block_bytes=16)
    assert core.take(0.0, 16) == (2.0, 10.0)
    assert core.take(0.0, 33) == (8.0, 16.0)
    assert core.take(100.0, 16) == (102.0, 110.0)


def test_buffers_swallow_what_fits_and_then_the_core_shows() -> None:
    # 64 buffers of 128 KiB: 8 MiB go in at the rate of a copy, whatever the cipher does.
    swallowed = run("zc706", "ecb", 8 * MIB)
    assert 8 * MIB / swallowed.inside_write_s / 1e6 == pytest.approx(5000, rel=1e-3)
    assert 8 * MIB / swallowed.total_s / 1e6 < 22
    long = run("zc706", "ecb", 64 * MIB)
    assert 64 * MIB / long.inside_write_s / 1e6 < 25


def test_a_slow_card_hides_the_cipher_from_who_times_writing_only() -> None:
    seen = run("zedboard", "ecb", 4 * MIB)
    assert 4 * MIB / seen.inside_write_s / 1e6 == pytest.approx(500)
    assert 4 * MIB / seen.total_s / 1e6 == pytest.approx(11, rel=0.1)


def test_nothing_outruns_bus_core_or_storage() -> None:
    for name in ("zedboard", "zc706"):
        platform = load_platform(name, StreamingPlatform)
        for mode in ("ecb", "ctr"):
            core = platform.core_of(mode)
            assert core
            for application in Application:
                for destination in Destination:
                    seen = run(name, mode, 2 * MIB, application, destination)
                    rate = 2 * MIB / seen.total_s / 1e6
                    assert rate <= platform.bus.mb_s_to(device=True)
                    assert rate <= 16e-6 / core.period_s
                    assert rate <= platform.storage.read_mb_s


def test_from_memory_the_bus_is_the_limit() -> None:
    platform = from_memory(load_platform("zedboard", StreamingPlatform))
    seen = stream(
        platform,
        Wire(),
        8 * MIB,
        Application.THROUGHPUT,
        Destination.SINK,
    )
    # 10 us a buffer of 128 KiB come on top of 400 MB/s.
    assert 8 * MIB / seen.total_s / 1e6 == pytest.approx(388, rel=0.02)


def test_awaiting_each_update_costs() -> None:
    overlapped = run("zc706", "ctr", 4 * MIB, Application.THROUGHPUT, Destination.FILE)
    synchronous = run("zc706", "ctr", 4 * MIB, Application.OPENSSL, Destination.FILE)
    assert synchronous.total_s > 1.3 * overlapped.total_s


def test_software_is_timed_inside_its_cipher() -> None:
    platform = load_platform("zedboard", StreamingPlatform)
    file = stream_in_software(platform, 18, MIB, Destination.FILE)
    sink = stream_in_software(platform, 18, MIB, Destination.SINK)
    assert MIB / file.inside_write_s / 1e6 == pytest.approx(18)
    # A copy at 500 MB/s on top.
    assert MIB / sink.inside_write_s / 1e6 == pytest.approx(1 / (1 / 18 + 1 / 500))


def test_an_odd_length_arrives_whole() -> None:
    for application in Application:
        run("zedboard", "ctr", 300_003, application, Destination.FILE)


def test_shared_storage_makes_reader_and_writer_wait() -> None:
    platform = load_platform("zedboard", StreamingPlatform)
    update = {"shared": True, "write_mb_s": 11.0}
    card = platform.model_copy(update={"storage": platform.storage.model_copy(update=update)})
    core = platform.core_of("ctr")
    assert core
    times = [
        stream(
            one,
            TimedCore.of(core, 16),
            MIB,
            Application.THROUGHPUT,
            Destination.FILE,
        ).total_s
        for one in (platform, card)
    ]
    assert times[1] > 1.7 * times[0]


@pytest.mark.parametrize("destination", list(Destination))
def test_lines_hold_where_they_were_not_drawn(destination: Destination) -> None:
    platform = load_platform("zedboard", StreamingPlatform)
    core = platform.core_of("ctr")
    assert core
    small = platform.dma_buffers.model_copy(update={"count": 4})
    platform = platform.model_copy(update={"dma_buffers": small})

    def simulate(length: int) -> StreamTimes:
        return stream(
            platform,
            TimedCore.of(core, 16),
            length,
            Application.THROUGHPUT,
            destination,
        )

    model = calibrate(simulate, small.count * small.bytes_each)
    assert model.error <= 0.02
    far = 3 * model.held_out
    assert model.times(far).total_s == pytest.approx(simulate(far).total_s, rel=0.02)


def test_our_core_clock_by_clock() -> None:
    platform = load_platform("zedboard", StreamingPlatform)
    library = ensure_model("aes-iterative")
    data, operation = os.urandom(20_000), Operation("ctr", "encrypt")
    core = ModelCore(library, platform, operation, data)
    exact = stream(
        platform,
        core,
        len(data),
        Application.OPENSSL,
        Destination.FILE,
    )
    assert core.check()
    measured = measure_core(library, platform, operation)
    assert measured.period_s == pytest.approx(14e-8)  # hw/aes/README.md, "Cycles"
    by_counts = stream(
        platform,
        measured,
        len(data),
        Application.OPENSSL,
        Destination.FILE,
    )
    assert by_counts.total_s == pytest.approx(exact.total_s, rel=0.02)


@pytest.mark.parametrize(("mode", "direction"), [("ctr", "encrypt"), ("cbc", "decrypt")])
@pytest.mark.parametrize("gap_cycles", [500, 920, 1000, 1300, 20_000])
def test_cycles_that_are_skipped_would_have_changed_nothing(
    mode: StreamMode, direction: str, gap_cycles: int
) -> None:
    class Patient(ModelCore):
        """Skips nothing."""

        def _idle_until(self, cycles: float) -> None:
            while self._cycles() < cycles:
                self._step(1)

    found = []
    data = os.urandom(4096)
    for kind in (ModelCore, Patient):
        core = kind(
            ensure_model("aes-iterative"),
            load_platform("zedboard", StreamingPlatform),
            Operation(mode, direction),
            data,
        )
        times = []
        for burst in range(4):
            taken, left = core.take((100_000.5 + burst * gap_cycles) * 1e-8, 1024)
            times += [taken * 1e8, left * 1e8]
        assert core.check()
        found.append(times)
    # A burst arrives between two clocks; what runs every clock is late by up to one.
    assert found[0] == pytest.approx(found[1], rel=0, abs=1)


def test_wrong_output_is_noticed() -> None:
    data = bytes(64)
    core = ModelCore(
        ensure_model("aes-iterative"),
        load_platform("zedboard", StreamingPlatform),
        Operation("ecb", "decrypt"),
        data,
    )
    core.take(0.0, len(data))
    assert core.check()
    core.message.output[3] ^= 1
    assert not core.check()


@pytest.mark.parametrize("destination", Destination)
@pytest.mark.parametrize("mode", ["cbc", "ctr"])
def test_a_channel_takes_the_time_of_a_core_of_its_own(
    mode: StreamMode, destination: Destination
) -> None:
    platform = from_memory(load_platform("zedboard", StreamingPlatform))
    data = os.urandom(48 << 10)
    model = ensure_model("aes-iterative")
    operation, kind = Operation(mode, "encrypt"), (Application.THROUGHPUT, destination)
    (shared,) = stream_on_channels(platform, model, [data], operation, *kind)
    core = ModelCore(model, platform, operation, data)
    own = stream(platform, core, len(data), *kind)
    assert core.check()
    assert shared.total_s == pytest.approx(own.total_s, rel=0.01)


def test_more_streams_than_channels_are_refused() -> None:
    with pytest.raises(SimulationError, match="2 streams do not fit the 1 channels"):
        SharedModel(
            Simulation(),
            ensure_model("aes-iterative"),
            load_platform("zedboard", StreamingPlatform),
            Operation("ecb", "encrypt"),
            [bytes(16)] * 2,
        )


def test_a_wrong_channel_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ciphermill.evaluate.stream.message.Message.check", lambda _: False)
    with pytest.raises(WrongStreamError, match="gives a wrong cbc encrypt"):
        stream_on_channels(
            from_memory(load_platform("zedboard", StreamingPlatform)),
            ensure_model("aes-iterative"),
            [bytes(4096)],
            Operation("cbc", "encrypt"),
            Application.THROUGHPUT,
            Destination.SINK,
        )


def test_streams_that_share_the_bus_get_equal_parts_of_it() -> None:
    platform = from_memory(load_platform("zedboard", StreamingPlatform))
    kind = (Application.THROUGHPUT, Destination.SINK)
    alone = stream(platform, Wire(), 4 * MIB, *kind)
    both = stream_together(platform, [Wire(), Wire()], 4 * MIB, *kind)
    assert both[0].total_s == pytest.approx(both[1].total_s, rel=0.01)
    # Handing a buffer over costs one of them time in which the other moves bursts.
    assert 1.8 * alone.total_s < both[0].total_s < 2.0 * alone.total_s


def test_slow_cores_side_by_side_do_not_slow_each_other() -> None:
    platform = from_memory(load_platform("zedboard", StreamingPlatform))
    core = platform.core_of("ecb")
    assert core
    kind = (Application.THROUGHPUT, Destination.FILE)
    alone = stream(platform, TimedCore.of(core, 16), MIB, *kind)
    six = stream_together(
        platform,
        [TimedCore.of(core, 16) for _ in range(6)],
        MIB,
        *kind,
    )
    assert max(one.total_s for one in six) == pytest.approx(alone.total_s, rel=0.02)


@pytest.mark.parametrize(
    ("application", "copy_mb_s"), [(Application.OPENSSL, 500), (Application.THROUGHPUT, 400)]
)
def test_one_buffer_there_and_back_to_the_microsecond(
    application: Application, copy_mb_s: float
) -> None:
    platform = from_memory(load_platform("zedboard", StreamingPlatform))
    length = platform.dma_buffers.bytes_each
    seen = stream(platform, Wire(), length, application, Destination.FILE)
    copy = length / copy_mb_s  # two threads copy more slowly than one
    there, last_burst_back, hand_over, wake = length / 400, 1024 / 800, 10, 80
    whole = copy + hand_over + there + last_burst_back + hand_over + wake + copy
    # Inside write; of two threads, with what the second has left to do at the end.
    assert seen.inside_write_s * 1e6 == pytest.approx(whole, rel=1e-3)


def test_a_slow_way_back_holds_the_bus_up() -> None:
    freed_s = []
    for bits in (64, 8):
        platform = load_platform("zedboard", StreamingPlatform)
        bus = platform.bus.model_copy(update={"to_host_bits": bits})
        platform = platform.model_copy(update={"bus": bus})
        simulation = Simulation()
        device = DeviceSide(simulation, platform, Wire(), length=8192, update=8192, sink=False)

        def host(simulation: Simulation, device: DeviceSide) -> Process:
            all_free = device.free
            device.free -= 1
            device.fill(8192)
            while device.free < all_free:
                yield device.freed
            freed_s.append(simulation.now)
            while not device.ready:
                yield device.arrived

        simulation.spawn("the host", host(simulation, device))
        simulation.run()
    # Eight bursts of 2.56 us follow the hand-over; the FIFOs hold four of 10.24 us back.
    assert freed_s[0] * 1e6 == pytest.approx(10 + 8 * 2.56)
    assert freed_s[1] * 1e6 > 10 + 3 * 10.24
