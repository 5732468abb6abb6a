"""Who is first under which weights: one bar a benchmark, from no weight to all of it.

The other benchmarks keep their proportions; a tick marks the stated weight.
"""

from __future__ import annotations

from dataclasses import dataclass

from befit.charts.figure import Table
from befit.charts.marks import colour_class, mark
from befit.charts.rows import Row, Rows
from befit.charts.svg import Layout, line, tag, tip, words
from befit.charts.text import fit, width
from befit.core.written import in_percent

THICK = 15.0
INSIDE = 8.0
GAP = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A part of a bar: between two weights this candidate is first."""

    low: float
    high: float
    name: str
    index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightBar:
    """One benchmark's weight from 0 to 1, and the weight that was stated."""

    name: str
    stated: float
    stretches: tuple[Stretch, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightBars:
    """The chart."""

    title: str
    finding: str
    bars: tuple[WeightBar, ...]

    def _winners(self) -> list[tuple[str, int]]:
        found = {s.name: s.index for bar in self.bars for s in bar.stretches}
        return sorted(found.items(), key=lambda pair: pair[1])

    def svg(self, layout: Layout) -> str:
        """Return the picture in one layout."""
        places = self._places(layout)
        rows = Rows(
            layout=layout,
            rows=[Row(name=bar.name, numbers=_percent(bar.stated)) for bar in self.bars],
            domain=(0.0, 1.0),
            top=12.0 + max((y for _, y in places), default=0.0),
        )
        for (x, y), (name, index) in zip(places, self._winners(), strict=True):
            rows.parts.append(mark(index, x + 7, y - 4, size=5))
            rows.parts.append(words(x + 18, y, fit(name, room=layout.width - 20, size=layout.font),
                                    class_="tick", whole=name))  # fmt: skip
        rows.axis({v: _percent(v) for v in (0.0, 0.25, 0.5, 0.75, 1.0)})
        rows.labels()
        for i, bar in enumerate(self.bars):
            self._bar(rows, i, bar)
        return rows.done(title=self.title, finding=self.finding, kind="weights")

    def _places(self, layout: Layout) -> list[tuple[float, float]]:
        """Return where the names of the key stand, broken into lines."""
        x, y, found = 0.0, 14.0, []
        for name, _ in self._winners():
            need = 18 + width(name, layout.font) + 16
            if x and x + need > layout.width:
                x, y = 0.0, y + 20.0
            found.append((x, y))
            x += need
        return found

    def _bar(self, rows: Rows, i: int, bar: WeightBar) -> None:
        y, scale, font = rows.y(i), rows.scale, rows.layout.font
        for part in bar.stretches:
            left, right = scale(part.low), scale(part.high)
            said = f"{part.name} is first while {bar.name} has {_percent(part.low)} to {_percent(part.high)} of the weight"  # noqa: E501 - one sentence
            rows.parts.append(
                tag(
                    "rect",
                    tip(said),
                    class_=f"wseg {colour_class(part.index)}",
                    x=left,
                    y=y - THICK / 2,
                    width=max(right - left - GAP, 0.8),
                    height=THICK,
                )
            )
            if right - left > width(part.name, font) + 18 + INSIDE:
                rows.parts.append(mark(part.index, left + 9, y, size=4.5))
                rows.parts.append(words(left + 18, y + font * 0.36, part.name, class_="wname"))
            elif right - left > 2 * INSIDE:
                rows.parts.append(mark(part.index, (left + right - GAP) / 2, y, size=4.5))
        at = scale(bar.stated)
        for edge, away in ((y - THICK / 2, -1), (y + THICK / 2, 1)):
            # outside the bar, so that no name is struck through
            rows.parts.append(line(at, edge, at, edge + away * 4.5, class_="wnow"))

    def table(self) -> Table:
        """Return the numbers that are drawn."""
        return Table(
            head=("Benchmark", "Weight stated", "First while its weight is"),
            rows=tuple(
                (
                    bar.name,
                    _percent(bar.stated),
                    "; ".join(
                        f"{_percent(s.low)} to {_percent(s.high)}: {s.name}" for s in bar.stretches
                    ),
                )
                for bar in self.bars
            ),
        )


def _percent(value: float) -> str:
    return f"{in_percent(value)} %"
