"""Charts whose values have to be read off an axis: bars and a line, no value written."""

from __future__ import annotations

from collections.abc import Sequence

from befit.probes.pack import Draw
from befit.probes.vision_canvas import HEIGHT, WIDTH, Canvas, Picture, text_width
from befit.probes.wording import CITIES

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LEFT, _RIGHT, _TOP, _BOTTOM = 110, 880, 60, 500
_STAGGERED = 2
"""Rows in which the names of bars stand, so that long ones do not run into each other."""
_TOLERANCE = 0.06
"""A share of the value; a tenth of the axis is hardly read closer."""


def bars(draw: Draw) -> Picture:
    """Return a bar chart and ask for the height of one bar."""
    names = draw.rng.sample(CITIES, min(draw.whole("items"), 9))
    values, top = _values(draw, len(names))
    sheet, left, step = _sheet(draw, names, top, title="Rain in mm", rows=_STAGGERED)
    for place, (name, value) in enumerate(zip(names, values, strict=True)):
        x = left + step * (place + 0.5)
        sheet.box((x - step * 0.3, _height(value, top), x + step * 0.3, _BOTTOM), fill=sheet.ink)
        down = (place % _STAGGERED) * (sheet.size + 6)
        sheet.text(x, _BOTTOM + 12 + down, name, anchor="mt")
    return _asked(draw, sheet, names, values, what="rain", of="in")


def line(draw: Draw) -> Picture:
    """Return a line chart and ask for one of its points."""
    names = _MONTHS[: draw.whole("items")]
    values, top = _values(draw, len(names))
    sheet, left, step = _sheet(draw, names, top, title="Visitors", rows=1)
    points = [
        (left + step * (place + 0.5), _height(value, top)) for place, value in enumerate(values)
    ]
    sheet.line(*points, width=3)
    for (x, y), name in zip(points, names, strict=True):
        sheet.box((x - 4, y - 4, x + 4, y + 4), fill=sheet.ink)
        sheet.text(x, _BOTTOM + 12, name, anchor="mt")
    return _asked(draw, sheet, names, values, what="visitors", of="in")


def _values(draw: Draw, count: int) -> tuple[list[int], int]:
    """Return different values and the top of the axis."""
    top = draw.rng.choice((50, 100, 200, 500, 1000))
    unit = top // 50
    return [place * unit for place in draw.rng.sample(range(8, 49), count)], top


def _height(value: float, top: int) -> float:
    return _BOTTOM - (_BOTTOM - _TOP) * value / top


def _sheet(
    draw: Draw, names: Sequence[str], top: int, *, title: str, rows: int
) -> tuple[Canvas, float, float]:
    """Return a sheet with its axis, where the axis stands, and the room of each name.

    It is larger where large text would not fit: names never run into each other or off it.
    """
    longest = max(text_width(draw, name) for name in names)
    left = max(_LEFT, round(text_width(draw, str(top))) + 24)
    step = max((_RIGHT - _LEFT) / len(names), (longest + 12) / rows)
    right = left + step * len(names)
    over = max(0.0, (longest - step) / 2)
    below = _BOTTOM + 24 + rows * (draw.whole("size") + 6)
    sheet = Canvas(
        draw, width=max(WIDTH, round(right + max(20.0, over + 8))), height=max(HEIGHT, below)
    )
    sheet.text(left, 8, title)
    sheet.line((left, _TOP), (left, _BOTTOM), (right, _BOTTOM))
    for tenth in range(11):
        y = _height(top * tenth / 10, top)
        sheet.line((left - 8, y), (left, y))
        sheet.line((left, y), (right, y), width=1)
        sheet.text(left - 14, y, str(top * tenth // 10), anchor="rm")
    return sheet, left, step


def _asked(
    draw: Draw, sheet: Canvas, names: Sequence[str], values: Sequence[int], *, what: str, of: str
) -> Picture:
    place = draw.rng.randrange(len(names))
    most = names[max(range(len(names)), key=lambda at: values[at])]
    least = names[min(range(len(names)), key=lambda at: values[at])]
    return Picture(
        png=sheet.png(),
        content="structure",
        question=f"Read off the chart: how much is it {of} {names[place]}? Give the number alone.",
        answer={"number": values[place], "tolerance": _TOLERANCE},
        caption=f"A chart of {what} with the highest value {of} {most}.",
        wrong_caption=f"A chart of {what} with the highest value {of} {least}.",
    )
