# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A build contains the modules of its algorithms and none of the others."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from ciphermill_dv.simulate import (
    REPOSITORY,
    rtl_sources,
    verilator_environment,
    verilator_root,
)

ALGORITHMS = ("aes", "ghash", "present", "ascon", "sha2", "ecc")
"""Folders of ``hw``, each with the modules of one algorithm."""
ENGINES = {
    "accel_modes": "aes",
    "accel_core": "aes",
    "accel_xts": "aes",
    "accel_gcm": "ghash",
    "accel_present": "present",
    "accel_ascon": "ascon",
    "accel_sha2": "sha2",
    "accel_ecc": "ecc",
    "accel_nonce": "ecc",
    "accel_ecc_keys": "ecc",
    "accel_key_slots": "ecc",
}
"""Modules of the accelerator that serve one algorithm."""
EVERYTHING = {
    "ChannelCores": 0x3140,
    "Channels": 4,
    "Curves": 1,
    "Gcm": 1,
    "Sha2WordSizes": 3,
}


def modules(parameters: Mapping[str, int], folder: Path) -> set[str]:
    """Return the names of the modules in the elaborated accelerator.

    Args:
        parameters: Of the accelerator.
        folder: For the elaborated design, as Verilator writes it.
    """
    tree = folder / "tree.json"
    sources = [
        *rtl_sources("prim", *ALGORITHMS, "accel"),
        REPOSITORY / "hw" / "accel" / "rtl" / "accel.vlt",
    ]
    subprocess.run(
        [
            str(verilator_root() / "bin" / "verilator_bin"),
            "--json-only",
            "--json-only-output",
            tree,
            "--json-only-meta-output",
            folder / "meta.json",
            "--top-module",
            "accel",
            *(f"-G{name}={value}" for name, value in parameters.items()),
            *sources,
        ],
        env=verilator_environment(),
        check=True,
    )
    found = json.loads(tree.read_text())["modulesp"]
    return {module["origName"] for module in found if module["type"] == "MODULE"}


@pytest.mark.parametrize(
    ("parameters", "algorithms"),
    [
        ({}, "aes"),
        ({"Gcm": 1}, "aes ghash"),
        ({"ChannelCores": 1}, "ascon"),
        ({"ChannelCores": 2, "Sha2WordSizes": 1}, "sha2"),
        ({"ChannelCores": 3, "Curves": 1}, "ecc"),
        ({"ChannelCores": 4}, "present"),
        ({"ChannelCores": 0x30, "Channels": 2, "Curves": 1, "Sha2WordSizes": 2}, "aes ecc sha2"),
        ({"ChannelCores": 0x41, "Channels": 2}, "ascon present"),
        (EVERYTHING, "aes ghash present ascon sha2 ecc"),
    ],
)
def test_a_build_contains_its_algorithms_only(
    parameters: dict[str, int], algorithms: str, tmp_path: Path
) -> None:
    owner = {path.stem: name for name in ALGORITHMS for path in rtl_sources(name)} | ENGINES
    found = modules(parameters, tmp_path)
    assert {owner[name] for name in found if name in owner} == set(algorithms.split())
