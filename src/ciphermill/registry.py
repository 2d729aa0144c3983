# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Devices by name, and what is present here.

``cpu``, ``software`` and ``software+`` run on this processor. ``model:<design>``
is a simulated accelerator in this process; its model is built when it is first
asked for, which takes a minute. ``stream:<folder>`` is an accelerator behind
device files: a board, or a simulator in another process.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ciphermill._engine import Device, Error, InvalidError
from ciphermill.names import did_you_mean

PROCESSOR_DEVICES = ("cpu", "software", "software+")
"""Devices that need nothing but this machine's processor and libraries."""

MODEL_PREFIX = "model:"


def open_device(name: str | Device, *, report: Callable[[str], None] | None = None) -> Device:
    """Open a device by its name; a device that is open is given back.

    Args:
        name: A device's name, or a device.
        report: Is given a line before and after each step of a model's build;
            standard error gets it otherwise.

    >>> open_device("cpu").name
    'cpu'

    Raises:
        ciphermill.DeviceError: there is no such device, or it does not work.
        ciphermill.UnsupportedError: this processor or system cannot have it.
        ciphermill.design.DesignError: there is no such design to simulate.
        ciphermill.toolchain.errors.ToolError: the model could not be built.
    """
    if isinstance(name, Device):
        return name
    if name.startswith(MODEL_PREFIX):
        # Only models need the toolchain, and it is slow to import.
        from ciphermill.toolchain.model import find_model, say

        library = find_model(name.removeprefix(MODEL_PREFIX), report=report or say)
        return Device(f"{MODEL_PREFIX}{library.stem}", models=library.parent)
    try:
        return Device(name)
    except InvalidError:
        # No such name. Said again with the models that are built among those that exist.
        try:
            return Device(name, models=_models())
        except InvalidError as error:
            question = did_you_mean(name, [*PROCESSOR_DEVICES, *_built_models()])
            raise InvalidError(f"{error}; {question}" if question else str(error)) from error


def devices() -> list[Device]:
    """The devices that are present: the processor's, and models that are built.

    >>> devices()[0].name
    'cpu'
    """
    found = []
    for name in (*PROCESSOR_DEVICES, *_built_models()):
        try:
            found.append(_open_built(name))
        except Error:
            # Not on this processor, or a library of another version: not present.
            continue
    return found


def _open_built(name: str) -> Device:
    """Open a device without building anything."""
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
