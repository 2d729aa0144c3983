# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Embedded systems end to end: every partition, on a real model, with real firmware.

Each runs a key of its own for each message in both directions, and once more with
a bit of its hardware stuck, which the check must see.
"""

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from ciphermill.design import DOTTED_KEYS, PARTITIONS, make_run
from ciphermill.evaluate.system.messages import messages

from .conftest import Ciphermill, Outcome

ASCON = "algorithm='ascon'\nsoft_core='vexriscv'\n"
SEALED_AND_DIGEST = (
    "associated_bytes=21\nbytes=[45, 64]\n",
    "operation='digest'\nfresh_key=false\nbytes=[45, 64]\n",
)
DIGEST = "operation=['digest', 'authenticate']\nfresh_key=false\nbytes=[45, 64]\n"
ON_IBEX = f"{DIGEST}soft_core='ibex'\n"
CURVE = "algorithm='ecc'\nsoft_core='ibex'\n"
# Every soft core, interface and cipher occurs; few models are built.
SYSTEMS = {
    "software": ["partition='software'\nvariant=['portable', 'table']\nsoft_core='ibex'"],
    "linear-layer": ["partition='linear-layer'\ninterface='axi-lite'\nsoft_core='picorv32'"],
    "round": ["partition='round'\ninterface='local'\nsoft_core='picorv32'"],
    "iterative": ["partition='iterative'\ninterface='axi-lite'\nsoft_core='vexriscv'"],
    "unrolled": ["partition='unrolled'\ninterface='axi4-256'\nsoft_core='picorv32'"],
    "instruction": [
        "partition='instruction'\nvariant=['column', 'block']\nsoft_core='vexriscv'",
        "partition='software'\nvariant='zkn'\nsoft_core='vexriscv'",
    ],
    "stream": ["partition='stream'\nsoft_core='picorv32'"],
    "dma": ["partition='dma'\ninterface='axi4-32'\nsoft_core='ibex'"],
    "shell": ["partition='shell'\nsoft_core='vexriscv'"],
    "present-software": [
        "algorithm='present'\npartition='software'\nsoft_core='ibex'\n"
        "variant=['table', 'bitsliced']"
    ],
    "present-iterative": ["algorithm='present'\npartition='iterative'\nsoft_core='picorv32'"],
    "present-shell": ["algorithm='present'\npartition='shell'\nsoft_core='picorv32'"],
    "ascon-software": [f"{ASCON}partition='software'\n{each}" for each in SEALED_AND_DIGEST],
    "ascon-iterative": [
        f"{ASCON}partition='iterative'\ninterface='axi4-128'\n{each}" for each in SEALED_AND_DIGEST
    ],
    "ascon-instruction": [f"{ASCON}partition='instruction'\n{each}" for each in SEALED_AND_DIGEST],
    "sha-software": [f"{ON_IBEX}algorithm=['sha-256', 'sha-512']\npartition='software'\n"],
    "sha-software-cva6": [
        f"{DIGEST}soft_core='cva6'\nalgorithm=['sha-256', 'sha-512']\npartition='software'\n"
    ],
    "sha-256-iterative": [f"{ON_IBEX}algorithm='sha-256'\npartition='iterative'\n"],
    "sha-512-iterative": [f"{ON_IBEX}algorithm='sha-512'\npartition='iterative'\n"],
    "sha-256-dma": [f"{ON_IBEX}algorithm='sha-256'\npartition='dma'\ninterface='axi4-32'\n"],
    "sha-512-dma": [f"{ON_IBEX}algorithm='sha-512'\npartition='dma'\n"],
    "ecc-software": [f"{CURVE}partition='software'\noperation=['sign', 'verify']\nmessages=1\n"],
    "ecc-iterative": [
        f"{CURVE}partition='iterative'\noperation=['generate-key', 'agree']\n",
        f"{CURVE}partition='iterative'\noperation=['sign', 'verify']\nkey_bits=[256, 521]\n",
    ],
    "ecc-dma": [
        f"{CURVE}partition='dma'\noperation=['generate-key', 'agree']\n",
        f"{CURVE}partition='dma'\noperation=['sign', 'verify']\nkey_bits=[256, 521]\n",
    ],
    "ascon-dma": [f"{ASCON}partition='dma'\n{each}" for each in SEALED_AND_DIGEST],
}
COMMON = (
    "[common]\nbytes = 64\nmessages = 2\nfresh_key = true\noperation = ['encrypt', 'decrypt']\n"
)
BUILD_SECONDS = 590
"""Seconds for a command that may have to build a model on a busy machine."""


def test_every_partition_has_its_turn() -> None:
    assert {str(one) for one in PARTITIONS} <= SYSTEMS.keys()


def runs(ciphermill: Ciphermill, name: str) -> str:
    path = ciphermill.folder / f"{name}.toml"
    common = "[common]\nmessages = 2\n" if name.startswith("ecc") else COMMON
    path.write_text(common + "".join(f"[[run]]\n{table}\n" for table in SYSTEMS[name]))
    return path.name


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_partition_computes_its_cipher(ciphermill: Ciphermill, name: str) -> None:
    file = runs(ciphermill, name)
    outcome = ciphermill("cosim", file, "--json", seconds=BUILD_SECONDS)
    assert outcome.code == 0, outcome
    measured = json.loads(outcome.out)
    assert len(measured) >= 2
    for seen in measured:
        assert set(seen) <= set(DOTTED_KEYS)
        assert seen["correct"] is True
        assert seen["method"] == "simulated"
        accelerator = seen.get("cycles.accelerator", 0)
        parts = seen["cycles.processor"] + seen["cycles.bus"] + accelerator
        assert parts == seen["cycles.total"]
        assert seen["cycles.worst_message"] <= seen["cycles.total"]
        assert seen["cycles.worst_message"] * 2 >= 0.9 * seen["cycles.total"]
        assert seen["instructions.total"] <= seen["cycles.total"]
        hardware = seen["partition"] != "software" or seen.get("variant") == "zkn"
        assert ("cycles.accelerator" in seen) == hardware
        mapped = hardware and seen["partition"] not in ("software", "instruction", "stream")
        assert (seen["bus.transactions"] > 0) == mapped


@pytest.mark.parametrize(
    "name", [name for name in SYSTEMS if "software" not in name and name != "ascon-instruction"]
)
def test_a_stuck_bit_of_the_hardware_is_found(
    ciphermill: Ciphermill, name: str, tmp_path: Path
) -> None:
    outcome = ciphermill(
        "cosim", runs(ciphermill, name), "--stuck-bit", "5", "--json", seconds=BUILD_SECONDS
    )
    assert outcome.code == 6, outcome
    assert "differs from the known answer at byte" in outcome.err
    assert not all(seen["correct"] for seen in json.loads(outcome.out))


def test_a_stuck_bit_that_makes_a_tag_wrong_ends_the_run(ciphermill: Ciphermill) -> None:
    file = runs(ciphermill, "ascon-instruction")
    outcome = ciphermill("cosim", file, "--stuck-bit", "5", seconds=BUILD_SECONDS)
    # Lines of progress come before it where the system is not built yet.
    assert outcome.code == 5, outcome
    assert "a tag is wrong" in outcome.err.splitlines()[-1], outcome


def test_a_signature_through_the_processor_takes_little_longer_than_the_hardware(
    ciphermill: Ciphermill,
) -> None:
    words = "--algorithm ecc --partition iterative --soft-core ibex --operation sign --json"
    outcome = ciphermill("cosim", *words.split(), seconds=BUILD_SECONDS)
    [seen] = json.loads(outcome.out)
    assert seen["cycles.alone"] < seen["cycles.total"] <= 1.05 * seen["cycles.alone"]


@pytest.mark.parametrize(("partition", "most"), [("iterative", 4), ("dma", 2)])
def test_a_digest_through_the_processor_is_bounded_by_that_of_the_hardware(
    ciphermill: Ciphermill, partition: str, most: int
) -> None:
    words = f"--algorithm sha-512 --partition {partition} --soft-core ibex --bytes 1024 --json"
    outcome = ciphermill("cosim", *words.split(), seconds=BUILD_SECONDS)
    [seen] = json.loads(outcome.out)
    assert seen["cycles.alone"] < seen["cycles.total"] <= most * seen["cycles.alone"]


def test_the_known_answer_is_that_of_an_independent_implementation() -> None:
    fields = {"partition": "dma", "bytes": 64, "messages": 3, "fresh_key": True, "key_bits": 192}
    data = messages(make_run(fields, "test").workload)
    for key, text, expected in zip(data.keys, data.inputs, data.expected, strict=True):
        encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
        assert encryptor.update(text) == expected


def software(ciphermill: Ciphermill, *options: str) -> Outcome:
    arguments = ("cosim", "--partition", "software", "--soft-core", "ibex", *options)
    return ciphermill(*arguments, seconds=BUILD_SECONDS)


def test_the_table_and_the_store(ciphermill: Ciphermill) -> None:
    outcome = software(ciphermill, "--bytes", "160")
    assert outcome.code == 0, outcome
    assert b"AES-256 ECB encrypt, 1 x 160 bytes" in outcome.out
    assert b"Every byte is the known answer." in outcome.out
    stored = json.loads(ciphermill("results", "--partition", "software", "--json").out)
    assert [one["soft_core"] for one in stored] == ["ibex"]
    assert b"software portable, ibex" in ciphermill("results").out


def test_the_same_run_costs_the_same(ciphermill: Ciphermill) -> None:
    totals = {
        json.loads(software(ciphermill, "--bytes", "64", "--json").out)[0]["cycles.total"]
        for _ in range(2)
    }
    assert len(totals) == 1


def test_slow_memory_costs_cycles(ciphermill: Ciphermill) -> None:
    totals = [
        json.loads(software(ciphermill, "--bytes", "64", "--json", *options).out)[0]
        for options in ((), ("--platform", "on-chip"), ("--platform", "off-chip"))
    ]
    waits = [(one["memory.read_wait"], one["memory.write_wait"]) for one in totals]
    assert waits == [(0, 0), (1, 1), (21, 22)]
    cycles = [one["cycles.total"] for one in totals]
    assert cycles[0] < cycles[1] < cycles[2]


def test_the_plot_and_its_line(ciphermill: Ciphermill) -> None:
    outcome = software(ciphermill, "--variant", "table", "--bytes", "192", "--plot", "p.svg")
    assert outcome.code == 0, outcome
    assert (ciphermill.folder / "p.svg").read_text().startswith("<svg")
    assert b"cycles a block, off by" in outcome.out


@pytest.fixture
def software_model(ciphermill: Ciphermill) -> None:
    """Build the model first, so that no command prints that it builds one."""
    assert software(ciphermill, "--bytes", "16").code == 0


@pytest.mark.usefixtures("software_model")
def test_firmware_that_does_not_finish(ciphermill: Ciphermill) -> None:
    outcome = software(ciphermill, "--max-cycles", "1000")
    outcome.failed(5, "software portable, ibex", "1,000 simulated cycles", "--max-cycles")


@pytest.mark.usefixtures("software_model")
def test_messages_beyond_the_memory(ciphermill: Ciphermill) -> None:
    software(ciphermill, "--bytes", "256k").failed(2, "262144 bytes of memory", "room for")


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--partition", "stream", "--soft-core", "ibex"], 2, "no port for custom instructions"),
        (["--partition", "iterative", "--bytes", "17"], 2, "multiple of 16"),
        (["--partition", "nothing"], 2, "'shell'"),
        ([], 2, "--partition"),
        (["partitions", "--key-bits", "128"], 2, "--key-bits"),
        (["nothing"], 2, "partitions"),
        (["nowhere.toml"], 2, "nowhere.toml"),
        (["--partition", "dma", "--platform", "nothing"], 2, "on-chip"),
        (["--partition", "dma", "--trace-to", "3"], 2, "--trace FILE"),
        (["--partition", "dma", "--bytes", "16", "--bytes", "32", "--trace", "t"], 2, "single run"),
    ],
)
def test_bad_input(ciphermill: Ciphermill, options: list[str], code: int, words: str) -> None:
    ciphermill("cosim", *options).failed(code, words)


def test_a_plot_that_cannot_be_written(ciphermill: Ciphermill) -> None:
    (ciphermill.folder / "file").write_text("")
    inside = str(Path("file") / "p.svg")
    software(ciphermill, "--plot", inside).failed(1, "cannot write")


def test_a_paper_needs_to_be_known(ciphermill: Ciphermill) -> None:
    ciphermill("paper", "nothing").failed(2, "aes256-hw-sw-partitions")
    ciphermill("paper", "aes-present-coprocessors", "--trace", "x").failed(2, "--trace")
