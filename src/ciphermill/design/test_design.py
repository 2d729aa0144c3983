# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError

from ciphermill.design import (
    DOTTED_KEYS,
    PLATFORMS,
    Accelerator,
    Architecture,
    CannotBeError,
    Core,
    DesignError,
    Direction,
    Measurement,
    Provenance,
    Software,
    build_folder,
    design_names,
    find_home,
    home,
    load_design,
    load_platform,
    models_folder,
    platform_names,
)

MINIMAL = 'kind = "accelerator"\nname = "tiny"\narchitecture = "serial"\n'
PIPELINED = MINIMAL.replace("serial", "pipelined")


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "tiny.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("name", design_names(Accelerator))
def test_every_accelerator_that_is_shipped_loads(name: str) -> None:
    design = load_design(name, Accelerator)
    assert design.name == name
    assert design.interface.stream_bits == 128
    assert design.clock.mhz == 100


def test_what_is_left_out_is_the_default_core(written: Callable[[str], Path]) -> None:
    design = load_design(written(MINIMAL), Accelerator)
    assert design.architecture is Architecture.SERIAL
    assert design.directions == (Direction.ENCRYPT, Direction.DECRYPT)
    assert design.key_sizes == (128, 192, 256)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["kind: is missing; it is one of core, accelerator, system, software"]),
        ("kind = 'accelerator'", ["name: is missing", "architecture: is missing"]),
        (MINIMAL.replace('"accel', '"acel'), ["not 'acelerator'; did you mean accelerator?"]),
        (
            "kind = 'core'\nname = 'x'\ntop = 'x'\nfolders = ['x']\nwidth = 1",
            ["width: is not a field"],
        ),
        ("kind = 'system'\npartition = 'dma'\ncolour = 1", ["colour: is not a field"]),
        ("kind = 'software'\nname = 'x'\ndevice = 'cpu'\nspeed = 1", ["speed: is not a field"]),
        ("name = 'x'\nsbox = = 1", ["not TOML", "line 2"]),
        (MINIMAL + "colour = 1", ["colour: is not a field here", "stages_per_round"]),
        (MINIMAL + "[interface]\nwidth = 1", ["interface.width: is not a field", "stream_bits"]),
        (
            MINIMAL + "[interface]\nstream_bits = 96",
            ["interface.stream_bits: ", "32, 64 or 128, not 96"],
        ),
        (MINIMAL.replace("serial", "cubic"), ["architecture", "'iterative'", "'cubic'"]),
        (MINIMAL + "key_sizes = [64]", ["key_sizes", "128, 192, 256"]),
        (MINIMAL + "key_sizes = [128, 128]", ["each once"]),
        (MINIMAL + "key_sizes = []", ["one or more"]),
        (MINIMAL + "directions = ['sideways']", ["directions[0]", "'encrypt'"]),
        (MINIMAL + "stages_per_round = 2", ["pipelined architecture only"]),
        (MINIMAL + "ghash_digit = 4", ["need gcm = true"]),
        (MINIMAL + "gcm = true\nghash_digit = 12", ["ghash_digit is 12", "64 and 128"]),
        (MINIMAL + "gcm = true\nghash_stages = 2", ["need a ghash_digit of 128"]),
        (MINIMAL + "xts = true\nkey_sizes = [192]", ["AES-192 has no XTS"]),
        (MINIMAL + "gcm = true\ndirections = ['decrypt']", ['needs "encrypt"']),
        (MINIMAL + "block_ram = true", ["block_ram", "pipelined architecture only"]),
        (PIPELINED + "block_ram = true", ["block_ram needs stages_per_round 2 or 3"]),
        (PIPELINED + "key_storage = 'stored'", ["key_storage", "iterative and serial"]),
        (MINIMAL + "channels = 33", ["channels", "32"]),
        (MINIMAL + "channels = 2\ncores = 3", ["3 cores are more than the channels"]),
        (MINIMAL + 'channel_algorithms = ["ascon"]', ["begins with ascon, not aes"]),
        (MINIMAL + 'channel_algorithms = ["aes", "sha-512"]', ["needs sha2_word_bits"]),
        (MINIMAL + 'channels = 3\nchannel_algorithms = ["aes", "ecc"]', ["2 of 3 channels"]),
        (MINIMAL + 'channel_algorithms = ["aes", "ecc"]\ncores = 2', ["the channels, 1"]),
        (MINIMAL + "[clock]\nbus_mhz = 50", ["asynchronous = true"]),
        (MINIMAL + "[interface]\nsynchroniser_stages = 3", ["asynchronous = true"]),
        (
            MINIMAL + "[interface]\nasynchronous = true\nsynchroniser_stages = 1",
            ["interface.synchroniser_stages", "greater than or equal to 2"],
        ),
        (MINIMAL + "[clock]\nmhz = -1", ["clock.mhz", "greater than 0"]),
        (MINIMAL.replace("tiny", "../tiny"), ["name", "pattern"]),
    ],
)
def test_a_malformed_design_is_refused_with_its_reason(
    written: Callable[[str], Path], text: str, words: list[str]
) -> None:
    path = written(text)
    with pytest.raises(DesignError) as refused:
        load_design(path)
    message = str(refused.value)
    assert all(line.startswith(str(path)) for line in message.splitlines())
    for word in words:
        assert word in message, message


def test_a_design_that_is_not_text_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "noise.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DesignError, match="not UTF-8"):
        load_design(path)
    with pytest.raises(DesignError, match="No such file"):
        load_design(tmp_path / "none.toml")
    with pytest.raises(DesignError, match=r"'aes-magic'.*aes-iterative"):
        load_design("aes-magic")


def test_a_file_has_the_name_of_its_design(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ciphermill.design.load.find_home", lambda: tmp_path)
    (tmp_path / "designs" / "mine").mkdir(parents=True)
    (tmp_path / "designs" / "mine" / "large.toml").write_text(MINIMAL, encoding="utf-8")
    with pytest.raises(DesignError, match="name"):
        load_design("large")


@pytest.mark.parametrize("name", [*design_names(Core), *design_names(Software)])
def test_every_other_design_that_is_shipped_loads(name: str) -> None:
    assert load_design(name).name == name


def test_a_design_of_another_kind_is_refused(written: Callable[[str], Path]) -> None:
    path = written(MINIMAL)
    assert load_design(path).kind == "accelerator"
    with pytest.raises(CannotBeError, match="is of kind accelerator, not core"):
        load_design(path, Core)
    with pytest.raises(CannotBeError, match="no design is called 'aes-iterative'"):
        load_design("aes-iterative", Core)


@pytest.mark.parametrize("name", platform_names())
def test_every_platform_that_is_shipped_loads(name: str) -> None:
    assert load_platform(name).name == name


PLATFORM_TEXTS = {
    "rtl": "",
    "memory": "memory_read_cycles = 2\nmemory_write_cycles = 2",
    "fpga": "family = 'xc7'",
    "cells": "library = 'nangate45'",
    "host": "processor = 'Cortex-A9'",
    "board": "clock_mhz = 70\nmemory_clock_mhz = 33\nmemory_bytes = 4096\n"
    "[link]\nmbit_s = 8\nmethod = 'assumed'\nsource = 'a test'",
}


@pytest.mark.parametrize("kind", PLATFORMS)
def test_a_misspelt_field_of_a_platform_is_refused(
    written: Callable[[str], Path], kind: str
) -> None:
    if kind == "streaming":
        text = (find_home() / "platforms/zedboard.toml").read_text(encoding="utf-8")
    else:
        text = f"kind = '{kind}'\nname = 'tiny'\n{PLATFORM_TEXTS[kind]}\n"
        assert load_platform(written(text)).kind == kind
    wrong = text.replace("name =", "clock_mhzz = 1\nname =", 1)
    with pytest.raises(DesignError, match="clock_mhzz: is not a field here"):
        load_platform(written(wrong))


def test_a_misspelt_field_of_a_table_in_a_platform_is_refused(
    written: Callable[[str], Path],
) -> None:
    text = (find_home() / "platforms/zedboard.toml").read_text(encoding="utf-8")
    with pytest.raises(DesignError, match=r"host\.copy\.mbs: is not a field here.*mb_s"):
        load_platform(written(text.replace("mb_s = 500 ", "mbs = 500 ", 1)))
    with pytest.raises(DesignError, match=r"host\.software\.encrypt.*cbd"):
        load_platform(written(text.replace("cbc = 18", "cbd = 18", 1)))


def test_home_is_where_the_variable_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CIPHERMILL_HOME", str(tmp_path))
    with pytest.raises(DesignError, match="CIPHERMILL_HOME"):
        find_home()
    (tmp_path / "hw" / "accel").mkdir(parents=True)
    (tmp_path / "hw" / "accel" / "accel.rdl").touch()
    assert find_home() == tmp_path
    monkeypatch.delenv("CIPHERMILL_BUILD", raising=False)
    monkeypatch.delenv("CIPHERMILL_MODELS", raising=False)
    assert models_folder() == tmp_path / "build" / "models"
    monkeypatch.setenv("CIPHERMILL_BUILD", str(tmp_path / "out"))
    assert build_folder() == tmp_path / "out"


def test_home_is_above_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CIPHERMILL_HOME", raising=False)
    (tmp_path / "hw" / "accel").mkdir(parents=True)
    (tmp_path / "hw" / "accel" / "accel.rdl").touch()
    inside = tmp_path / "a" / "b"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    assert find_home() == tmp_path


def test_of_a_wheel_home_is_inside_and_builds_go_to_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = tmp_path / "site-packages" / "ciphermill" / "source_tree"
    (tree / "hw" / "accel").mkdir(parents=True)
    (tree / "hw" / "accel" / "accel.rdl").touch()
    monkeypatch.setattr(home, "PACKAGED", tree)
    monkeypatch.setattr(home, "__file__", str(tree.parent / "design" / "home.py"))
    for name in ("CIPHERMILL_HOME", "CIPHERMILL_BUILD", "CIPHERMILL_MODELS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative, so of no account")
    assert find_home() == tree
    assert build_folder() == tmp_path / ".cache" / "ciphermill"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cached"))
    assert models_folder() == tmp_path / "cached" / "ciphermill" / "models"


def test_a_measurement_has_dotted_keys_and_nothing_that_does_not_apply() -> None:
    seen = Measurement(
        design="aes-iterative",
        cycles_total=0,
        time_total_s=0.5,
        correct=True,
        method="simulated",
        provenance=Provenance(commit="abc", tools={"verilator": "5.48"}),
    )
    flat = seen.to_json()
    assert flat == {
        "design": "aes-iterative",
        "cycles.total": 0,
        "time.total_s": 0.5,
        "correct": True,
        "method": "simulated",
        "provenance": {"commit": "abc", "tools": {"verilator": "5.48"}},
    }
    assert Measurement.from_json(flat) == seen
    assert set(flat) <= set(DOTTED_KEYS)


@pytest.mark.parametrize(
    "wrong", [{"cycles.totl": 1}, {"bytes": -1}, {"clock.mhz": 0}, {"method": "guessed"}]
)
def test_a_measurement_outside_the_vocabulary_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Measurement.from_json({"method": "measured", **wrong})


def test_values_do_not_change() -> None:
    design = Accelerator(name="x", architecture=Architecture.SERIAL)
    with pytest.raises(ValidationError):
        design.block_ram = True  # type: ignore[misc]
