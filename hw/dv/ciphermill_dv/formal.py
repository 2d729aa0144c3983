# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Proofs of the properties that a harness asserts: yosys, its smtbmc, and Z3.

A harness is a SystemVerilog module around the module under proof with immediate
assertions, assumptions and covers. Yosys turns it into a transition system in
SMT-LIB, and smtbmc has Z3 search for a run that breaks an assertion:

- ``Method.INDUCTION`` proves the assertions for runs of any length: they hold in
  the first ``depth`` cycles, and no run of ``depth`` cycles in which they hold,
  begun in any state at all, is followed by a cycle in which they do not.
- ``Method.BOUNDED`` proves them for the first ``depth`` cycles only; for ever,
  where the harness begins in any state and ``depth`` cycles are all that matter.
- ``Method.COVER`` searches for a run to each cover statement. It shows that the
  assumptions do not exclude the behaviour that a proof is about.

Flip-flops without a reset or an initial value begin with any value. Memories
do too. Some faults that a tool accepts silently are errors here, such as a
harness whose assertions were dropped.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path

from .simulate import REPOSITORY, build_root
from .yosys import SMTBMC, ToolError, failed, kept, read_slang, relative, run_program, run_yosys

TIMEOUT_S = 300
"""Longest time of one solver run; a longer one is an error."""


class Method(StrEnum):
    """How a proof goes (see the module's text)."""

    INDUCTION = "induction"
    BOUNDED = "bounded"
    COVER = "cover"


@dataclass(frozen=True)
class Proof:
    """A proof to run: harness, method and depth."""

    top: str
    """The harness."""
    sources: tuple[Path, ...]
    """SystemVerilog files, packages first."""
    depth: int
    """Cycles; steps of the induction, or the length of runs."""
    method: Method = Method.INDUCTION
    parameters: Mapping[str, int] = field(default_factory=dict)
    """Parameters of the harness."""
    free_clocks: bool = False
    """Clocks are inputs that move as they like, several of them, in steps of a
    common time; else there is one, and each step is a clock of it."""
    without: str = ""
    """A pattern of yosys for names of assertions to leave out, such as ``*why_*``."""
    cut: tuple[str, ...] = ()
    """Modules that are taken out, with anything on their outputs: what holds then
    holds with them. yosys's patterns of names, such as ``aes_sbox*``."""
    zero_when: str = ""
    """A one-bit signal of the harness. Whenever it is high, every register and
    memory under ``zero_below`` must be zero, besides those of ``zero_except``."""
    zero_below: str = ""
    """The instance whose registers ``zero_when`` is about, such as ``u_core``."""
    zero_except: tuple[str, ...] = ()
    """Regular expressions for names, from ``zero_below`` on, of registers that hold
    neither key nor data. Each must fit one at least."""


@dataclass(frozen=True)
class Verdict:
    """The result of a proof."""

    holds: bool
    message: str
    """One line: what was proven, or what fails and where the trace is."""
    failed: tuple[str, ...]
    """Names of assertions that fail, or of covers that no run reaches."""
    trace: str
    """Waveform (VCD) of the run that breaks an assertion, from the source tree's
    root; empty if there is none."""
    assertions: int
    """How many assertions (for ``COVER``: cover statements) were looked at."""


def prove(proof: Proof) -> Verdict:
    """Return whether a harness's assertions hold; cached by content.

    Raises:
        ToolError: A tool is missing or failed, or time ran out, or the harness
            has nothing to prove.
    """
    facts = {
        **asdict(proof),
        "sources": [relative(path) for path in proof.sources],
        "z3": _z3_version(),
    }
    files = (Path(__file__), *proof.sources)

    def read() -> Verdict:
        path = kept("proof", files, facts, lambda folder: _Run(proof, folder).verdict())
        told = json.loads(path.read_text())
        verdict = Verdict(**{**told, "failed": tuple(told["failed"])})
        if verdict.trace and not (REPOSITORY / verdict.trace).is_file():
            path.unlink()
            return read()
        return verdict

    return read()


def _z3() -> Path:
    """Return Z3's program, which PyPI's ``z3-solver`` brings."""
    path = Path(sysconfig.get_path("scripts")) / "z3"
    if not path.is_file():
        raise ToolError("Z3 is missing: pip install z3-solver (or run make setup)")
    return path


def _with_z3() -> dict[str, str]:
    """Return the environment in which smtbmc finds Z3."""
    return {**os.environ, "PATH": f"{_z3().parent}{os.pathsep}{os.environ.get('PATH', '')}"}


def _z3_version() -> str:
    done = subprocess.run([str(_z3()), "--version"], capture_output=True, text=True, check=False)
    return done.stdout.strip()


@dataclass(frozen=True)
class Register:
    """A register or memory of the transition system."""

    name: str
    bits: int
    addresses: int
    """Address bits; 0 for a register."""


_REGISTER = re.compile(r"^; yosys-smt2-register (\S+) (\d+)$", re.MULTILINE)
_MEMORY = re.compile(r"^; yosys-smt2-memory (\S+) (\d+) (\d+) ", re.MULTILINE)
_STATE_FAILS = re.compile(r"^##\s+[\d:]+\s+Assert failed in [^:]*: (.*)$", re.MULTILINE)
_RULE_FAILS = re.compile(r"^##\s+[\d:]+\s+Assert \S*?:(\d+) failed: ", re.MULTILINE)
_UNREACHED = re.compile(r"^##\s+[\d:]+\s+Unreached cover statement at [^:]*: (.*)$", re.MULTILINE)
_PLACE = re.compile(r"\s*\(\S*\.sv:.*$")


def registers(smt2: str) -> list[Register]:
    """Return the registers and memories of a transition system."""
    found = [Register(name, int(bits), 0) for name, bits in _REGISTER.findall(smt2)]
    found += [
        Register(name, int(width), int(addresses))
        for name, addresses, width in _MEMORY.findall(smt2)
    ]
    return found


def zero_constraints(proof: Proof, found: Sequence[Register]) -> tuple[str, list[str]]:
    """Return smtbmc's constraints that stand for ``zero_when``, and their names by line.

    Raises:
        ToolError: A pattern fits no register, or none is left to speak of.
    """
    prefix = f"{proof.zero_below}." if proof.zero_below else ""
    if any(register.name.startswith("$auto$async2sync") for register in found):
        raise ToolError(f"{proof.top}: {proof.zero_below} must have its reset tied off")
    below = [register for register in found if register.name.startswith(prefix)]
    patterns = [re.compile(pattern) for pattern in proof.zero_except]
    for pattern in patterns:
        if not any(pattern.fullmatch(register.name[len(prefix) :]) for register in below):
            raise ToolError(f"{proof.top}: no register of {proof.zero_below} is {pattern.pattern}")
    meant = [
        register
        for register in below
        if not any(pattern.fullmatch(register.name[len(prefix) :]) for pattern in patterns)
    ]
    if not meant:
        raise ToolError(f"{proof.top}: no registers below {proof.zero_below or 'the top'}")
    lines, names = ["always"], [""]
    for register in meant:
        zero = f"#b{'0' * register.bits}" if register.bits > 1 else "false"
        if register.addresses:
            raise ToolError(f"{register.name}: a memory that was not made into registers")
        lines.append(f"assert (=> [{proof.zero_when}] (= [{register.name}] {zero}))")
        names.append(register.name)
    return "\n".join(lines) + "\n", names


def _transition_system(proof: Proof) -> Path:
    """Return the transition system in SMT-LIB; cached, since a proof and its covers share one."""
    # Registers that nothing reads are still spoken of by name: they are kept, and
    # so are memories, each word a register.
    keep = [
        "memory_collect; memory_map",
        "opt_expr -keepdc; opt_dff -nodffe -nosdff; opt_dff -nodffe -nosdff",
        "setattr -set keep 1 t:$dff* t:$adff* t:$sdff* t:$aldff*",
    ]
    # Hierarchical names reach into instances only where these are not kept apart.
    read = read_slang(proof.sources, proof.top, proof.parameters)
    if not (proof.cut or proof.zero_when):
        read = read.replace(" --keep-hierarchy ", " ")
    commands = [
        read,
        *(f"select -assert-min 1 {name}; blackbox {name}" for name in proof.cut),
        f"hierarchy -check -top {proof.top}",
        "proc",
        "setattr -mod -unset keep_hierarchy *",
        "flatten",
        *(["cutpoint -blackbox"] if proof.cut else []),
        *([f"chformal -remove {proof.top}/{proof.without}"] if proof.without else []),
        *(keep if proof.zero_when else []),
        f"prep -top {proof.top}",
        "memory_nordff",
        "clk2fflogic" if proof.free_clocks else "async2sync",
        # write_smt2 silently drops cells that are not lowered.
        "chformal -lower",
        "dffunmap",
        "opt_clean",
    ]

    def build(folder: Path) -> str:
        result = folder / "system.smt2"
        run_yosys([*commands, f"write_smt2 -wires {relative(result)}"], f"yosys on {proof.top}")
        return result.read_text(encoding="utf-8")

    return kept("system", (Path(__file__), *proof.sources), {"commands": commands}, build)


class _Run:
    """One proof in a scratch folder."""

    def __init__(self, proof: Proof, folder: Path) -> None:
        self.proof, self.folder = proof, folder
        self.smt2 = _transition_system(proof)
        self.constraints = folder / "constraints.smtc"
        self.rules: list[str] = []

    def verdict(self) -> str:
        """Return the result of the proof, as JSON."""
        return json.dumps(asdict(self._verdict()))

    def _verdict(self) -> Verdict:
        text = self.smt2.read_text(encoding="utf-8")
        covers = self.proof.method is Method.COVER
        count = len(re.findall(rf"^; yosys-smt2-{'cover' if covers else 'assert'} ", text, re.M))
        if self.proof.zero_when:
            constraints, self.rules = zero_constraints(self.proof, registers(text))
            self.constraints.write_text(constraints, encoding="utf-8")
            count += 0 if covers else len(self.rules) - 1
        if not count:
            raise ToolError(f"{self.proof.top}: nothing to prove: no assertions came through yosys")
        if covers:
            return self._solve(["-c"], count)
        base = self._solve([], count)
        if not base.holds or self.proof.method is Method.BOUNDED:
            return base
        return self._solve(["-i"], count)

    def _solve(self, flags: Sequence[str], count: int) -> Verdict:
        """Run smtbmc once."""
        proof, vcd = self.proof, self.folder / "trace.vcd"
        # A bounded proof is one query for all steps.
        at_once = not {"-i", "-c"} & set(flags)
        steps = f"0:{proof.depth}:{proof.depth}" if at_once else str(proof.depth)
        arguments = ["-s", "z3", "-t", steps, *flags, "--noprogress", "--timeout", str(TIMEOUT_S)]
        if proof.method is not Method.COVER:
            arguments += ["--dump-vcd", relative(vcd)]
        if self.rules:
            arguments += ["--smtc", relative(self.constraints)]
        code, output = run_program(
            SMTBMC,
            [*arguments, relative(self.smt2)],
            _with_z3(),
        )
        passed = "Status: PASSED" in output
        if passed != (code == 0) or not (passed or "Status: FAILED" in output):
            raise failed(f"proof of {proof.top}", output)
        names = [_PLACE.sub("", name) for name in _STATE_FAILS.findall(output)]
        names += [f"{self.rules[int(line) - 1]} is zero" for line in _RULE_FAILS.findall(output)]
        names += [_PLACE.sub("", name) for name in _UNREACHED.findall(output)]
        trace = self._keep(vcd) if not passed and vcd.is_file() else ""
        failing = tuple(dict.fromkeys(names))
        return Verdict(
            holds=passed,
            message=self._message(passed, flags, failing, trace),
            failed=failing,
            trace=trace,
            assertions=count,
        )

    def _keep(self, vcd: Path) -> str:
        """Move a trace to the folder of traces; return its path."""
        name = hashlib.sha256(self.smt2.read_bytes()).hexdigest()[:12]
        target = build_root() / "traces" / f"{self.proof.top}-{name}.vcd"
        target.parent.mkdir(parents=True, exist_ok=True)
        vcd.replace(target)
        return relative(target)

    def _message(self, passed: bool, flags: Sequence[str], names: Sequence[str], trace: str) -> str:
        proof = self.proof
        generics = ", ".join(f"{name}={value}" for name, value in proof.parameters.items())
        what = f"{proof.top}({generics})"
        if proof.method is Method.COVER:
            return (
                f"{what}: every cover is reached within {proof.depth} cycles"
                if passed
                else f"{what}: not reached within {proof.depth} cycles: {', '.join(names)}"
            )
        if passed:
            bound = "" if proof.method is Method.INDUCTION else f" in {proof.depth} cycles"
            return f"{what}: proven{bound}"
        how = "the induction step" if "-i" in flags else "a run from reset"
        return f"{what}: {', '.join(names) or 'an assumption'} fails in {how}; see {trace}"


def mutant(sources: Sequence[Path], name: str, old: str, new: str) -> list[Path]:
    """Return the sources with a text replaced in one of them, to see a proof fail.

    The changed file is written to the build folder.

    Args:
        sources: Files.
        name: The name of the file to change, such as ``prim_fifo.sv``.
        old: Text that is in it exactly once.
        new: What to put there.

    Raises:
        ToolError: The file is missing, or the text is not in it exactly once.
    """
    found = [path for path in sources if path.name == name]
    if len(found) != 1:
        raise ToolError(f"{name}: no such file among the sources")
    text = found[0].read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise ToolError(f"{name}: not exactly once in it: {old}")
    changed = text.replace(old, new)
    digest = hashlib.sha256(changed.encode()).hexdigest()[:16]
    path = build_root() / "mutants" / digest / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(changed, encoding="utf-8")
    return [path if source is found[0] else source for source in sources]
