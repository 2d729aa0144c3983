# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""How ``ciphermill web`` opens a browser."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from ciphermill.cli import failures
from ciphermill.cli.main import cli
from ciphermill.web.server import Listening


@pytest.mark.parametrize("arguments", [[], ["--no-browser"]])
def test_the_browser_gets_the_link_from_a_private_file(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened = []

    def look(address: str) -> None:
        path = Path(unquote(urlsplit(address).path))
        opened.append((address, path.read_text(), path.parent.stat().st_mode & 0o777))

    def interrupt(_: Listening) -> None:
        raise KeyboardInterrupt

    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("webbrowser.open", look)
    monkeypatch.setattr(Listening, "run", interrupt)
    assert failures.run(cli, ["web", *arguments]) == 0
    link = capsys.readouterr().out.strip()
    token = urlsplit(link).path.strip("/")
    if arguments:
        assert opened == []
        return
    [(address, page, mode)] = opened
    assert address.startswith("file:///") and token not in address
    assert f'url={link}"' in page
    assert mode == 0o700
