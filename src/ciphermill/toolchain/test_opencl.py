# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Whether an OpenCL device is a graphics processor, by the drivers here and by pretended ones."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import pytest

from ciphermill._engine import Device, graphics_processors

from . import opencl

CPU, GPU, ACCELERATOR = 1 << 1, 1 << 2, 1 << 3


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    opencl.graphics_processors.cache_clear()
    yield
    opencl.graphics_processors.cache_clear()


class Driver:
    """A loader of two platforms: by a device's handle, its type and whether it can be used."""

    def __init__(self, platforms: dict[int, dict[int, tuple[int, bool]]]) -> None:
        self.platforms = platforms
        self.devices = {h: facts for one in platforms.values() for h, facts in one.items()}

    def _listed(self, handles: list[int], entries: Any, place: Any, count: Any) -> int:
        if count is not None:
            count._obj.value = len(handles)
        if not handles:
            return -1
        for n in range(entries.value if place is not None else 0):
            place[n] = handles[n]
        return 0

    def clGetPlatformIDs(self, *asked: Any) -> int:
        return self._listed(list(self.platforms), *asked)

    def clGetDeviceIDs(self, platform: Any, _: Any, *asked: Any) -> int:
        return self._listed(list(self.platforms[platform.value]), *asked)

    def clGetDeviceInfo(self, device: Any, name: Any, *place: Any) -> int:
        kind, usable = self.devices[device.value]
        place[1]._obj.value = kind if name.value == 0x1000 else int(usable)
        return 0


@pytest.mark.parametrize(
    ("platforms", "expected"),
    [
        ({}, ()),
        ({7: {}}, ()),
        ({7: {1: (GPU, True)}, 8: {2: (CPU, True)}}, (True, False)),
        ({7: {1: (CPU, True), 2: (GPU, False), 3: (GPU, True)}}, (False, True)),
        ({7: {}, 8: {1: (ACCELERATOR, True), 2: (GPU | 1, True)}}, (False, True)),
    ],
)
def test_drivers_say_what_their_devices_are(
    platforms: Any, expected: tuple[bool, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _: Driver(platforms))
    assert opencl.graphics_processors() == expected


def test_without_opencl_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opencl, "LIBRARY", "libNoSuchThing.so.1")
    assert opencl.graphics_processors() == ()


def test_pocl_is_no_graphics_processor() -> None:
    names = [name for name in graphics_processors() if name.startswith("opencl")]
    if not names:
        pytest.skip("there is no OpenCL here")
    told = opencl.graphics_processors()
    assert len(told) == len(names), "the engine lists other devices"
    for number, name in enumerate(names):
        if "Portable Computing Language" in Device(name).description:
            assert told[number] is False
