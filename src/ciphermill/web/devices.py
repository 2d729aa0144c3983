# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The page of devices: what each one offers, and why one is not usable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ciphermill.algorithms import AES
from ciphermill.registry import AnyDevice, Found, survey
from ciphermill.report import format as human
from ciphermill.web.pages import Pages

DIRECTIONS = ("encrypt", "decrypt")


@dataclass(frozen=True)
class Devices:
    """The page; it looks at the devices anew each time it is asked for."""

    pages: Pages
    extra: Sequence[str] = ()
    """Names of devices beside those that are present."""

    def routes(self) -> list[Route]:
        """Return the routes of the page."""
        return [Route("/dashboard/devices", self.page)]

    async def page(self, request: Request) -> Response:
        """The page."""
        found = await run_in_threadpool(survey, self.extra)
        usable = [described(one) for one in found if one.device is not None]
        return self.pages.show(
            request,
            "devices.html.j2",
            usable=usable,
            unusable=[one for one in found if one.device is None],
        )


def described(found: Found) -> dict[str, Any]:
    """Return what the page says of a device that is usable."""
    device = found.device
    assert device is not None  # noqa: S101 - the caller has asked
    return {
        "name": device.name,
        "description": device.description,
        "offers": offers(device),
        "aes": any(name == AES.name for name, *_ in device.algorithms),
        "facts": _facts(device),
    }


def offers(device: AnyDevice) -> list[tuple[str, str]]:
    """Return the algorithms of a device, each with its modes or operations in words."""
    by_algorithm: dict[str, list[tuple[str, str | None, Sequence[int]]]] = {}
    for algorithm, operation, mode, key_bits in device.algorithms:
        by_algorithm.setdefault(algorithm, []).append((operation, mode, key_bits or ()))
    return [(name, _words(able)) for name, able in by_algorithm.items()]


def _words(able: Sequence[tuple[str, str | None, Sequence[int]]]) -> str:
    modes: dict[str, set[str]] = {}
    for operation, mode, _ in able:
        if mode is not None:
            modes.setdefault(mode, set()).add(operation)
    sizes = sorted({bits for _, _, key_bits in able for bits in key_bits})
    keys = f"; keys of {human.listed([str(one) for one in sizes])} bits" if sizes else ""
    if not modes:
        return ", ".join(dict.fromkeys(operation for operation, _, _ in able)) + keys
    named = [
        mode.upper() + ("" if len(has & set(DIRECTIONS)) != 1 else f" ({next(iter(has))} only)")
        for mode, has in modes.items()
    ]
    return ", ".join(named) + keys


def _facts(device: AnyDevice) -> list[tuple[str, str]]:
    clock = device.clock_mhz
    lines = (
        ("Clock", f"{human.significant(clock)} MHz" if clock else ""),
        ("Architecture", device.architecture or ""),
        ("Processors", str(device.processors or "")),
        ("Channels", str(device.channels) if device.channels > 1 else ""),
        ("Jobs in flight", str(device.in_flight)),
        ("Best chunk", human.size(device.preferred_chunk_bytes)),
    )
    return [(name, text) for name, text in lines if text]
