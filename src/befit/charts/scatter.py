"""Capability against cost: logarithmic x axis, vertical intervals, and the line of the efficient.

A candidate is efficient where none is both cheaper and better by its value;
the others are hollow. Values decide this, so the intervals stay in view.
"""

from __future__ import annotations

from dataclasses import dataclass

from befit.charts.figure import Table
from befit.charts.labels import Box, Label, Point, place
from befit.charts.marks import colour_class, mark
from befit.charts.numbers import Unit, count_text, estimate_text, tick
from befit.charts.scale import Scale, log_domain, rate_domain
from befit.charts.svg import Layout, document, line, num, tag, words
from befit.charts.text import fit, width
from befit.core.estimate import Estimate

PITCH = 18.5
"""Room a label in the column needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """One candidate: what it costs (x) and what it can do (y)."""

    name: str
    index: int
    x: Estimate
    y: Estimate

    @property
    def known(self) -> bool:
        """Whether it has a place on both axes."""
        return self.x.value is not None and self.x.value > 0 and self.y.value is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scatter:
    """The chart; candidates without a place on both axes are named below it and in the table."""

    title: str
    finding: str
    spots: tuple[Spot, ...]
    x_title: str
    y_title: str
    x_unit: Unit = "usd"
    y_unit: Unit = "percent"

    def known(self) -> tuple[Spot, ...]:
        """Return the spots that can be drawn."""
        return tuple(spot for spot in self.spots if spot.known)

    def efficient(self) -> tuple[Spot, ...]:
        """Return the spots that no other beats on both axes, from the cheapest on."""
        found: list[Spot] = []
        for spot in sorted(self.known(), key=lambda s: (s.x.value or 0, -(s.y.value or 0))):
            if not found or (spot.y.value or 0) > (found[-1].y.value or 0):
                found.append(spot)
        return tuple(found)

    def svg(self, layout: Layout) -> str:
        """Return the picture in one layout."""
        return _Drawing(self, layout).svg()

    def table(self) -> Table:
        """Return the numbers that are drawn."""
        efficient = {spot.name for spot in self.efficient()}
        return Table(
            head=("Candidate", self.x_title, self.y_title, "n", "Efficient"),
            rows=tuple(
                (
                    spot.name,
                    estimate_text(spot.x, self.x_unit),
                    estimate_text(spot.y, self.y_unit),
                    count_text(spot.y),
                    "yes" if spot.name in efficient else "no" if spot.known else "cannot tell",
                )
                for spot in self.spots
            ),
        )


class _Drawing:
    """One scatter in one layout."""

    def __init__(self, chart: Scatter, layout: Layout) -> None:
        self._chart, self._layout = chart, layout
        self._spots = chart.known()
        wide = layout.name == "wide"
        self._column_width = 150.0 if wide else 92.0
        height = 300.0 if wide else 260.0
        self._height = max(height, PITCH * len(self._spots) + 70)
        ends = [v for s in self._spots for v in (s.y.low, s.y.value)]
        low, high = rate_domain(ends)
        left = width("100 %", layout.font) + 8
        right = layout.width - self._column_width - 10
        top, bottom = 30.0, self._height - 46
        self._area = Box(left=left, top=top, right=right, bottom=bottom)
        self._y = Scale(low=low, high=high, start=bottom - 6, end=top + 10)
        domain = log_domain([s.x.value for s in self._spots])
        self._x = Scale(low=domain[0], high=domain[1], start=left, end=right, log=True)

    def svg(self) -> str:
        """Return the whole picture."""
        chart = self._chart
        body = self._axes() + self._frontier() + self._marks() + self._labels()
        return document(
            body,
            layout=self._layout,
            height=self._height,
            title=chart.title,
            finding=chart.finding,
            kind="scatter",
        )

    def _axes(self) -> str:
        area, font, chart = self._area, self._layout.font, self._chart
        parts = [words(0, font, chart.y_title, class_="tick")]
        for value in self._y.ticks(5):
            y = self._y(value)
            text = tick(value, chart.y_unit)
            parts.append(line(area.left, y, area.right, y, class_="grid"))
            parts.append(words(area.left - 6, y + font * 0.36, text, class_="tick", anchor="end"))
        free = -1e9
        for value in self._x.ticks(5):
            x, text = self._x(value), tick(value, chart.x_unit)
            half = width(text, font) / 2
            parts.append(line(x, area.top, x, area.bottom, class_="grid"))
            if x - half < max(free, 0):
                continue
            parts.append(words(x, area.bottom + font + 4, text, class_="tick", anchor="middle"))
            free = x + half + 6
        foot = self._height - 6
        parts.append(words(area.right, foot, f"{chart.x_title} →", class_="tick", anchor="end"))
        return "".join(parts)

    def _path(self) -> list[tuple[float, float]]:
        """Return the corners of the line of the efficient."""
        return [(self._x(s.x.value or 1), self._y(s.y.value or 0)) for s in self._chart.efficient()]

    def _frontier(self) -> str:
        points = self._path()
        if len(points) < 2:  # noqa: PLR2004 - one point makes no line
            return ""
        path = "M" + "L".join(f"{num(x)} {num(y)}" for x, y in points)
        return tag("path", class_="frontier", d=path)

    def _marks(self) -> str:
        efficient = {spot.name for spot in self._chart.efficient()}
        parts = []
        for spot in self._spots:
            x, y = self._x(spot.x.value or 1), self._y(spot.y.value or 0)
            low = self._y(self._y.low if spot.y.low is None else spot.y.low)
            high = self._y(self._y.high if spot.y.high is None else spot.y.high)
            parts.append(line(x, low, x, high, class_=f"ci thin {colour_class(spot.index)}"))
            said = (
                f"{spot.name}: {estimate_text(spot.y, self._chart.y_unit)} at "
                f"{estimate_text(spot.x, self._chart.x_unit)}"
            )
            parts.append(mark(spot.index, x, y, title=said, hollow=spot.name not in efficient))
        return "".join(parts)

    def _labels(self) -> str:
        font = self._layout.font
        room = self._column_width - 6
        points = [
            Point(
                x=self._x(spot.x.value or 1),
                y=self._y(spot.y.value or 0),
                top=self._y(self._y.high if spot.y.high is None else spot.y.high),
                bottom=self._y(self._y.low if spot.y.low is None else spot.y.low),
                text=fit(spot.name, room=room, size=font),
            )
            for spot in self._spots
        ]
        column = self._area.right + 14
        labels = place(points, self._path(), area=self._area, column=column, font=font)
        return "".join(
            self._label(point, label, spot=spot)
            for point, label, spot in zip(points, labels, self._spots, strict=True)
        )

    def _label(self, point: Point, label: Label, *, spot: Spot) -> str:
        text = words(label.x, label.y, point.text, class_="name", whole=spot.name)
        if not label.led:
            return text
        y = label.y - self._layout.font * 0.36
        return line(point.x + 7, point.y, label.x - 3, y, class_="leader") + text
