# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Pictures as pixels: reading them, and showing what their ciphertext looks like.

What is encrypted is an uncompressed picture: a PPM file of three bytes a pixel. Its ciphertext has
a byte for each byte of it, which can therefore be shown as a picture of the same size.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from ciphermill import _engine
from ciphermill.web.errors import Refused

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "PPM")
"""The formats that are read: Pillow's parsers of others never see a file."""
LARGEST_PIXELS = 64 << 20
"""Width times height of the largest picture: 192 MiB of pixels."""
_PREVIEW_SIDE = 1200
"""Longest side of the picture that the page shows, in pixels."""
_BLOCK_BYTES = 16
_BACKGROUND = "white"
"""The colour behind transparent pixels."""

_HEADER_BYTES, _LENGTH_FIELD_BYTES = 128, 4
_TAG_BYTES = {"gcm": 16, "ctr": 32, "cbc": 32, "ecb": 32}
"""Lengths of the parts of a container (docs/reference/container.md)."""


@dataclass(frozen=True)
class Picture:
    """What the page shows of a picture."""

    width: int
    height: int
    histogram: list[list[int]]
    """Of red, green and blue: the number of pixels with each of the 256 values."""
    preview: bytes
    """A PNG; of a large picture each n-th pixel."""
    repeated: float
    """The share of its blocks of 16 bytes that occur more than once."""

    def facts(self) -> dict[str, Any]:
        """Return what the page gets as JSON."""
        return {
            "width": self.width,
            "height": self.height,
            "histogram": self.histogram,
            "repeated": self.repeated,
        }


def read(source: Path) -> Image.Image:
    """Return the picture in a file, upright, with three bytes a pixel.

    Its size is checked before any pixel is decoded, so that a small file cannot fill the memory.

    Raises:
        Refused: The file is no picture, or is damaged, or the picture is too large.
    """
    try:
        with Image.open(source, formats=FORMATS) as opened:
            _check_size(*opened.size)
            upright = ImageOps.exif_transpose(opened)
            if upright.has_transparency_data:
                seen = upright.convert("RGBA")
                flat = Image.new("RGBA", seen.size, _BACKGROUND)
                return Image.alpha_composite(flat, seen).convert("RGB")
            return upright.convert("RGB")
    except UnidentifiedImageError as error:
        raise Refused(
            f"this is no picture that can be read: choose one of {', '.join(FORMATS)}, "
            "or encrypt it on the page of files",
            415,
        ) from error
    except Image.DecompressionBombError as error:
        raise _too_large() from error
    except Refused:
        raise
    except Exception as error:
        # Pillow's parsers raise errors of many kinds for a file that is cut short or altered.
        raise Refused(f"the picture is damaged: {error}", 422) from error


def write_pixels(image: Image.Image, target: Path) -> Picture:
    """Write a picture as a PPM file; return what the page shows of it."""
    image.save(target, "PPM")
    return shown(image)


def shown(image: Image.Image) -> Picture:
    """Return what the page shows of pixels."""
    counts = image.histogram()
    step = -(-max(image.size) // _PREVIEW_SIDE)
    size = (max(1, image.width // step), max(1, image.height // step))
    small = image.resize(size, Image.Resampling.NEAREST) if step > 1 else image
    png = io.BytesIO()
    small.save(png, "PNG", compress_level=1)
    return Picture(
        image.width,
        image.height,
        [counts[channel : channel + 256] for channel in (0, 256, 512)],
        png.getvalue(),
        repeated_share(image.tobytes()),
    )


def ciphertext(container: Path, pixels: Path) -> Image.Image | None:
    """Return the ciphertext of a PPM file's pixels, as a picture of the same size.

    Args:
        container: The encrypted file.
        pixels: The PPM file that is in it; None is returned for another picture.
    """
    with Image.open(pixels, formats=FORMATS) as opened:
        if opened.format != "PPM" or opened.mode != "RGB":
            return None
        size = opened.size
    length = 3 * size[0] * size[1]
    header = pixels.stat().st_size - length
    if header < 0:
        return None
    return Image.frombytes("RGB", size, ciphertext_bytes(container)[header:][:length])


def ciphertext_bytes(container: Path) -> memoryview:
    """Return the ciphertext of all chunks of a container, without lengths and tags."""
    facts = _engine.inspect(container)
    tag_bytes = _TAG_BYTES[facts["mode"]]
    found = bytearray()
    with container.open("rb") as file:
        file.seek(_HEADER_BYTES)
        while field := file.read(_LENGTH_FIELD_BYTES):
            found += file.read(int.from_bytes(field) & 0x7FFFFFFF)
            file.seek(tag_bytes, io.SEEK_CUR)
    return memoryview(found)


def repeated_share(data: bytes) -> float:
    """Return the share of blocks of 16 bytes that occur more than once.

    Blocks are compared by a sum of 64 bits: of 12 million random blocks, as many as the largest
    picture has, two that differ are taken for equal once in 250,000 pictures.

    >>> repeated_share(bytes(48) + bytes(range(16)))
    0.75
    >>> repeated_share(b"short")
    0.0
    """
    blocks = np.frombuffer(data, "<u8", count=len(data) // _BLOCK_BYTES * 2).reshape(-1, 2)
    if not len(blocks):
        return 0.0
    sums = np.sort(blocks[:, 0] * np.uint64(0x9E3779B97F4A7C15) + blocks[:, 1])
    same = sums[1:] == sums[:-1]
    repeated = np.zeros(len(sums), bool)
    repeated[1:] |= same
    repeated[:-1] |= same
    return float(repeated.mean())


def write_png(image: Image.Image, target: BinaryIO | Path) -> None:
    """Write a picture as PNG, which loses nothing."""
    image.save(target, "PNG", compress_level=1)


def _check_size(width: int, height: int) -> None:
    if width * height > LARGEST_PIXELS:
        raise _too_large()


def _too_large() -> Refused:
    return Refused(
        f"the picture has more than {LARGEST_PIXELS:,} pixels: make it smaller, "
        "or encrypt it on the page of files",
        413,
    )
