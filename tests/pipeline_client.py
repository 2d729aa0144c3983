# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A program that uses the cipher pipelines of OpenSSL 3.5, through ctypes.

Run as ``pipeline_client.py CHECK [ARGUMENT]`` with OpenSSL 3.5 in LD_LIBRARY_PATH and an
OPENSSL_CONF that loads the provider. Each check compares pipes with single messages of the default
provider, and ends with an exception when something differs. It prints the provider's counters.
"""

from __future__ import annotations

import ctypes
import os
import random
import sys
from ctypes import c_char_p, c_int, c_size_t, c_void_p, create_string_buffer
from pathlib import Path

from provider_client import (
    OURS,
    SET_IVLEN,
    THEIRS,
    Cipher,
    Parameter,
    control,
    copy,
    counters,
    declare,
    fetch,
    free,
    new,
    padding,
    pieces,
    run,
)

PIPES = 32
"""``EVP_MAX_PIPES``."""
OCTET_POINTER = 7

can_pipeline = declare("EVP_CIPHER_can_pipeline", c_int, c_void_p, c_int)
begins = (c_void_p, c_void_p, c_char_p, c_size_t, c_size_t, c_void_p, c_size_t)
init_encrypt = declare("EVP_CipherPipelineEncryptInit", c_int, *begins)
init_decrypt = declare("EVP_CipherPipelineDecryptInit", c_int, *begins)
update_pipes = declare("EVP_CipherPipelineUpdate", c_int, *(c_void_p,) * 6)
final_pipes = declare("EVP_CipherPipelineFinal", c_int, *(c_void_p,) * 4)
get_parameters = declare("EVP_CIPHER_CTX_get_params", c_int, c_void_p, c_void_p)
set_parameters = declare("EVP_CIPHER_CTX_set_params", c_int, c_void_p, c_void_p)
peek_error = declare("ERR_peek_last_error_all", c_size_t, *(c_void_p,) * 5)


def error() -> str:
    """The data of the last error."""
    data, flags = c_char_p(), c_int()
    peek_error(None, None, None, ctypes.byref(data), ctypes.byref(flags))
    return (data.value or b"").decode()


def pointers(buffers: list[ctypes.Array[ctypes.c_char]], shift: int = 0) -> ctypes.Array[c_void_p]:
    return (c_void_p * len(buffers))(*(ctypes.addressof(one) + shift for one in buffers))


class Pipeline:
    """A context whose pipes have a message each."""

    def __init__(self, name: str, which: bytes = OURS) -> None:
        self.cipher = fetch(None, name.encode(), which)
        assert self.cipher, (name, which)
        self.context = c_void_p(new())
        self.pipes = 0

    def init(self, key: bytes | None, ivs: list[bytes], encrypt: bool = True) -> Pipeline:
        assert self.try_init(key, ivs, encrypt) == 1, error()
        return self

    def try_init(self, key: bytes | None, ivs: list[bytes], encrypt: bool = True) -> int:
        begin = init_encrypt if encrypt else init_decrypt
        buffers = [create_string_buffer(iv, len(iv) + 1) for iv in ivs]
        # Without the cipher from the second time on, as programs that only set IVs do.
        cipher = None if self.pipes else self.cipher
        self.pipes = len(ivs)
        sizes = (len(key or b""), len(ivs), pointers(buffers), len(ivs[0]) if ivs else 0)
        return begin(self.context, cipher, key, *sizes)

    def duplicate(self) -> Pipeline:
        other = Pipeline.__new__(Pipeline)
        other.cipher, other.context, other.pipes = self.cipher, c_void_p(new()), self.pipes
        assert copy(other.context, self.context) == 1
        return other

    def update(self, data: list[bytes], in_place: bool = False) -> list[bytes]:
        done = self.try_update(data, in_place)
        assert done is not None, error()
        return done

    def try_update(
        self, data: list[bytes], in_place: bool = False, room: int = 32
    ) -> list[bytes] | None:
        outputs = [create_string_buffer(one, len(one) + 32) for one in data]
        inputs = outputs if in_place else [create_string_buffer(one, len(one) + 1) for one in data]
        count = len(data)
        written = (c_size_t * count)(*(99 for _ in data))
        rooms = (c_size_t * count)(*(len(one) + room for one in data))
        sizes = (c_size_t * count)(*(len(one) for one in data))
        places = pointers(outputs)
        if update_pipes(self.context, places, written, rooms, pointers(inputs), sizes) != 1:
            assert list(written) == [0] * count
            return None
        return [one.raw[:length] for one, length in zip(outputs, written, strict=True)]

    def associate(self, data: list[bytes]) -> None:
        inputs = [create_string_buffer(one, len(one) + 1) for one in data]
        sizes = (c_size_t * len(data))(*(len(one) for one in data))
        written = (c_size_t * len(data))()
        done = update_pipes(self.context, None, written, None, pointers(inputs), sizes)
        assert done == 1, error()

    def final(self) -> list[bytes] | None:
        outputs = [create_string_buffer(32) for _ in range(self.pipes)]
        written = (c_size_t * self.pipes)()
        rooms = (c_size_t * self.pipes)(*(32 for _ in outputs))
        if final_pipes(self.context, pointers(outputs), written, rooms) != 1:
            return None
        return [one.raw[:length] for one, length in zip(outputs, written, strict=True)]

    def tags(self, size: int = 16) -> list[bytes]:
        buffers = [create_string_buffer(size) for _ in range(self.pipes)]
        assert self._tags(get_parameters, buffers, size) == 1, error()
        return [one.raw for one in buffers]

    def set_tags(self, tags: list[bytes]) -> None:
        buffers = [create_string_buffer(tag, len(tag) + 1) for tag in tags]
        assert self._tags(set_parameters, buffers, len(tags[0])) == 1, error()

    def _tags(self, call, buffers: list[ctypes.Array[ctypes.c_char]], size: int) -> int:  # type: ignore[no-untyped-def]
        array = pointers(buffers)
        first = c_void_p(ctypes.addressof(array))
        entry = Parameter(b"pipeline-tag", OCTET_POINTER, ctypes.addressof(first), size, 0)
        return int(call(self.context, (Parameter * 2)(entry, Parameter())))

    def __del__(self) -> None:
        free(self.context)


def all_of(pipeline: Pipeline, cut: list[list[bytes]], in_place: bool) -> list[bytes] | None:
    """The output of messages that are cut, where some have more parts than others."""
    outputs = [b""] * len(cut)
    for number in range(max(len(parts) for parts in cut)):
        parts = [parts[number] if number < len(parts) else b"" for parts in cut]
        written = pipeline.update(parts, in_place)
        outputs = [one + more for one, more in zip(outputs, written, strict=True)]
    end = pipeline.final()
    return None if end is None else [a + b for a, b in zip(outputs, end, strict=True)]


def messages() -> None:
    """Pipes of every mode and key size, with lengths that differ, cut anywhere."""
    chance = random.Random(11)
    names = [f"AES-{bits}-{mode}" for mode in ("ECB", "CBC", "CTR") for bits in (128, 192, 256)]
    for turn, name in enumerate(names):
        iv_bytes = 0 if "ECB" in name else 16
        theirs, ours = Cipher(name, THEIRS), Pipeline(name)
        assert can_pipeline(ours.cipher, 0) == can_pipeline(ours.cipher, 1) == 1
        for pipes in (1, 3, PIPES):
            key = chance.randbytes(int(name[4:7]) // 8)
            ivs = [chance.randbytes(iv_bytes) for _ in range(pipes)]
            lengths = [chance.choice([0, 5, 16, 160, 4096, 20_001]) for _ in ivs]
            data = [chance.randbytes(length) for length in lengths]
            expected = [
                run(theirs.init(key, iv), [one], False) or b""
                for one, iv in zip(data, ivs, strict=True)
            ]
            cut = [pieces(one, chance) or [b""] for one in data]
            in_place = turn % 2 == 0
            assert all_of(ours.init(key, ivs), cut, in_place) == expected, (name, pipes)
            cut = [pieces(one, chance) for one in expected]
            back = all_of(ours.init(None, ivs, False), cut, not in_place)
            assert back == data, (name, pipes)


def galois() -> None:
    """GCM: associated data, tags of several lengths, IVs of others, and forgeries."""
    chance = random.Random(12)
    for bits, iv_bytes, size in ((128, 12, 0), (192, 12, 5000), (256, 12, 16_384), (256, 16, 100)):
        name, pipes = f"AES-{bits}-GCM", 8
        key = chance.randbytes(bits // 8)
        ivs = [chance.randbytes(iv_bytes) for _ in range(pipes)]
        data = [chance.randbytes(size + pipe) for pipe in range(pipes)]
        associated = [chance.randbytes(13 + pipe) for pipe in range(pipes)]
        whole = bits != 192
        cut = [[one] if whole else pieces(one, chance) for one in data]
        ours = Pipeline(name).init(key, ivs)
        ours.associate(associated)
        sealed = all_of(ours, cut, False)
        assert sealed is not None
        tags = ours.tags()
        assert ours.tags(12) == [tag[:12] for tag in tags]
        for pipe in range(pipes):
            theirs = Cipher(name, THEIRS).init(None, None)
            assert control(theirs.context, SET_IVLEN, iv_bytes, None) == 1
            theirs.init(key, ivs[pipe]).associate(associated[pipe])
            expected = run(theirs, [data[pipe]] if data[pipe] else [], False)
            assert (sealed[pipe], tags[pipe]) == (expected, theirs.tag()), (name, pipe)
        for forged in ([], [0], [3, 7]):
            changed = [
                bytes([tag[0] ^ (pipe in forged)]) + tag[1:] for pipe, tag in enumerate(tags)
            ]
            ours = Pipeline(name).init(key, ivs, False)
            ours.set_tags(changed)
            ours.associate(associated)
            back = all_of(ours, [[one] for one in sealed], True)
            assert back == (None if forged else data), (name, forged)
            assert not forged or error().endswith(", ".join(map(str, forged))), error()


def units() -> None:
    """XTS: a data unit an update, with stealing."""
    chance = random.Random(13)
    for bits in (128, 256):
        key = chance.randbytes(bits // 4)
        ivs = [chance.randbytes(16) for _ in range(6)]
        data = [chance.randbytes(length) for length in (16, 17, 512, 4096, 4097, 70_000)]
        theirs, ours = Cipher(f"AES-{bits}-XTS", THEIRS), Pipeline(f"AES-{bits}-XTS")
        expected = [theirs.init(key, iv).update(one) for iv, one in zip(ivs, data, strict=True)]
        assert ours.init(key, ivs).update(data) == expected
        assert ours.final() == [b""] * 6
        assert ours.init(None, ivs, False).update(expected, True) == data


def states() -> None:
    """Copies, other numbers of pipes, padding, and calls out of order."""
    key, data = bytes(range(32)), [os.urandom(1000 + pipe) for pipe in range(4)]
    ivs = [bytes([pipe]) * 16 for pipe in range(4)]
    theirs = Cipher("AES-256-CBC", THEIRS)
    expected = [run(theirs.init(key, iv), [one], False) for iv, one in zip(ivs, data, strict=True)]
    ours = Pipeline("AES-256-CBC").init(key, ivs)
    begin = ours.update([one[:77] for one in data])
    other = ours.duplicate()
    ours.update([b"something else"] * 4)
    rest = all_of(other, [[one[77:]] for one in data], False)
    assert rest is not None
    assert [a + b for a, b in zip(begin, rest, strict=True)] == expected
    # Fewer pipes, and more, with the key that is there.
    for pipes in (2, 4, 1):
        again = all_of(ours.init(None, ivs[:pipes]), [[one] for one in data[:pipes]], True)
        assert again == expected[:pipes]
    # Padding is a setting of the context: off, messages of part blocks have no end.
    assert padding(ours.context, 0) == 1
    assert ours.init(None, ivs[:2]).update([bytes(16), bytes(20)]) is not None
    assert ours.final() is None
    assert "pipe 1" in error(), error()
    # Too little room for one pipe changes no pipe.
    ours.init(None, ivs[:2])
    assert ours.try_update([bytes(64), bytes(64)], False, -1) is None
    assert "room" in error(), error()
    theirs.init(key, ivs[0])
    assert padding(theirs.context, 0) == 1
    assert ours.update([bytes(64)] * 2)[0] == theirs.update(bytes(64))
    # A pipeline is no single message, and has 32 pipes at most.
    room, length = create_string_buffer(64), c_int()
    single = declare("EVP_CipherUpdate", c_int, *(c_void_p,) * 4, c_int)
    assert single(ours.context, room, ctypes.byref(length), room, 16) == 0
    assert Pipeline("AES-256-CBC").try_init(key, [bytes(16)] * (PIPES + 1)) == 0
    alone = Cipher("AES-256-CBC", OURS).init(key, bytes(16))
    zeros = (c_size_t * 1)()
    assert update_pipes(alone.context, None, zeros, None, None, zeros) == 0
    # OpenSSL's own provider has no pipelines.
    assert can_pipeline(fetch(None, b"AES-256-CBC", THEIRS), 1) == 0


SHORT_MESSAGES = [bytes([number]) * 160 for number in range(12)]
SHORT_IVS = [bytes([number]) * 16 for number in range(12)]


def in_turn() -> None:
    """Short messages one after the other."""
    ours = Cipher("AES-128-CTR", OURS)
    for iv, message in zip(SHORT_IVS, SHORT_MESSAGES, strict=True):
        ours.init(bytes(16), iv).update(message)


def together() -> None:
    """The same as a pipeline."""
    theirs = Cipher("AES-128-CTR", THEIRS)
    done = Pipeline("AES-128-CTR").init(bytes(16), SHORT_IVS).update(SHORT_MESSAGES)
    for iv, message, output in zip(SHORT_IVS, SHORT_MESSAGES, done, strict=True):
        assert theirs.init(bytes(16), iv).update(message) == output


def main() -> None:
    named = (messages, galois, units, states, in_turn, together)
    checks = {check.__name__: check for check in named}
    checks[sys.argv[1]]()
    found = counters("device_pipes", "software_pipes")
    found["threads"] = len(list(Path("/proc/self/task").iterdir()))
    print(*(f"{name}={value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
