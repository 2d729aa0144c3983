# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill web``: its start and end, devices that vanish, and its pages in a browser."""

from __future__ import annotations

import base64
import io
import json
import re
import signal
import socket
import subprocess
import time
from pathlib import Path

from PIL import Image
from playwright import sync_api as playwright
from support.browser import check_layout
from support.pages import Client

from .conftest import Ciphermill


def start(ciphermill: Ciphermill, *arguments: str | Path) -> tuple[subprocess.Popen[bytes], Client]:
    process = ciphermill.start("web", "--no-browser", *arguments, stdout=subprocess.PIPE)
    assert process.stdout is not None
    link = process.stdout.readline().decode().strip()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{43}/", link), link
    return process, Client(link)


def test_it_prints_a_link_and_leaves_nothing(ciphermill: Ciphermill, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    ciphermill.environment["TMPDIR"] = str(temporary)
    for number in (signal.SIGINT, signal.SIGTERM):
        process, page = start(ciphermill)
        page.send(b"data")
        [folder] = temporary.iterdir()
        assert folder.stat().st_mode & 0o777 == 0o700
        assert len(list(folder.iterdir())) == 1
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert err.decode().splitlines() == [
            "ciphermill: stopped; the files of the page are removed"
        ]
        assert list(temporary.iterdir()) == []


def test_what_it_cannot_do(ciphermill: Ciphermill, tmp_path: Path) -> None:
    missing = f"stream:{tmp_path}/nowhere"
    ciphermill("web", "--device", missing).failed(5, "no device files", "ciphermill serve")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ciphermill("web", "--port", str(port)).failed(1, f"port {port}", "another --port")
    (tmp_path / "starlette.py").write_text("raise ModuleNotFoundError(name='starlette')")
    outcome = ciphermill("web", PYTHONPATH=str(tmp_path))
    outcome.failed(1, "starlette is missing", "pip install 'ciphermill[web]'")


def test_a_device_that_vanishes(ciphermill: Ciphermill, tmp_path: Path) -> None:
    board = tmp_path / "board"
    simulator = ciphermill.serve(board)
    _, page = start(ciphermill, "--device", f"stream:{board}")
    offered = page("devices").json
    assert [one["name"] for one in offered][:2] == [f"stream:{board}", "cpu"]
    asked = {"device": f"stream:{board}", "mode": "ctr"}
    small = page.send(bytes(100))["item"]
    assert page.run(item=small, **asked)["method"] == "simulated"
    # In the middle of a job.
    job = page.start(item=page.send(bytes(20_000_000))["item"], **asked)
    while not (facts := page(job).json)["done"]:
        assert facts["error"] is None, facts
        time.sleep(0.05)
    simulator.process.kill()
    facts = page.end(job)
    assert facts["result"] is None, facts
    assert "the device has vanished" in facts["error"] or "nobody serves" in facts["error"], facts
    # Before a job; the page goes on with another device.
    assert str(board) in page.end(page.start(item=small, **asked))["error"]
    assert page.run(item=small)["device"] == "cpu"


def test_a_job_on_a_device_is_stopped(ciphermill: Ciphermill) -> None:
    _, page = start(ciphermill, "--device", "model:aes-iterative")
    item = page.send(bytes(50_000_000))["item"]
    job = page.start(item=item, device="model:aes-iterative", mode="ctr")
    time.sleep(2)
    assert page(job).json["total"] == 50_000_000
    assert page(job, "DELETE").status == 204
    assert page.end(job)["error"] == "stopped"


def password_is_gone(tab: playwright.Page) -> bool:
    return tab.input_value("#password") == ""


def test_a_picture_in_the_browser(ciphermill: Ciphermill, tab: playwright.Page) -> None:
    _, page = start(ciphermill)
    tab.goto(page.url)
    check_layout(tab, "begin")
    tab.click("#example")
    tab.wait_for_selector("#before img")
    check_histogram(tab, "before")
    for mode, words in {"ctr": "Nothing of the picture shows", "ecb": "The outline"}.items():
        tab.click(f"#modes label:has-text('{mode.upper()}')")
        tab.fill("#password", "correct horse")
        tab.click("#go")
        tab.wait_for_selector("#step:has-text('deriving the key, encrypting')")
        assert tab.is_disabled("#go")
        tab.wait_for_selector(f"#verdict:has-text('{words}')")
        assert password_is_gone(tab)
    # The processor works in its own memory: nothing is transferred.
    assert tab.locator("#times li").count() == 4
    check_histogram(tab, "after")
    tab.wait_for_function("[...document.images].every((one) => one.complete && one.naturalWidth)")
    check_layout(tab, "ecb")
    sealed = ciphermill.folder / "windmill.ppm.cm"
    with tab.expect_download() as download:
        tab.click("#download")
    assert download.value.suggested_filename == sealed.name
    download.value.save_as(sealed)
    # The command line reads it, and so does another visit.
    (ciphermill.folder / "password").write_text("correct horse\n")
    outcome = ciphermill("decrypt", sealed, "--password-file", "password")
    assert outcome.code == 0, outcome
    assert (ciphermill.folder / "windmill.ppm").read_bytes()[:15] == b"P6\n960 720\n255\n"
    tab.fill("#password", "wrong horse")
    tab.click("#back")
    tab.wait_for_selector("#error:has-text('wrong password')")
    tab.fill("#password", "correct horse")
    tab.click("#back")
    tab.wait_for_selector("#verdict:has-text('authentic')")
    assert tab.is_hidden("#error") and password_is_gone(tab)
    with tab.expect_download() as download:
        tab.click("#download")
    assert download.value.suggested_filename == "windmill.png"
    tab.set_input_files("#file", {"name": "a.png", "mimeType": "image/png", "buffer": b"none"})
    tab.wait_for_selector("#error:has-text('no picture')")
    assert tab.is_disabled("#go")


def check_histogram(tab: playwright.Page, figure: str) -> None:
    """The three colours of a picture's histogram are drawn, each over 256 values."""
    lines = tab.locator(f"#{figure} .histogram polyline")
    assert lines.evaluate_all("all => all.map(one => one.getAttribute('class'))") == [
        *("red", "green", "blue")
    ]
    for points in lines.evaluate_all("all => all.map(one => one.getAttribute('points'))"):
        heights = [float(point.split(",")[1]) for point in points.split()]
        assert len(heights) == 256
        # The drawing is 100 high, and its scale ends at the most frequent values.
        assert 0 <= min(heights) < 90 and max(heights) <= 100


DROP = """async ([base64, name, type]) => {
  const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
  const dropped = new DataTransfer();
  dropped.items.add(new File([bytes], name, { type }));
  for (const kind of ["dragenter", "dragover", "drop"])
    document.getElementById("drop").dispatchEvent(
      new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: dropped }));
}"""


def test_a_dropped_picture_on_a_chosen_device(ciphermill: Ciphermill, tab: playwright.Page) -> None:
    _, page = start(ciphermill, "--device", "model:aes-iterative")
    tab.goto(page.url)
    tab.wait_for_selector("#device option[value=auto]", state="attached")
    image = io.BytesIO()
    Image.linear_gradient("L").resize((64, 48)).convert("RGB").save(image, "PNG")
    tab.evaluate(DROP, [base64.b64encode(image.getvalue()).decode(), "dropped.png", "image/png"])
    tab.wait_for_selector("#chosen:has-text('dropped.png')")
    tab.wait_for_selector("#before img")
    assert re.fullmatch(r"64 . 48", tab.text_content("#before .about") or "")
    check_histogram(tab, "before")
    assert not tab.locator("#drop.over").count()
    tab.select_option("#device", "model:aes-iterative")
    assert "iterative core" in (tab.text_content("#description") or "")
    # It has no GCM: the page offers what it has.
    assert tab.is_disabled("#modes input[value=gcm]")
    tab.click("#modes label:has-text('CBC')")
    tab.click("#key-bits label:has-text('128')")
    tab.fill("#password", "correct horse")
    tab.click("#go")
    tab.wait_for_selector("#after img")
    shown = " ".join(tab.locator("#times li").all_text_contents())
    assert "processing in model:aes-iterative, simulated" in shown
    assert "transfer to model:aes-iterative and back, simulated" in shown
    check_histogram(tab, "after")
    tab.wait_for_function("[...document.images].every((one) => one.complete && one.naturalWidth)")
    check_layout(tab, "device")
    sealed = ciphermill.folder / "dropped.ppm.cm"
    with tab.expect_download() as download:
        tab.click("#download")
    download.value.save_as(sealed)
    facts = json.loads(ciphermill("inspect", sealed, "--json").out)
    assert (facts["mode"], facts["key_bits"]) == ("cbc", 128)
    # The fastest device, and why: it is chosen for the mode and the key of the container.
    tab.select_option("#device", "auto")
    tab.fill("#password", "correct horse")
    tab.click("#back")
    tab.wait_for_selector("#verdict:has-text('is the fastest for 9,')")
    assert "MB/s" in (tab.text_content("#verdict") or "")


def test_a_file_in_the_browser(ciphermill: Ciphermill, tab: playwright.Page) -> None:
    _, page = start(ciphermill)
    tab.goto(page.url)
    # A file that is chosen before the page knows the devices waits for them.
    held: list[playwright.Route] = []
    tab.route("**/devices", lambda route: held.append(route))
    tab.click("nav >> text=Files")
    tab.wait_for_selector("#progress")
    source = ciphermill.folder / "notes.txt"
    source.write_bytes(b"text" * 100_000)
    tab.set_input_files("#file", source)
    held[0].continue_()
    tab.wait_for_selector("#chosen:has-text('notes.txt')")
    for path, name in ((source, "notes.txt.cm"), (source.with_suffix(".txt.cm"), "notes.txt")):
        tab.set_input_files("#file", path)
        tab.wait_for_selector(f"#chosen:has-text('{path.name}')")
        tab.fill("#password", "correct horse")
        tab.click("#go")
        tab.wait_for_selector(f"#download:has-text('Download {name}')")
        assert password_is_gone(tab)
        with tab.expect_download() as download:
            tab.click("#download")
        download.value.save_as(ciphermill.folder / f"{name}.new")
        (ciphermill.folder / f"{name}.new").replace(source.with_suffix(f".{name[6:]}"))
    check_layout(tab, "files")
    assert source.read_bytes() == b"text" * 100_000
    facts = json.loads(ciphermill("inspect", "notes.txt.cm", "--json").out)
    assert (facts["mode"], facts["key_derivation"]) == ("gcm", "scrypt")
