"""Flow charts and coloured shapes: what is joined to what, what stands beside what."""

from __future__ import annotations

from itertools import pairwise

from befit.probes.pack import Draw
from befit.probes.vision_canvas import HEIGHT, WIDTH, Canvas, Picture

_STEPS = (
    "Order", "Check", "Pack", "Ship", "Pay", "Return", "Repair", "Sell", "Store", "Count",
    "Paint", "Test", "Label", "Weigh",
)  # fmt: skip
_COLOURS = ("red", "blue", "green", "orange", "purple", "black", "brown")
_SHAPES = ("circle", "square", "triangle")
_COLUMNS = 3


def flow(draw: Draw) -> Picture:
    """Return a flow chart with one branch and ask for its nodes and edges."""
    rng = draw.rng
    names = rng.sample(_STEPS, draw.whole("items"))
    sheet = Canvas(draw)
    rows = -(-len(names) // _COLUMNS)
    wide, high = WIDTH / _COLUMNS, HEIGHT / rows
    centre: dict[str, tuple[float, float]] = {}
    for place, name in enumerate(names):
        row, column = divmod(place, _COLUMNS)
        column = column if row % 2 == 0 else _COLUMNS - 1 - column  # as an ox ploughs
        centre[name] = (wide * (column + 0.5), high * (row + 0.5))
    half = (max(sheet.long(name) for name in names) / 2 + 14, sheet.size * 0.9)
    edges = list(pairwise(names))
    # Any chain may be told in either direction; drawn, so that reading order does not tell.
    edges = [edge if rng.random() < 0.7 else edge[::-1] for edge in edges]  # noqa: PLR2004
    for name, (x, y) in centre.items():
        sheet.box((x - half[0], y - half[1], x + half[0], y + half[1]))
        sheet.text(x, y, name, anchor="mm")
    for start, end in edges:
        sheet.arrow(*_between(centre[start], centre[end], half))
    first, last = edges[rng.randrange(len(edges))]
    return Picture(
        png=sheet.png(),
        content="structure",
        question='Give the flow chart as JSON: {"nodes": [...], "edges": [["from", "to"], ...]}.',
        answer={"nodes": list(names), "edges": [list(edge) for edge in edges]},
        caption=f"A flow chart in which an arrow leads from {first} to {last}.",
        wrong_caption=f"A flow chart in which an arrow leads from {last} to {first}.",
    )


def _between(
    start: tuple[float, float], end: tuple[float, float], half: tuple[float, float]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return where an arrow leaves one box and meets the other; boxes are beside or below."""
    if abs(start[1] - end[1]) < 1:
        step = half[0] if end[0] > start[0] else -half[0]
        return (start[0] + step, start[1]), (end[0] - step, end[1])
    step = half[1] if end[1] > start[1] else -half[1]
    return (start[0], start[1] + step), (end[0], end[1] - step)


def shapes(draw: Draw) -> Picture:
    """Return coloured shapes in a grid and ask what stands beside one of them."""
    rng = draw.rng
    count = draw.whole("items")
    pairs = rng.sample([(colour, kind) for colour in _COLOURS for kind in _SHAPES], count)
    rows = -(-count // _COLUMNS)
    sheet = Canvas(draw)
    wide, high = WIDTH / _COLUMNS, HEIGHT / rows
    for place, (colour, kind) in enumerate(pairs):
        row, column = divmod(place, _COLUMNS)
        radius = min(wide, high) * 0.28
        sheet.shape(kind, wide * (column + 0.5), high * (row + 0.5), radius, colour)
    beside = [place for place in range(count) if place % _COLUMNS]
    place = rng.choice(beside)
    name, left = " ".join(pairs[place]), " ".join(pairs[place - 1])
    other = " ".join(rng.choice([pair for at, pair in enumerate(pairs) if at != place - 1]))
    return Picture(
        png=sheet.png(),
        content="structure",
        question=f"Which shape is directly to the left of the {name}? Give its colour and kind.",
        answer=left,
        caption=_stands(left, name),
        wrong_caption=_stands(name, left) if other == name else _stands(other, name),
    )


def _stands(one: str, other: str) -> str:
    return f"{_an(one).capitalize()} stands directly to the left of {_an(other)}."


def _an(name: str) -> str:
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
