# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Pictures and files through the server: round trips, bad input, and what it keeps."""

import doctest
import functools
import gc
import io
import json
import struct
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import container_reader
import numpy as np
import pytest
from PIL import Image
from support.pages import Client, served

import ciphermill
from ciphermill import _engine
from ciphermill.web import app, jobs, pictures, shelf, work

MODES = ("gcm", "ctr", "cbc", "ecb")


@pytest.fixture(scope="module")
def page() -> Iterator[Client]:
    """A server whose keys cost nothing to derive."""
    cheap = functools.partial(_engine.EncryptOptions, key_derivation="pbkdf2", kdf_iterations=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ciphermill._engine.EncryptOptions", cheap)
        with served() as client:
            yield client


def png(image: Image.Image, **options: Any) -> bytes:
    made = io.BytesIO()
    image.save(made, options.pop("format", "PNG"), **options)
    return made.getvalue()


def noise(width: int, height: int) -> Image.Image:
    pixels = np.random.default_rng(width).integers(0, 256, (height, width, 3), np.uint8)
    return Image.fromarray(pixels)


def flat() -> Image.Image:
    """Two areas of one colour, in two chunks of a container."""
    image = Image.new("RGB", (800, 600), "#9fd3f0")
    image.paste("#b5484f", (200, 100, 440, 380))
    return image


def question(**asked: Any) -> str:
    known = {"direction": "encrypt", "picture": False, "device": "cpu", "password": "horse battery"}
    return json.dumps(known | asked)


@pytest.mark.parametrize(
    ("mode", "size"),
    [*((mode, size) for mode in MODES for size in ((1, 1), (17, 5))), ("cbc", (641, 577))],
)
def test_a_picture_comes_back(page: Client, mode: str, size: tuple[int, int]) -> None:
    image = noise(*size)
    sent = page.send(png(image), picture=True)
    made = page.run(item=sent["item"], picture=True, mode=mode, key_bits=192)
    assert (made["mode"], made["key_bits"], made["name"]) == (mode, 192, "a.ppm.cm")
    back = page.run(item=made["item"], picture=True, direction="decrypt")
    assert back["name"] == "a.png"
    for shown in (made["before"], made["after"], back["before"], back["after"]):
        assert (shown["width"], shown["height"]) == size
        assert [sum(channel) for channel in shown["histogram"]] == [size[0] * size[1]] * 3
    found = Image.open(io.BytesIO(page(f"items/{back['item']}").body))
    assert (found.format, found.tobytes()) == ("PNG", image.tobytes())
    # Where nothing was sent before, the file itself is enough.
    again = page.send(page(f"items/{made['item']}").body, picture=True, name="b.ppm.cm")
    assert again["container"]["mode"] == mode
    assert page.run(item=again["item"], picture=True, direction="decrypt")["before"] == {
        **back["before"],
        "item": again["item"],
    }


@pytest.mark.parametrize("mode", ["ctr", "cbc", "ecb"])
def test_the_picture_of_the_ciphertext_is_the_ciphertext(
    page: Client, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = page.send(png(flat()), picture=True)
    made = page.run(item=sent["item"], picture=True, mode=mode)
    container = page(f"items/{made['item']}").body
    seen = bytearray()
    decrypt = container_reader._decrypt

    def record(mode: int, key: bytes, iv: bytes, ciphertext: bytes) -> bytes:
        seen.extend(ciphertext)
        return decrypt(mode, key, iv, ciphertext)

    monkeypatch.setattr(container_reader, "_decrypt", record)
    plain = container_reader.read(container, b"secret")
    header = plain.index(b"\n255\n") + 5
    assert plain[header:] == flat().tobytes()
    assert len(seen) > 1 << 20
    shown = Image.open(io.BytesIO(page(f"items/{made['item']}/preview.png").body))
    assert shown.tobytes() == seen[header : header + 800 * 600 * 3]


def test_ecb_shows_an_outline_and_the_other_modes_do_not(page: Client) -> None:
    sent = page.send(png(flat()), picture=True)
    repeated = {}
    for mode in MODES:
        made = page.run(item=sent["item"], picture=True, mode=mode)
        repeated[mode] = made["after"]["repeated"]
        flatness = np.array(made["after"]["histogram"]).std() / 1875
        assert (flatness < 0.05) == (mode != "ecb"), "1,875 pixels for each value"
    assert repeated["ecb"] > 0.9
    assert [repeated[mode] for mode in ("gcm", "ctr", "cbc")] == [0, 0, 0]


def test_a_large_picture_is_shown_by_every_nth_pixel(page: Client) -> None:
    image = Image.linear_gradient("L").resize((3000, 1000)).convert("RGB")
    sent = page.send(png(image), picture=True)
    assert (sent["picture"]["width"], sent["picture"]["height"]) == (3000, 1000)
    shown = Image.open(io.BytesIO(page(f"items/{sent['item']}/preview.png").body))
    assert shown.size == (1000, 333)


def test_transparent_pixels_are_white_and_turned_pictures_upright(page: Client) -> None:
    image = Image.new("RGBA", (4, 2), (255, 0, 0, 0))
    sent = page.send(png(image), picture=True)
    assert sent["picture"]["histogram"][1][255] == 8
    exif = Image.Exif()
    exif[0x0112] = 6  # A camera that was held upright.
    sent = page.send(png(noise(8, 4), format="JPEG", exif=exif), picture=True)
    assert (sent["picture"]["width"], sent["picture"]["height"]) == (4, 8)


def bomb(width: int, height: int) -> bytes:
    """A PNG of a hundred bytes that claims to be this large."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    image = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(100))) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + image


NO_PICTURES = {
    "text": (b"no picture at all", 415, "no picture that can be read"),
    "nothing": (b"", 415, "no picture that can be read"),
    "html": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", 415, "no picture that can be read"),
    "cut short": (png(noise(40, 40))[:2000], 422, "damaged"),
    "header alone": (b"\x89PNG\r\n\x1a\n", 415, "no picture"),
    "altered": (png(noise(40, 40)).replace(b"IDAT", b"IDBT"), 415, "no picture"),
    "altered pixels": (
        png(noise(40, 40))[:900] + bytes(9) + png(noise(40, 40))[909:],
        422,
        "damage",
    ),
    "bomb": (bomb(9000, 9000), 413, "more than 67,108,864 pixels"),
    "large bomb": (bomb(65_000, 65_000), 413, "more than 67,108,864 pixels"),
    "larger bomb": (bomb(2**31 - 1, 2**31 - 1), 413, "more than 67,108,864 pixels"),
    "no width": (bomb(0, 5), 415, "no picture"),
    "another format": (png(noise(8, 8), format="TIFF"), 415, "PNG, JPEG"),
}


@pytest.mark.parametrize("kind", NO_PICTURES)
def test_what_is_no_picture_is_refused(page: Client, kind: str) -> None:
    data, status, words = NO_PICTURES[kind]
    answer = page("pictures?name=a.png", "POST", data)
    assert (answer.status, words in answer.json["error"]) == (status, True), answer


def test_a_file_too_long_for_a_picture_is_refused(
    page: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "LARGEST_PICTURE_BYTES", 1 << 20)
    data = bytes((1 << 20) + 1)
    answer = page("pictures?name=a.png", "POST", data)
    assert (answer.status, "page of files" in answer.json["error"]) == (413, True)
    assert page("files?name=a.png", "POST", data).status == 201


@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, 1 << 20, (2 << 20) + 5])
def test_a_file_comes_back(page: Client, length: int) -> None:
    data = np.random.default_rng(length).bytes(length)
    sent = page.send(data, name="notes.txt")
    assert sent["bytes"] == length
    made = page.run(item=sent["item"], mode="ctr", key_bits=128)
    answer = page(f"items/{made['item']}")
    assert answer.headers["content-disposition"] == 'attachment; filename="notes.txt.cm"'
    assert ciphermill.decrypt(answer.body, password="secret") == data
    again = page.send(answer.body, name="notes.txt.cm")
    back = page.run(item=again["item"], direction="decrypt")
    assert (back["name"], back["bytes_out"]) == ("notes.txt", length)
    assert page(f"items/{back['item']}").body == data
    assert 0 <= back["processing_s"] <= back["total_s"]
    assert back["method"] == "measured"


def test_auto_measures_the_devices_and_says_why(
    page: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert page("devices").json[-1]["name"] == "auto"
    sent = page.send(bytes(100_000))
    made = page.run(item=sent["item"], device="auto", mode="ctr")
    assert made["reason"].startswith(f"{made['device']} is the fastest for 100,000 bytes: ")
    asked: list[Any] = []

    def record(*of: Any, **how: Any) -> Any:
        asked.append((*of, how))
        return ciphermill.choose_device(*of, **how)

    monkeypatch.setattr("ciphermill.web.work.choose_device", record)
    made = page.run(item=sent["item"], device="auto", mode="ctr", key_bits=128)
    # The container says how it was encrypted, whatever the form has.
    back = page.run(item=made["item"], device="auto", direction="decrypt", mode="gcm")
    assert back["device"] in back["reason"]
    assert asked == [
        (100_000, {"mode": "ctr", "operation": "encrypt", "key_bits": 128}),
        (made["bytes_out"], {"mode": "ctr", "operation": "decrypt", "key_bits": 128}),
    ]
    assert page(f"items/{back['item']}").body == bytes(100_000)
    assert page.run(item=sent["item"])["reason"] is None


def test_what_is_not_authentic_is_not_given_out(page: Client) -> None:
    sealed = bytearray(ciphermill.encrypt(bytes(1000), password="secret", key_derivation="pbkdf2"))
    sent = page.send(bytes(sealed))
    facts = page.end(page.start(item=sent["item"], direction="decrypt", password="other"))
    assert facts["result"] is None
    assert "wrong password" in facts["error"]
    sealed[-20] ^= 1
    sent = page.send(bytes(sealed))
    facts = page.end(page.start(item=sent["item"], direction="decrypt"))
    assert "altered" in facts["error"]
    sent = page.send(b"no container")
    facts = page.end(page.start(item=sent["item"], direction="decrypt"))
    assert "not" in facts["error"]


def test_a_container_without_a_picture_says_so(page: Client) -> None:
    sealed = ciphermill.encrypt(b"text", password="secret", key_derivation="pbkdf2")
    sent = page.send(sealed, picture=True)
    facts = page.end(page.start(item=sent["item"], direction="decrypt", picture=True))
    assert "no picture" in facts["error"]
    sent = page.send(b"text")
    answer = page("jobs", "POST", question(item=sent["item"], picture=True))
    assert (answer.status, "no picture" in answer.json["error"]) == (415, True)


def test_a_container_of_a_compressed_picture_is_shown_without_its_ciphertext(page: Client) -> None:
    image = noise(30, 20)
    sealed = ciphermill.encrypt(png(image), password="secret", key_derivation="pbkdf2")
    sent = page.send(sealed, picture=True)
    back = page.run(item=sent["item"], direction="decrypt", picture=True)
    assert "before" not in back
    found = Image.open(io.BytesIO(page(f"items/{back['item']}").body))
    assert found.tobytes() == image.tobytes()


def test_what_cannot_be_asked_is_refused_without_an_echo(page: Client) -> None:
    item = page.send(b"data")["item"]
    wrong = {
        question(item=item, password=""): (422, "password"),
        question(item=item, password="horse battery" * 10_000): (422, "password"),
        question(item=item, mode="xts"): (422, "mode"),
        question(item=item, key_bits=64): (422, "key_bits"),
        question(item=item, shell="horse battery"): (422, "shell"),
        question(item="../../etc/passwd"): (404, "choose it again"),
        question(item=item, device="model:/tmp/evil.so"): (400, "no device"),
        question(item=item)[:-1]: (422, "JSON"),
        '"' + "horse battery" * 30_000 + '"': (413, "too long"),
    }
    for body, (status, words) in wrong.items():
        answer = page("jobs", "POST", body)
        assert (answer.status, words in answer.json["error"]) == (status, True), answer
        assert b"horse battery" not in answer.body
    assert page("jobs/nothing").status == 404
    assert page("items/..%2Fopen.html").status == 404
    assert page("items/nothing/preview.png").status == 404
    assert page(f"items/{item}/preview.png").status == 404
    assert page("assets/..%2Fapp.py").status == 404


def test_no_password_is_kept(page: Client) -> None:
    item = page.send(b"data")["item"]
    assert page.end(page.start(item=item, password="first"))["error"] is None
    sealed = page.send(ciphermill.encrypt(b"", password="x", key_derivation="pbkdf2"))["item"]
    assert page.end(page.start(item=sealed, direction="decrypt", password="wrong"))["error"]
    gc.collect()
    assert [one for one in gc.get_objects() if isinstance(one, work.Asked)] == []


def test_a_job_is_stopped() -> None:
    begun, go = threading.Event(), threading.Event()

    def slow(job: jobs.Job) -> dict[str, Any]:
        job.begin("step")
        begun.set()
        assert go.wait(60)
        job.advance(1, 2)
        raise AssertionError("it goes on")

    some = jobs.Jobs()
    job = some.start(slow)
    assert begun.wait(60)
    job.stop()
    go.set()
    some.close()
    assert (job.step, job.error) == ("step", "stopped")


def test_a_fault_of_a_job_is_told_and_does_not_end_the_server(
    caplog: pytest.LogCaptureFixture,
) -> None:
    some = jobs.Jobs()
    # close() stops the jobs that still wait, so both are to have begun before it.
    begun = threading.Barrier(3)

    def faulty(_: jobs.Job) -> dict[str, Any]:
        begun.wait(60)
        raise ZeroDivisionError

    def full(_: jobs.Job) -> dict[str, Any]:
        begun.wait(60)
        raise OSError(28, "No space left on device")

    found = [some.start(one) for one in (faulty, full)]
    begun.wait(60)
    some.close()
    assert found[0].error is not None and "a fault of Ciphermill" in found[0].error
    assert found[1].error is not None and "No space left" in found[1].error
    assert "ZeroDivisionError" in caplog.text


def test_only_the_newest_files_are_kept(tmp_path: Path) -> None:
    kept = shelf.Shelf(tmp_path)
    items = []
    for number in range(shelf.KEPT + 2):
        items.append(kept.place(f"{number}"))
        items[-1].path.touch()
    assert len(list(tmp_path.iterdir())) == shelf.KEPT
    for item in items[:2]:
        with pytest.raises(Exception, match="not kept any more"):
            kept.find(item.identity)
    assert kept.find(items[2].identity) is items[2]


def test_a_full_disk_is_told(page: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "open", fail)
    answer = page("files?name=a", "POST", b"x")
    assert (answer.status, "TMPDIR" in answer.json["error"]) == (507, True)


def test_examples() -> None:
    assert doctest.testmod(pictures).failed == 0
