# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""ECDH: the reference gives the published answers."""

import pytest

from ciphermill._engine import Device
from ciphermill.algorithms import Vector
from ciphermill.algorithms.curves import exchange
from ciphermill.algorithms.ecc import ECC


@pytest.mark.parametrize("vector", ECC.vectors, ids=lambda one: one.source)
def test_vectors(vector: Vector) -> None:
    assert ECC.reference(vector.operation, vector.key, vector.given) == vector.answer


def test_signatures_have_no_single_answer() -> None:
    with pytest.raises(ValueError, match="sign has no single right answer"):
        ECC.reference("sign", bytes(32), bytes(32))


@pytest.mark.parametrize("key_bits", ECC.key_bits)
def test_known_operations_are_those_of_another_implementation(key_bits: int) -> None:
    device, name, size = Device("cpu"), f"p-{key_bits}", -(-key_bits // 8)

    def exchanged(operation: str) -> tuple[list[bytes], bytes]:
        operands, results = exchange(operation, key_bits, 3)
        assert len(operands) == ECC.operand_bytes(operation, key_bits)
        assert len(results) == ECC.bytes_given(operation, len(operands))
        return [operands[n : n + size] for n in range(0, len(operands), size)], results

    def is_signature(public: bytes, signature: bytes, digest: bytes) -> bool:
        data = digest[-min(size, 64) :]
        answer, _ = device.run(
            "verify", data, algorithm=name, public_key=public, signature=signature
        )
        return answer == b"\1"

    [_], pair = exchanged("generate-key")
    private, public = pair[:size], pair[size:]
    [signer, _, digest], signature = exchanged("sign")
    assert signer == private
    assert is_signature(public, signature, digest)
    [x, y, r, s, digest], answer = exchanged("verify")
    assert answer == b"\1"
    assert is_signature(x + y, r + s, digest)
    [private, x, y], secret = exchanged("agree")
    assert device.run("agree", x + y, algorithm=name, key=private)[0] == secret
    assert exchange("sign", key_bits, 4) != exchange("sign", key_bits, 3)
