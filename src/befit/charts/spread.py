"""Spread strip: one row a candidate, a tick for each wording and a bar from the worst to the best.

How far a result moves with something that should not matter is the length of the
bar; the mark is the prompt as it is. Intervals are in the table, for each tick one.
"""

from __future__ import annotations

from dataclasses import dataclass

from befit.charts.figure import Table
from befit.charts.marks import colour_class, mark
from befit.charts.numbers import bare, count_text, estimate_text, interval_text, tick, value_text
from befit.charts.rows import Row, Rows
from befit.charts.scale import rate_domain
from befit.charts.svg import Layout, line, tag, tip
from befit.core.estimate import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """One candidate: its result as it is and under the other wordings."""

    name: str
    index: int
    results: tuple[tuple[str, Estimate], ...]
    """What a wording is called, and the result under it; the prompt as it is comes first."""
    flag: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spreads:
    """The chart."""

    title: str
    finding: str
    spreads: tuple[Spread, ...]

    def svg(self, layout: Layout) -> str:
        """Return the picture in one layout."""
        rows = Rows(
            layout=layout,
            rows=[
                Row(name=one.name, numbers=_numbers(one), index=one.index) for one in self.spreads
            ],
            domain=rate_domain([e.value for one in self.spreads for _, e in one.results]),
        )
        rows.axis({v: tick(v, "percent") for v in rows.scale.ticks(5)})
        rows.labels()
        for i, one in enumerate(self.spreads):
            self._row(rows, i, one)
        return rows.done(title=self.title, finding=self.finding, kind="spread")

    def _row(self, rows: Rows, i: int, one: Spread) -> None:
        y, scale, face = rows.y(i), rows.scale, colour_class(one.index)
        known = _known(one)
        if not known:
            return
        ends = scale(min(known)), scale(max(known))
        rows.parts.append(line(ends[0], y, ends[1], y, class_=f"span {face}"))
        for place, (name, estimate) in reversed(list(enumerate(one.results))):
            if estimate.value is None:
                continue
            said = (
                f"{one.name}, {name}: {estimate_text(estimate, 'percent')}, {count_text(estimate)}"
            )
            x = scale(estimate.value)
            if place == 0:
                rows.parts.append(mark(one.index, x, y, title=said))
                continue
            box = {"x": x - 1.5, "y": y - 7, "width": 3.0, "height": 14.0}
            rows.parts.append(tag("rect", tip(said), class_=f"m {face}", **box))

    def table(self) -> Table:
        """Return the numbers that are drawn."""
        return Table(
            head=("Candidate", "Wording", "Value", "95 % interval", "n"),
            rows=tuple(
                (
                    one.name,
                    name,
                    value_text(estimate, "percent"),
                    interval_text(estimate, "percent"),
                    count_text(estimate),
                )
                for one in self.spreads
                for name, estimate in one.results
            ),
        )


def _known(one: Spread) -> list[float]:
    return [estimate.value for _, estimate in one.results if estimate.value is not None]


def _numbers(one: Spread) -> str:
    known = _known(one)
    if not known:
        return "not measured"
    ends = f"{bare(min(known), 'percent')} to {bare(max(known), 'percent')} %"
    return f"{ends}  {one.flag}".strip()
