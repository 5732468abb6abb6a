"""Histogram: how often values fall into bins of one width."""

from __future__ import annotations

from dataclasses import dataclass

from befit.charts.figure import Table
from befit.charts.numbers import Unit, tick
from befit.charts.scale import Scale
from befit.charts.svg import Layout, document, line, tag, tip, words
from befit.charts.text import width


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """The chart; `edges` has one value more than `counts`, in rising order."""

    title: str
    finding: str
    edges: tuple[float, ...]
    counts: tuple[int, ...]
    unit: Unit = "number"

    def _text(self, value: float) -> str:
        return tick(value, self.unit)

    def svg(self, layout: Layout) -> str:
        """Return the picture in one layout."""
        font, left, top = layout.font, 48.0, 12.0
        height = 220.0 if layout.name == "wide" else 200.0
        bottom = height - font - 10
        x = Scale(low=self.edges[0], high=self.edges[-1], start=left, end=layout.width - 8)
        y = Scale(low=0, high=max(*self.counts, 1), start=bottom, end=top)
        parts: list[str] = []
        for value in y.ticks(4):
            parts.append(line(left, y(value), layout.width - 8, y(value), class_="grid"))
            parts.append(
                words(left - 6, y(value) + font * 0.36, f"{value:g}", class_="tick", anchor="end")
            )
        free = -1e9
        for value in x.ticks(6):
            half = width(self._text(value), font) / 2
            middle = min(max(x(value), half), layout.width - half)
            if middle - half < free:
                continue
            free = middle + half + 6
            parts.append(
                words(middle, bottom + font + 4, self._text(value), class_="tick", anchor="middle")
            )
        for low, high, count in self._bins():
            said = f"{self._text(low)} to {self._text(high)}: {count}"
            parts.append(
                tag(
                    "rect",
                    tip(said),
                    class_="part p1",
                    x=x(low) + 0.5,
                    y=y(count),
                    width=max(x(high) - x(low) - 1, 0.5),
                    height=bottom - y(count),
                )
            )
        return document(
            "".join(parts),
            layout=layout,
            height=height,
            title=self.title,
            finding=self.finding,
            kind="histogram",
        )

    def _bins(self) -> list[tuple[float, float, int]]:
        return list(zip(self.edges, self.edges[1:], self.counts, strict=False))

    def table(self) -> Table:
        """Return the numbers that are drawn."""
        return Table(
            head=("From", "To", "Count"),
            rows=tuple(
                (self._text(low), self._text(high), f"{count:,}")
                for low, high, count in self._bins()
            ),
        )
