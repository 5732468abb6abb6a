"""Places for labels near points, so that none runs over a mark, an interval or another label.

What finds no free place beside its point goes to a column at the right edge
with a thin line to its point; in the column all labels have a line of their own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from befit.charts.text import width

PLACES = 12
STEP = 6.0
"""Distance between the points at which a line is kept free."""
RADIUS = 8.0
"""Half the side of the box that a mark takes up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle in the units of the picture."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Tell whether two boxes share any area."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def within(self, other: Box) -> bool:
        """Tell whether this box lies inside the other."""
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.top >= other.top
            and self.bottom <= other.bottom
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A point to be labelled, with the ends of its vertical interval."""

    x: float
    y: float
    top: float
    bottom: float
    text: str

    def boxes(self) -> tuple[Box, Box]:
        """Return what the mark and the interval take up."""
        return (
            Box(
                left=self.x - RADIUS,
                top=self.y - RADIUS,
                right=self.x + RADIUS,
                bottom=self.y + RADIUS,
            ),
            Box(left=self.x - 3, top=self.top, right=self.x + 3, bottom=self.bottom),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """Where a label stands: left edge and baseline; `led` if a line has to lead to its point."""

    x: float
    y: float
    led: bool


def _at(point: Point, place: int, *, font: float) -> Box:
    """Return the box of the label in one of twelve places around its point."""
    wide, high, gap = width(point.text, font), font * 1.15, RADIUS + 3
    right, left = point.x + gap, point.x - gap - wide
    above, below = point.y - gap - high, point.y + gap
    x, y = (
        (right, point.y - high / 2),
        (left, point.y - high / 2),
        (right, above + 6),
        (right, below - 6),
        (left, above + 6),
        (left, below - 6),
        (point.x - wide / 2, point.top - high - 3),
        (point.x - wide / 2, point.bottom + 3),
        (point.x - 6, point.top - high - 3),
        (point.x - 6, point.bottom + 3),
        (point.x + 6 - wide, point.top - high - 3),
        (point.x + 6 - wide, point.bottom + 3),
    )[place]
    return Box(left=x, top=y, right=x + wide, bottom=y + high)


def _steps(path: Sequence[tuple[float, float]]) -> Iterator[Box]:
    """Yield small boxes along a line: what labels have to keep off."""
    for (x1, y1), (x2, y2) in pairwise(path):
        count = max(1, round(math.hypot(x2 - x1, y2 - y1) / STEP))
        for i in range(count + 1):
            x, y = x1 + (x2 - x1) * i / count, y1 + (y2 - y1) * i / count
            yield Box(left=x - 1, top=y - 1, right=x + 1, bottom=y + 1)


def place(
    points: Sequence[Point],
    path: Sequence[tuple[float, float]] = (),
    *,
    area: Box,
    column: float,
    font: float,
) -> tuple[Label, ...]:
    """Return a place for each label, in the order of the points.

    Args:
        points: all points of the picture.
        path: corners of a line that no label may cross.
        area: where direct labels may stand.
        column: left edge of the column for the others.
        font: font size.
    """
    taken = [box for point in points for box in point.boxes()]
    taken += _steps(path)
    found: list[Label | None] = []
    for point in points:
        free = None
        for where in range(PLACES):
            box = _at(point, where, font=font)
            if box.within(area) and not any(box.meets(other) for other in taken):
                free = box
                break
        if free is None:
            found.append(None)
            continue
        taken.append(free)
        found.append(Label(x=free.left, y=free.bottom - font * 0.3, led=False))
    led = _column(points, found, area=area, column=column, font=font)
    return tuple(label or led[i] for i, label in enumerate(found))


def _column(
    points: Sequence[Point],
    found: Sequence[Label | None],
    *,
    area: Box,
    column: float,
    font: float,
) -> dict[int, Label]:
    """Spread the labels without a place over the column, in the order of their points."""
    left = sorted((i for i, label in enumerate(found) if label is None), key=lambda i: points[i].y)
    pitch, at = font * 1.3, area.top
    places: dict[int, float] = {}
    for i in left:
        at = max(at, points[i].y - font / 2)
        places[i] = at
        at += pitch
    over = at - area.bottom
    ceiling = area.bottom
    for i in reversed(left):
        if over <= 0:
            break
        places[i] = max(min(places[i], ceiling - pitch), area.top)
        ceiling = places[i]
    return {i: Label(x=column, y=places[i] + font, led=True) for i in left}
