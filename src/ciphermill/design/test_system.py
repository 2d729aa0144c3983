# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Which embedded systems there are, and how the others are refused."""

import doctest
from pathlib import Path

import pytest

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import (
    PARTITIONS,
    BusInterface,
    ContradictionError,
    DesignError,
    Operation,
    Partition,
    SoftCore,
    System,
    Workload,
    load_runs,
    make_run,
    run_file_names,
    system,
)


def test_examples() -> None:
    assert doctest.testmod(system).failed == 0


@pytest.mark.parametrize("partition", list(Partition))
@pytest.mark.parametrize("soft_core", list(SoftCore))
def test_a_partition_with_nothing_else_said_is_possible_or_says_why(
    partition: Partition, soft_core: SoftCore
) -> None:
    algorithm = next(name for name, one in ALGORITHMS.items() if partition in one.partitions)
    fields = {"algorithm": algorithm, "partition": partition.value, "soft_core": soft_core.value}
    if PARTITIONS[partition].instruction_port and soft_core not in system.INSTRUCTION_PORTS:
        with pytest.raises(DesignError, match=r"no port for custom instructions.*picorv32"):
            make_run(fields, "test")
        return
    run = make_run(fields, "test")
    facts = PARTITIONS[partition]
    assert run.workload.key_bits == max(run.system.split.key_bits)
    assert (run.system.interface is None) == (not facts.interfaces)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"partition": "software", "variant": "zkn", "soft_core": "ibex"}, "software zkn"),
        ({"partition": "software", "variant": "column"}, "portable, table, bitsliced, zkn"),
        ({"partition": "software", "interface": "local"}, "interface does not apply"),
        ({"partition": "dma", "interface": "axi-lite"}, "axi4-128"),
        ({"partition": "round", "algorithm": "present"}, "unrolled, iterative, .*shell"),
        ({"partition": "round", "blocks_in_flight": 2}, "blocks_in_flight does not apply"),
        ({"partition": "iterative", "blocks_in_flight": 0}, "blocks_in_flight 0"),
        ({"partition": "iterative", "variant": "table"}, "variant does not apply"),
        ({"partition": "magic"}, "'shell'.* not 'magic'"),
        ({}, "partition: is missing"),
        ({"partition": "dma", "colour": "red"}, "colour: is not a field here"),
        ({"partition": "shell", "key_bits": 256}, "partition shell of aes has 128"),
        ({"partition": "dma", "key_bits": 80}, "aes has 128, 192, 256"),
        ({"partition": "dma", "bytes": 40}, "a multiple of 16"),
        ({"partition": "shell", "algorithm": "present", "bytes": 0}, "a multiple of 8"),
        ({"partition": "dma", "memory_read_wait": 256}, "memory_read_wait"),
    ],
)
def test_what_cannot_be_is_refused_with_its_reason(fields: dict[str, object], words: str) -> None:
    with pytest.raises(DesignError, match=words):
        make_run(fields, "test")


def test_present_has_its_own_defaults() -> None:
    run = make_run({"algorithm": "present", "partition": "software"}, "test")
    assert run.workload.key_bits == 80
    assert run.system.variant == "table"
    assert run.system.block_bytes == 8


def test_unrolled_with_nothing_said_is_the_papers() -> None:
    assert System(partition=Partition.UNROLLED).blocks_in_flight == 0
    label = System(partition=Partition.UNROLLED, blocks_in_flight=5).label
    assert label == "unrolled (5 in flight), axi-lite, picorv32"


def test_widths() -> None:
    assert [interface.data_bits for interface in BusInterface] == [32, 32, 32, 64, 128, 256]


@pytest.mark.parametrize("name", run_file_names())
def test_every_file_of_runs_that_is_shipped_loads(name: str) -> None:
    assert load_runs(name)


def test_the_shipped_partitions_are_all_of_them() -> None:
    systems = [system for some, _ in load_runs("partitions") for system in some.possible]
    for name, algorithm in ALGORITHMS.items():
        there = {system.partition for system in systems if system.algorithm == name}
        assert there == set(algorithm.partitions)


def test_lists_stand_for_every_combination(tmp_path: Path) -> None:
    path = tmp_path / "runs.toml"
    path.write_text(
        '[common]\nkey_bits = 128\n[[run]]\npartition = ["round", "iterative"]\n'
        'soft_core = ["ibex", "vexriscv"]\n[[run]]\npartition = "dma"\nkey_bits = 192\n'
    )
    assert [
        ([(one.partition, one.soft_core) for one in systems.possible], workloads.possible[0])
        for systems, workloads in load_runs(path)
    ] == [
        (
            [
                ("round", "ibex"),
                ("round", "vexriscv"),
                ("iterative", "ibex"),
                ("iterative", "vexriscv"),
            ],
            aes_ecb(128),
        ),
        ([("dma", "picorv32")], aes_ecb(192)),
    ]


def aes_ecb(key_bits: int, length: int = 1600) -> Workload:
    return Workload(operation=Operation.ENCRYPT, mode="ecb", key_bits=key_bits, bytes=length)


def test_the_defaults_of_workloads_follow_their_systems(tmp_path: Path) -> None:
    path = tmp_path / "runs.toml"
    run = '[[run]]\npartition = ["round", "iterative", "shell"]\nbytes = [16, 32]\n'
    path.write_text(f"{run}[[run]]\npartition = 'iterative'\nbytes = [16, 17]\n")
    with pytest.raises(ContradictionError, match="run 2: bytes is 17"):
        load_runs(path)
    path.write_text(run)
    assert [
        ([one.partition for one in systems.possible], workloads.possible)
        for systems, workloads in load_runs(path)
    ] == [
        (["round", "iterative"], (aes_ecb(256, 16), aes_ecb(256, 32))),
        (["shell"], (aes_ecb(128, 16), aes_ecb(128, 32))),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", r"needs a table \[\[run\]\]"),
        ("run = 3", r"needs a table \[\[run\]\]"),
        ("[[run]]\npartition = 'dma'\n[rum]", "rum: is not a table here"),
        ("[[run]]\npartition = 'dma'\n[[run]]\npartition = 'x'", r"run 2: partition"),
        ("[[run", "not TOML"),
    ],
)
def test_a_malformed_file_of_runs_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "runs.toml"
    path.write_text(text)
    with pytest.raises(DesignError, match=words):
        load_runs(path)


def test_no_such_file_of_runs(tmp_path: Path) -> None:
    with pytest.raises(DesignError, match="there are: curves, hashes, partitions"):
        load_runs("nothing")
    with pytest.raises(DesignError, match="No such file"):
        load_runs(tmp_path / "none.toml")
