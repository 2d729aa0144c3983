# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The application ``openssl`` on this machine: a C program that calls OpenSSL.

``openssl_application.c`` is compiled here once, and run for each stream in a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ciphermill import DeviceError, environment
from ciphermill.algorithms import Algorithm
from ciphermill.design import build_folder
from ciphermill.design.operations import Operation
from ciphermill.design.streaming_platform import Implementation
from ciphermill.evaluate.stream.message import iv_of, key_of
from ciphermill.software import VARIABLE, WITHOUT_AES
from ciphermill.toolchain.cache import artefact
from ciphermill.toolchain.errors import ToolError, first_errors
from ciphermill.toolchain.processes import run_program

SOURCE = Path(__file__).with_name("openssl_application.c")
PROVIDER = "ciphermill.so"
_FLAGS = ("-std=gnu11", "-O2", "-Wall", "-Wextra")
_LIBRARIES = ("-lcrypto",)


def provider_folder() -> Path:
    """Return the folder of the provider that ``make provider`` builds.

    Raises:
        ToolError: It is not built.
    """
    folder = build_folder() / "provider"
    if not (folder / PROVIDER).is_file():
        raise ToolError(
            f"the openssl application needs the OpenSSL provider, and {folder / PROVIDER} is "
            "missing: build it with make provider, or name --application throughput"
        )
    return folder


def build_application() -> Path:
    """Return the compiled application, built if it is not in the cache.

    Raises:
        ToolError: There is no C compiler, or it does not find OpenSSL 3.
    """
    compiler = environment.find_program("cc")
    if compiler is None:
        raise ToolError(
            "the openssl application is compiled here, and there is no C compiler cc: install one "
            "(Debian: apt install gcc), or name --application throughput"
        )
    # The version of OpenSSL's headers counts: another one may be binary-incompatible.
    macros = _run(compiler, "-E", "-dM", "-include", "openssl/opensslv.h", "-xc", os.devnull)
    version = [line for line in macros.splitlines() if "OPENSSL_VERSION_STR" in line]
    compiled_by = _run(compiler, "--version").partition("\n")[0]
    facts = {"compiler": compiled_by, "openssl": version, "flags": [*_FLAGS, *_LIBRARIES]}

    def build(folder: Path) -> Path:
        program = folder / "openssl_application"
        _run(compiler, *_FLAGS, "-o", str(program), str(SOURCE), *_LIBRARIES)
        return program

    return artefact("openssl-application", ".out", [SOURCE], facts, build)


def _run(compiler: str, *arguments: str) -> str:
    """Run the compiler; return what it prints."""
    what = "the compilation of the openssl application"
    ran = run_program([compiler, *arguments], what=what, errors_apart=True)
    if ran.returncode:
        missing = "openssl/" in ran.stderr or "-lcrypto" in ran.stderr
        what_to_do = (
            "install OpenSSL 3 with its headers (Debian: apt install libssl-dev), or name "
            "--application throughput"
            if missing
            else "see what the compiler says"
        )
        raise ToolError(
            f"the openssl application cannot be compiled: {what_to_do}\n{first_errors(ran.stderr)}"
        )
    return ran.stdout


class OpenSslApplication:
    """The program, ready to run on a device."""

    def __init__(self, device: str) -> None:
        """Compile it where that has not been done.

        Args:
            device: What stands for hardware, by its name.

        Raises:
            ToolError: Compiler, OpenSSL or provider are missing.
        """
        self._device = device
        self._provider = provider_folder()
        self._program = build_application()

    def stream(
        self,
        implementation: Implementation,
        source: Path,
        target: Path | None,
        *,
        algorithm: Algorithm,
        operation: Operation,
        update_bytes: int,
    ) -> dict[str, Any]:
        """Stream one file; see ``stream_together``."""
        [found] = self.stream_together(
            implementation,
            [(source, target)],
            algorithm=algorithm,
            operation=operation,
            update_bytes=update_bytes,
        )
        return found

    def stream_together(
        self,
        implementation: Implementation,
        files: Sequence[tuple[Path, Path | None]],
        *,
        algorithm: Algorithm,
        operation: Operation,
        update_bytes: int,
    ) -> list[dict[str, Any]]:
        """Stream files at once through OpenSSL, with its own ciphers or through the provider.

        Each is streamed by a process of its own. They begin when the last of them is ready.

        Args:
            implementation: ``software``, ``software+``, or ``hardware`` for the provider's device.
            files: Inputs, whole numbers of blocks, and outputs, which are replaced; without one
                the result is dropped.
            algorithm: AES.
            operation: Mode and verb.
            update_bytes: Bytes of an update, whole blocks.

        Returns:
            Of each ``bytes``, ``began_s`` of the monotonic clock, ``time_total_s`` and
            ``time_inside_write_s`` in seconds, ``updates``, ``device_bytes`` and
            ``device_updates``.

        Raises:
            DeviceError: A program failed, or the device did not do all of the bytes.
        """
        environment = self._environment(implementation)
        begin, hold = os.pipe()
        running: list[subprocess.Popen[str]] = []
        try:
            for source, target in files:
                arguments = self._arguments(
                    implementation, source, target, algorithm, operation, update_bytes
                )
                running.append(
                    subprocess.Popen(
                        arguments,
                        env=environment,
                        stdin=begin,
                        stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE,
                        text=True,
                    )
                )
            for one in running:
                assert one.stdout  # noqa: S101 - for the type checker
                if one.stdout.readline() != "ready\n":
                    raise self._failed(one)
            os.close(hold)
            hold = -1
            return [self._result(one, implementation == "hardware") for one in running]
        finally:
            # Programs that wait must not begin now, so they end before their input does.
            for one in running:
                one.kill()
                one.communicate()
            os.close(begin)
            if hold >= 0:
                os.close(hold)

    def _arguments(
        self,
        implementation: Implementation,
        source: Path,
        target: Path | None,
        algorithm: Algorithm,
        operation: Operation,
        update_bytes: int,
    ) -> list[str | Path]:
        key, iv = key_of(algorithm), iv_of(algorithm)
        arguments: list[str | Path] = [
            *(self._program, source, target or "-"),
            *(f"AES-{8 * len(key)}-{operation.mode.upper()}", operation.verb, key.hex()),
            iv.hex() if algorithm.modes[operation.mode].iv_bytes else "-",
            str(update_bytes),
        ]
        return [*arguments, self._provider] if implementation == "hardware" else arguments

    def _failed(self, program: subprocess.Popen[str]) -> DeviceError:
        """Return the error of a program that has ended."""
        _, said = program.communicate()
        said = said.strip() or f"exit code {program.returncode}"
        return DeviceError(f"the openssl application on {self._device}: {said}")

    def _result(self, program: subprocess.Popen[str], hardware: bool) -> dict[str, Any]:
        """Wait for a program, and return what it tells.

        Raises:
            DeviceError: As of ``stream_together``.
        """
        assert program.stdout and program.stderr  # noqa: S101 - for the type checker
        text = program.stdout.read()
        if program.wait():
            raise self._failed(program)
        found: dict[str, Any] = json.loads(text)
        done = found["device_bytes"]
        if done != (found["bytes"] if hardware else 0):
            raise DeviceError(
                f"the openssl application: {self._device} did {done} of {found['bytes']} bytes; "
                "the rest was done in software, and the times are not the device's"
            )
        return found

    def _environment(self, implementation: Implementation) -> dict[str, str]:
        """Return the environment: no configuration of the user's is in it."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("CIPHERMILL_", "OPENSSL_")) or name == "CIPHERMILL_MODELS"
        }
        kept["OPENSSL_CONF"] = os.devnull
        if implementation == "software":
            kept[VARIABLE] = WITHOUT_AES
        if implementation == "hardware":
            kept |= {
                "CIPHERMILL_DEVICE": self._device,
                "CIPHERMILL_THRESHOLD": "1",
                "CIPHERMILL_ON_FAILURE": "fail",
                "CIPHERMILL_CBC": "yes",
            }
        return kept
