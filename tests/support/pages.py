# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A page's server in this process, and what a browser would ask of it."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ciphermill.web.server import bind, listen


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Client:
    """Asks what the page asks; ``url`` is the link with the token."""

    url: str

    def __call__(
        self, path: str, method: str = "GET", body: bytes | str | None = None, **headers: str
    ) -> Answer:
        """Ask for a path below the token, or for a whole path if it begins with a slash."""
        where = urlsplit(self.url)
        assert where.hostname is not None
        connection = http.client.HTTPConnection(where.hostname, where.port, timeout=60)
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        whole = path if path.startswith("/") else where.path + path
        try:
            connection.putrequest(method, whole, skip_host="Host" in named)
            data = body.encode() if isinstance(body, str) else body
            if data is not None:
                named["Content-Length"] = str(len(data))
            for name, text in named.items():
                connection.putheader(name, text)
            connection.endheaders(data)
            answer = connection.getresponse()
            return Answer(answer.status, dict(answer.getheaders()), answer.read())
        finally:
            connection.close()

    def send(self, data: bytes, *, picture: bool = False, name: str = "a.png") -> dict[str, Any]:
        """Send a file; return what the server says of it."""
        answer = self(f"{'pictures' if picture else 'files'}?name={name}", "POST", data)
        assert answer.status == 201, answer
        found: dict[str, Any] = answer.json
        return found

    def start(self, **asked: Any) -> str:
        """Start a job; return its path."""
        defaults = {"direction": "encrypt", "picture": False, "device": "cpu", "password": "secret"}
        answer = self("jobs", "POST", json.dumps(defaults | asked))
        assert answer.status == 202, answer
        return f"jobs/{answer.json['job']}"

    def end(self, job: str) -> dict[str, Any]:
        """Wait for the end of a job; return its facts."""
        limit = time.monotonic() + 60
        while time.monotonic() < limit:
            facts: dict[str, Any] = self(job).json
            if facts["error"] is not None or facts["result"] is not None:
                return facts
            time.sleep(0.02)
        raise AssertionError("the job does not end")

    def run(self, **asked: Any) -> dict[str, Any]:
        """Run a job that succeeds; return its result."""
        facts = self.end(self.start(**asked))
        assert facts["error"] is None, facts
        result: dict[str, Any] = facts["result"]
        return result


@contextlib.contextmanager
def served(*devices: str, store: str | None = None) -> Iterator[Client]:
    """Serve the pages from a thread of this process."""
    with bind() as bound, listen(bound, devices, store) as listening:
        thread = threading.Thread(target=listening.run)
        thread.start()
        try:
            yield Client(listening.url)
        finally:
            listening.server.should_exit = True
            thread.join()
