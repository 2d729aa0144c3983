# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
import pytest

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import Partition, SoftCore, System, find_home
from ciphermill.design.runs import default_key_bits
from ciphermill.evaluate.chip.area import cipher_core, coprocessor

MAPPED = (
    Partition.UNROLLED,
    Partition.ITERATIVE,
    Partition.ROUND,
    Partition.LINEAR_LAYER,
    Partition.SHELL,
)
CASES = [
    (name, partition)
    for name, algorithm in ALGORITHMS.items()
    for partition in MAPPED
    if partition in algorithm.partitions
]


@pytest.mark.parametrize(("algorithm", "partition"), CASES)
def test_every_mapped_partition_names_modules_that_there_are(
    algorithm: str, partition: Partition
) -> None:
    system = System(algorithm=algorithm, partition=partition, soft_core=SoftCore.VEXRISCV)
    bits = default_key_bits(system)
    modules = [coprocessor(system, bits), cipher_core(system, bits)]
    for module in modules:
        if module is None:
            assert partition in (Partition.ROUND, Partition.LINEAR_LAYER)
            continue
        [source] = find_home().glob(f"hw/*/rtl/{module.top}.sv")
        text = source.read_text(encoding="utf-8")
        assert all(f" {parameter} " in text for parameter in module.parameters)
