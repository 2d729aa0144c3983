# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The description of an algorithm: sizes, vectors, RTL and firmware.

Numbers of the RTL (parameters, codes of ports) are copies of those in the SystemVerilog
packages (``tests/test_algorithms.py`` compares both), or have generated names
(``ciphermill.registers``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ciphermill.registers import accel

DIRECTION_FLAGS = {
    "encrypt": 1 << accel.CONFIGURATION__DIRECTION__ENCRYPT,
    "decrypt": 1 << accel.CONFIGURATION__DIRECTION__DECRYPT,
}
"""Bits of the parameter ``Directions`` of every core."""
_OF_HASHES = ("digest", "authenticate")


@dataclass(frozen=True)
class Vector:
    """A published test vector: the algorithm turns ``given`` into ``answer``.

    Bytes are in the order of the publication, byte 0 first. A cipher encrypts ``given`` and
    decrypts ``answer``, which ends with the tag if there is one.
    """

    source: str
    given: bytes
    answer: bytes
    key: bytes = b""
    mode: str = ""
    """Mode of operation; empty for a single block and for algorithms without modes."""
    iv: bytes = b""
    """Initial value of a mode, or nonce."""
    associated: bytes = b""
    """Associated data of authenticated encryption, or the public key of a signature."""
    operation: str = "encrypt"


@dataclass(frozen=True)
class Mode:
    """A mode of operation of a block cipher."""

    whole_blocks: bool
    """Messages must be whole blocks; others are padded."""
    iv_bytes: int = 0
    tag_bytes: int = 0
    keys: int = 1
    """The number of keys of a message, which are concatenated."""
    data_units: bool = False
    """A message is a sequence of data units; a request gives their length."""
    key_bits: tuple[int, ...] | None = None
    """Key sizes in bits, if it lacks some of the algorithm's."""
    streamed: bool = False
    """Streaming systems are measured in this mode."""


@dataclass(frozen=True)
class Unit:
    """A module of the RTL as a partition uses it."""

    top: str
    parameters: Mapping[str, int] = field(default_factory=dict)
    takes: tuple[str, ...] = ()
    """Parameters that the system decides: ``DataWidth``, ``BlocksInFlight``, ``KeySizes``,
    ``SBox``."""


@dataclass(frozen=True)
class Split:
    """How a partition divides the algorithm between software and hardware."""

    key_bits: tuple[int, ...]
    """Key sizes in bits."""
    programs: Mapping[str, tuple[str, ...]]
    """By variant (empty if there is only one), the firmware sources other than the driver; the
    first variant is the default."""
    blocks_in_flight: tuple[int, ...] = ()
    """Values of the parameter of this name; the first is the default."""
    sboxes: tuple[str, ...] = ()
    """S-boxes of its hardware; the first is the default."""
    instructions: tuple[str, ...] = ()
    """Variants whose program uses custom instructions of the soft core."""
    coprocessor: Unit | None = None
    """The coprocessor with its registers, if it is memory-mapped."""
    core: Unit | None = None
    """The core inside the coprocessor, if it is a module of its own."""
    combinational_core: Unit | None = None
    """The core with ``blocks_in_flight`` 0."""
    smallest: Mapping[str, int] = field(default_factory=dict)
    """Parameters of the coprocessor that give the least area in cells."""
    block_cycles: int | None = None
    """Cycles allowed for a block before firmware counts as hung; the partition's usual ones unless
    given."""


@dataclass(frozen=True)
class Rtl:
    """The RTL of an algorithm's cores, and its numbers."""

    folders: tuple[str, ...]
    """Folders of ``hw/`` with the cores."""
    top: str
    """The module that holds every architecture."""
    package: str
    code: int | None
    """The parameter ``Algorithm`` of system and coprocessor, and the firmware's number; None if no
    system has the cores."""
    key_port_bits: int
    """0 if there is no key."""
    byte_order: Literal["little", "big"]
    """Byte order of ports: ``little`` has byte 0 in the low bits."""
    architectures: Mapping[str, int]
    """Value of the parameter ``Architecture`` by architecture."""
    architecture_parameter: str = "Architecture"
    repeated: tuple[str, ...] = ()
    """Large modules that a core has many of, such as the rounds of a pipeline. Where area has the
    core apart from what is around it, these are apart from the core too."""
    operation_flags: Mapping[str, int] = field(default_factory=lambda: DIRECTION_FLAGS)
    """Bit of the parameter by operation; empty if the cores have one operation."""
    operation_parameter: str = "Directions"
    key_size_codes: Mapping[int, int] = field(default_factory=dict)
    """Value of ``key_size_i`` by key size in bits; empty if there is only one size."""
    key_size_parameter: str = "KeySizes"
    selection: Mapping[str, int] = field(default_factory=dict)
    """Values of ports that select the algorithm, if the cores have several."""
    sboxes: Mapping[str, int] = field(default_factory=dict)
    cycles: Mapping[tuple[str, ...], Mapping[int, int]] = field(default_factory=dict)
    """Cycles from block to block by key size in bits, 0 without keys; by architecture, or by
    architecture, key storage and direction where these matter (the core's README)."""
    message_cycles: Callable[[str, int, int], int] | None = None
    """Cycles of an operation, with a key of some bits, on a message of some bytes on the core by
    itself, from its start to its end while no stream waits (the core's README); None if its figure
    is cycles from block to block."""
    accelerated: tuple[str, ...] = ()
    """Architectures that accelerators can have; empty if there are none."""
    protocol: str = "block-core"
    """Kind of the cores' ports, which selects the driver of workloads."""
    ghash_digits: Mapping[str, int] = field(default_factory=dict)
    """By architecture, the bits a cycle that a GHASH unit needs to keep up with the core."""
    accelerator_code: int | None = None
    """Value of ``CAPABILITY.algorithm`` of accelerators around the cores, and the digit of their
    parameter ``ChannelCores``; None if there are none."""
    shared: bool = False
    """Channels of an accelerator may share a core; otherwise each has a core of its own."""
    hash_code: int = 0
    """Value of ``CONFIGURATION.hash`` in the accelerator; 0 if the algorithm has one hash."""
    mode_codes: Mapping[str, int] = field(default_factory=dict)
    """Values of ``CONFIGURATION.mode`` in the accelerator, by mode of operation, or by operation
    if there are no modes."""
    self_tests: Mapping[str, str] = field(default_factory=dict)
    """Templates of self-tests by protocol, for protocols that only these cores have."""

    @property
    def key_size_flags(self) -> dict[int, int]:
        """Bit of the parameter of key sizes by key size in bits."""
        return {bits: 1 << code for bits, code in self.key_size_codes.items()}

    @property
    def system_code(self) -> int:
        """The number of the algorithm in systems.

        Raises:
            ValueError: No system has the cores.
        """
        if self.code is None:
            raise ValueError(f"no system has {self.top}")
        return self.code


@dataclass(frozen=True)
class Scheme:
    """A scheme of the standard in the engine, on which devices are compared."""

    name: str
    """The engine's name of it, such as ``ascon-aead128``."""
    title: str
    """For people."""
    operations: tuple[str, ...]
    reference: str | None
    """The device whose outputs the others must equal. If None, it is the algorithm's own reference,
    block by block: ECB."""
    devices: tuple[str, ...]
    """The devices that are measured unless others are named."""


@dataclass(frozen=True)
class Algorithm:
    """An algorithm: its operations and sizes, and the places of its RTL and firmware."""

    name: str
    title: str
    """For people."""
    standard: str
    operations: tuple[str, ...]
    """Verbs, as the engine names them: ``encrypt``, ``digest``, ``sign``."""
    key_bits: tuple[int, ...]
    """Key sizes in bits; empty if there is no key."""
    default_key_bits: int
    """The default key size; 0 if there is no key."""
    block_bytes: int
    """Bytes of a block of text."""
    modes: Mapping[str, Mode]
    """Modes of operation of a block cipher; empty for algorithms that process whole messages."""
    reference: Callable[..., bytes]
    """The software reference: takes an operation, a key and a whole message, and nonce and
    associated data if there is a nonce; returns the right answer. It shares no code with firmware
    and RTL. Block ciphers process each block independently. The tag, if any, is at the end of the
    ciphertext."""
    vectors: tuple[Vector, ...]
    nonce_bytes: int = 0
    """Bytes of the nonce of authenticated encryption without modes; 0 if there is none."""
    tag_bytes: int = 0
    """Bytes of its tag."""
    digest_bytes: int = 0
    """Bytes of a digest; 0 if there is none."""
    integers: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """On elliptic curves, by operation: integers that it takes, keys among them, and that it gives;
    0 of a verification, whose result is a byte."""
    exchange: Callable[[str, int, int], tuple[bytes, bytes]] | None = None
    """Operands and right results of such an operation, by operation, bits of the curve, and a
    number that tells operands apart. Like the reference it shares no code with firmware and
    RTL."""
    authentication_key_bits: tuple[int, ...] = ()
    """Key sizes in bits of ``authenticate`` in systems; empty if it has no such operation."""
    schemes: tuple[Scheme, ...] = ()
    """Its schemes in the engine."""
    rtl: Rtl | None = None
    partitions: Mapping[str, Split] = field(default_factory=dict)
    """By partition, how it is split; a partition that it does not have is absent."""

    @property
    def is_hash(self) -> bool:
        """Whether it computes digests and their authentication codes, and nothing else."""
        return set(self.operations) <= set(_OF_HASHES)

    @property
    def whole_messages(self) -> bool:
        """Whether it processes messages of any length, instead of blocks in a mode."""
        return not self.modes

    @property
    def streamed_modes(self) -> tuple[str, ...]:
        """Modes in which streaming systems are measured."""
        return tuple(name for name, mode in self.modes.items() if mode.streamed)

    def key_bits_of(self, operation: str) -> tuple[int, ...]:
        """Return the key sizes in bits of an operation; 0 stands for no key.

        >>> from ciphermill.algorithms import SHA_256
        >>> SHA_256.key_bits_of("digest"), SHA_256.key_bits_of("authenticate")
        ((0,), (128, 160, 192, 256))
        """
        if operation == "digest":
            return (0,)
        return self.authentication_key_bits if operation == "authenticate" else self.key_bits

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
        """Return the bytes of input for a number of bytes of text, including a tag to check."""
        return length + (self.tag_bytes if operation == "decrypt" else 0)

    def bytes_given(self, operation: str, length: int) -> int:
        """Return the bytes of output for a number of bytes of text, including a tag."""
        if operation in _OF_HASHES:
            return self.digest_bytes
        if operation in self.integers:
            taken, given = self.integers[operation]
            return length // taken * given or 1
        return length + (self.tag_bytes if operation == "encrypt" else 0)

    def operand_bytes(self, operation: str, key_bits: int) -> int:
        """Return the bytes of the operands of an operation on a curve of some bits."""
        return self.integers[operation][0] * -(-key_bits // 8)

    def block_count(self, length: int) -> int:
        """Return the number of blocks of a message: at least one, and a partial one counts.

        The operands of an operation on an elliptic curve are one block.
        """
        if self.integers:
            return 1
        return max(1, -(-length // self.block_bytes))

    def blocks(self, key_bits: tuple[int, ...] | None = None) -> tuple[Vector, ...]:
        """Return published answers of single blocks, including the blocks of ECB messages."""
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
