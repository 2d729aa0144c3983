# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A TCP proxy on loopback that cuts a connection at a chosen moment."""

from __future__ import annotations

import contextlib
import socket
import threading


class Proxy:
    """Passes connections to a port of loopback on."""

    def __init__(self, target: int) -> None:
        """Listen on a free port."""
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.cuts = 0
        """Connections that were cut."""
        self._word: bytes | None = None
        self._due = False

    def __enter__(self) -> Proxy:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        # close() alone does not wake accept().
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def cut_after(self, word: bytes) -> None:
        """Cut once: when the server answers a message of the client with this word."""
        self._word = word

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._target))
                for source, sink, asking in ((client, server, True), (server, client, False)):
                    threading.Thread(
                        target=self._pass, args=(source, sink, asking), daemon=True
                    ).start()

    def _pass(self, source: socket.socket, sink: socket.socket, asking: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if asking and self._word is not None and self._word in data:
                    self._due, self._word = True, None
                elif not asking and self._due:
                    self._due = False
                    self.cuts += 1
                    break
                sink.sendall(data)
        for one in (source, sink):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
