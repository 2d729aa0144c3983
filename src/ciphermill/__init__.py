# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Ciphermill: hardware-accelerated cryptography, weighed.

Encrypt and decrypt on whatever device is there. What comes out is a container
(docs/reference/container.md): authenticated, with a fresh salt for every message.

>>> import ciphermill
>>> sealed = ciphermill.encrypt(b"Attack at dawn", password="correct horse")
>>> ciphermill.decrypt(sealed, password="correct horse")
b'Attack at dawn'

A wrong password, or a changed byte, is an error and gives no data:

>>> ciphermill.decrypt(sealed, password="wrong horse")
Traceback (most recent call last):
    ...
ciphermill.AuthenticationError: ...
"""

from typing import TYPE_CHECKING, Any

from ciphermill._engine import (
    AuthenticationError,
    CancelledError,
    DamagedError,
    Device,
    DeviceError,
    Error,
    FileError,
    InvalidError,
    KeyReference,
    NoRoomError,
    Timing,
    UnsupportedError,
    __version__,
)
from ciphermill.choice import Choice, choose_device
from ciphermill.functions import (
    EncryptOptions,
    Message,
    authenticate,
    decrypt,
    decrypt_file,
    digest,
    encrypt,
    encrypt_file,
    inspect,
    run,
    run_batch,
    run_in_memory,
    transform,
)
from ciphermill.public_key import KeyPair, agree, generate_key, hold_key, sign, verify
from ciphermill.registry import devices, open_device

if TYPE_CHECKING:
    from ciphermill.campaign.explore.function import explore

__all__ = [
    "AuthenticationError",
    "CancelledError",
    "Choice",
    "DamagedError",
    "Device",
    "DeviceError",
    "EncryptOptions",
    "Error",
    "FileError",
    "InvalidError",
    "KeyPair",
    "KeyReference",
    "Message",
    "NoRoomError",
    "Timing",
    "UnsupportedError",
    "__version__",
    "agree",
    "authenticate",
    "choose_device",
    "decrypt",
    "decrypt_file",
    "devices",
    "digest",
    "encrypt",
    "encrypt_file",
    "explore",
    "generate_key",
    "hold_key",
    "inspect",
    "open_device",
    "run",
    "run_batch",
    "run_in_memory",
    "sign",
    "transform",
    "verify",
]


def __getattr__(name: str) -> Any:
    # The tools of exploration take long to import, and programs that encrypt do not need them.
    if name == "explore":
        from ciphermill.campaign.explore.function import explore

        return explore
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
