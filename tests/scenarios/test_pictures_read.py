"""The vision pack: looked at by pixels, by an optical reader, by readers of known ability."""

from __future__ import annotations

import base64
import io
import re
import shutil
from itertools import pairwise

import pytest

from befit.stats.intervals import wilson
from probe_readers import chance, passed, samples_of

pytest.importorskip("PIL", reason="the extra 'vision' is not installed")
from PIL import Image

needs_reader = pytest.mark.skipif(
    shutil.which("tesseract") is None, reason="tesseract is not installed"
)


def image(sample):
    png = base64.b64decode(sample.attachments[0].url.partition(",")[2])
    return Image.open(io.BytesIO(png)).convert("RGB")


def test_no_picture_comes_twice_and_every_sample_bears_both_tags():
    samples = [s for seed in range(3) for s in samples_of("vision", n=16, seed=seed)]
    pictures = {s.attachments[0].url for s in samples}
    assert len(pictures) == len(samples) / 2 == 48
    for one in samples:
        assert len({"text", "structure", "cross-region"} & set(one.tags)) == 1
        assert len({"retrieval", "reasoning"} & set(one.tags)) == 1


def test_the_height_of_a_bar_is_its_value():
    for one in samples_of("vision", kind="bars", n=12, items=5):
        if "retrieval" in one.tags:
            continue
        sheet = image(one)
        # Bars are solid black; the axis runs from y = 500 up to y = 60 at its top.
        columns = [x for x in range(112, 880) if sheet.getpixel((x, 496)) == (0, 0, 0)]
        starts = [x for x in columns if x - 1 not in columns]
        heights = []
        for start in starts:
            middle = start + 20
            top = next(y for y in range(62, 500) if _solid(sheet, middle, y))
            heights.append((500 - top) / 440)
        value = one.target["number"]
        assert len(heights) == 5
        assert any(abs(height * top - value) <= 0.01 * top for height in heights for top in TOPS), (
            value,
            heights,
        )


TOPS = (50, 100, 200, 500, 1000)


def _solid(sheet, x, y):
    return all(sheet.getpixel((x, y + down)) == (0, 0, 0) for down in range(4))


def test_shapes_stand_where_the_answer_says():
    named = {
        (255, 0, 0): "red", (0, 0, 255): "blue", (0, 128, 0): "green", (255, 165, 0): "orange",
        (128, 0, 128): "purple", (0, 0, 0): "black", (165, 42, 42): "brown",
    }  # fmt: skip
    for one in samples_of("vision", kind="shapes", n=12, items=6):
        if "retrieval" in one.tags:
            continue
        sheet = image(one)
        grid = {}
        for row in range(2):
            for column in range(3):
                x, y = 300 * column + 150, 300 * row + 150
                colour = sheet.getpixel((x, y))
                corner = sheet.getpixel((x - 70, y - 70))
                below = sheet.getpixel((x - 60, y + 78))
                kind = "square" if corner == colour else "triangle" if below == colour else "circle"
                grid[f"{named[colour]} {kind}"] = (row, column)
        asked = one.input.partition("left of the ")[2].partition("?")[0]
        row, column = grid[asked]
        assert grid[one.target] == (row, column - 1)


def test_buttons_are_where_the_box_says():
    for one in samples_of("vision", kind="screen", n=6):
        if "retrieval" in one.tags:
            continue
        sheet = image(one)
        x1, y1, x2, y2 = (
            round(value * size)
            for value, size in zip(one.target["inside"], (900, 600, 900, 600), strict=True)
        )
        assert {sheet.getpixel((x, y1)) for x in range(x1, x2)} == {(0, 0, 0)}
        assert {sheet.getpixel((x1, y)) for y in range(y1, y2)} == {(0, 0, 0)}


@pytest.mark.parametrize("kind", ["label", "table", "bars", "line", "form", "screen", "flow"])
@pytest.mark.parametrize(("size", "items"), [(48, 12), (36, 9), (6, 3)])
def test_no_ink_reaches_the_edge_of_a_picture_at_any_size(kind, size, items):
    for one in samples_of("vision", kind=kind, n=2, size=size, items=items):
        sheet = image(one)
        wide, high = sheet.size
        frame = {sheet.getpixel((x, y)) for x in range(wide) for y in (0, 2, high - 3, high - 1)}
        frame |= {sheet.getpixel((x, y)) for y in range(high) for x in (0, 2, wide - 3, wide - 1)}
        assert frame == {(255, 255, 255)}


def test_rows_of_large_text_keep_their_distance():
    (one, _) = samples_of("vision", kind="table", n=1, size=48, items=12)
    sheet = image(one)
    # The lines of the table cross x = 35..39 (left of the text) at each row's edge.
    lines = [y for y in range(sheet.size[1]) if sheet.getpixel((46, y)) == (0, 0, 0)]
    starts = [y for y in lines if y - 1 not in lines]
    assert len(starts) == 14
    assert min(b - a for a, b in pairwise(starts)) >= 48


def test_a_wrong_caption_has_the_form_of_a_right_one():
    captions = {"yes": set(), "no": set()}
    for one in samples_of("vision", n=40, kind="label|shapes", seed=3):
        if "retrieval" in one.tags:
            said = one.input.partition('"')[2].partition('"')[0]
            assert not re.search(r"\b[Aa] [aeiou]", said), said
            form = re.sub(r"[A-H]\d{3}\b", "BATCH", said)
            captions[one.target].add(
                re.sub(r"\b[Aan]+ \w+ (circle|square|triangle)", "SHAPE", form)
            )
    assert captions["yes"] == captions["no"]


@pytest.mark.parametrize("ability", [0.3, 0.6, 0.85, 1.0])
def test_the_score_finds_the_ability_of_one_who_knows_the_answers(tmp_path, ability):
    import json  # noqa: PLC0415 - used here alone

    samples = samples_of("vision", n=16)
    known = {one.id: one.target for one in samples}

    def answer(request):
        target = known[request.metadata["sample"]]
        if chance(f"{ability} {request.metadata['sample']}") >= ability:
            return "A picture of something."
        if isinstance(target, str):
            return target
        if "regions" in target:
            return " ".join(target["regions"])
        if "inside" in target:
            x1, y1, x2, y2 = target["inside"]
            return json.dumps([(x1 + x2) / 2, (y1 + y2) / 2])
        return str(target["number"]) if "number" in target else json.dumps(target)

    found = passed(tmp_path, samples, answer)
    right = sum(value == 1.0 for value in found.values())
    interval = wilson(right, n=len(found), level=0.999)
    assert interval.low <= ability <= interval.high


def test_more_rows_are_harder_for_one_who_errs_at_each_of_them(tmp_path):
    import json  # noqa: PLC0415 - used here alone

    rates = []
    for items in (3, 6, 12):
        folder = tmp_path / str(items)
        folder.mkdir()
        known = {
            one.id: one.target
            for one in samples_of("vision", kind="table", n=20, items=items)
            if "reasoning" in one.tags
        }

        def answer(request, known=known):
            item = request.metadata["sample"]
            right = chance(item) < 0.9 ** len(known[item]["rows"])
            return json.dumps(known[item]) if right else "a table"

        asked = [s for s in samples_of("vision", kind="table", n=20, items=items) if s.id in known]
        found = passed(folder, asked, answer)
        rates.append(sum(value == 1.0 for value in found.values()) / len(found))
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > rates[-1]


@needs_reader
@pytest.mark.slow
def test_an_optical_reader_reads_text_and_fails_at_structure(tmp_path):
    from ocr_reader import answer  # noqa: PLC0415 - starts a program

    samples = samples_of("vision", n=16, kind="label|flow|bars|shapes")
    found = passed(tmp_path, samples, answer)

    def rate(*tags):
        own = [found[s.id] == 1.0 for s in samples if set(tags) <= set(s.tags)]
        return sum(own) / len(own)

    assert rate("text", "reasoning") == 1.0
    assert rate("structure", "reasoning") == 0.0
    assert rate("structure", "retrieval") > 0.3  # what a caption test would have shown


@needs_reader
@pytest.mark.slow
def test_smaller_text_is_read_less(tmp_path):
    from ocr_reader import answer  # noqa: PLC0415 - starts a program

    rates = []
    for size in (22, 9, 6):
        folder = tmp_path / str(size)
        folder.mkdir()
        samples = samples_of("vision", n=8, kind="label", size=size)
        asked = [one for one in samples if "reasoning" in one.tags]
        rates.append(sum(r == 1.0 for r in passed(folder, asked, answer).values()))
    assert rates == sorted(rates, reverse=True)
    assert (rates[0], rates[-1]) == (8, 0)
