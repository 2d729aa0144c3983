# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A TLS 1.2 endpoint that works on the records of its connections by cipher pipelines.

libssl of OpenSSL 3.5 gives no records to the pipelines of providers, so this program has a record
layer of its own for the client's side: libssl makes the handshake, the keys follow from the master
secret (RFC 5246, 6.3), and records in CBC with encrypt-then-MAC (RFC 7366) are encrypted and
decrypted several at a time. The server's side is libssl, which accepts every record or fails.

Run as ``tls_pipelines.py FOLDER`` in the environment of pipeline_client.py, with the server's
``cert.pem`` and ``key.pem`` in the folder.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import ssl
import sys
from dataclasses import dataclass
from pathlib import Path

from pipeline_client import Pipeline
from provider_client import c_char_p, c_int, c_void_p, counters, declare, padding

CONNECTIONS = 3
RECORDS = 8
RECORD_BYTES = 16_000
BLOCK = 16
APPLICATION_DATA = 23
VERSION = b"\x03\x03"


@dataclass(frozen=True)
class Suite:
    """A cipher suite in CBC, under OpenSSL's name."""

    name: str
    digest: str
    key_bytes: int


SUITES = (
    Suite("ECDHE-ECDSA-AES128-SHA256", "sha256", 16),
    Suite("ECDHE-ECDSA-AES256-SHA384", "sha384", 32),
)


def expand(digest: str, secret: bytes, seed: bytes, length: int) -> bytes:
    """P_hash of RFC 5246, section 5."""
    output, last = b"", seed
    while len(output) < length:
        last = hmac.digest(secret, last, digest)
        output += hmac.digest(secret, last + seed, digest)
    return output[:length]


class Direction:
    """Records of one direction of a connection."""

    def __init__(self, suite: Suite, mac_key: bytes, key: bytes) -> None:
        self.suite, self.mac_key, self.key = suite, mac_key, key
        self.pipeline = Pipeline(f"AES-{8 * suite.key_bytes}-CBC")
        # TLS has a padding of its own.
        padding(self.pipeline.context, 0)
        # The handshake's last message was the record before.
        self.sequence = 1

    def code(self, sealed: bytes) -> bytes:
        """The MAC of a record: IV and ciphertext."""
        head = self.sequence.to_bytes(8, "big") + bytes([APPLICATION_DATA]) + VERSION
        self.sequence += 1
        return hmac.digest(
            self.mac_key, head + len(sealed).to_bytes(2, "big") + sealed, self.suite.digest
        )

    def seal(self, messages: list[bytes]) -> bytes:
        """Records with these messages, encrypted in one update."""
        ivs = [os.urandom(BLOCK) for _ in messages]
        padded = []
        for message in messages:
            count = BLOCK - len(message) % BLOCK
            padded.append(message + bytes([count - 1]) * count)
        ciphertexts = self.pipeline.init(self.key, ivs).update(padded)
        records = b""
        for iv, ciphertext in zip(ivs, ciphertexts, strict=True):
            body = iv + ciphertext + self.code(iv + ciphertext)
            records += bytes([APPLICATION_DATA]) + VERSION + len(body).to_bytes(2, "big") + body
        return records

    def open(self, records: bytes) -> bytes:
        """What is in these records, decrypted in one update."""
        ivs, ciphertexts = [], []
        code_bytes = hashlib.new(self.suite.digest).digest_size
        while records:
            length = int.from_bytes(records[3:5], "big")
            body, records = records[5 : 5 + length], records[5 + length :]
            sealed, code = body[:-code_bytes], body[-code_bytes:]
            assert hmac.compare_digest(self.code(sealed), code)
            ivs.append(sealed[:BLOCK])
            ciphertexts.append(sealed[BLOCK:])
        opened = self.pipeline.init(self.key, ivs, False).update(ciphertexts)
        return b"".join(one[: -one[-1] - 1] for one in opened)


class Connection:
    """A connection in memory, whose client has its own record layer after the handshake."""

    def __init__(self, suite: Suite, folder: Path) -> None:
        log = folder / "keys.log"
        log.unlink(missing_ok=True)
        client, server = (
            ssl.SSLContext(side) for side in (ssl.PROTOCOL_TLS_CLIENT, ssl.PROTOCOL_TLS_SERVER)
        )
        client.load_verify_locations(folder / "cert.pem")
        server.load_cert_chain(folder / "cert.pem", folder / "key.pem")
        for context in (client, server):
            context.maximum_version = ssl.TLSVersion.TLSv1_2
            context.set_ciphers(suite.name)
        client.keylog_filename = str(log)
        self.to_server, self.to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.server = server.wrap_bio(self.to_server, self.to_client, server_side=True)
        incoming = ssl.MemoryBIO()
        joined = client.wrap_bio(incoming, self.to_server, server_hostname="localhost")
        heard = b""
        for side in (joined, self.server) * 3:
            with_more = self.to_client.read()
            heard += with_more
            incoming.write(with_more)
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
        assert self.server.cipher()[0] == suite.name  # type: ignore[index]
        label, client_random, master = log.read_text().split("\n")[-2].split()
        assert label == "CLIENT_RANDOM"
        server_random = heard[11:43]
        code_bytes = hashlib.new(suite.digest).digest_size
        seed = b"key expansion" + server_random + bytes.fromhex(client_random)
        block = expand(
            suite.digest, bytes.fromhex(master), seed, 2 * (code_bytes + suite.key_bytes)
        )
        codes, keys = block[: 2 * code_bytes], block[2 * code_bytes :]
        self.out = Direction(suite, codes[:code_bytes], keys[: suite.key_bytes])
        self.back = Direction(suite, codes[code_bytes:], keys[suite.key_bytes :])

    def exchange(self) -> None:
        """Records to the server by pipelines, and back from libssl."""
        messages = [os.urandom(RECORD_BYTES - number) for number in range(RECORDS)]
        self.to_server.write(self.out.seal(messages))
        assert b"".join(self.server.read(1 << 15) for _ in messages) == b"".join(messages)
        for message in messages:
            self.server.write(message)
        assert self.back.open(self.to_client.read()) == b"".join(messages)
        # A record that was altered ends the connection.
        sealed = bytearray(self.out.seal([b"message"]))
        sealed[-1] ^= 1
        self.to_server.write(sealed)
        try:
            self.server.read(100)
        except ssl.SSLError as error:
            assert not isinstance(error, ssl.SSLWantReadError), error
        else:
            raise AssertionError("an altered record was accepted")


def main() -> None:
    assert ssl.OPENSSL_VERSION.startswith("OpenSSL 3.5"), ssl.OPENSSL_VERSION
    # Records in CBC of libssl are the default provider's.
    set_properties = declare("EVP_set_default_properties", c_int, c_void_p, c_char_p)
    assert set_properties(None, b"?provider=default") == 1
    for suite in SUITES:
        connections = [Connection(suite, Path(sys.argv[1])) for _ in range(CONNECTIONS)]
        for connection in connections:
            connection.exchange()
    found = counters("device_pipes", "software_pipes")
    print(*(f"{name}={value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
