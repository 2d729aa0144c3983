# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Refuses every request that does not come from the page of this server.

Any page that the user visits can send requests to loopback, and so can other users of the machine.
Three checks keep them out: the host of the address (a name that an attacker points at loopback is
another host), the origin of a request that a page sends, and a token in the path that only the
user of the command knows.
"""

from __future__ import annotations

import secrets

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOSTS = ("127.0.0.1", "localhost")
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_OPEN_THE_LINK = "open the link that ciphermill web printed"


class Guard:
    """An ASGI application in front of another one."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        """Pass requests below ``/TOKEN`` on to the application."""
        self._app = app
        self._root = f"/{token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, with headers that keep other pages from using the answer."""

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [(name.lower().encode(), text.encode()) for name, text in _HEADERS.items()]
                message["headers"] = [*message["headers"], *added]
            await send(message)

        refusal = self._refusal(scope)
        if refusal is None:
            await self._app({**scope, "root_path": self._root}, receive, send_guarded)
        else:
            response = PlainTextResponse(f"{refusal}\n", status_code=403)
            await response(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> str | None:
        """Return why a request is refused; None if it is not."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].partition(":")[0] not in HOSTS:
            return f"This server has no such host: {_OPEN_THE_LINK}."
        if any(origin != f"http://{hosts[0]}" for origin in headers.getlist("origin")):
            return f"Pages of other origins are refused: {_OPEN_THE_LINK}."
        path = scope["path"]
        begin = path[: len(self._root)].encode()
        known = secrets.compare_digest(begin, self._root.encode())
        if not known or path[len(self._root) :][:1] != "/":
            return f"The address has no token, or a wrong one: {_OPEN_THE_LINK}."
        return None
