# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tables and page of runs, from measurements with known figures."""

from __future__ import annotations

from ciphermill.design import Measurement
from ciphermill.report import bench_page as module
from ciphermill.report.pages import pages


def seen(device: str, rate: float, **more: object) -> Measurement:
    """A measurement of a message of 1 MiB with a throughput."""
    time_s = (1 << 20) / rate / 1e6
    fields = {
        "device": device,
        "mode": "ctr",
        "key_bits": 256,
        "operation": "encrypt",
        "bytes": 1 << 20,
        "runs": 20,
        "throughput.mb_s": rate,
        "time.total_s": time_s,
        "time.lower_quartile_s": 0.9 * time_s,
        "time.upper_quartile_s": 1.1 * time_s,
        "correct": True,
        "method": "measured",
    }
    return Measurement.from_json(fields | more)


def clocked(clock_mhz: float, *, met: bool, correct: bool = True) -> Measurement:
    """A simulated device at a clock."""
    more = {"clock.mhz": clock_mhz, "clock.met": met, "clock.highest_mhz": 80.0, "runs": 1}
    about = {"design": "some", "target": "ecp5", "correct": correct, "method": "simulated"}
    return seen(f"model:some,clock_mhz={clock_mhz:g}", clock_mhz, **more, **about)


def test_the_fastest_stands_first_and_is_named() -> None:
    run = [seen("gpu", 500.0), seen("cpu", 2000.0), seen("cpu", 1.0, mode="gcm")]
    assert module.sentences(run) == [
        "AES-256-CTR encryption of 1 MiB: cpu is the fastest with 2.00 GB/s, 4.00x of gpu."
    ]
    first = module._sections(run)[0]
    assert [row[0] for row in first.rows] == ["cpu", "gpu"]
    assert "output" not in first.columns


def test_spread_is_the_middle_half() -> None:
    assert round(module.spread(seen("cpu", 100.0)) or 0.0, 6) == 0.2
    assert module.spread(seen("model:a", 100.0, runs=1)) is None


def test_clocks_in_one_sentence() -> None:
    run = [clocked(100, met=False), clocked(50, met=True), clocked(75, met=True)]
    assert module.sentences(run) == [
        "some: outputs are right at all of 3 clocks; placed and routed for ecp5 it reaches "
        "80.0 MHz, and the highest of them that it allows is 75 MHz."
    ]
    wrong = [clocked(100, met=False, correct=False), clocked(90, met=False, correct=False)]
    assert module.sentences(wrong) == [
        "some: outputs are wrong at 90 and 100 MHz; placed and routed for ecp5 it reaches "
        "80.0 MHz, and it allows none."
    ]
    # Clocks keep the order in which they were asked for.
    assert module._sections(run)[0].rows[0][0].startswith("model:some,clock_mhz=100")


def test_a_plot_has_the_fastest_devices() -> None:
    run = [seen(f"device-{number}", 100.0 + number) for number in range(40)]
    rows = module.rate_rows(run)
    assert len(rows) == module.MOST_DRAWN
    assert rows[0][0] == "device-39"


def test_the_page_says_what_is_wrong() -> None:
    bad = seen("gpu", 1.0, correct=False, **{"wrong.byte": 5})
    page = module.bench_page([seen("cpu", 2.0), bad], "2026-11-24T00:00:00+00:00")
    assert "Outputs are wrong" in page
    assert "wrong from byte 5" in page
    assert [one.name for one, _ in pages([bad])] == ["bench"]


def test_a_device_without_figures_is_shown_and_not_compared() -> None:
    lost = seen("gpu", 1.0).model_copy(
        update={
            **{"throughput_mb_s": None, "time_total_s": None, "correct": None},
            **{"time_lower_quartile_s": None, "time_upper_quartile_s": None},
            "notes": ("gpu failed: it has vanished",),
        }
    )
    assert module.sentences([seen("cpu", 2.0), lost]) == []
    section = module._sections([seen("cpu", 2.0), lost])[0]
    assert section.rows[1][:4] == ("gpu (no figures)", "-", "-", "-")
    assert module.rate_rows([seen("cpu", 2.0), lost]) == [("cpu", {"with transfers": 2.0})]
    for run in ([seen("cpu", 2.0), lost], [lost]):
        page = module.bench_page(run, "2026-11-24T00:00:00+00:00")
        assert "gpu failed: it has vanished" in page
        assert "Outputs are wrong" not in page


def test_close_clocks_are_told_apart() -> None:
    run = [clocked(75.0000001, met=True), clocked(75.0000002, met=False)]
    assert "75.0000001 MHz" in module.sentences(run)[0]
