# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Reads the short questions of pages."""

from __future__ import annotations

from starlette.requests import Request

from ciphermill.web.errors import Refused

LARGEST_QUESTION_BYTES = 1 << 18


async def body_of(request: Request) -> bytes:
    """Return the body of a request.

    Raises:
        Refused: It is too long for a question.
    """
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_QUESTION_BYTES:
            raise Refused("the request is too long", 413)
    return bytes(body)
