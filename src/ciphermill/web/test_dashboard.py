# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Routes of the dashboard: the guard, the first page, and the devices."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from support.pages import Client, served

from ciphermill import registry
from ciphermill.web.dashboard import Dashboard
from ciphermill.web.jobs import Jobs
from ciphermill.web.pages import Pages

ROUTES = (
    ("GET", "dashboard"),
    ("GET", "dashboard/devices"),
    ("GET", "dashboard/benchmarks"),
    ("POST", "dashboard/benchmarks"),
    ("GET", "dashboard/benchmarks/all"),
    ("DELETE", "dashboard/benchmarks/running"),
    ("GET", "dashboard/explorations"),
    ("GET", "dashboard/explorations/live"),
    ("GET", "dashboard/explorations/1"),
    ("GET", "dashboard/explorations/1/live"),
    ("GET", "dashboard/explorations/1/report"),
    ("GET", "dashboard/explorations/1/candidates/0"),
    ("GET", "dashboard/papers"),
    ("GET", "dashboard/papers/all"),
    ("GET", "dashboard/papers/thesis-zynq-ciphers"),
    ("GET", "dashboard/papers/thesis-zynq-ciphers/report"),
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    store = tmp_path_factory.mktemp("store") / "store.sqlite"
    with served("stream:/nowhere/at/all", store=str(store)) as client:
        yield client


@pytest.fixture(autouse=True, scope="module")
def absent() -> Iterator[None]:
    """The device files that are named vanish after the start: the start would refuse them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ciphermill.web.work.offered", lambda _: [])
        yield


def test_every_route_is_listed_here() -> None:
    routes = Dashboard(Pages(), Jobs()).routes()
    assert len(routes) == len(ROUTES)


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_a_route_answers_nobody_else(page: Client, method: str, path: str) -> None:
    port = urlsplit(page.url).port
    without = page(f"/{path}", method, b"{}")
    assert (without.status, b"no token" in without.body) == (403, True)
    assert page(path, method, b"{}", Host=f"evil.example:{port}").status == 403
    assert page(path, method, b"{}", Origin="http://evil.example").status == 403
    own = page(path, method, b"{}")
    assert own.status != 403
    headers = {name.lower(): text for name, text in own.headers.items()}
    assert "script-src 'self'; style-src 'self'" in headers["content-security-policy"]


def test_the_first_page_leads_to_the_others(page: Client) -> None:
    body = page("dashboard").body.decode()
    root = urlsplit(page.url).path
    for name in ("devices", "benchmarks", "explorations", "papers"):
        assert f'href="{root}dashboard/{name}"' in body


def test_devices_and_why_one_is_not_usable(page: Client) -> None:
    body = page("dashboard/devices").body.decode()
    usable, unusable = body.split('id="unusable"')
    assert "<h3>cpu " in usable and "ECB, CBC, CTR, GCM, XTS; keys of 128, 192 and 256" in usable
    assert 'benchmarks?device=cpu"' in usable
    assert "stream:/nowhere/at/all" in unusable and "no device files" in unusable


def test_a_direction_that_a_device_lacks_is_told() -> None:
    from types import SimpleNamespace

    from ciphermill.web.devices import offers

    one = [("aes", "decrypt", "cbc", [128]), ("sha2-256", "digest", None, [])]
    device = SimpleNamespace(algorithms=one)
    assert offers(device) == [  # type: ignore[arg-type]
        ("aes", "CBC (decrypt only); keys of 128 bits"),
        ("sha2-256", "digest"),
    ]


def test_the_registry_says_what_is_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_built_models", lambda: [])
    found = {one.name: one for one in registry.survey()}
    assert found["cpu"].device is not None and found["cpu"].reason == ""
    assert found["model:aes-serial"].device is None
    assert "ciphermill build aes-serial" in found["model:aes-serial"].reason
    assert "modprobe" in found["linux:"].reason or found["linux:"].device is not None
