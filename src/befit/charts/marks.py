"""Who is who in a chart: shape and fixed order first, colour third.

Six candidates are coloured; further ones are grey and known by their label.
"""

from __future__ import annotations

import math

from befit.charts.svg import num, tag, tip

COLOURED = 6
SHAPES = ("circle", "square", "triangle", "diamond", "cross", "ring")


def colour_class(index: int) -> str:
    """Return the CSS class of the candidate at `index` (0-based) in the fixed order."""
    return f"c{index + 1}" if index < COLOURED else "c0"


def shape(index: int) -> str:
    """Return the name of the shape of the candidate at `index`."""
    return SHAPES[index % len(SHAPES)]


def _polygon(points: list[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{num(x)} {num(y)}" for x, y in points) + "Z"


def mark(
    index: int, x: float, y: float, *, size: float = 5.5, title: str = "", hollow: bool = False
) -> str:
    """Return the mark of the candidate at `index`, centred on (x, y).

    Args:
        index: its place in the fixed order of candidates.
        x: centre.
        y: centre.
        size: half its width.
        title: what the mark says, in words.
        hollow: outline only (a dominated candidate).
    """
    face = "m hollow" if hollow else "m"
    name, inside = shape(index), tip(title) if title else ""
    face = f"{face} {colour_class(index)}"
    if name == "circle":
        return tag("circle", inside, class_=face, cx=x, cy=y, r=size)
    if name == "square":
        side = size * 0.9
        return tag(
            "rect", inside, class_=face, x=x - side, y=y - side, width=2 * side, height=2 * side
        )
    if name == "ring":
        return tag("circle", inside, class_=f"{face} ring", cx=x, cy=y, r=size * 0.82)
    if name == "triangle":
        half = size * 1.15 * math.sin(math.pi / 3)
        points = [(x, y - size * 1.15), (x + half, y + size * 0.7), (x - half, y + size * 0.7)]
        return tag("path", inside, class_=face, d=_polygon(points))
    if name == "diamond":
        far = size * 1.25
        points = [(x, y - far), (x + far, y), (x, y + far), (x - far, y)]
        return tag("path", inside, class_=face, d=_polygon(points))
    arm = size * 0.95
    path = (
        f"M{num(x - arm)} {num(y - arm)}L{num(x + arm)} {num(y + arm)}"
        f"M{num(x - arm)} {num(y + arm)}L{num(x + arm)} {num(y - arm)}"
    )
    return tag("path", inside, class_=f"{face} cross", d=path)


def key(index: int) -> str:
    """Return the mark as a small picture of its own, to stand beside a name in text."""
    return tag(
        "svg",
        mark(index, 8, 8, size=5),
        class_="key",
        viewBox="0 0 16 16",
        aria_hidden="true",
        focusable="false",
    )
