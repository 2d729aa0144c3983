# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Accelerator: registers, streams and modes of operation around cores."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ciphermill.algorithms import ALGORITHMS

from .table import NAME_PATTERN, AlgorithmName, Direction, Table


class Architecture(StrEnum):
    """Architectures of the core in an accelerator."""

    ITERATIVE = "iterative"
    PIPELINED = "pipelined"
    SERIAL = "serial"
    UNROLLED = "unrolled"


class SBox(StrEnum):
    """S-boxes of a core."""

    TABLE = "table"
    COMPOSITE = "composite"
    DECODER = "decoder"


class KeyStorage(StrEnum):
    """The round keys of an iterative or serial core: stored or computed."""

    STORED = "stored"
    ON_THE_FLY = "on-the-fly"


class Interface(Table):
    """The interface of the accelerator to its host: AXI4-Lite registers, AXI4-Stream data."""

    stream_bits: Literal[32, 64, 128] = 128
    """Width of both data streams."""
    input_fifo_blocks: Annotated[int, Field(ge=2, le=255)] = 8
    """Depth of the input FIFO in blocks of 16 bytes."""
    output_fifo_blocks: Annotated[int, Field(ge=2, le=255)] = 8
    """Depth of the output FIFO in blocks of 16 bytes."""
    asynchronous: bool = False
    """Core and bus run on different clocks."""
    synchroniser_stages: Annotated[int, Field(ge=2, le=8)] = 2
    """With ``asynchronous`` only: flip-flops in each synchroniser between the clocks."""
    block_ram_fifos: bool = False
    """The FIFOs are in block RAM."""


class Clock(Table):
    """The clocks of a model, for its simulated time."""

    mhz: Annotated[float, Field(gt=0, le=10_000)] = 100.0
    """Core clock in MHz."""
    bus_mhz: Annotated[float, Field(gt=0, le=10_000)] | None = None
    """Bus clock in MHz, where the interface is asynchronous; else the core's."""


class Accelerator(Table):
    """An accelerator around one core, or several.

    The fields have the names of the results store and the command line; a field that is
    left out has its default.
    """

    kind: Literal["accelerator"] = "accelerator"
    name: Annotated[str, Field(pattern=NAME_PATTERN)]
    description: str = ""
    algorithm: AlgorithmName = "aes"
    """The algorithm of the first channel, and of every other one unless ``channel_algorithms``
    says so."""
    channel_algorithms: Annotated[tuple[AlgorithmName, ...], Field(max_length=8)] = ()
    """The algorithm of each channel, the first one's included. The fields of the design are those
    of ``algorithm``; each other algorithm has one round a cycle and all that it can be built
    with. If ``sha2_word_bits`` are given and no channel has SHA-2 alone, it is beside the first
    channel's algorithm."""
    architecture: Architecture
    sbox: SBox | None = SBox.TABLE
    """Absent if the algorithm's cores have no choice of S-box."""
    directions: tuple[Direction, ...] = (Direction.ENCRYPT, Direction.DECRYPT)
    key_sizes: tuple[int, ...] = (128, 192, 256)
    """Key sizes in bits; all of the algorithm's unless given."""
    stages_per_round: Annotated[int, Field(ge=1, le=3)] | None = None
    """Pipelined only: pipeline registers in each round; 1 unless given."""
    block_ram: bool = False
    """Pipelined with 2 or 3 stages a round only: S-boxes may use block RAM."""
    key_storage: KeyStorage | None = None
    """Iterative and serial only: round keys stored or computed; stored unless given."""
    channels: Annotated[int, Field(ge=1, le=32)] = 1
    """The number of independent channels, each with key, IV and streams of its own."""
    cores: Annotated[int, Field(ge=1, le=32)] = 1
    """Cores that the channels with AES share: the nth of them uses core n modulo ``cores``. Any
    other algorithm has a core in each channel."""
    gcm: bool = False
    """GCM is present: a GHASH unit beside the core."""
    xts: bool = False
    """XTS is present, for whole blocks: a small core beside the core makes the tweaks."""
    ghash_digit: Annotated[int, Field(ge=1, le=128)] | None = None
    """With ``gcm`` only: bits that the GHASH unit multiplies a cycle, a power of two. Unless
    given, enough to keep up with the core: 128 pipelined, 16 iterative, 4 serial."""
    ghash_stages: Annotated[int, Field(ge=1, le=4)] | None = None
    """With ``gcm`` only: length of the multiplier's pipeline. Unless given, 2 with a
    ``ghash_digit`` of 128; smaller digits have no pipeline, and take 1 only."""
    sha2_word_bits: tuple[Literal[32, 64], ...] = ()
    """SHA-2 and HMAC are present, alone or beside the cipher: with words of 32 bits SHA-224 and
    SHA-256, with words of 64 bits the others. A design of a hash has both unless given."""
    key_slots: Annotated[int, Field(ge=0, le=15)] = 0
    """Elliptic curves with ``sha2_word_bits`` only: private keys that each channel can hold."""
    interface: Interface = Interface()
    clock: Clock = Clock()

    @model_validator(mode="before")
    @classmethod
    def _defaults(cls, values: object) -> object:
        """Fill in the values that the algorithms determine."""
        algorithm = (
            ALGORITHMS.get(values.get("algorithm", "aes")) if isinstance(values, dict) else None
        )
        if not isinstance(values, dict) or algorithm is None or algorithm.rtl is None:
            return values
        channels = values.get("channels", len(values.get("channel_algorithms", ())) or 1)
        own: dict[str, object] = {"channels": channels}
        if not algorithm.rtl.shared:
            own |= {"key_sizes": algorithm.key_bits, "cores": channels, "sbox": None}
        if algorithm.is_hash:
            own |= {"directions": (), "sha2_word_bits": (32, 64)}
        return {**own, **values}

    @model_validator(mode="after")
    def _agree(self) -> Self:
        problems = []
        algorithm = ALGORITHMS[self.algorithm]
        if algorithm.rtl is None or not algorithm.rtl.accelerated:
            able = ", ".join(a.name for a in ALGORITHMS.values() if a.rtl and a.rtl.accelerated)
            raise ValueError(
                f"there is no accelerator around {self.algorithm} cores, only around {able}"
            )
        if self.architecture not in algorithm.rtl.accelerated:
            listed = ", ".join(algorithm.rtl.accelerated)
            problems.append(f"architecture is {self.architecture}; {self.algorithm} has {listed}")
        if self.sbox is not None and not algorithm.rtl.sboxes:
            problems.append(f"sbox: {self.algorithm} has no S-boxes to choose from")
        if not algorithm.rtl.shared:
            problems += [
                f"{self.algorithm} has no {name}"
                for name in ("gcm", "xts", "key_storage")
                if getattr(self, name)
            ]
            if algorithm.modes and set(self.key_sizes) != set(algorithm.key_bits):
                problems.append(f"key_sizes: {self.algorithm} has each of its sizes")
        if algorithm.is_hash and algorithm.block_bytes // 2 not in self.sha2_word_bits:
            problems.append(
                f"{self.algorithm} needs {algorithm.block_bytes // 2} in sha2_word_bits"
            )
        problems += self._channel_problems()
        for name, values, allowed in (
            ("directions", self.directions, () if algorithm.is_hash else tuple(Direction)),
            ("key_sizes", self.key_sizes, algorithm.key_bits),
        ):
            listed = ", ".join(str(value) for value in allowed)
            if values and not allowed:
                problems.append(f"{self.algorithm} has no {name}")
            elif allowed and (not values or len(set(values)) != len(values)):
                problems.append(f"{name} needs one or more of {listed}, each once")
            elif not set(values) <= set(allowed):
                problems.append(f"{name} has a value other than {listed}")
        pipelined = self.architecture is Architecture.PIPELINED
        if self.stages_per_round is not None and not pipelined:
            problems.append("stages_per_round applies to the pipelined architecture only")
        if self.block_ram and not pipelined:
            problems.append("block_ram applies to the pipelined architecture only")
        elif self.block_ram and (self.stages_per_round or 1) < 2:
            problems.append("block_ram needs stages_per_round 2 or 3")
        if self.key_storage is not None and pipelined:
            problems.append("key_storage applies to the iterative and serial architectures only")
        if len(set(self.sha2_word_bits)) != len(self.sha2_word_bits):
            problems.append("sha2_word_bits has a value twice")
        if self.key_slots and not ("agree" in algorithm.operations and self.sha2_word_bits):
            problems.append("key_slots needs elliptic curves and sha2_word_bits")
        problems += self._ghash_problems()
        able_bits = algorithm.modes["xts"].key_bits if "xts" in algorithm.modes else ()
        if self.xts and not set(able_bits or algorithm.key_bits) & set(self.key_sizes):
            problems.append("xts needs a key size of 128 or 256: AES-192 has no XTS")
        if self.interface.synchroniser_stages != 2 and not self.interface.asynchronous:
            problems.append("interface.synchroniser_stages needs interface.asynchronous = true")
        if self.clock.bus_mhz is not None and not self.interface.asynchronous:
            problems.append("clock.bus_mhz needs interface.asynchronous = true")
        if problems:
            raise ValueError("; ".join(problems))
        return self

    def _channel_problems(self) -> list[str]:
        """Return what is wrong with the channels' algorithms and the cores."""
        listed = self.every_channel
        problems = []
        if self.channel_algorithms and listed[0] != self.algorithm:
            problems.append(f"channel_algorithms begins with {listed[0]}, not {self.algorithm}")
        if len(listed) != self.channels:
            problems.append(f"channel_algorithms has {len(listed)} of {self.channels} channels")
        for name in dict.fromkeys(listed):
            rtl = ALGORITHMS[name].rtl
            if rtl is None or not rtl.accelerated:
                problems.append(f"channel_algorithms: there is no accelerator of {name}")
            elif rtl.shared and name != self.algorithm:
                problems.append(f"channel_algorithms has {name}, so it is the first one")
            elif ALGORITHMS[name].is_hash and not self.sha2_word_bits:
                problems.append(f"channel_algorithms has {name}, which needs sha2_word_bits")
        if not ALGORITHMS[self.algorithm].cores.shared:
            if self.cores != self.channels:
                problems.append(f"each channel has a core of {self.algorithm}: cores = channels")
        elif self.cores > listed.count(self.algorithm):
            count = listed.count(self.algorithm)
            problems.append(f"{self.cores} cores are more than the channels, {count}")
        return problems

    def _ghash_problems(self) -> list[str]:
        """Return what is wrong with the fields of GCM."""
        if not self.gcm:
            if (self.ghash_digit, self.ghash_stages) != (None, None):
                return ["ghash_digit and ghash_stages need gcm = true"]
            return []
        problems = []
        if Direction.ENCRYPT not in self.directions:
            problems.append('gcm needs "encrypt" in directions: it decrypts by encryption, too')
        digit = self.effective_ghash_digit
        if digit.bit_count() != 1:
            problems.append(f"ghash_digit is {digit}; allowed are 1, 2, 4, 8, 16, 32, 64 and 128")
        if self.ghash_stages is not None and self.ghash_stages > 1 and digit != 128:
            problems.append("ghash_stages above 1 need a ghash_digit of 128")
        return problems

    @property
    def every_channel(self) -> tuple[str, ...]:
        """The algorithm of each channel."""
        return self.channel_algorithms or (self.algorithm,) * self.channels

    @property
    def effective_ghash_digit(self) -> int:
        """``ghash_digit``, or its default by architecture."""
        own = ALGORITHMS[self.algorithm].cores.ghash_digits
        return self.ghash_digit or own.get(self.architecture, 1)

    @property
    def effective_ghash_stages(self) -> int:
        """``ghash_stages``, or what suits the digit."""
        return self.ghash_stages or (2 if self.effective_ghash_digit == 128 else 1)
