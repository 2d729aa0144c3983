# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The table of algorithms agrees with RTL and firmware, and every list of algorithms reads it."""

import doctest
import re
import subprocess
import sys

import pytest

from ciphermill import algorithms
from ciphermill.algorithms import ALGORITHMS, DIRECTION_FLAGS, Algorithm
from ciphermill.design import Partition, SoftCore, find_home
from ciphermill.toolchain.soc import INTERFACE_CODES, PARTITION_CODES, SOFT_CORE_CODES

WITH_CORES = [one for one in ALGORITHMS.values() if one.rtl]
IN_SYSTEMS = [one for one in WITH_CORES if one.partitions]
CIPHERS = [one for one in WITH_CORES if "encrypt" in one.operations]
HASHES = [one for one in WITH_CORES if not one.key_bits]


def constants(package: str) -> dict[str, int]:
    """Return the constants of a SystemVerilog package, enumerations included."""
    [path] = find_home().glob(f"hw/*/rtl/{package}.sv")
    text = path.read_text(encoding="utf-8")
    return {
        name: int(value)
        for name, value in re.findall(r"\b([A-Z]\w+)\s*=\s*(?:\d+'[bdh])?(\d+)[;,\s]", text)
    }


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("-"))


def numbered(prefix: str, found: dict[str, int]) -> dict[str, int]:
    """Return the constants with a prefix, without it, in lower case and without dashes."""
    return {
        name.removeprefix(prefix).lower(): value
        for name, value in found.items()
        if re.match(prefix + "[A-Z]", name)
    }


def sizes(prefix: str, found: dict[str, int]) -> dict[int, int]:
    """Return the constants of key sizes, by their bits."""
    return {
        int(name.removeprefix(prefix)): value
        for name, value in found.items()
        if re.fullmatch(prefix + "[0-9]+", name)
    }


def test_examples() -> None:
    assert doctest.testmod(algorithms).failed == 0


@pytest.mark.parametrize("algorithm", WITH_CORES, ids=lambda one: one.name)
def test_numbers_are_those_of_the_rtl(algorithm: Algorithm) -> None:
    rtl = algorithm.cores
    found = constants(rtl.package)
    if rtl.architecture_parameter == "Architecture":
        assert rtl.architectures == numbered("Architecture", found)
    assert rtl.sboxes == numbered("SBox", found)
    if rtl.key_size_parameter == "KeySizes":
        assert rtl.key_size_codes == sizes("KeySize", found)
        assert rtl.key_size_flags == sizes("KeySizes", found)
    else:
        assert rtl.key_size_codes == sizes("CurveP", found)
        assert sum(rtl.key_size_flags.values()) == found["CurvesAll"]


@pytest.mark.parametrize("algorithm", CIPHERS, ids=lambda one: one.name)
def test_numbers_of_operations_are_those_of_the_rtl(algorithm: Algorithm) -> None:
    rtl = algorithm.cores
    found = constants(rtl.package)
    assert rtl.operation_flags.keys() == set(algorithm.operations)
    flags = numbered(rtl.operation_parameter, found)
    assert {*rtl.operation_flags.values(), sum(rtl.operation_flags.values())} == {*flags.values()}
    for name, flag in DIRECTION_FLAGS.items():
        assert rtl.operation_flags[name] == flag == flags[name]


@pytest.mark.parametrize("algorithm", HASHES, ids=lambda one: one.name)
def test_the_function_is_that_of_the_rtl(algorithm: Algorithm) -> None:
    found = constants(algorithm.cores.package)
    assert algorithm.cores.selection == {"function_i": found[f"Function{camel(algorithm.name)}"]}


@pytest.mark.parametrize("algorithm", WITH_CORES, ids=lambda one: one.name)
def test_systems_have_the_same_number(algorithm: Algorithm) -> None:
    rtl = algorithm.cores
    if not algorithm.partitions:
        with pytest.raises(ValueError, match=f"no system has {rtl.top}"):
            _ = rtl.system_code
        return
    assert rtl.code == constants("soc_pkg")[f"Algorithm{camel(algorithm.name)}"]
    assert rtl.code == constants("coprocessor_pkg")[f"Algorithm{camel(algorithm.name)}"]


@pytest.mark.parametrize("algorithm", IN_SYSTEMS, ids=lambda one: one.name)
def test_the_firmware_has_the_same_number(algorithm: Algorithm) -> None:
    header = (find_home() / "firmware/include/algorithms.h").read_text(encoding="utf-8")
    rows = [row.split(", ") for row in re.findall(r"ROW\(x, (\w+, [0-9, ]+)\)", header)]
    words = [] if algorithm.whole_messages else [str(algorithm.block_bytes // 4)]
    name = algorithm.name.upper().replace("-", "_")
    assert [name, str(algorithm.cores.code), *words] in rows


def test_numbers_of_the_system_are_those_of_its_package() -> None:
    found = constants("soc_pkg")
    assert set(PARTITION_CODES) == set(Partition)
    assert set(SOFT_CORE_CODES) == set(SoftCore)
    for prefix, codes in (
        ("Partition", PARTITION_CODES),
        ("SoftCore", SOFT_CORE_CODES),
        ("Interface", INTERFACE_CODES),
    ):
        assert numbered(prefix, found) == {
            str(name).replace("-", ""): code for name, code in codes.items()
        }


@pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=lambda one: one.name)
def test_what_an_algorithm_says_of_itself_agrees(algorithm: Algorithm) -> None:
    assert algorithm.partitions.keys() <= {partition.value for partition in Partition}
    assert algorithm.default_key_bits in (*algorithm.key_bits, 0)
    keyed = {len(vector.key) for vector in algorithm.vectors if vector.operation != "digest"}
    assert keyed == {-(-bits // 8) for bits in algorithm.key_bits}
    assert {vector.operation for vector in algorithm.vectors} <= set(algorithm.operations)
    for split in algorithm.partitions.values():
        assert set(split.key_bits) <= {*algorithm.key_bits, *algorithm.authentication_key_bits}
        assert set(split.instructions) <= set(split.programs)


TOY = """
from dataclasses import replace
from ciphermill import algorithms
toy = replace(algorithms.PRESENT, name="toy", title="Toy", modes={"spiral": None}, partitions={})
algorithms.ALGORITHMS["toy"] = toy
from ciphermill.cli.main import main
main()
"""


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["results", "--help"], ["aes|present|ascon|sha-256|sha-512|ecc|toy", "xts|spiral"]),
        (["cosim", "--help"], ["aes, present, ascon, sha-256, sha-512, ecc, toy."]),
        (
            ["cosim", "--algorithm", "toyy", "--partition", "software"],
            ["did you mean toy?", "there are: aes, present, ascon, sha-256, sha-512, ecc, toy"],
        ),
        (
            ["cosim", "--algorithm", "toy", "--partition", "software"],
            ["does not exist for toy; it has none"],
        ),
    ],
    ids=str,
)
def test_an_algorithm_in_the_table_is_shown_where_algorithms_are_listed(
    words: list[str], shown: list[str]
) -> None:
    """Run apart from this process: option lists are made when the command line is imported."""
    command = [sys.executable, "-c", TOY, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    text = " ".join((done.stdout + done.stderr).split())
    assert [one for one in shown if one not in text] == [], text
