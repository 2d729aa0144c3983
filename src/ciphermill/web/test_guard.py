# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Who may ask: this machine, the page's own host and origin, and the holder of the token."""

import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from support.pages import Client, served


@pytest.fixture(scope="module")
def page() -> Iterator[Client]:
    with served() as client:
        yield client


def port(page: Client) -> int:
    found = urlsplit(page.url).port
    assert found is not None
    return found


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_name_of_loopback_is_answered(page: Client, host: str) -> None:
    answer = page("", Host=f"{host}:{port(page)}")
    assert answer.status == 200
    assert b"<title>Encrypt a picture" in answer.body
    assert page("files").body.count(b"<title>Encrypt a file") == 1


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "0.0.0.0", ""]
)
def test_another_host_is_refused(page: Client, host: str) -> None:
    # As after DNS rebinding: the name of an attacker that means loopback by now.
    for path in ("", "devices"):
        answer = page(path, Host=f"{host}:{port(page)}")
        assert answer.status == 403
        assert b"no such host" in answer.body and b"open the link" in answer.body


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "https://127.0.0.1:{port}", "http://127.0.0.1:1", "null"]
)
def test_another_origin_is_refused(page: Client, origin: str) -> None:
    for method, path in (("GET", "devices"), ("POST", "jobs"), ("POST", "files?name=a")):
        answer = page(path, method, b"x", Origin=origin.format(port=port(page)))
        assert answer.status == 403
        assert b"other origins" in answer.body


def test_the_own_origin_is_answered(page: Client) -> None:
    own = f"http://127.0.0.1:{port(page)}"
    assert page("devices", Origin=own).status == 200
    assert page("files?name=a", "POST", b"x", Origin=own).status == 201
    other = f"http://localhost:{port(page)}"
    assert page("devices", Origin=other).status == 403


def test_a_missing_or_wrong_token_is_refused(page: Client) -> None:
    token = urlsplit(page.url).path.strip("/")
    assert len(token) >= 43, "256 bits"
    wrong = token[:-1] + ("A" if token[-1] != "A" else "B")
    paths = [
        "/",
        "/files",
        "/devices",
        f"/{wrong}/",
        f"/{token[:-1]}/",
        f"/{token}x/",
        f"//{token}/",
    ]
    for path in [*paths, f"/{token}", f"/?token={token}", f"/x/../{token}/", "/%FF/"]:
        answer = page(path)
        assert answer.status == 403, path
        assert b"no token, or a wrong one" in answer.body
        assert token.encode() not in answer.body


def test_there_is_no_websocket(page: Client) -> None:
    asked = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec_WebSocket_Version": "13",
        "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    assert page("", Origin="http://evil.example", **asked).status == 403
    assert page("", Origin=f"http://127.0.0.1:{port(page)}", **asked).status == 200, "no 101"


def test_it_listens_on_one_address_of_loopback(page: Client) -> None:
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", port(page)), timeout=5)


def test_each_server_has_a_token_of_its_own(page: Client) -> None:
    with served() as other:
        theirs = urlsplit(other.url).path
        assert theirs != urlsplit(page.url).path
        assert page(theirs).status == 403


def test_answers_cannot_be_used_by_other_pages(page: Client) -> None:
    for answer in (page(""), page("devices"), page("/"), page("nothing")):
        headers = {name.lower(): text for name, text in answer.headers.items()}
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert not [name for name in headers if name.startswith("access-control-")]
