# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The program of the AES-256 paper: encrypts an array, prints it, decrypts it, prints it.

``firmware/programs/encrypt_show_decrypt.c`` does so after the four stages that the paper's
waveforms show.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from ciphermill.design import Direction, Measurement, Method, System, Workload, check_run
from ciphermill.evaluate.system import image as layout
from ciphermill.evaluate.system.messages import first_difference, known_answers, messages
from ciphermill.evaluate.system.model import Window
from ciphermill.evaluate.system.run import Built, build, execute, watchdog
from ciphermill.toolchain.model import Report, say

MAIN = "encrypt_show_decrypt"
"""The program, a file of firmware/programs."""
WORD_BYTES = 4
SHOWN_CYCLES = 400
"""Cycles allowed for a word that is printed."""


@dataclass(frozen=True)
class ShownArray:
    """A workload: the program with an array and a 256-bit key."""

    words: int
    """Length of the array, in words of 32 bits."""


@dataclass(frozen=True)
class Shown:
    """The result of a run of the program."""

    system: System
    words: int
    """Length of the array, in words of 32 bits."""
    encrypt_cycles: int
    """Cycles to set the key and encrypt the array."""
    decrypt_cycles: int
    console: str
    wrong_byte: int | None
    """Index of the first byte of the encrypted array that is not the known answer, or None."""
    shown: bool
    """Whether the console shows the known answer too."""

    @property
    def correct(self) -> bool:
        """Whether memory and console have the known answer.

        The firmware itself checks that the four stages and the array are equal after
        decryption.
        """
        return self.wrong_byte is None and self.shown

    def measurements(self) -> list[Measurement]:
        """Return encryption, then decryption; ``workload`` is the program."""
        return [
            Measurement(
                partition=self.system.partition,
                soft_core=self.system.soft_core,
                operation=direction,
                bytes=WORD_BYTES * self.words,
                workload=MAIN,
                cycles_total=cycles,
                correct=self.correct,
                method=Method.SIMULATED,
            )
            for direction, cycles in (
                (Direction.ENCRYPT, self.encrypt_cycles),
                (Direction.DECRYPT, self.decrypt_cycles),
            )
        ]


def run_show(
    system: System,
    words: int,
    *,
    built: Built | None = None,
    trace: Window | None = None,
    report: Report = say,
) -> Shown:
    """Run the program with an array of a length and a 256-bit key.

    Args:
        system: An AES system.
        words: Length of the array, whole blocks.
        built: Its model and firmware; built if absent.
        trace: Cycles to trace to a waveform.
        report: Is given a line before and after a build.

    Raises:
        DesignError: The system does not support the length.
        ToolError: A tool is missing or failed.
        CosimError: The run gave no result, or a text differed after decryption.
    """
    work = Workload.model_validate(
        {
            "mode": "ecb",
            "operation": "encrypt",
            "algorithm": system.algorithm,
            "key_bits": 256,
            "bytes": words * WORD_BYTES,
        }
    )
    check_run(system, work)
    built = built or build(system, trace=trace is not None, main=MAIN, report=report)
    place = layout.lay_out(system, work, built.firmware.image_end)
    keys = messages(work).keys
    numbers = struct.pack(f"<{words}I", *range(words))
    expected = b"".join(known_answers(work, keys, (numbers,)))
    ended, counters, got = execute(
        built,
        system,
        work,
        place,
        keys[0],
        max_cycles=3 * watchdog(system, work) + 4 * words * SHOWN_CYCLES,
        trace=trace,
    )
    return Shown(
        system,
        words,
        counters.encrypt_cycles,
        counters.decrypt_cycles,
        ended.console,
        first_difference(got, expected),
        shown_words(ended.console) == list(struct.unpack(f"<{words}I", expected)),
    )


def shown_words(console: str) -> list[int]:
    r"""Return the encrypted array in the console output, where it follows the array itself.

    >>> shown_words("encrypted\n 01\narray\n 0a\nencrypted\n 0b 0c\ndecrypted\n")
    [11, 12]
    """
    _, _, array = console.partition("array\n")
    _, _, text = array.partition("encrypted\n")
    text, _, _ = text.partition("decrypted\n")
    return [int(word, 16) for word in text.split()]
