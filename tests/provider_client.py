# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A program that knows only OpenSSL: libcrypto's own interface, called through ctypes.

Run with the name of a check, in an environment whose OPENSSL_CONF loads the provider. Each
check compares with the default provider and ends with an exception when something differs.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import random
import sys
import threading
from collections.abc import Callable
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint64, c_void_p, create_string_buffer

CRYPTO = ctypes.CDLL(ctypes.util.find_library("crypto") or "libcrypto.so.3")
OURS, THEIRS = b"provider=ciphermill", b"provider=default"
SET_IVLEN, GET_TAG, SET_TAG = 0x09, 0x10, 0x11


def declare(name: str, result: type | None, *arguments: type) -> Callable[..., int]:
    function = CRYPTO[name]
    function.restype, function.argtypes = result, arguments
    return function


fetch = declare("EVP_CIPHER_fetch", c_void_p, c_void_p, c_char_p, c_char_p)
new = declare("EVP_CIPHER_CTX_new", c_void_p)
free = declare("EVP_CIPHER_CTX_free", None, c_void_p)
copy = declare("EVP_CIPHER_CTX_copy", c_int, c_void_p, c_void_p)
pointers = (c_void_p, c_char_p, c_char_p)
init = declare("EVP_CipherInit_ex2", c_int, c_void_p, *pointers, c_int, c_void_p)
update = declare("EVP_CipherUpdate", c_int, *(c_void_p,) * 4, c_int)
final = declare("EVP_CipherFinal_ex", c_int, *(c_void_p,) * 3)
control = declare("EVP_CIPHER_CTX_ctrl", c_int, c_void_p, c_int, c_int, c_void_p)
get_num = declare("EVP_CIPHER_CTX_get_num", c_int, c_void_p)
set_num = declare("EVP_CIPHER_CTX_set_num", c_int, c_void_p, c_int)
get_iv = declare("EVP_CIPHER_CTX_get_updated_iv", c_int, c_void_p, c_void_p, c_size_t)
padding = declare("EVP_CIPHER_CTX_set_padding", c_int, c_void_p, c_int)
fetch_mac = declare("EVP_MAC_fetch", c_void_p, c_void_p, c_char_p, c_char_p)
mac_new = declare("EVP_MAC_CTX_new", c_void_p, c_void_p)
mac_free = declare("EVP_MAC_CTX_free", None, c_void_p)
mac_dup = declare("EVP_MAC_CTX_dup", c_void_p, c_void_p)
mac_init = declare("EVP_MAC_init", c_int, c_void_p, c_char_p, c_size_t, c_void_p)
mac_update = declare("EVP_MAC_update", c_int, c_void_p, c_char_p, c_size_t)
mac_final = declare("EVP_MAC_final", c_int, c_void_p, c_void_p, c_void_p, c_size_t)
mac_set = declare("EVP_MAC_CTX_set_params", c_int, c_void_p, c_void_p)
mac_size = declare("EVP_MAC_CTX_get_mac_size", c_size_t, c_void_p)
mac_block = declare("EVP_MAC_CTX_get_block_size", c_size_t, c_void_p)


class Cipher:
    """A context: ours or the default provider's."""

    def __init__(self, name: str, which: bytes) -> None:
        self.cipher = fetch(None, name.encode(), which)
        assert self.cipher, (name, which)
        self.context = c_void_p(new())
        # Setting the cipher again drops the key.
        assert init(self.context, self.cipher, None, None, 1, None) == 1

    def init(self, key: bytes | None, iv: bytes | None, encrypt: bool = True) -> Cipher:
        assert init(self.context, None, key, iv, int(encrypt), None) == 1
        return self

    def duplicate(self) -> Cipher:
        other = Cipher.__new__(Cipher)
        other.cipher, other.context = self.cipher, c_void_p(new())
        assert copy(other.context, self.context) == 1
        return other

    def update(self, data: bytes, in_place: bool = False, shift: int = 0) -> bytes:
        """Return the output; in place, or with the output so many bytes before the input."""
        room = create_string_buffer(len(data) + 32 + shift)
        source = create_string_buffer(data, len(data) + 1)
        target, start = ctypes.addressof(room), ctypes.addressof(source)
        if in_place or shift:
            start = target + shift
            ctypes.memmove(start, data, len(data))
        length = c_int()
        assert update(self.context, target, byref(length), start, len(data)) == 1
        return room.raw[: length.value]

    def associate(self, data: bytes) -> None:
        length = c_int()
        source = create_string_buffer(data, len(data) + 1)
        assert update(self.context, None, byref(length), source, len(data)) == 1

    def final(self) -> bytes | None:
        room, length = create_string_buffer(32), c_int()
        if final(self.context, room, byref(length)) != 1:
            return None
        return room.raw[: length.value]

    def tag(self) -> bytes:
        room = create_string_buffer(16)
        assert control(self.context, GET_TAG, 16, room) == 1
        return room.raw

    def set_tag(self, tag: bytes) -> None:
        assert control(self.context, SET_TAG, len(tag), create_string_buffer(tag)) == 1

    def __del__(self) -> None:
        free(self.context)


class Parameter(ctypes.Structure):
    """``OSSL_PARAM``."""

    _fields_ = [
        ("key", c_char_p),
        ("type", ctypes.c_uint),
        ("data", c_void_p),
        ("size", c_size_t),
        ("returned", c_size_t),
    ]


def counters(*more: str) -> dict[str, int]:
    load = declare("OSSL_PROVIDER_load", c_void_p, c_void_p, c_char_p)
    ask = declare("OSSL_PROVIDER_get_params", c_int, c_void_p, c_void_p)
    provider = load(None, b"ciphermill")
    found = {}
    for name in ("device_bytes", "software_bytes", "device_cycles", "device_failures", *more):
        value = c_uint64()
        entry = Parameter(name.encode(), 2, ctypes.addressof(value), 8, 0)
        assert ask(provider, (Parameter * 2)(entry, Parameter())) == 1
        found[name] = value.value
    return found


def pieces(data: bytes, chance: random.Random) -> list[bytes]:
    """Return the data cut at random, into some long and many short parts."""
    cut: list[bytes] = []
    while data:
        length = chance.choice([1, 3, 15, 16, 17, 64, 129, 1000, 5000])
        cut.append(data[:length])
        data = data[length:]
    return cut


def run(cipher: Cipher, cut: list[bytes], in_place: bool, shift: int = 0) -> bytes | None:
    output = b"".join(cipher.update(piece, in_place, shift) for piece in cut)
    end = cipher.final()
    return None if end is None else output + end


def partial_updates() -> None:
    """Updates of any length, in place, apart and overlapping, with keys that change."""
    chance = random.Random(5)
    for name in ("AES-128-ECB", "AES-192-CBC", "AES-256-CBC", "AES-256-CTR"):
        key_bytes = int(name[4:7]) // 8
        ours, theirs = Cipher(name, OURS), Cipher(name, THEIRS)
        for turn in range(8):
            key, iv = chance.randbytes(key_bytes), chance.randbytes(16)
            data = chance.randbytes(chance.choice([0, 5, 16, 160, 20_000]))
            expected = run(theirs.init(key, iv), pieces(data, chance), False)
            assert expected is not None
            shift = (turn % 3) * 5
            got = run(ours.init(key, iv), pieces(data, chance), turn % 2 == 1, shift)
            assert got == expected, (name, turn)
            cut = pieces(expected, chance)
            back = run(ours.init(key, iv, False), cut, turn % 2 == 0, shift)
            assert back == data, (name, turn)
            # The same key with another message.
            again = run(ours.init(None, iv, True), [data], False)
            assert again == expected, (name, turn)


def copies() -> None:
    """A copied context continues from the copied state; a stream continues from IV and num."""
    key, iv, data = bytes(range(32)), bytes(range(16)), os.urandom(9000)
    for name in ("AES-256-CBC", "AES-256-CTR", "AES-256-GCM"):
        for place in (0, 5, 16, 4099):
            ours = Cipher(name, OURS).init(key, iv[:12] if "GCM" in name else iv)
            theirs = Cipher(name, THEIRS).init(key, iv[:12] if "GCM" in name else iv)
            expected = run(theirs, [data], False)
            begin = ours.update(data[:place]) if place else b""
            other = ours.duplicate()
            ours.update(b"something else")
            end = run(other, [data[place:]], False)
            assert end is not None and begin + end == expected, (name, place)
            if "CTR" in name:
                third = Cipher(name, OURS).init(key, iv)
                third.update(data[:place])
                room = create_string_buffer(16)
                assert get_iv(third.context, room, 16) == 1
                num = get_num(third.context)
                assert num == place % 16
                fourth = Cipher(name, OURS).init(key, room.raw)
                assert set_num(fourth.context, num) == 1
                assert expected is not None
                assert fourth.update(data[place:]) == expected[place:], place


def galois() -> None:
    """GCM in parts, with tags of each length, IVs of other lengths, and forgeries."""
    chance = random.Random(6)
    for turn in range(30):
        key = chance.randbytes(chance.choice([16, 24, 32]))
        name = f"AES-{8 * len(key)}-GCM"
        iv_bytes = chance.choice([12, 12, 12, 1, 16, 60])
        iv, associated = chance.randbytes(iv_bytes), chance.randbytes(chance.choice([0, 13, 100]))
        data = chance.randbytes(chance.choice([0, 1, 16, 5000, 40_000]))
        whole = turn % 2 == 0
        results = []
        for which in (OURS, THEIRS):
            cipher = Cipher(name, which).init(None, None)
            assert control(cipher.context, SET_IVLEN, iv_bytes, None) == 1
            cipher.init(key, iv)
            if associated:
                cipher.associate(associated)
            cut = [data] if whole else pieces(data, chance)
            results.append((run(cipher, cut if data else [], turn % 3 == 0), cipher.tag()))
        assert results[0] == results[1], (turn, len(data))
        ciphertext, tag = results[0]
        assert ciphertext is not None
        for forged in (False, True):
            cipher = Cipher(name, OURS).init(None, None, False)
            assert control(cipher.context, SET_IVLEN, iv_bytes, None) == 1
            cipher.init(key, iv, False)
            cipher.set_tag(bytes([tag[0] ^ forged]) + tag[1:])
            if associated:
                cipher.associate(associated)
            cut = [ciphertext] if whole else pieces(ciphertext, chance)
            back = run(cipher, cut if data else [], False)
            assert back == (None if forged else data), (turn, forged)


def disturbed() -> None:
    """Calls out of order behave as in the default provider."""
    key, iv, data = bytes(range(32)), bytes(12), os.urandom(5000)
    length, room = c_int(), create_string_buffer(6000)
    tags = []
    for which in (OURS, THEIRS):
        # An initialisation without parameters, and associated data after the text.
        cipher = Cipher("AES-256-GCM", which).init(key, iv)
        sealed = cipher.update(data[:3000])
        assert init(cipher.context, None, None, None, -1, None) == 1
        assert update(cipher.context, None, byref(length), data, 16) == 0, which
        sealed += cipher.update(data[3000:])
        assert cipher.final() == b""
        tags.append((sealed, cipher.tag()))
        tag = cipher.tag()
        # The length of the IV is changed within a message.
        cipher.init(None, iv[:11] + b"1").update(data[:3000])
        assert control(cipher.context, SET_IVLEN, 16, None) == 1
        assert update(cipher.context, room, byref(length), data, 3000) == 0, which
        # A tag set after the data, and the tag of the message before.
        cipher = Cipher("AES-256-GCM", which)
        for last, authentic in ((tag, True), (bytes(16), False)):
            cipher.init(key, iv, False).set_tag(tag)
            assert cipher.update(sealed) == data
            cipher.set_tag(last)
            assert (cipher.final() == b"") == authentic, which
        cipher.init(key, iv[:11] + b"2", False).update(sealed)
        assert cipher.final() is None, which
        # No key.
        cipher = Cipher("AES-256-CTR", which).init(None, bytes(16))
        for _ in range(2):
            ctypes.memset(room, 0, 16)
            assert update(cipher.context, room, byref(length), b"plain", 5) == 0, which
            assert room.raw[:16] == bytes(16), which
    assert tags[0] == tags[1]


def long_updates() -> None:
    """Several jobs in flight within one update, and a threshold that is crossed."""
    key, iv, data = bytes(range(32)), bytes(16), os.urandom(3_000_000)
    for name in ("AES-256-ECB", "AES-256-CBC", "AES-256-CTR"):
        for encrypt in (True, False):
            outputs = []
            for which in (OURS, THEIRS):
                cipher = Cipher(name, which).init(key, iv, encrypt)
                padding(cipher.context, 0)
                aligned = data[: len(data) // 16 * 16]
                outputs.append(cipher.update(aligned) + cipher.update(aligned[:48]))
            assert outputs[0] == outputs[1], (name, encrypt)


def data_units() -> None:
    """XTS: updates are data units with the IV as number, with stealing, copies and new keys."""
    chance = random.Random(7)
    for bits in (128, 256):
        name, both = f"AES-{bits}-XTS", bits // 4
        ours, theirs = Cipher(name, OURS), Cipher(name, THEIRS)
        for turn, length in enumerate((16, 17, 31, 32, 512, 4096, 70_001, 1_000_000)):
            key, iv, data = chance.randbytes(both), chance.randbytes(16), chance.randbytes(length)
            expected = theirs.init(key, iv).update(data)
            assert ours.init(key, iv).update(data, turn % 2 == 0) == expected, (name, length)
            # The data unit number stays; so does the key when only number or direction change.
            assert ours.update(data, turn % 2 == 1) == expected
            assert ours.final() == b""
            copy = ours.duplicate()
            ours.init(None, bytes(16))
            other = theirs.init(None, bytes(16)).update(data)
            assert ours.update(data) == other
            assert copy.update(data) == expected
            assert ours.init(None, iv, False).update(expected) == data
            assert theirs.init(key, iv, False).update(expected) == data
        short, length_out = create_string_buffer(32), c_int()
        for cipher in (ours, theirs):
            assert update(cipher.context, short, byref(length_out), b"short", 5) == 0
        # Equal halves of a key are refused, for decryption too, as by OpenSSL's FIPS provider.
        equal = bytes(both)
        assert init(theirs.context, None, equal, bytes(16), 1, None) == 0
        for encrypt in (0, 1):
            assert init(ours.context, None, equal, bytes(16), encrypt, None) == 0
            assert update(ours.context, short, byref(length_out), bytes(16), 16) == 0


def records() -> None:
    """TLS records in CBC need a countermeasure that only the default provider has."""
    set_parameters = declare("EVP_CIPHER_CTX_set_params", c_int, c_void_p, c_void_p)
    for version, allowed in ((0, 1), (0x0303, 0)):
        value = c_int(version)
        entry = Parameter(b"tls-version", 1, ctypes.addressof(value), 4, 0)
        cipher = Cipher("AES-256-CBC", OURS).init(bytes(32), bytes(16))
        assert set_parameters(cipher.context, (Parameter * 2)(entry, Parameter())) == allowed


def strings(**named: bytes) -> ctypes.Array[Parameter]:
    """Return parameters: a string for the digest, octets for everything else."""
    entries = [
        Parameter(name.encode(), 4 if name == "digest" else 5, as_address(value), len(value), 0)
        for name, value in named.items()
    ]
    return (Parameter * (len(entries) + 1))(*entries, Parameter())


def as_address(value: bytes) -> int:
    """Return where the bytes are; the caller keeps them."""
    return ctypes.cast(c_char_p(value), c_void_p).value or 0


class Code:
    """A context of HMAC: ours or the default provider's."""

    def __init__(self, which: bytes, context: int = 0) -> None:
        self.which = which
        self.context = c_void_p(context or mac_new(fetch_mac(None, b"HMAC", which)))
        assert self.context

    def init(self, key: bytes | None, /, **named: bytes) -> int:
        return mac_init(self.context, key, len(key or b""), strings(**named))

    def update(self, data: bytes) -> int:
        return mac_update(self.context, data, len(data))

    def final(self, room: int = 64) -> bytes | None:
        output, length = create_string_buffer(64), c_size_t()
        if mac_final(self.context, output, byref(length), room) != 1:
            return None
        return output.raw[: length.value]

    def duplicate(self) -> Code:
        return Code(self.which, mac_dup(self.context))

    def __del__(self) -> None:
        mac_free(self.context)


def codes() -> None:
    """HMAC in parts, with keys that stay and change, copies, and calls out of order."""
    chance = random.Random(8)
    ours, theirs = both = Code(OURS), Code(THEIRS)
    for code in both:
        # Neither a digest nor a key.
        assert mac_size(code.context) == 0
        assert code.init(b"key") == 0, code.which
        assert code.update(b"message") == 0, code.which
        assert code.init(None, digest=b"SHA256") == 0, code.which
    sizes = [0, 1, 63, 64, 65, 5000, 70_001]
    for digest in (b"SHA256", b"sha2-256", b"SHA-1", b"MD5", b"SHA224", b"SHA384", b"SHA2-512"):
        for length, key_bytes in [*((length, 32) for length in sizes), (100, 0), (100, 200)]:
            key, data = chance.randbytes(key_bytes), chance.randbytes(length)
            results: list[list[bytes | None]] = []
            for code in both:
                assert code.init(key, digest=digest) == 1
                for piece in pieces(data, chance):
                    assert code.update(piece) == 1
                copy = code.duplicate()
                assert copy.update(b"more") == 1
                found = [code.final(), copy.final()]
                # The same key again, after a message that is given up; another as a parameter.
                assert code.init(None) == 1 and code.update(b"lost") == 1
                assert code.init(None) == 1 and code.update(data) == 1
                found.append(code.final())
                assert copy.init(None, key=b"another") == 1 and copy.update(data) == 1
                found.append(copy.final())
                results.append(found)
            assert results[0] == results[1], (digest, length)
            assert results[0][0] == results[0][2] is not None
            assert mac_size(ours.context) == mac_size(theirs.context) == len(results[0][0] or b"")
            assert mac_block(ours.context) == mac_block(theirs.context)
    for code in both:
        # Too little room, and a digest that there is not.
        assert code.init(b"key", digest=b"SHA256") == 1
        assert code.final(31) is None, code.which
        assert code.init(b"key", digest=b"abacus") == 0, code.which
        # With a key as an argument and as a parameter, the argument counts.
        assert code.init(b"key", digest=b"SHA256") == 1 and code.update(b"message") == 1
        expected = (code.final() or b"").hex()
        assert code.init(b"key", key=b"other") == 1 and code.update(b"message") == 1
        assert (code.final() or b"").hex() == expected, code.which
    # An initialisation that fails ends the message before it.
    assert ours.init(b"key") == 1 and ours.update(b"message") == 1
    assert ours.init(b"key", digest=b"abacus") == 0
    assert ours.update(b"message") == 0 and ours.final() is None
    # A key as a parameter begins a message.
    for code in both:
        assert mac_set(code.context, strings(digest=b"SHA256", key=b"Jefe")) == 1
        assert code.update(b"what do ya want for nothing?") == 1
        expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        assert (code.final() or b"").hex() == expected
    # Another digest needs the key again: codes of one key with two hashes are not independent.
    assert ours.init(None, digest=b"SHA512") == 0
    # Records of TLS in CBC need a countermeasure that only the default provider has.
    size = c_size_t(100)
    entry = Parameter(b"tls-data-size", 2, ctypes.addressof(size), 8, 0)
    assert mac_set(ours.context, (Parameter * 2)(entry, Parameter())) == 0


def threads_and_forks() -> None:
    """Contexts in several threads, and in child processes forked in between."""
    key, iv, data = bytes(range(32)), bytes(16), os.urandom(300_000)
    expected = Cipher("AES-256-CTR", THEIRS).init(key, iv).update(data)
    wrong: list[int] = []

    def work() -> None:
        for _ in range(10):
            if Cipher("AES-256-CTR", OURS).init(key, iv).update(data) != expected:
                wrong.append(1)

    started = Cipher("AES-256-CTR", OURS).init(key, iv)
    assert started.update(data[:100_000]) == expected[:100_000]
    workers = [threading.Thread(target=work) for _ in range(6)]
    for worker in workers:
        worker.start()
    children = []
    for _ in range(4):
        child = os.fork()
        if child == 0:
            same = started.update(data[100_000:]) == expected[100_000:]
            fresh = Cipher("AES-256-CTR", OURS).init(key, iv).update(data) == expected
            os._exit(0 if same and fresh else 1)
        children.append(child)
    for child in children:
        assert os.waitpid(child, 0)[1] == 0
    for worker in workers:
        worker.join()
    assert not wrong
    assert started.update(data[100_000:]) == expected[100_000:]


def main() -> None:
    check = sys.argv[1]
    {
        "partial_updates": partial_updates,
        "copies": copies,
        "galois": galois,
        "disturbed": disturbed,
        "long_updates": long_updates,
        "data_units": data_units,
        "records": records,
        "codes": codes,
        "threads_and_forks": threads_and_forks,
    }[check]()
    print(*(f"{name}={value}" for name, value in counters().items()))


if __name__ == "__main__":
    main()
