# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Which modules an export has a test bench for: none that it could not be written for."""

import pytest

from ciphermill.design import Core, Direction
from ciphermill.export.self_test import has_self_test, self_test
from ciphermill.export.verilog2005 import Port
from ciphermill.toolchain.modules import find_core


def ports(*names: str) -> dict[str, Port]:
    return {name: Port(name, "input", 1) for name in names}


def without(there: dict[str, Port], name: str) -> dict[str, Port]:
    return {key: port for key, port in there.items() if key != name}


CORE_PORTS = ports(
    *("clk_i", "rst_ni", "zeroise_i", "busy_o", "key_valid_i", "key_ready_o", "key_size_i"),
    *("key_i", "block_valid_i", "block_ready_o", "block_direction_i", "block_i"),
    *("block_valid_o", "block_ready_i", "block_o"),
)
CORE = Core(
    name="mine",
    top="mine",
    folders=("mine",),
    protocol="block-core",
    algorithm="aes",
    key_sizes=(128,),
    directions=(Direction.ENCRYPT,),
)


def test_a_core_has_one_and_it_is_written() -> None:
    assert has_self_test(CORE, CORE_PORTS)
    assert "FIPS 197, C.1" in self_test(CORE, CORE_PORTS)


@pytest.mark.parametrize(
    "lacks",
    [
        {"protocol": None},
        {"protocol": "of-mine"},
        {"algorithm": None},
        {"algorithm": "rot13"},
        {"key_sizes": ()},
        {"key_sizes": (128, 512)},
        {"directions": ()},
        {"protocol": "accelerator"},
        {"protocol": "accelerator", "parameters": {"StreamWidth": 32, "Asynchronous": 0}},
    ],
    ids=str,
)
def test_a_module_that_lacks_what_it_needs_has_none(lacks: dict[str, object]) -> None:
    assert not has_self_test(CORE.model_copy(update=lacks), CORE_PORTS)


def test_a_core_without_the_ports_has_none() -> None:
    assert not has_self_test(CORE, without(CORE_PORTS, "zeroise_i"))


HASH_PORTS = ports(
    *("clk_i", "rst_ni", "drop_i", "zeroise_i", "busy_o", "idle_o"),
    *("start_valid_i", "start_ready_o", "start_message_i", "function_i"),
    *("block_valid_i", "block_ready_o", "block_i", "block_bytes_i", "block_last_i"),
    *("block_valid_o", "block_ready_i", "block_o", "block_bytes_o", "block_last_o"),
    *("block_message_i", "block_message_o"),
)


def test_an_accelerator_of_hashes_has_one_with_the_answers_of_each() -> None:
    module = find_core("sha2-stream")
    assert has_self_test(module, {})
    text = self_test(module, {})
    assert "SHA256ShortMsg.rsp, 55 bytes, digest" in text
    assert "SHA512ShortMsg.rsp, 111 bytes, digest" in text
    assert "localparam MostBytes = 128;" in text
    assert "load_key(" not in text.partition("initial begin")[2]
    lacks = {name: n for name, n in module.parameters.items() if name != "Sha2WordSizes"}
    assert not has_self_test(module.model_copy(update={"parameters": lacks}), {})


def test_an_accelerator_of_curves_has_one_on_its_smallest_curve() -> None:
    module = find_core("ecc-stream")
    assert has_self_test(module, {})
    text = self_test(module, {})
    assert "RFC 6979, A.2.5, SHA-256 of sample, verify, the signature is wrong" in text
    assert "EC, 2, agree" in text
    assert "ED, 0" not in text
    text = self_test(module.model_copy(update={"key_sizes": (384, 521)}), {})
    assert "ED, 0, agree" in text
    lacks = {name: n for name, n in module.parameters.items() if name != "Curves"}
    assert not has_self_test(module.model_copy(update={"parameters": lacks}), {})


def test_an_accelerator_of_curves_and_sha2_has_the_answers_of_both() -> None:
    text = self_test(find_core("ecc-keys"), {})
    assert "RFC 6979, A.2.5, SHA-256 of sample, sign" in text
    assert "SHA512ShortMsg.rsp, 111 bytes, digest" in text


def test_an_accelerator_of_a_cipher_and_sha2_has_the_answers_of_both() -> None:
    text = self_test(find_core("aes-sha2"), {})
    assert "SHA512ShortMsg.rsp, 111 bytes, digest" in text
    assert "SP 800-38A" in text


def test_a_core_of_a_hash_has_one_without_keys() -> None:
    core = Core(
        name="mine", top="mine", folders=("mine",), protocol="hash-core", algorithm="sha-256"
    )
    assert has_self_test(core, HASH_PORTS)
    assert "SHA256ShortMsg.rsp, 55 bytes" in self_test(core, HASH_PORTS)
    assert not has_self_test(core, without(HASH_PORTS, "function_i"))
    assert not has_self_test(core.model_copy(update={"algorithm": "present"}), HASH_PORTS)
