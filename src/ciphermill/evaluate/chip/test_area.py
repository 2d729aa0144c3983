# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
import pytest

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import Partition, SBox, SoftCore, System, Variant, find_home
from ciphermill.design.runs import default_key_bits
from ciphermill.evaluate.chip.area import SystemArea, cipher_core, coprocessor, parts_of
from ciphermill.toolchain.yosys import AreaXc7

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


@pytest.mark.parametrize(
    ("partition", "part", "parameters"),
    [
        (Partition.INSTRUCTION, "soc_instructions", {"Partition": 5, "Algorithm": 0, "SBox": 1}),
        (Partition.STREAM, "soc_instructions", {"Partition": 6, "Algorithm": 0, "SBox": 1}),
        (Partition.DMA, "soc_dma", {"Algorithm": 0, "SBox": 1, "DataWidth": 128}),
        (Partition.ITERATIVE, "coprocessor_iterative", None),
    ],
)
def test_the_s_boxes_of_a_system_are_those_of_its_hardware(
    partition: Partition, part: str, parameters: dict[str, int] | None
) -> None:
    source = parts_of(System(partition=partition, sbox=SBox.COMPOSITE), 256)["coprocessor"]
    assert source.top == part
    assert source.parameters["SBox"] == 1
    assert parameters in (None, source.parameters)


def test_a_soft_core_has_the_port_for_instructions_where_it_is_used() -> None:
    plain = parts_of(System(partition=Partition.SOFTWARE), 256)
    zkn = parts_of(System(partition=Partition.SOFTWARE, variant=Variant.ZKN), 256)
    assert set(plain) == {"soft_core"}
    assert set(zkn) == {"soft_core", "coprocessor"}
    assert [one["soft_core"].parameters for one in (plain, zkn)] == [
        {"Instructions": 0},
        {"Instructions": 1},
    ]


def test_the_whole_is_the_sum_of_soft_core_coprocessor_and_front() -> None:
    sizes = [AreaXc7(lut, 0, 2 * lut, 0, 0, 0, 0, 0) for lut in (1, 10, 100, 1000)]
    system = System(partition=Partition.ITERATIVE)
    found = SystemArea(*sizes).measurements(system)
    assert {one.scope: (one.area_lut, one.area_ff) for one in found} == {
        None: (1101, 2202),
        "soft_core": (1, 2),
        "core": (10, 20),
        "coprocessor": (100, 200),
        "front": (1000, 2000),
    }
