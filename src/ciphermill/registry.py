# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Opens devices by name, and lists those that are present.

``cpu``, ``software`` and ``software+`` run on this processor; ``software`` in a process of
its own, unless OpenSSL in this process has no AES instructions. ``opencl`` is an OpenCL device,
``opencl:1`` the second one, ``opencl:1,kernel=tables`` the same with a setting.
``model:<design>`` is a simulated accelerator in this process; its model is built when it is first
opened, which takes a minute. ``model:<design>,clock_mhz=50`` is the same at another clock.
``stream:<folder>`` is an accelerator behind device files: a board, or a simulator in another
process. ``linux:`` is a free ring of a card behind the Linux kernel driver, ``linux:0`` one of
its card 0, ``linux:0-3`` ring 3 of that card.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ciphermill._engine import (
    Device,
    Error,
    InvalidError,
    UnsupportedError,
    graphics_processors,
    kernel_drivers,
)
from ciphermill.names import did_you_mean
from ciphermill.software import NAME as SOFTWARE
from ciphermill.software import SoftwareDevice

AnyDevice = Device | SoftwareDevice
"""Devices that can be measured."""

PROCESSOR_DEVICES = ("cpu", "software", "software+")
"""Devices that need only this machine's processor and libraries."""

MODEL_PREFIX = "model:"
STREAM_PREFIX = "stream:"
KERNEL_DRIVER = "linux:"
"""Any free ring of a card behind the Linux kernel driver."""

GRAPHICS_FAMILIES = ("cuda", "opencl")
"""Devices with work-items; a number and settings may follow: ``cuda:1,queues=3``."""


def open_device(name: str | AnyDevice, *, report: Callable[[str], None] | None = None) -> AnyDevice:
    """Open a device by its name; an open device is returned.

    Args:
        name: A device's name, or a device.
        report: Called with a line before and after each step of a model's build;
            standard error gets it otherwise.

    >>> open_device("cpu").name
    'cpu'
    >>> open_device("software").name
    'software'

    Raises:
        ciphermill.Error: as :func:`open_engine_device`; but ``software``, where this process
            cannot have it, is a process of its own.
    """
    if name == SOFTWARE:
        try:
            return Device(name)
        except UnsupportedError:
            return SoftwareDevice()
    return name if isinstance(name, SoftwareDevice) else open_engine_device(name, report=report)


def open_engine_device(
    name: str | AnyDevice, *, report: Callable[[str], None] | None = None
) -> Device:
    """Open a device in this process; the arguments are those of :func:`open_device`.

    >>> open_engine_device("cpu").name
    'cpu'

    Raises:
        ciphermill.DeviceError: there is no such device, or it does not work.
        ciphermill.UnsupportedError: this processor or system cannot have it.
        ciphermill.design.DesignError: there is no such design to simulate.
        ciphermill.toolchain.errors.ToolError: the model could not be built.
    """
    if isinstance(name, Device):
        return name
    if isinstance(name, SoftwareDevice):
        # The message says in which environment this process could have it.
        return Device(name.name)
    if name.startswith(MODEL_PREFIX):
        # Only models need the toolchain, and it is slow to import.
        from ciphermill.toolchain.model import find_model, say

        design, settings = split_model(name)
        library = find_model(design, report=report or say)
        return Device(f"{MODEL_PREFIX}{library.stem}{settings}", models=library.parent)
    try:
        return Device(name)
    except InvalidError:
        # There is no such name. The new message includes the models that are built.
        try:
            return Device(name, models=_models())
        except InvalidError as error:
            question = did_you_mean(name, [*PROCESSOR_DEVICES, *_built_models()])
            raise InvalidError(f"{error}; {question}" if question else str(error)) from error


def split_model(name: str) -> tuple[str, str]:
    """Return the design and the settings in the name of a simulated accelerator.

    >>> split_model("model:aes-iterative,clock_mhz=50")
    ('aes-iterative', ',clock_mhz=50')
    >>> split_model("aes-iterative")
    ('aes-iterative', '')
    """
    design, comma, settings = name.removeprefix(MODEL_PREFIX).partition(",")
    return design, comma + settings


def openssl() -> Device:
    """OpenSSL in this process, for comparison: ``software+`` or else ``software``.

    >>> openssl().name.startswith("software")
    True

    Raises:
        ciphermill.DeviceError: there is no OpenSSL 3.
    """
    try:
        return Device("software+")
    except UnsupportedError:
        return Device(SOFTWARE)


@dataclass(frozen=True)
class Found:
    """A device that the registry knows: open, or with the reason why it cannot be used."""

    name: str
    device: AnyDevice | None = None
    reason: str = ""
    """Why it is not usable, and what to do about it; empty if it is."""


def devices() -> list[AnyDevice]:
    """The devices that are present: processor, graphics processors, kernel driver, built models.

    >>> devices()[0].name
    'cpu'
    """
    # Not on this processor, or a library of another version: not present.
    return [one.device for one in map(_opened, _present()) if one.device is not None]


def survey(extra: Sequence[str] = ()) -> list[Found]:
    """Every device that could be here, those that cannot be used included; nothing is built.

    Args:
        extra: Names of further devices, such as ``stream:FOLDER``; they come first.

    >>> survey()[0].name
    'cpu'
    """
    present = _present()
    names = list(dict.fromkeys([*extra, *present]))
    for family in GRAPHICS_FAMILIES:
        if not any(name.startswith(f"{family}:") for name in present):
            names.append(family)
    if KERNEL_DRIVER not in names:
        names.append(KERNEL_DRIVER)
    found = [_opened(name) for name in names]
    return [*found, *(Found(name, reason=reason) for name, reason in _unbuilt(names))]


def _present() -> list[str]:
    return [*PROCESSOR_DEVICES, *graphics_processors(), *kernel_drivers(), *_built_models()]


def _opened(name: str) -> Found:
    try:
        return Found(name, _open_built(name))
    except Error as error:
        return Found(name, reason=str(error))


def _unbuilt(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the simulated accelerators whose models are not built, and how to build them."""
    from ciphermill.design import Accelerator, DesignError, design_names

    try:
        designs = design_names(Accelerator)
    except DesignError:
        return
    for design in designs:
        if f"{MODEL_PREFIX}{design}" not in names:
            yield f"{MODEL_PREFIX}{design}", f"its model is not built: ciphermill build {design}"


def _open_built(name: str) -> AnyDevice:
    """Open a device without building anything."""
    if name == SOFTWARE:
        return open_device(name)
    return Device(name, models=_models() if name.startswith(MODEL_PREFIX) else None)


def _built_models() -> list[str]:
    """Names of the devices whose models are built, sorted."""
    folder = _models()
    libraries = sorted(folder.glob("*.so")) if folder else []
    return [MODEL_PREFIX + library.stem for library in libraries]


def _models() -> Path | None:
    """The folder of built models; none without a source tree to build them from."""
    from ciphermill.design import DesignError, models_folder

    try:
        return models_folder()
    except DesignError:
        return None
