"""Pictures are packed anew: the same pixels, and nothing that came with them."""

from __future__ import annotations

import base64
import io
import struct
import tracemalloc
import zlib

import pytest

from befit.core.message import ImagePart, Message, TextPart
from befit.review.pictures import clean_picture, redrawn
from befit.review.records import Held
from review_world import NAMES, source, world

Image = pytest.importorskip("PIL.Image")


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def packed(pixels, *, width=1, height=1, colour=0, depth=8, interlaced=0, more=b""):
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)
    parts = chunk(b"IHDR", head) + more + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def pixels_of(raw):
    with Image.open(io.BytesIO(raw)) as image:
        return image.size, image.convert("RGBA").tobytes()


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_every_kind_of_png_keeps_its_pixels(mode):
    image = Image.effect_mandelbrot((37, 23), (-2, -1, 1, 1), 30)
    image = image.convert("RGB").quantize(17) if mode == "P" else image.convert(mode)
    held = io.BytesIO()
    image.save(held, "PNG", pnginfo=None)
    made = redrawn(held.getvalue(), kind="image/png")
    assert pixels_of(made) == pixels_of(held.getvalue())
    assert redrawn(made, kind="image/png") == made


def test_an_interlaced_png_keeps_its_pixels():
    # passes of 3 x 3: 1 pixel, 1 pixel, a line of 2, two lines of 1, a line of 3
    lines = [[1], [3], [7, 9], [2], [8], [4, 5, 6]]
    told = b"".join(bytes([0, *(20 * value for value in line)]) for line in lines)
    raw = packed(zlib.compress(told), width=3, height=3, interlaced=1)
    made = redrawn(raw, kind="image/png")
    assert pixels_of(made) == pixels_of(raw)
    short = packed(zlib.compress(told[:-1]), width=3, height=3, interlaced=1)
    assert redrawn(short, kind="image/png") is None


def test_what_is_hidden_in_the_packing_is_lost():
    data = zlib.compress(b"\0\x50", 0) + b"made by Acme"
    palette = chunk(b"PLTE", b"\1\2\3\4\5\6" + b"Acme Labs ok")
    for raw in (
        packed(data),
        packed(data, colour=3, depth=1, more=palette),
        packed(data, more=palette),
    ):
        assert b"Acme" in clean_picture(raw, kind="image/png")
        made = redrawn(raw, kind="image/png")
        assert b"Acme" not in made
        assert pixels_of(made) == pixels_of(raw)


def test_a_picture_that_holds_more_than_it_says_is_not_unpacked():
    bomb = packed(zlib.compress(b"\0" * 50_000_000))
    assert len(bomb) < 60_000
    tracemalloc.start()
    assert redrawn(bomb, kind="image/png") is None
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2_000_000
    # as large as it says, but larger than anybody wants to unpack: 16 bits of four colours
    wide = packed(zlib.compress(b"\0"), width=6_000, height=6_000, colour=6, depth=16)
    assert clean_picture(wide, kind="image/png") is not None
    assert redrawn(wide, kind="image/png") is None


@pytest.mark.parametrize(
    "bad",
    [
        packed(zlib.compress(b"\7\x50")),  # no such filter
        packed(zlib.compress(b"\0")),  # a pixel is missing
        packed(b"no deflate"),
        packed(zlib.compress(b"\0\0"), colour=5),  # no such colour type
        packed(zlib.compress(b"\0\0"), colour=3),  # a palette is missing
    ],
)
def test_a_picture_that_is_none_is_not_kept(bad):
    assert redrawn(bad, kind="image/png") is None


def test_a_study_keeps_no_picture_as_it_came(tmp_path):
    raw = packed(zlib.compress(b"\0\x50"), more=chunk(b"tEXt", b"Software\0Acme Vision"))
    urls = [f"data:image/png;base64,{base64.b64encode(one).decode()}" for one in (raw, b"Acme")]
    content = (TextPart(text="What is it?"), *(ImagePart(url=url) for url in urls))
    turns = (Message(role="user", content=content), Message(role="assistant", content="A dot"))
    sources = [source(1, name) for name in NAMES[:2]]
    made = [type(one)(**{name: getattr(one, name) for name in one.__slots__} | {"turns": turns})
            for one in sources]  # fmt: skip
    one = world(tmp_path, sources=made)
    for body in one.reviews.parts(one.id, "answer").values():
        held = Held.model_validate(body)
        kept = [base64.b64decode(part.url.partition(",")[2]) for part in held.turns[0].content[1:]]
        assert kept == [redrawn(raw, kind="image/png"), b""]


@pytest.mark.parametrize("turn", [0, 1, 3, 6, 8, 9])
@pytest.mark.parametrize("order", ["II", "MM"])
def test_a_jpeg_stays_turned_as_it_was_and_keeps_nothing_else(turn, order):
    image = Image.effect_mandelbrot((40, 24), (-2, -1, 1, 1), 30).convert("RGB")
    exif = Image.Exif()
    exif.endian = "<" if order == "II" else ">"
    exif[0x010F], exif[0x0131] = "Acme Labs", "Acme Paint"
    if turn:
        exif[0x0112] = turn
    held = io.BytesIO()
    image.save(held, "JPEG", exif=exif.tobytes())
    assert b"Acme" in held.getvalue()
    made = redrawn(held.getvalue(), kind="image/jpeg")
    assert b"Acme" not in made
    with Image.open(io.BytesIO(made)) as told:
        assert dict(told.getexif()) == ({0x0112: turn} if turn in {3, 6, 8} else {})
        assert told.tobytes() == Image.open(held).tobytes()
    assert redrawn(made, kind="image/jpeg") == made


def test_metadata_that_cannot_be_read_are_dropped():
    image = Image.new("RGB", (8, 8))
    for bad in (b"Exif\0\0", b"Exif\0\0MM\0*\xff\xff\xff\xff", b"Exif\0\0II*\0\x08\0\0\0\xff\xff"):
        held = io.BytesIO()
        image.save(held, "JPEG", exif=bad)
        assert b"Exif" not in redrawn(held.getvalue(), kind="image/jpeg")
