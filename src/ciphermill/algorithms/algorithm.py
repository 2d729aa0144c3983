# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The description of an algorithm: sizes, vectors, RTL and firmware.

Numbers of the RTL (parameters, codes of ports) stand here as the SystemVerilog packages
define them (``tests/test_algorithms.py`` compares both), or have generated names
(``ciphermill.registers``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Vector:
    """A published answer: the algorithm turns ``given`` into ``answer``.

    Bytes stand as the publication prints them, byte 0 first. A cipher encrypts
    ``given`` and decrypts ``answer``, which has the tag at its end where it makes one.
    """

    source: str
    given: bytes
    answer: bytes
    key: bytes = b""
    mode: str = ""
    """Mode of operation; empty for a single block and for what has no modes."""
    iv: bytes = b""
    """Initial value of a mode, or nonce."""
    associated: bytes = b""
    """Associated data of authenticated encryption."""
    operation: str = "encrypt"


@dataclass(frozen=True)
class Mode:
    """A mode of operation of a block cipher."""

    whole_blocks: bool
    """Messages are whole blocks: others are padded first."""
    iv_bytes: int = 0
    tag_bytes: int = 0
    keys: int = 1
    """Keys of a message; they follow each other in its key bytes."""
    data_units: bool = False
    """A message is a sequence of data units; a request gives their length."""
    key_bits: tuple[int, ...] | None = None
    """Key sizes in bits, where it lacks some of the algorithm's."""
    streamed: bool = False
    """The studies of streaming systems measure it."""


@dataclass(frozen=True)
class Unit:
    """A module of the RTL as a partition uses it."""

    top: str
    parameters: Mapping[str, int] = field(default_factory=dict)
    takes: tuple[str, ...] = ()
    """Parameters that the system decides: ``DataWidth``, ``BlocksInFlight``, ``KeySizes``."""


@dataclass(frozen=True)
class Split:
    """How a partition divides the algorithm between software and hardware."""

    key_bits: tuple[int, ...]
    """Key sizes in bits."""
    programs: Mapping[str, tuple[str, ...]]
    """By variant (empty where there is one only), the firmware sources beside the driver;
    the first is the default."""
    blocks_in_flight: tuple[int, ...] = ()
    """Values of that parameter; the first is the default."""
    instructions: tuple[str, ...] = ()
    """Variants whose program uses custom instructions of the soft core."""
    coprocessor: Unit | None = None
    """The coprocessor with its registers, where it is memory-mapped."""
    core: Unit | None = None
    """The core inside the coprocessor, where it is a module of its own."""
    combinational_core: Unit | None = None
    """The same with ``blocks_in_flight`` 0."""
    smallest: Mapping[str, int] = field(default_factory=dict)
    """Parameters of the coprocessor that give the least area in cells."""


@dataclass(frozen=True)
class Rtl:
    """The RTL of an algorithm's cores, and its numbers."""

    folders: tuple[str, ...]
    """Folders of ``hw/`` with the cores."""
    top: str
    """The module that holds every architecture."""
    package: str
    code: int
    """The parameter ``Algorithm`` of system and coprocessor, and the firmware's number."""
    key_port_bits: int
    byte_order: Literal["little", "big"]
    """Byte order of ports: ``little`` has byte 0 in the low bits."""
    architectures: Mapping[str, int]
    """Value of that parameter by architecture."""
    architecture_parameter: str = "Architecture"
    operation_flags: Mapping[str, int] = field(default_factory=lambda: {"encrypt": 1, "decrypt": 2})
    """Bit of that parameter by operation."""
    operation_parameter: str = "Directions"
    key_size_codes: Mapping[int, int] = field(default_factory=dict)
    """Value of ``key_size_i`` by key size in bits; empty where there is one size only."""
    key_size_flags: Mapping[int, int] = field(default_factory=dict)
    """Bit of the parameter ``KeySizes`` by key size in bits; empty as well then."""
    sboxes: Mapping[str, int] = field(default_factory=dict)
    cycles: Mapping[tuple[str, ...], Mapping[int, int]] = field(default_factory=dict)
    """Cycles from block to block by key size in bits; by architecture, or by architecture,
    key storage and direction where these matter (the core's README)."""
    accelerated: tuple[str, ...] = ()
    """Architectures that accelerators are built around; empty where there are none."""
    protocol: str = "block-core"
    """Family of ports of the cores, for which a driver of workloads is named."""
    ghash_digits: Mapping[str, int] = field(default_factory=dict)
    """By architecture, the bits a cycle with which a GHASH unit keeps up with the core."""
    mode_codes: Mapping[str, int] = field(default_factory=dict)
    """Values of ``CONFIGURATION.mode`` in the accelerator: by mode of operation, or by operation
    where there are no modes."""
    self_tests: Mapping[str, str] = field(default_factory=dict)
    """Templates of self-tests, by protocols that these cores alone have."""


@dataclass(frozen=True)
class Scheme:
    """A scheme of the standard, as the engine has it: what devices are weighed on."""

    name: str
    """The engine's name of it, such as ``ascon-aead128``."""
    title: str
    """For people."""
    operations: tuple[str, ...]
    reference: str
    """The device whose outputs the others must equal."""
    devices: tuple[str, ...]
    """What is weighed unless devices are named."""


@dataclass(frozen=True)
class Algorithm:
    """An algorithm: its operations and sizes, and the places of its RTL and firmware."""

    name: str
    title: str
    """For people."""
    standard: str
    operations: tuple[str, ...]
    """Verbs: ``encrypt``, ``decrypt``, ``digest``."""
    key_bits: tuple[int, ...]
    """Key sizes in bits; empty where there is no key."""
    default_key_bits: int
    """The size unless one is asked for; 0 where there is no key."""
    block_bytes: int
    """Bytes of a block of text."""
    modes: Mapping[str, Mode]
    """Modes of operation of a block cipher; empty for what takes whole messages itself."""
    reference: Callable[..., bytes]
    """Takes an operation, a key and a whole message, and nonce and associated data where there
    is a nonce; gives the right answer. It shares nothing with firmware and RTL. Block ciphers
    take each block by itself. A ciphertext with a tag has it at its end."""
    vectors: tuple[Vector, ...]
    nonce_bytes: int = 0
    """Bytes of the nonce of authenticated encryption without modes; 0 where there is none."""
    tag_bytes: int = 0
    """Bytes of its tag."""
    digest_bytes: int = 0
    """Bytes of a digest; 0 where there is none."""
    schemes: tuple[Scheme, ...] = ()
    """What the engine has of it."""
    rtl: Rtl | None = None
    partitions: Mapping[str, Split] = field(default_factory=dict)
    """By partition, how it is split; absent where it is not."""

    @property
    def whole_messages(self) -> bool:
        """Whether it takes messages of any length itself, rather than blocks in a mode."""
        return not self.modes

    @property
    def streamed_modes(self) -> tuple[str, ...]:
        """Modes that the studies of streaming systems measure."""
        return tuple(name for name, mode in self.modes.items() if mode.streamed)

    def scheme_of(self, operation: str) -> Scheme:
        """Return the scheme with an operation.

        Raises:
            LookupError: The engine has none.
        """
        for one in self.schemes:
            if operation in one.operations:
                return one
        raise LookupError(f"the engine has no {operation} of {self.title}")

    def bytes_taken(self, operation: str, length: int) -> int:
        """Return the bytes that go in for so many bytes of text: a tag is behind them."""
        return length + (self.tag_bytes if operation == "decrypt" else 0)

    def bytes_given(self, operation: str, length: int) -> int:
        """Return the bytes that come out for so many bytes of text, a tag included."""
        if operation == "digest":
            return self.digest_bytes
        return length + (self.tag_bytes if operation == "encrypt" else 0)

    def block_count(self, length: int) -> int:
        """Return the blocks of a message of so many bytes: a partial one is one, as is none."""
        return max(1, -(-length // self.block_bytes))

    def blocks(self, key_bits: tuple[int, ...] | None = None) -> tuple[Vector, ...]:
        """Return published answers of single blocks; ECB messages count block by block."""
        found = [vector for vector in self.vectors if not vector.mode]
        size = self.block_bytes
        for one in self.vectors:
            if one.mode == "ecb":
                found += [
                    Vector(one.source, one.given[n : n + size], one.answer[n : n + size], one.key)
                    for n in range(0, len(one.given), size)
                ]
        return tuple(v for v in found if key_bits is None or 8 * len(v.key) in key_bits)

    def messages(self, key_bits: int, mode: str | None = None) -> tuple[Vector, ...]:
        """Return published answers in modes of operation, or in one of them."""
        return tuple(
            vector
            for vector in self.vectors
            if vector.mode and mode in (None, vector.mode) and 8 * len(vector.key) == key_bits
        )

    @property
    def cores(self) -> Rtl:
        """The RTL of its cores.

        Raises:
            ValueError: There are none.
        """
        if self.rtl is None:
            raise ValueError(f"there are no cores of {self.title}")
        return self.rtl
