# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Encryption and decryption as functions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any, Literal, NotRequired, TypedDict, Unpack

from ciphermill import _engine
from ciphermill._engine import Error, Timing
from ciphermill.registry import AnyDevice, open_device, open_engine_device
from ciphermill.software import SoftwareTiming

Bytes = bytes | bytearray | memoryview
Mode = Literal["gcm", "ctr", "cbc", "ecb"]
KeyDerivation = Literal["scrypt", "argon2id", "pbkdf2"]
Operation = Literal[
    "encrypt", "decrypt", "digest", "authenticate", "generate-key", "sign", "verify", "agree"
]
Digest = Literal[
    "sha-224", "sha-256", "sha-384", "sha-512", "sha-512/224", "sha-512/256", "ascon-hash256"
]
Hmac = Literal[
    "hmac-sha-224",
    "hmac-sha-256",
    "hmac-sha-384",
    "hmac-sha-512",
    "hmac-sha-512/224",
    "hmac-sha-512/256",
]
Code = Hmac | Literal["aes-cmac"]
Curve = Literal["p-256", "p-384", "p-521"]
Progress = Callable[[int, int | None], object]
"""Called repeatedly with the bytes of input that are done, and their total if it is known."""


class EncryptOptions(TypedDict, total=False):
    """How to encrypt, but for the secret and the device."""

    mode: Mode | None
    """Mode of the chunks; the device's best one when absent. All but GCM are authenticated by
    HMAC-SHA-256. ECB shows which blocks are equal."""
    key_bits: Literal[128, 192, 256]
    """AES key size; 256 when absent."""
    chunk_bytes: int | None
    """Plaintext in a chunk, a multiple of 16; 1 MiB when absent."""
    key_derivation: KeyDerivation | None
    """How a password becomes a key; ``scrypt`` when absent."""
    kdf_memory_bytes: int | None
    """Memory for scrypt (a power of two; 128 MiB when absent) or Argon2id (whole KiB; 64 MiB)."""
    kdf_passes: int | None
    """Passes of Argon2id (3 when absent), or scrypt's p (1)."""
    kdf_iterations: int | None
    """Iterations of PBKDF2 (600,000 when absent)."""
    kdf_limit: int
    """How many times the usual cost is allowed; 1 when absent. To decrypt a message that costs
    more than the usual limits, the reader must allow it too."""


def encrypt(
    data: Bytes,
    *,
    key: Bytes | None = None,
    password: str | Bytes | None = None,
    device: str | AnyDevice = "cpu",
    **options: Unpack[EncryptOptions],
) -> bytes:
    """Encrypt a message into a container, authenticated.

    Args:
        data: the plaintext.
        key: 16, 24 or 32 random bytes, at least as long as ``key_bits``. Every
            message gets a fresh salt, so that a key may be used again and again.
        password: instead of a key; text is taken as UTF-8.
        device: where to encrypt: a name, or a device that is open.
        options: ``EncryptOptions``: mode and key size, size of a chunk, key derivation.

    >>> key = os.urandom(32)
    >>> decrypt(encrypt(b"message", key=key, mode="ctr"), key=key)
    b'message'

    Raises:
        ciphermill.InvalidError: an argument is invalid.
        ciphermill.UnsupportedError: the device lacks the mode or key size.
        ciphermill.DeviceError: the device failed.
    """
    return _engine.encrypt(
        _bytes(data),
        open_engine_device(device),
        _engine.EncryptOptions(**options),
        key=_optional_bytes(key),
        password=_password(password),
    )


def decrypt(
    data: Bytes,
    *,
    key: Bytes | None = None,
    password: str | Bytes | None = None,
    device: str | AnyDevice = "cpu",
    kdf_limit: int = 1,
) -> bytes:
    """Decrypt a container. There is no result unless all of it is authentic.

    Args:
        data: the container.
        key: the key, if it was encrypted with one.
        password: otherwise the password.
        device: where to decrypt: a name, or a device that is open.
        kdf_limit: how many times the usual limits the key derivation may cost. The cost is
            in the header, which an attacker may have written: raise the limit only for
            containers from a source that you trust.

    >>> decrypt(b"something else", key=bytes(32))
    Traceback (most recent call last):
        ...
    ciphermill.DamagedError: ...

    Raises:
        ciphermill.DamagedError: not a container, cut short, damaged, or with a
            key derivation that would cost too much.
        ciphermill.AuthenticationError: wrong password or key, or altered data.
        ciphermill.InvalidError: a key where a password is needed, or the reverse.
        ciphermill.UnsupportedError: the device lacks the mode or key size.
        ciphermill.DeviceError: the device failed.
    """
    return _engine.decrypt(
        _bytes(data),
        open_engine_device(device),
        key=_optional_bytes(key),
        password=_password(password),
        kdf_limit=kdf_limit,
    )


def encrypt_file(
    input: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    key: Bytes | None = None,
    password: str | Bytes | None = None,
    device: str | AnyDevice = "cpu",
    force: bool = False,
    progress: Progress | None = None,
    **options: Unpack[EncryptOptions],
) -> dict[str, Any]:
    """Encrypt a file; ``-`` is standard input or output.

    The output is written completely or not at all, and replaces a file only with ``force``;
    the input is never overwritten. Otherwise as :func:`encrypt`.

    Returns:
        What was done: ``mode``, ``bytes_in``, ``bytes_out``, ``time_s``; ``timing``: the
        :class:`Timing` of the device, added up over chunks, which may run side by side; ...

    Raises:
        ciphermill.FileError: a file could not be read or written.
        ciphermill.Error: as :func:`encrypt`.
    """
    return _engine.encrypt_path(
        os.fspath(input),
        os.fspath(output),
        open_engine_device(device),
        _engine.EncryptOptions(**options),
        key=_optional_bytes(key),
        password=_password(password),
        force=force,
        progress=progress,
    )


def decrypt_file(
    input: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    key: Bytes | None = None,
    password: str | Bytes | None = None,
    device: str | AnyDevice = "cpu",
    kdf_limit: int = 1,
    force: bool = False,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Decrypt a file; ``-`` is standard input or output.

    An output file appears only if all of the input is authentic. A pipe gets only authentic
    chunks; an error may come after some of them. Otherwise as :func:`encrypt_file` and
    :func:`decrypt`.
    """
    return _engine.decrypt_path(
        os.fspath(input),
        os.fspath(output),
        open_engine_device(device),
        key=_optional_bytes(key),
        password=_password(password),
        kdf_limit=kdf_limit,
        force=force,
        progress=progress,
    )


def inspect(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a container's header says, unauthenticated; ``-`` is standard input.

    Returns:
        ``version``, ``algorithm``, ``mode``, ``key_bits``, ``chunk_bytes``, ``key_derivation``
        with its parameters (``scrypt.n``, ...), ``kdf_memory_bytes``, and ``kdf_limit``: how
        many times the usual cost a reader must allow.

    Raises:
        ciphermill.FileError: the file cannot be read.
        ciphermill.DamagedError: it is not a container, or its header is damaged.
    """
    return _engine.inspect(os.fspath(path))


def transform(
    data: Bytes,
    *,
    mode: Literal["ecb", "cbc", "ctr", "gcm", "xts"],
    direction: Literal["encrypt", "decrypt"],
    key: Bytes,
    iv: Bytes | None = None,
    data_unit_bytes: int | None = None,
    algorithm: str = "aes",
    device: str | AnyDevice = "cpu",
) -> tuple[bytes, Timing | SoftwareTiming]:
    """Run the bare mode of operation: no header and no padding.

    For measurements and for other formats; to protect data use :func:`encrypt`.

    Args:
        data: the input; whole blocks for ECB and CBC, of 16 bytes, of PRESENT 8. GCM decrypts
            ciphertext that ends in its tag of 16 bytes.
        mode: mode of operation (SP 800-38A, 38D and 38E). PRESENT has ECB, CBC and CTR.
        direction: encrypt or decrypt.
        key: 16, 24 or 32 bytes; for XTS two keys of 16 or 32 bytes, one after the other; for
            PRESENT 10 or 16 bytes.
        iv: CBC's IV or CTR's first counter block, as long as a block; GCM's IV, 12 bytes,
            or on the processor and on graphics processors any number of them; XTS's
            first data unit number, 16 bytes, little endian; none for ECB.
        data_unit_bytes: length of XTS's data units; one unit by default.
        algorithm: the block cipher, ``aes`` or ``present``. PRESENT is a cipher of accelerators,
            such as ``model:suite``; the processor's devices do not have it.
        device: a name, or a device that is open.

    Returns:
        The output, as long as the input, and what it cost. GCM encryption appends
        its tag of 16 bytes.

    >>> key = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
    >>> block = bytes.fromhex("6bc1bee22e409f96e93d7e117393172a")
    >>> output, timing = transform(block, mode="ecb", direction="encrypt", key=key)
    >>> output.hex()  # SP 800-38A, F.1.1
    '3ad77bb40d7a3660a89ecaf32466ef97'
    >>> timing.method
    'measured'

    Raises:
        ciphermill.InvalidError: a length is wrong, or the cipher does not have the mode.
        ciphermill.UnsupportedError: the device lacks the cipher, mode or key size.
        ciphermill.AuthenticationError: GCM's tag does not match.
        ciphermill.DeviceError: the device failed.
    """
    return open_device(device).transform(
        _bytes(data),
        mode=mode,
        direction=direction,
        key=_bytes(key),
        iv=_optional_bytes(iv),
        data_unit_bytes=data_unit_bytes,
        algorithm=algorithm,
    )


def run(
    operation: Operation,
    data: Bytes,
    *,
    algorithm: str,
    mode: Literal["ecb", "cbc", "ctr", "gcm", "xts"] | None = None,
    key: Bytes | None = None,
    iv: Bytes | None = None,
    associated_data: Bytes | None = None,
    data_unit_bytes: int | None = None,
    public_key: Bytes | None = None,
    signature: Bytes | None = None,
    device: str | AnyDevice = "cpu",
) -> tuple[bytes, Timing]:
    """Run an operation of an algorithm on one message: no header and no padding.

    For measurements and for other formats; to protect data use :func:`encrypt`.

    Args:
        operation: what to do. An authenticated cipher appends its tag of 16 bytes to the
            ciphertext, and decrypts ciphertext that ends in it. ``generate-key`` gives a private
            key, then its public key; ``verify`` a byte, 1 for yes and 0 for no.
        data: the message; the digest to sign or verify; the public key to agree with; nothing
            to generate a key.
        algorithm: such as ``aes``, ``present``, ``ascon-aead128``, ``sha-256``,
            ``hmac-sha-256`` or ``p-256``; :attr:`Device.algorithms` lists those of a device.
        mode: mode of operation of a block cipher; none for other algorithms.
        key: as long as the algorithm says; the private key to sign or agree with.
        iv: a mode's IV as :func:`transform` has it, or the nonce of an authenticated cipher
            (Ascon-AEAD128: 16 bytes), never used twice with a key.
        associated_data: what is authenticated and not encrypted.
        data_unit_bytes: length of XTS's data units; one unit by default.
        public_key: of whoever signed, to verify.
        signature: to verify.
        device: a name, or a device that is open.

    Returns:
        The output, and what it cost.

    >>> block = bytes(range(16))
    >>> sent, timing = run("encrypt", b"", algorithm="ascon-aead128", key=block, iv=block)
    >>> sent.hex()  # SP 800-232, the designers' known answer 1
    '4427d64b8e1e1451fc445960f0839bb0'
    >>> run("decrypt", sent, algorithm="ascon-aead128", key=block, iv=block)[0]
    b''

    Raises:
        ciphermill.InvalidError: there is no such algorithm, a length is wrong, or the algorithm
            does not use an argument that is given.
        ciphermill.UnsupportedError: the device lacks the operation.
        ciphermill.AuthenticationError: the tag does not match.
        ciphermill.DeviceError: the device failed.
    """
    return open_engine_device(device).run(
        operation,
        _bytes(data),
        algorithm=algorithm,
        mode=mode,
        key=_optional_bytes(key),
        iv=_optional_bytes(iv),
        associated_data=_optional_bytes(associated_data),
        data_unit_bytes=data_unit_bytes,
        public_key=_optional_bytes(public_key),
        signature=_optional_bytes(signature),
    )


def run_in_memory(
    operation: Literal["encrypt", "decrypt"],
    array: object,
    *,
    mode: Literal["ecb", "cbc", "ctr", "gcm", "xts"],
    key: Bytes,
    iv: Bytes | None = None,
    associated_data: Bytes | None = None,
    data_unit_bytes: int | None = None,
    tag: Bytes | None = None,
    device: str | AnyDevice = "cuda",
) -> tuple[bytes | None, Timing]:
    """Encrypt or decrypt by AES an array in a device's own memory, in its place.

    The data never leave the device. Work on the array that was handed to CUDA before is waited
    for, and the call waits for its own.

    Args:
        operation: ``encrypt`` or ``decrypt``.
        array: contiguous, writable, in the primary context of this device, with
            ``__cuda_array_interface__``: one of CuPy, Numba or PyTorch. It is fastest where its
            address is a multiple of 4.
        mode: mode of operation; CBC decrypts only, and XTS has data units of whole blocks.
        key: 16, 24 or 32 bytes; XTS's two keys one after the other.
        iv: as :func:`transform` has it.
        associated_data: what GCM authenticates and does not encrypt.
        data_unit_bytes: length of XTS's data units; one unit by default.
        tag: 16 bytes, to decrypt with GCM.
        device: a name, or a device that is open; only those of ``cuda`` have such memory.

    Returns:
        The tag of an encryption with GCM, otherwise none; and what it cost.

    Raises:
        TypeError: the array has no ``__cuda_array_interface__``.
        ciphermill.InvalidError: a length is wrong, or the array has gaps, is read-only, or is in
            another device's memory or in another context.
        ciphermill.UnsupportedError: the device has no such memory, or lacks the mode.
        ciphermill.AuthenticationError: the tag does not match; the array is then zeroised.
        ciphermill.DeviceError: the device failed, and the array may be processed in part.
    """
    return _engine.run_in_memory(
        open_engine_device(device),
        operation,
        array,
        mode=mode,
        key=_bytes(key),
        iv=_optional_bytes(iv),
        associated_data=_optional_bytes(associated_data),
        data_unit_bytes=data_unit_bytes,
        tag=_optional_bytes(tag),
    )


class Message(TypedDict):
    """A message of :func:`run_batch`: what :func:`run` takes, under the same names."""

    operation: Operation
    data: Bytes
    algorithm: str
    mode: NotRequired[Literal["ecb", "cbc", "ctr", "gcm", "xts"] | None]
    key: NotRequired[Bytes | None]
    iv: NotRequired[Bytes | None]
    associated_data: NotRequired[Bytes | None]
    data_unit_bytes: NotRequired[int | None]
    public_key: NotRequired[Bytes | None]
    signature: NotRequired[Bytes | None]


def run_batch(
    messages: Iterable[Message], *, device: str | AnyDevice = "cpu"
) -> list[bytes | Error]:
    """Run many messages at once, which may differ in everything.

    All are in flight together. ``cpu`` works on up to :attr:`Device.streams` messages in CBC
    encryption, or by ``aes-cmac``, side by side, which takes little more time than one of them.
    Where it has vectors of 512 bits, digests of SHA-2 go side by side too.

    Args:
        messages: for each the arguments of :func:`run`.
        device: a name, or a device that is open.

    Returns:
        For each message, in their order, its output; or the exception that :func:`run` would
        raise. A message that fails leaves the others alone.

    >>> message = {"operation": "encrypt", "algorithm": "aes", "mode": "cbc", "iv": bytes(16)}
    >>> batch = [message | {"key": bytes([n] * 16), "data": bytes(16 * n)} for n in range(20)]
    >>> sum(len(output) for output in run_batch(batch))
    3040
    >>> run_batch([message | {"key": bytes(16), "data": b"no block"}])
    [InvalidError('8 bytes are not whole blocks of 16: cbc needs padding')]

    Raises:
        TypeError: an argument of a message is missing, or there is no such argument.
        ciphermill.DeviceError: the device cannot be opened, or cannot take the messages.
    """
    asked = [_message(**message) for message in messages]
    return open_engine_device(device).run_batch(asked)


def _message(
    operation: Operation,
    data: Bytes,
    algorithm: str,
    mode: str | None = None,
    key: Bytes | None = None,
    iv: Bytes | None = None,
    associated_data: Bytes | None = None,
    data_unit_bytes: int | None = None,
    public_key: Bytes | None = None,
    signature: Bytes | None = None,
) -> tuple[Any, ...]:
    """The arguments in the order of the engine's."""
    return (
        operation,
        _bytes(data),
        algorithm,
        mode,
        _optional_bytes(key),
        _optional_bytes(iv),
        _optional_bytes(associated_data),
        data_unit_bytes,
        _optional_bytes(public_key),
        _optional_bytes(signature),
    )


def digest(
    data: Bytes,
    *,
    algorithm: Digest = "sha-256",
    device: str | AnyDevice = "cpu",
) -> bytes:
    """The digest of a message.

    Args:
        data: the message.
        algorithm: the hash (FIPS 180-4, SP 800-232).
        device: where to compute it: a name, or a device that is open.

    >>> digest(b"abc").hex()[:16]  # FIPS 180-4
    'ba7816bf8f01cfea'

    Raises:
        ciphermill.InvalidError: there is no such hash.
        ciphermill.UnsupportedError: the device lacks it.
        ciphermill.DeviceError: the device failed.
    """
    return run("digest", data, algorithm=algorithm, device=device)[0]


def authenticate(
    data: Bytes,
    *,
    key: Bytes,
    algorithm: Code = "hmac-sha-256",
    device: str | AnyDevice = "cpu",
) -> bytes:
    """The authentication code of a message.

    Compare a received code with ``hmac.compare_digest``, which takes the same time wherever
    the two differ.

    Args:
        data: the message.
        key: the secret key: for HMAC of any length, for CMAC of 16, 24 or 32 bytes.
        algorithm: the algorithm of the code (FIPS 198-1, SP 800-38B).
        device: where to compute it: a name, or a device that is open.

    >>> authenticate(b"Hi There", key=bytes([11] * 20)).hex()[:16]  # RFC 4231, 4.2
    'b0344c61d8db3853'

    Raises:
        ciphermill.InvalidError: there is no such algorithm.
        ciphermill.UnsupportedError: the device lacks it.
        ciphermill.DeviceError: the device failed.
    """
    return run("authenticate", data, algorithm=algorithm, key=key, device=device)[0]


def _bytes(data: Bytes) -> bytes:
    """The same bytes, copied only if they could change."""
    if isinstance(data, bytes):
        return data
    if isinstance(data, bytearray | memoryview):
        return bytes(data)
    raise TypeError(f"bytes are needed, not {type(data).__name__}")


def _optional_bytes(data: Bytes | None) -> bytes | None:
    return None if data is None else _bytes(data)


def _password(password: str | Bytes | None) -> bytes | None:
    if password is None:
        return None
    return password.encode() if isinstance(password, str) else _bytes(password)
