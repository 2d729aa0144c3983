# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a job does: encrypt or decrypt a picture or a file, and say what it took."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr

import ciphermill
from ciphermill import _engine
from ciphermill.choice import AUTO, choose_device
from ciphermill.registry import devices, open_engine_device
from ciphermill.web import pictures
from ciphermill.web.errors import Refused
from ciphermill.web.jobs import Job
from ciphermill.web.shelf import Item, Shelf

MODES = ("gcm", "ctr", "cbc", "ecb")
"""Modes of a container, the best first."""
SUFFIX = ".cm"
_LONGEST_PASSWORD = 1 << 16


class Asked(BaseModel):
    """What a page asks for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    direction: Literal["encrypt", "decrypt"]
    picture: bool
    """Whether to encrypt the pixels of a picture, or to show the picture that is decrypted."""
    item: str
    device: str
    mode: Literal["gcm", "ctr", "cbc", "ecb"] = "gcm"
    """Of encryption; decryption finds it in the file."""
    key_bits: Literal[128, 192, 256] = 256
    password: Annotated[SecretStr, Field(min_length=1, max_length=_LONGEST_PASSWORD)]


def offered(extra: Sequence[str]) -> list[dict[str, Any]]:
    """Return the devices that pages offer, with their modes and key sizes.

    Args:
        extra: Devices beside those that are present, such as ``stream:FOLDER``; they come first.

    Raises:
        ciphermill.Error: One of these is not there, or does not encrypt and decrypt.
    """
    named = [_facts(open_engine_device(name)) for name in dict.fromkeys(extra)]
    for one in named:
        if not one["modes"]:
            raise ciphermill.UnsupportedError(
                f"{one['name']} has no mode of files ({', '.join(MODES)}): name another --device"
            )
    names = {one["name"] for one in named}
    found = [_facts(one) for one in devices() if isinstance(one, ciphermill.Device)]
    present = named + [one for one in found if one["modes"] and one["name"] not in names]
    fastest = {
        "name": AUTO,
        "description": "the fastest for this file, by a measurement",
        "modes": list(MODES),
        "key_bits": [128, 192, 256],
    }
    return [*present, fastest]


def _facts(device: ciphermill.Device) -> dict[str, Any]:
    both = {mode for mode, direction in device.operations if direction == "encrypt"}
    both &= {mode for mode, direction in device.operations if direction == "decrypt"}
    return {
        "name": device.name,
        "description": device.description,
        "modes": [mode for mode in MODES if mode in both],
        "key_bits": [bits for bits in (128, 192, 256) if bits in device.key_sizes],
    }


def take_in(item: Item, *, picture: bool) -> dict[str, Any]:
    """Look at a file that a page has sent; a picture is replaced by its pixels.

    Returns:
        What the page gets as JSON. A container has ``container``, its header's facts.

    Raises:
        Refused: It should be a picture, and is none.
    """
    facts: dict[str, Any] = {
        "item": item.identity,
        "name": item.name,
        "bytes": item.path.stat().st_size,
    }
    try:
        facts["container"] = _engine.inspect(item.path)
        return facts
    except ciphermill.DamagedError:
        pass
    if picture:
        item.picture = pictures.write_pixels(pictures.read(item.path), item.path)
        facts["picture"] = item.picture.facts()
    return facts


def job_of(asked: Asked, shelf: Shelf) -> Callable[[Job], dict[str, Any]]:
    """Return the function of the job, which holds the password until it has run.

    Raises:
        Refused: The file is not there, or is no picture.
    """
    item = shelf.find(asked.item)
    if asked.direction == "decrypt":
        return lambda job: _decrypt(asked, item, shelf, job)
    if asked.picture and item.picture is None:
        raise Refused("the file is no picture: encrypt it on the page of files", 415)
    return lambda job: _encrypt(asked, item, shelf, job)


def _open(asked: Asked, item: Item, job: Job) -> tuple[ciphermill.Device, str | None]:
    """Open a device; of the one that is chosen by a measurement, also the reason."""
    if asked.device != AUTO:
        return open_engine_device(asked.device), None
    job.begin("measuring the devices")
    mode, key_bits = asked.mode, int(asked.key_bits)
    if asked.direction == "decrypt":
        header = _engine.inspect(item.path)
        mode, key_bits = header["mode"], header["key_bits"]
    chosen = choose_device(
        item.path.stat().st_size, mode=mode, operation=asked.direction, key_bits=key_bits
    )
    return chosen.device, chosen.reason


def _encrypt(asked: Asked, item: Item, shelf: Shelf, job: Job) -> dict[str, Any]:
    device, reason = _open(asked, item, job)
    name = f"{Path(item.name).stem}.ppm" if asked.picture else item.name
    made = shelf.place(name + SUFFIX)
    options = _engine.EncryptOptions(mode=asked.mode, key_bits=asked.key_bits)
    job.begin("deriving the key, encrypting")
    begun = time.perf_counter()
    done = _engine.encrypt_path(
        item.path,
        made.path,
        device,
        options,
        password=asked.password.get_secret_value().encode(),
        progress=job.advance,
    )
    result = _result(made, device, done, time.perf_counter() - begun) | {"reason": reason}
    if asked.picture and item.picture:
        job.begin("drawing the ciphertext")
        image = pictures.ciphertext(made.path, item.path)
        made.picture = pictures.shown(image) if image else None
        result |= _pictures(item, made)
    return result


def _decrypt(asked: Asked, item: Item, shelf: Shelf, job: Job) -> dict[str, Any]:
    device, reason = _open(asked, item, job)
    name = item.name.removesuffix(SUFFIX) or "decrypted"
    made = shelf.place(f"{Path(name).stem}.png" if asked.picture else name)
    job.begin("deriving the key, decrypting")
    begun = time.perf_counter()
    done = _engine.decrypt_path(
        item.path,
        made.path,
        device,
        password=asked.password.get_secret_value().encode(),
        progress=job.advance,
    )
    result = _result(made, device, done, time.perf_counter() - begun) | {"reason": reason}
    if asked.picture:
        job.begin("drawing the picture")
        image = pictures.read(made.path)
        if item.picture is None:
            drawn = pictures.ciphertext(item.path, made.path)
            item.picture = pictures.shown(drawn) if drawn else None
        made.picture = pictures.shown(image)
        pictures.write_png(image, made.path)
        result |= _pictures(item, made)
    return result


def _pictures(before: Item, after: Item) -> dict[str, Any]:
    both = {"before": before, "after": after}
    return {
        name: item.picture.facts() | {"item": item.identity}
        for name, item in both.items()
        if item.picture
    }


def _result(
    made: Item, device: ciphermill.Device, done: dict[str, Any], total_s: float
) -> dict[str, Any]:
    timing = done.pop("timing")
    return done | {
        "item": made.identity,
        "name": made.name,
        "device": device.name,
        "total_s": total_s,
        "processing_s": timing.processing_s if timing else None,
        "transfer_s": timing.transfer_s if timing else None,
        "method": timing.method if timing else None,
    }
