# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Energy of a graphics processor, with a small library in the place of NVIDIA's."""

import ctypes
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from ciphermill.evaluate.speed import energy, nvml
from ciphermill.evaluate.speed.energy import find_counters

SOURCE = r"""
#include <stdio.h>
#include <string.h>
static unsigned long long energy_mj[2] = {7000, 9000};
static int known = 1;
void add(int card, int mj) { energy_mj[card] += mj; }
void forget(void) { known = 0; }
int cuInit(unsigned flags) { return flags; }
int cuDeviceGet(int *device, int number) { *device = number; return number > 1 ? 101 : 0; }
/* CUDA's first device is the second one on the bus. */
int cuDeviceGetPCIBusId(char *id, int bytes, int device) {
  snprintf(id, bytes, "0000:0%d:00.0", device == 0 ? 2 : 1);
  return 0;
}
int nvmlInit_v2(void) { return 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **handle) {
  *handle = &energy_mj[strcmp(id, "0000:01:00.0") == 0 ? 0 : 1];
  return 0;
}
int nvmlDeviceGetTotalEnergyConsumption(void *handle, unsigned long long *mj) {
  *mj = *(unsigned long long *)handle;
  return known ? 0 : 3;
}
"""


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ctypes.CDLL:
    """The driver of two cards; this machine's processors have no counter."""
    if shutil.which("cc") is None:
        pytest.skip("cc, which compiles the driver's stand-in, is missing")
    (tmp_path / "driver.c").write_text(SOURCE)
    library = str(tmp_path / "driver.so")
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-o", library, tmp_path / "driver.c"],
        check=True,
    )
    monkeypatch.setattr(nvml, "CUDA", library)
    monkeypatch.setattr(nvml, "NVML", library)
    monkeypatch.setattr(energy, "POWERCAP", tmp_path / "none")
    return ctypes.CDLL(library)


@pytest.fixture
def package(driver: ctypes.CDLL, tmp_path: Path) -> Path:
    """The counter of a processor."""
    zone = tmp_path / "none" / "intel-rapl:0"
    zone.mkdir(parents=True)
    (zone / "name").write_text("package-0\n")
    (zone / "max_energy_range_uj").write_text("1000000000\n")
    (zone / "energy_uj").write_text("5000000\n")
    return zone / "energy_uj"


@pytest.mark.parametrize(("name", "card"), [("cuda", 1), ("cuda:0,queues=3", 1), ("cuda:1", 0)])
def test_a_card_is_found_by_its_place_on_the_bus(driver: ctypes.CDLL, name: str, card: int) -> None:
    counter, (note,) = find_counters(name)
    assert counter is not None
    driver.add(card, 2500)
    driver.add(1 - card, 800)
    assert counter.joules() == 2.5
    assert note.startswith("Energy is that of the graphics processor alone: ")


def test_a_card_and_the_processors_are_added(driver: ctypes.CDLL, package: Path) -> None:
    counter, (note,) = find_counters("cuda:1")
    assert counter is not None
    driver.add(0, 2500)
    package.write_text("9000000\n")
    assert counter.joules() == 6.5
    assert note == "Energy is that of the processors and the graphics processor."


def test_processors_that_wait_are_not_the_energy_of_a_device_without_a_counter(
    driver: ctypes.CDLL, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert package.is_file()
    driver.forget()
    counter, (note,) = find_counters("cuda:1")
    assert counter is None
    assert note.startswith("No energy of cuda:1: nvmlDeviceGetTotalEnergyConsumption")
    assert note.endswith("status 3.")
    described = SimpleNamespace(description="Some GPU by Some Vendor (OpenCL)")
    monkeypatch.setattr(energy, "Device", lambda _: described)
    why = "No energy of opencl:0: OpenCL has no energy counters."
    assert find_counters("opencl:0") == (None, (why,))
    # PoCL drives graphics processors too.
    described.description = "NVIDIA Some by Portable Computing Language (OpenCL)"
    assert find_counters("opencl:0") == (None, (why,))
    assert find_counters("stream:/dev/board")[0] is None
    assert find_counters("cpu")[1] == ()


def test_pocl_on_the_processors_has_their_energy(
    driver: ctypes.CDLL, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    described = SimpleNamespace(description="cpu-some by Portable Computing Language (OpenCL)")
    monkeypatch.setattr(energy, "Device", lambda _: described)
    counter, notes = find_counters("opencl:0,queues=2")
    assert counter is not None
    package.write_text("6000000\n")
    assert (counter.joules(), notes) == (1.0, ())


def test_where_nothing_can_be_read_the_note_says_why(
    driver: ctypes.CDLL, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter, (note,) = find_counters("cuda:5")
    assert counter is None
    assert note.startswith("No energy of cuda:5: ")
    assert "cuDeviceGet of NVIDIA's driver fails with status 101" in note
    monkeypatch.setattr(nvml, "NVML", "libnosuch.so.1")
    assert "libnosuch.so.1" in find_counters("cuda:0")[1][0]
