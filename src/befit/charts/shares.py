"""Stacked share bar: parts of a whole, one bar a candidate."""

from __future__ import annotations

from dataclasses import dataclass

from befit.charts.figure import Table
from befit.charts.numbers import count_text, estimate_text
from befit.charts.rows import Row, Rows
from befit.charts.svg import Layout, tag, tip, words
from befit.charts.text import width
from befit.core.estimate import Estimate
from befit.core.written import in_percent

THICK = 16.0
INSIDE = 8.0
"""Room a text needs beside itself inside its part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One candidate's shares, in the order of the chart's parts."""

    name: str
    index: int
    shares: tuple[Estimate, ...]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareBars:
    """The chart; `parts` are named from good to bad and drawn in that order."""

    title: str
    finding: str
    parts: tuple[str, ...]
    bars: tuple[Bar, ...]

    def svg(self, layout: Layout) -> str:
        """Return the picture in one layout."""
        rows = Rows(
            layout=layout,
            rows=[
                Row(name=bar.name, numbers=self._numbers(bar), index=bar.index) for bar in self.bars
            ],
            domain=(0.0, 1.0),
            top=4.0 + self._key_height(layout),
        )
        rows.parts.append(self._key(layout))
        rows.axis({v: f"{100 * v:.0f} %" for v in (0.0, 0.25, 0.5, 0.75, 1.0)})
        rows.labels()
        for i, bar in enumerate(self.bars):
            self._bar(rows, i, bar)
        return rows.done(title=self.title, finding=self.finding, kind="shares")

    def _numbers(self, bar: Bar) -> str:
        if all(share.value is None for share in bar.shares):
            return "not measured"
        return bar.note

    def _places(self, layout: Layout) -> list[tuple[float, float]]:
        """Return where the key's entries stand, broken into lines."""
        x, y, found = 0.0, 14.0, []
        for name in self.parts:
            need = 20 + width(name, layout.font) + 16
            if x and x + need > layout.width:
                x, y = 0.0, y + 20.0
            found.append((x, y))
            x += need
        return found

    def _key_height(self, layout: Layout) -> float:
        return max((y for _, y in self._places(layout)), default=0.0) + 8

    def _key(self, layout: Layout) -> str:
        parts = []
        for i, ((x, y), name) in enumerate(zip(self._places(layout), self.parts, strict=True)):
            parts.append(tag("rect", class_=f"part p{i + 1}", x=x, y=y - 11, width=13, height=13))
            parts.append(words(x + 20, y, name, class_="tick"))
        return "".join(parts)

    def _bar(self, rows: Rows, i: int, bar: Bar) -> None:
        y, at, scale = rows.y(i), 0.0, rows.scale
        font = rows.layout.font
        for part, share in enumerate(bar.shares):
            if not share.value:
                continue
            left, right = scale(at), scale(at + share.value)
            at += share.value
            said = f"{bar.name}, {self.parts[part]}: {estimate_text(share, 'percent')}"
            rows.parts.append(
                tag(
                    "rect",
                    tip(said),
                    class_=f"part p{part + 1}",
                    x=left,
                    y=y - THICK / 2,
                    width=max(right - left - 1.5, 0.5),
                    height=THICK,
                )
            )
            text = in_percent(share.value)
            if right - left > width(text, font) + INSIDE:
                middle, base = (left + right) / 2, y + font * 0.36
                rows.parts.append(
                    words(middle, base, text, class_=f"on p{part + 1}", anchor="middle")
                )

    def table(self) -> Table:
        """Return the numbers that are drawn."""
        return Table(
            head=("Candidate", *self.parts, "n", "Note"),
            rows=tuple(
                (
                    bar.name,
                    *(estimate_text(share, "percent") for share in bar.shares),
                    count_text(bar.shares[0]),
                    bar.note,
                )
                for bar in self.bars
            ),
        )
