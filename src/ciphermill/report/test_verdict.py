# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The verdict on offload, from measurements with known figures."""

from __future__ import annotations

from ciphermill.design import Measurement
from ciphermill.report.verdict import CRITERIA, Offload, offloads, sentences, winners
from ciphermill.report.verdict_page import verdict_page


def seen(device: str, length: int, rate: float, at_once: int = 1, **more: object) -> Measurement:
    """A measurement with a throughput; the latency follows from it."""
    time_s = at_once * length / rate / 1e6
    fields = {
        "device": device,
        "mode": "ctr",
        "key_bits": 256,
        "bytes": length,
        "at_once": at_once,
        "messages": 1,
        "throughput.mb_s": rate,
        "time.median_message_s": time_s,
        "time.worst_message_s": 2 * time_s,
        "correct": True,
        "method": "measured",
    }
    return Measurement.from_json(fields | more)


RUN = [
    *(seen("cpu", 16, 100.0), seen("gpu", 16, 1.0), seen("software", 16, 50.0)),
    *(seen("cpu", 4096, 1000.0), seen("gpu", 4096, 1500.0), seen("software", 4096, 500.0)),
    *(seen("cpu", 1 << 20, 4000.0), seen("gpu", 1 << 20, 8000.0)),
]


def test_the_winner_at_each_size_is_one_sentence() -> None:
    throughput, latency, worst, processor, energy = CRITERIA
    expected = "cpu wins at 16 bytes, gpu wins from 4 KiB to 1 MiB. "
    # Of several sizes in a row, that with the nearest runner-up.
    assert winners(RUN, throughput, several=False) == (
        f"Throughput, one caller: {expected}"
        "software would win at 16 bytes if its throughput were 2.00 times what it is; "
        "cpu would win at 4 KiB if its throughput were 1.50 times what it is."
    )
    for criterion, title, noun in (
        (latency, "Latency (median)", "median latency"),
        (worst, "Latency (worst)", "worst latency"),
    ):
        assert winners(RUN, criterion, several=False) == (
            f"{title}, one caller: {expected}"
            f"software would win at 16 bytes if its {noun} were 0.500 times what it is; "
            f"cpu would win at 4 KiB if its {noun} were 0.667 times what it is."
        )
    # Unknown, and so nobody wins.
    assert winners(RUN, processor, several=False) is None
    assert winners(RUN, energy, several=False) is None
    assert winners(RUN, throughput, several=True) is None


def test_processor_time_is_of_a_byte() -> None:
    run = [
        one.model_copy(update={"time_processor_s": 1.0, "messages": messages})
        for one, messages in ((seen("cpu", 100, 1.0), 10), (seen("gpu", 100, 1.0), 20))
    ]
    assert winners(run, CRITERIA[3], several=False) == (
        "Processor time a byte, one caller: gpu wins at every size. "
        "cpu would win at 100 bytes if its processor time were 0.500 times what it is."
    )
    free = [run[0], run[1].model_copy(update={"time_processor_s": 0.0})]
    assert winners(free, CRITERIA[3], several=False) == (
        "Processor time a byte, one caller: gpu wins at every size."
    )
    level = [run[0], run[0].model_copy(update={"device": "gpu"})]
    assert (winners(level, CRITERIA[3], several=False) or "").endswith(
        " gpu is level at 100 bytes."
    )


def test_a_device_pays_from_the_size_after_which_it_never_loses() -> None:
    (gpu,) = offloads(RUN, several=False)
    assert gpu.pays_from == 4096
    assert gpu.sentence("one caller") == (
        "gpu pays from 4 KiB on, for one caller. It would not pay at 4 KiB if the processor were "
        "1.50 times as fast, and would pay at 16 bytes if it were 100 times as fast."
    )
    # It wins once in between, and at the end.
    ratios = {16: 0.5, 64: 2.0, 256: 0.9, 1024: 1.1}
    assert Offload("gpu", ratios, {}).pays_from == 1024
    assert Offload("gpu", {16: 1.5, 64: 2.0}, {}).sentence("one caller") == (
        "gpu pays at every size, for one caller. It would not pay at 16 bytes if the processor "
        "were 1.50 times as fast."
    )


def test_what_would_change_it_is_said() -> None:
    ratios = {16: 0.1, 4096: 0.5}
    assert Offload("gpu", ratios, {4096: 0.8}).sentence("one caller") == (
        "gpu does not pay, for one caller: at best, at 4 KiB, it reaches 0.500 of the processor. "
        "It would pay there if it were 2.00 times as fast; transfers that took no time would not "
        "do: it would reach 0.800."
    )
    assert "would do: it would reach 1.20." in Offload("gpu", ratios, {4096: 1.2}).sentence("us")
    ratios = {16: 1.2, 64: 1.1, 256: 0.9, 1024: 1.3, 4096: 0.5}
    assert Offload("gpu", ratios, {}).sentence("one caller") == (
        "gpu pays from 16 bytes to 64 bytes and at 1 KiB only, for one caller. It would not pay at "
        "64 bytes if the processor were 1.10 times as fast, and would pay at 256 bytes if it were "
        "1.11 times as fast."
    )


def test_simulated_devices_are_marked_and_missing_energy_is_told() -> None:
    model = seen("model:aes", 16, 500.0, method="simulated")
    told = sentences([*RUN, model])
    assert "model:aes (simulated) does not pay" in " ".join(told) or any(
        one.startswith("model:aes (simulated) pays") for one in told
    )
    assert told[-2] == "Energy is not known: this machine's counters cannot be read."
    assert told[-1] == (
        "model:aes: the times of simulated devices leave out the call and the driver, and are of "
        "one caller: they have no worst latency."
    )
    powered = [one.model_copy(update={"energy_pj_per_bit": 1.0}) for one in RUN]
    assert "Energy is not known" not in " ".join(sentences(powered))


def test_many_at_once_are_told_apart() -> None:
    many = [seen("cpu", 16, 10.0, 16), seen("gpu", 16, 20.0, 16)]
    told = sentences([*RUN, *many])
    assert any(
        one.startswith("Throughput, 16 messages at once: gpu wins at every size. ") for one in told
    )
    assert any(one.startswith("gpu pays at every size, for 16 messages at once.") for one in told)
    assert told[-1] == (
        "Nothing above 16 bytes is measured with 16 messages at once: together they have 256 MiB "
        "at most."
    )
    page = verdict_page([*RUN, *many], "2026-11-24T05:00:00+00:00")
    for part in ("Does offload pay?", "gpu pays from 4 KiB on", "16 messages at once", "<svg"):
        assert part in page


def test_a_simulation_does_not_win_by_worst_latency() -> None:
    fast = seen("model:aes", 16, 1e6, method="simulated")
    assert (winners([*RUN, fast], CRITERIA[1], several=False) or "").startswith(
        "Latency (median), one caller: model:aes (simulated) wins at 16 bytes"
    )
    assert winners([*RUN, fast], CRITERIA[2], several=False) == winners(
        RUN, CRITERIA[2], several=False
    )


def test_a_device_without_figures_is_shown_and_not_compared() -> None:
    lost = Measurement.from_json(
        {
            **{"device": "gpu", "mode": "ctr", "key_bits": 256, "bytes": 16, "at_once": 1},
            **{"method": "measured", "notes": ("gpu failed: it has vanished",)},
        }
    )
    run = [seen("cpu", 16, 100.0), seen("software", 16, 50.0), lost]
    told = " ".join(sentences(run))
    assert "gpu" not in told
    assert "cpu wins at every size" in told
    page = verdict_page(run, "2026-11-24T05:00:00+00:00")
    assert "gpu failed: it has vanished" in page
    assert "no figures" in page
    assert "Outputs are wrong" not in page
