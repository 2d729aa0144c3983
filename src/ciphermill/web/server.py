# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The HTTP server of the pages: on loopback, with a token of its own for each start."""

from __future__ import annotations

import contextlib
import secrets
import socket
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from ciphermill.web.app import Site

ADDRESS = "127.0.0.1"
_TOKEN_BYTES = 32
_SECONDS_FOR_DOWNLOADS = 2
"""How long the end of the server waits for downloads."""


@dataclass(frozen=True)
class Listening:
    """A server that has its port; ``run`` answers until a signal's handler raises."""

    url: str
    """The link with the token."""
    folder: Path
    """The folder of its files."""
    server: uvicorn.Server
    socket: socket.socket

    def run(self) -> None:
        """Answer requests."""
        self.server.run(sockets=[self.socket])


def bind(port: int = 0) -> socket.socket:
    """Take a port of loopback; any that is free for 0.

    Raises:
        OSError: The port is taken.
    """
    return socket.create_server((ADDRESS, port))


@contextlib.contextmanager
def listen(
    bound: socket.socket, extra: Sequence[str] = (), store: str | None = None
) -> Iterator[Listening]:
    """Make a server, and a folder for its files that is removed at the end.

    Args:
        bound: Where it listens.
        extra: Devices to offer beside those that are present.
        store: The results store that the dashboard shows; by default the default one.

    Raises:
        ciphermill.Error: One of these devices is not there, or does not encrypt.
    """
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    # The folder is made for this user alone (tempfile.mkdtemp).
    with tempfile.TemporaryDirectory(prefix="ciphermill-web-") as folder:
        site = Site(Path(folder), extra, store)
        config = uvicorn.Config(
            site.app(token),
            access_log=False,
            http="h11",
            lifespan="off",
            log_config=None,
            loop="asyncio",
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=_SECONDS_FOR_DOWNLOADS,
            ws="none",
        )
        url = f"http://{ADDRESS}:{bound.getsockname()[1]}/{token}/"
        try:
            yield Listening(url, Path(folder), uvicorn.Server(config), bound)
        finally:
            site.jobs.close()
