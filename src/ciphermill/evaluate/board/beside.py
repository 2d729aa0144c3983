# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Evaluator of a device of this machine beside a board: runs of one message, and what it is.

The runs are those of ``bench``. What is added is the kind of the device, which its name does not
say: an OpenCL device may be a graphics processor or a processor.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from types import NoneType

from ciphermill.design import Measurement
from ciphermill.evaluate.bench.evaluator import Runs, measure
from ciphermill.evaluate.device.weigh import Device
from ciphermill.evaluate.evaluator import Evaluator, Progress, between
from ciphermill.registry import PROCESSOR_DEVICES
from ciphermill.toolchain.opencl import graphics_processors

PROCESSOR, GRAPHICS = "processor", "graphics processor"
"""Kinds of devices."""
SWEEP = "sweep"
"""The workload of a device with a setting that is compared with other settings."""
COUNTED_S = 1.0
"""Graphics processors run for so long at least, since their energy counters move slowly."""

_GRAPHICS_NAME = re.compile(r"(.+?)(?: by .+)? \((?:CUDA|OpenCL)\)")


@dataclass(frozen=True)
class Beside(Runs):
    """A workload: one message, a number of times, beside one on a board."""

    swept: bool = False
    """Whether the devices differ in a setting alone."""


def kind_of(name: str) -> str | None:
    """Return the kind of a device, by its name; None of what is neither kind.

    >>> kind_of("cpu"), kind_of("cuda:0,queues=3"), kind_of("model:aes-iterative")
    ('processor', 'graphics processor', None)
    """
    family, _, rest = name.partition(",")[0].partition(":")
    if family == "cuda":
        return GRAPHICS
    if family == "opencl":
        kinds = graphics_processors()
        number = int(rest or 0)
        return GRAPHICS if number < len(kinds) and kinds[number] else PROCESSOR
    return PROCESSOR if name in PROCESSOR_DEVICES else None


def card(description: str) -> str:
    """Return the name of a graphics processor, from its device's description.

    >>> card("NVIDIA H100 (CUDA), bitsliced kernels"), card("NVIDIA H100 by NVIDIA CUDA (OpenCL)")
    ('NVIDIA H100', 'NVIDIA H100')
    """
    found = _GRAPHICS_NAME.match(description)
    return found[1] if found else description


def _evaluate(design: Device, _: None, asked: Beside, progress: Progress) -> list[Measurement]:
    kind = kind_of(design.name)
    (seen,) = measure(design, None, asked, progress)
    spent = (seen.time_total_s or 0.0) * asked.runs
    if kind == GRAPHICS and not asked.swept and 0 < spent < COUNTED_S:
        longer = replace(asked, runs=math.ceil(asked.runs * COUNTED_S / spent))
        (seen,) = measure(design, None, longer, progress)
    fields = {"kind": kind}
    if asked.swept:
        # A device's own name leaves out a setting that is the default.
        fields |= {"workload": SWEEP, "device": design.name}
    if kind == GRAPHICS:
        fields["platform"] = card(asked.devices[design.name].description)
    return [seen.model_copy(update=fields)]


BESIDE = Evaluator(
    "beside a board", between(Device, NoneType, Beside), _evaluate, alone=lambda _: True
)
