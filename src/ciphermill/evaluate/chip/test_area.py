# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
import pytest

from ciphermill.design import Cipher, Partition, SoftCore, System, find_home
from ciphermill.evaluate.chip.area import cipher_core, coprocessor

MAPPED = (
    Partition.UNROLLED,
    Partition.ITERATIVE,
    Partition.ROUND,
    Partition.LINEAR_LAYER,
    Partition.SHELL,
)
KEY_BITS = {Cipher.AES: 256, Cipher.PRESENT: 80}
CASES = [
    (cipher, partition)
    for cipher in Cipher
    for partition in MAPPED
    if cipher is Cipher.AES or partition not in (Partition.ROUND, Partition.LINEAR_LAYER)
]


@pytest.mark.parametrize(("cipher", "partition"), CASES)
def test_every_mapped_partition_names_modules_that_there_are(
    cipher: Cipher, partition: Partition
) -> None:
    system = System(cipher=cipher, partition=partition, soft_core=SoftCore.VEXRISCV)
    bits = 128 if (cipher, partition) == (Cipher.AES, Partition.SHELL) else KEY_BITS[cipher]
    modules = [coprocessor(system, bits), cipher_core(system, bits)]
    for module in modules:
        if module is None:
            assert partition in (Partition.ROUND, Partition.LINEAR_LAYER)
            continue
        name, parameters = module
        [source] = find_home().glob(f"hw/*/rtl/{name}.sv")
        text = source.read_text(encoding="utf-8")
        assert all(f" {parameter} " in text for parameter in parameters)
