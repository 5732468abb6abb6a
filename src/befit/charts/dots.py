"""Interval dot plot: one row a candidate, its value and its interval."""

from __future__ import annotations

from dataclasses import dataclass

from befit.charts.figure import Table
from befit.charts.marks import colour_class, mark
from befit.charts.numbers import (
    Unit,
    count_text,
    estimate_text,
    interval_text,
    tick,
    value_text,
)
from befit.charts.rows import Row, Rows
from befit.charts.scale import rate_domain, span_domain
from befit.charts.svg import Layout, line
from befit.core.estimate import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """One candidate's estimate; `index` is its place in the fixed order, `note` its letters."""

    name: str
    index: int
    estimate: Estimate
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalDots:
    """The chart; `gate` is drawn as a dashed line."""

    title: str
    finding: str
    dots: tuple[Dot, ...]
    unit: Unit = "percent"
    gate: float | None = None
    row_title: str = "Candidate"
    """What a row is, for the table."""
    floor: float | None = None
    """A value that the axis reaches down to, where several pictures share it."""

    def domain(self) -> tuple[float, float]:
        """Return the domain of the axis: for rates up to 100 %, else what the data span."""
        values = [v for dot in self.dots for v in (dot.estimate.low, dot.estimate.value)]
        if self.unit == "percent":
            return rate_domain([*values, self.gate, self.floor])
        highs = [dot.estimate.high for dot in self.dots]
        return span_domain([*values, *highs, self.gate], zero=True)

    def svg(self, layout: Layout) -> str:
        """Return the picture in one layout."""
        rows = Rows(
            layout=layout,
            rows=[
                Row(
                    name=dot.name,
                    numbers=f"{estimate_text(dot.estimate, self.unit)}  {dot.note}".strip(),
                    index=dot.index,
                )
                for dot in self.dots
            ],
            domain=self.domain(),
            top=4.0 if self.gate is None else 24.0,
        )
        ticks = rows.scale.ticks(5)
        rows.axis({v: tick(v, self.unit) for v in ticks})
        if self.gate is not None:
            text = tick(self.gate, self.unit)
            rows.reference(self.gate, f"gate {text}")
        rows.labels()
        for i, dot in enumerate(self.dots):
            self._dot(rows, i, dot)
        return rows.done(title=self.title, finding=self.finding, kind="dots")

    def _dot(self, rows: Rows, i: int, dot: Dot) -> None:
        estimate, y, scale = dot.estimate, rows.y(i), rows.scale
        if estimate.value is None:
            return
        low = scale.low if estimate.low is None else estimate.low
        high = scale.high if estimate.high is None else estimate.high
        face = f"ci {colour_class(dot.index)}"
        rows.parts.append(line(scale(low), y, scale(high), y, class_=face))
        said = f"{dot.name}: {estimate_text(estimate, self.unit)}, {count_text(estimate)}"
        rows.parts.append(mark(dot.index, scale(estimate.value), y, title=said))

    def table(self) -> Table:
        """Return the numbers that are drawn."""
        return Table(
            head=(self.row_title, "Value", "95 % interval", "n", "Group", "Method"),
            rows=tuple(
                (
                    dot.name,
                    value_text(dot.estimate, self.unit),
                    interval_text(dot.estimate, self.unit),
                    count_text(dot.estimate),
                    dot.note,
                    dot.estimate.method,
                )
                for dot in self.dots
            ),
        )
