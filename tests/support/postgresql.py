# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server in a folder of its own, on a free port of loopback."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

USER = "ciphermill"
PASSWORD = "s3cret-word"


class Unavailable(Exception):
    """No server can be started here; the message says why."""


def _binaries() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if found:
        return found[-1].parent
    if on_path := shutil.which("postgres"):
        return Path(on_path).parent
    raise Unavailable("PostgreSQL's server is not installed (Debian: postgresql)")


def _as_whom() -> list[str]:
    """What starts a program as an unprivileged user: initdb refuses to run as root."""
    if os.geteuid() != 0:
        return []
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise Unavailable("PostgreSQL refuses to run as root, and there is no setpriv")
    nobody = pwd.getpwnam("nobody")
    return [setpriv, f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups"]


def free_port() -> int:
    """Return a port of loopback that was free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class PostgreSQLServer:
    """A server with the database ``postgres`` for a user with a password."""

    def __init__(self, folder: Path, *, durable: bool) -> None:
        """Make the server's files; it is not started.

        Args:
            folder: An empty folder.
            durable: Whether a commit waits for the disk. Otherwise what was committed
                survives the server's end, but not the machine's.

        Raises:
            Unavailable: There is no server here, or no user who may run it.
        """
        self._folder, self._binaries, self._prefix = folder, _binaries(), _as_whom()
        self.port = free_port()
        self._fsync = "on" if durable else "off"
        self._schemas = 0
        self._process: subprocess.Popen[bytes] | None = None
        if self._prefix:
            nobody = pwd.getpwnam("nobody")
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        password = folder / "password"
        password.write_text(PASSWORD, encoding="ascii")
        password.chmod(0o644)
        made = subprocess.run(
            [
                *self._prefix,
                *(str(self._binaries / "initdb"), "--pgdata", str(folder / "data")),
                *("--auth=scram-sha-256", f"--pwfile={password}", "--no-sync"),
                *(f"--username={USER}", "--no-instructions", "--encoding=UTF8", "--locale=C"),
            ],
            cwd=folder,
            capture_output=True,
            text=True,
        )
        if made.returncode:
            raise Unavailable(f"initdb failed: {made.stderr.strip()}")

    def url(self, database: str = "postgres", *, port: int | None = None) -> str:
        """URL of a database, with the password."""
        return f"postgresql://{USER}:{PASSWORD}@127.0.0.1:{port or self.port}/{database}"

    def start(self) -> None:
        """Start the server and wait until it answers."""
        import psycopg

        self._process = subprocess.Popen(
            [
                *self._prefix,
                *(str(self._binaries / "postgres"), "-D", str(self._folder / "data")),
                *("-p", str(self.port), "-k", "", "-h", "127.0.0.1"),
                *("-c", f"fsync={self._fsync}"),
                # No shared memory that a container may lack.
                *("-c", "shared_buffers=16MB", "-c", "dynamic_shared_memory_type=mmap"),
            ],
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
            stderr=(self._folder / "log").open("ab"),
        )
        deadline = time.monotonic() + 60
        while True:
            try:
                psycopg.connect(self.url(), connect_timeout=5).close()
                return
            except psycopg.OperationalError:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    log = (self._folder / "log").read_text(encoding="utf-8", errors="replace")
                    raise Unavailable(f"the server did not start: {log[-2000:]}") from None
                time.sleep(0.05)

    def stop(self) -> None:
        """Stop the server at once; connections are cut (SIGQUIT: it recovers at its start)."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(30)

    def execute(self, statement: str, url: str | None = None) -> list[tuple[object, ...]]:
        """Execute a statement on a connection of its own."""
        import psycopg

        with psycopg.connect(url or self.url(), autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def new_schema(self, *, port: int | None = None) -> str:
        """Create an empty schema, which is faster than a database; return its URL."""
        self._schemas += 1
        name = f"s{self._schemas}"
        self.execute(f"CREATE SCHEMA {name}")
        return f"{self.url(port=port)}?options=-csearch_path%3D{name}"


@contextlib.contextmanager
def server(*, durable: bool = False) -> Iterator[PostgreSQLServer]:
    """A running server; one that is not durable is in memory where there is room.

    Raises:
        Unavailable: None can be started here.
    """
    # Not in pytest's folders: those belong to root alone.
    memory = Path("/dev/shm")
    in_memory = not durable and memory.is_dir() and shutil.disk_usage(memory).free > 1 << 30
    with tempfile.TemporaryDirectory(
        prefix="ciphermill-postgresql-", dir=memory if in_memory else None
    ) as name:
        found = PostgreSQLServer(Path(name), durable=durable)
        found.start()
        try:
            yield found
        finally:
            found.stop()
