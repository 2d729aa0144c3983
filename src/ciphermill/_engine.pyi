# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Types of the engine's extension module (engine/python)."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

_Progress = Callable[[int, int | None], object]
_Path = str | PathLike[str]

__version__: str
DEFAULT_CHUNK_BYTES: int

class Error(Exception):
    """Base of everything that the engine reports; the text says what to do next."""

class InvalidError(Error):
    """Something was asked for that cannot be: a bad length, key or option."""

class UnsupportedError(Error):
    """The device cannot do this operation, mode or key size."""

class FileError(Error):
    """A file or stream could not be read or written."""

class DeviceError(Error):
    """The device failed, vanished or answered nonsense."""

class NoRoomError(Error):
    """The device has no room left, such as a free key slot."""

class DamagedError(Error):
    """The input is no container, or is damaged."""

class AuthenticationError(Error):
    """Wrong password or key, or altered data."""

class CancelledError(Error):
    """The work was cancelled."""

class Timing:
    """What a run cost; on a simulated device these are simulated times."""

    @property
    def total_s(self) -> float:
        """From the first byte in to the last byte out, in seconds."""
    @property
    def transfer_s(self) -> float:
        """Time in which data moved between host and device, in seconds."""
    @property
    def processing_s(self) -> float:
        """Time in which the device worked on the data, in seconds."""
    @property
    def cycles(self) -> int | None:
        """Cycles of the device, where it counts them."""
    @property
    def method(self) -> str:
        """``measured`` or ``simulated``."""

class Device:
    """Something that can be handed work. :func:`ciphermill.open_device` opens one."""

    def __new__(cls, name: str, *, models: _Path | None = None) -> Device:
        """Open a device; ``models`` is the folder of compiled models."""
    @property
    def name(self) -> str:
        """The name that selects it."""
    @property
    def description(self) -> str:
        """What it is, in a line."""
    @property
    def operations(self) -> list[tuple[str, str]]:
        """Modes and directions of AES that it has."""
    @property
    def key_sizes(self) -> list[int]:
        """AES key sizes that it has, in bits."""
    @property
    def algorithms(self) -> list[tuple[str, str, str | None, list[int]]]:
        """What it does: algorithm, operation, mode of a block cipher, key sizes in bits."""
    @property
    def preferred_chunk_bytes(self) -> int:
        """Bytes of a job at which it works best."""
    @property
    def in_flight(self) -> int:
        """Jobs that it can usefully hold at once."""
    @property
    def sink(self) -> bool:
        """Whether output can be consumed on the device."""
    @property
    def bypass(self) -> bool:
        """Whether data can go through uncoded."""
    @property
    def clock_mhz(self) -> float | None:
        """Its clock, where it has one of its own."""
    @property
    def processors(self) -> int | None:
        """Processors that compute at once: threads, compute units or channels; None if unknown."""
    @property
    def architecture(self) -> str | None:
        """Architecture of its core, such as ``pipelined``, where it says so."""
    @property
    def stream_bits(self) -> int | None:
        """Width of its data streams, where it has streams."""
    @property
    def channels(self) -> int:
        """Hardware channels: so many messages go side by side through one device."""
    @property
    def streams(self) -> int:
        """Messages of one batch that go side by side where none can be cut, in CBC encryption."""
    def transform(
        self,
        data: bytes,
        *,
        mode: str,
        direction: str,
        key: bytes,
        iv: bytes | None = None,
        data_unit_bytes: int | None = None,
        algorithm: str = "aes",
        progress: _Progress | None = None,
    ) -> tuple[bytes, Timing]:
        """Run the bare mode of operation; see :func:`ciphermill.transform`."""
    def run(
        self,
        operation: str,
        data: bytes,
        *,
        algorithm: str,
        mode: str | None = None,
        key: bytes | None = None,
        iv: bytes | None = None,
        associated_data: bytes | None = None,
        data_unit_bytes: int | None = None,
        public_key: bytes | None = None,
        signature: bytes | None = None,
        progress: _Progress | None = None,
    ) -> tuple[bytes, Timing]:
        """Run any operation of any algorithm; see :func:`ciphermill.run`."""
    def run_batch(self, messages: Sequence[tuple[Any, ...]]) -> list[bytes | Error]:
        """Run several messages at once; see :func:`ciphermill.run_batch`.

        Each is a tuple of the arguments of :meth:`run`, in their order.
        """
    def hold_key(self, algorithm: str, key: bytes | None = None) -> KeyReference:
        """Have the device hold a private key; see :func:`ciphermill.hold_key`."""

class KeyReference:
    """A private key that a device holds. :func:`ciphermill.hold_key` gives one.

    The device erases the key when the reference is closed, at the end of a ``with`` block or when
    nothing refers to it any more. In a forked child a key of ``cpu`` works, as a copy; the use of
    a key in hardware is an :exc:`InvalidError` there.
    """

    @property
    def algorithm(self) -> str:
        """The curve."""
    @property
    def public_key(self) -> bytes:
        """The coordinates x and y of a point."""
    @property
    def device(self) -> str:
        """The name of the device that holds the key."""
    def sign(self, digest: bytes) -> bytes:
        """Sign a digest; see :func:`ciphermill.sign`."""
    def agree(self, public_key: bytes) -> bytes:
        """Give the secret shared with the owner of a public key; see :func:`ciphermill.agree`."""
    def close(self) -> None:
        """Have the device erase the key."""
    def __enter__(self) -> KeyReference: ...
    def __exit__(self, *_: object) -> None: ...

class EncryptOptions:
    """How to encrypt, but for the secret; see :func:`ciphermill.encrypt`."""

    def __new__(
        cls,
        *,
        mode: str | None = None,
        key_bits: int = 256,
        chunk_bytes: int | None = None,
        key_derivation: str | None = None,
        kdf_memory_bytes: int | None = None,
        kdf_passes: int | None = None,
        kdf_iterations: int | None = None,
        kdf_limit: int = 1,
    ) -> EncryptOptions: ...

def encrypt(
    data: bytes,
    device: Device,
    options: EncryptOptions,
    *,
    password: bytes | None = None,
    key: bytes | None = None,
) -> bytes: ...
def decrypt(
    data: bytes,
    device: Device,
    *,
    password: bytes | None = None,
    key: bytes | None = None,
    kdf_limit: int = 1,
) -> bytes: ...
def encrypt_path(
    input: _Path,
    output: _Path,
    device: Device,
    options: EncryptOptions,
    *,
    password: bytes | None = None,
    key: bytes | None = None,
    force: bool = False,
    progress: _Progress | None = None,
) -> dict[str, Any]: ...
def decrypt_path(
    input: _Path,
    output: _Path,
    device: Device,
    *,
    password: bytes | None = None,
    key: bytes | None = None,
    kdf_limit: int = 1,
    force: bool = False,
    progress: _Progress | None = None,
) -> dict[str, Any]: ...
def openssl_path(
    input: _Path,
    output: _Path,
    device: Device,
    *,
    direction: str,
    password: bytes,
    mode: str = "cbc",
    key_bits: int = 256,
    iterations: int | None = None,
    force: bool = False,
    progress: _Progress | None = None,
) -> dict[str, Any]:
    """Write or read what ``openssl enc -pbkdf2`` does: unauthenticated."""

def stream_path_timed(
    input: _Path,
    output: _Path | None,
    device: Device,
    *,
    mode: str,
    direction: str,
    key: bytes,
    iv: bytes | None = None,
    update_bytes: int | None = None,
    progress: _Progress | None = None,
) -> dict[str, Any]:
    """Stream a file through the bare mode into a file, or without one into a device's sink.

    Reading, device and writing overlap or, with ``update_bytes``, take turns. Times in
    seconds of the wall: ``time_total_s`` until the output is on the storage, and
    ``time_inside_write_s`` in the calls to the device; ``device_simulated`` where its own
    times are a simulation's, so that these say nothing of it.
    """

def graphics_processors() -> list[str]:
    """The names of the graphics processors, and of what else their drivers offer.

    It loads these drivers. A program with more rights than its user has gets none.
    """

def kernel_drivers() -> list[str]:
    """``linux:``, where the kernel driver of the card has files on this machine."""

def run_in_memory(
    device: Device,
    operation: str,
    array: object,
    *,
    mode: str,
    key: bytes,
    iv: bytes | None = None,
    associated_data: bytes | None = None,
    data_unit_bytes: int | None = None,
    tag: bytes | None = None,
) -> tuple[bytes | None, Timing]:
    """Run AES on an array in a device's memory; see :func:`ciphermill.run_in_memory`."""

def is_privileged() -> bool:
    """Whether the process has more rights than its user, as a set-user-ID program has."""

def digest_path(
    input: _Path,
    device: Device,
    *,
    algorithm: str,
    progress: _Progress | None = None,
) -> bytes:
    """The digest of a file, or of standard input for ``-``; ``cpu`` reads it 1 MiB at a time."""

def check_paths(
    input: _Path,
    output: _Path,
    *,
    binary: bool,
    force: bool = False,
) -> None:
    """Raise now what ``encrypt_path`` (``binary``) or ``decrypt_path`` would of their files."""

def check_encryption(
    device: Device,
    options: EncryptOptions,
    *,
    key: bytes | None = None,
) -> None:
    """Raise now what ``encrypt`` would of its options; a password is not needed yet."""

def inspect(path: _Path, *, kdf_limit: int | None = None) -> dict[str, Any]:
    """What a header says; ``kdf_limit``: raise as ``decrypt`` does where it costs too much."""

class Model:
    """A compiled accelerator (hw/model/ciphermill_model.h), driven cycle by cycle."""

    def __new__(cls, library: _Path) -> Model:
        """Load a model's library and open an accelerator after reset."""
    @property
    def design(self) -> str:
        """Name of the design that it was built from."""
    @property
    def design_hash(self) -> str:
        """First digits (hex) of the hash over everything that it was built from."""
    @property
    def stream_bits(self) -> int:
        """Width of the data streams."""
    @property
    def channels(self) -> int:
        """Messages that it can have under way at once."""
    @property
    def cycles(self) -> int:
        """Cycles that have passed."""
    def read(self, offset: int) -> int:
        """Read a register."""
    def write(self, offset: int, value: int) -> None:
        """Write a register."""
    def push(self, channel: int, data: bytes, last: bool) -> int:
        """Queue input, to the message's end where it is the last; returns the bytes taken."""
    def queued(self, channel: int) -> int:
        """Bytes that wait in front of a channel."""
    def pull(self, channel: int) -> bytes:
        """All output that a channel has."""
    def advance(self, cycles: int) -> tuple[int, bool]:
        """Let up to so many cycles pass: how many did, and whether input is asked for."""

def serve(
    design: str,
    directory: _Path,
    *,
    models: _Path | None = None,
    on_event: Callable[[str], object] | None = None,
) -> None:
    """Serve a model as device files until a signal's handler raises."""
