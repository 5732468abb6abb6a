"""Quantile strip: p50, p95 and p99 of a time or a size on one line a candidate."""

from __future__ import annotations

from dataclasses import dataclass

from befit.charts.figure import Table
from befit.charts.marks import colour_class, mark
from befit.charts.numbers import Unit, count_text, estimate_text, tick, value_text
from befit.charts.rows import Row, Rows
from befit.charts.scale import log_domain, span_domain
from befit.charts.svg import Layout, line, tag, tip
from befit.core.estimate import Estimate

LOG_FROM = 20.0
"""A span of values wider than this is drawn on a logarithmic axis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """One candidate's quantiles, in the order of the chart's names; the first bears its mark."""

    name: str
    index: int
    quantiles: tuple[Estimate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Strips:
    """The chart."""

    title: str
    finding: str
    quantiles: tuple[str, ...]
    strips: tuple[Strip, ...]
    unit: Unit = "seconds"

    def svg(self, layout: Layout) -> str:
        """Return the picture in one layout."""
        values = [end for s in self.strips for q in s.quantiles for end in (q.value, q.low, q.high)]
        positive = [value for value in values if value is not None and value > 0]
        log = bool(positive) and max(positive) > LOG_FROM * min(positive)
        rows = Rows(
            layout=layout,
            rows=[
                Row(name=strip.name, numbers=self._numbers(strip), index=strip.index)
                for strip in self.strips
            ],
            domain=log_domain(values) if log else span_domain(values, zero=True),
            log=log,
        )
        rows.axis({v: tick(v, self.unit) for v in rows.scale.ticks(5)})
        rows.labels()
        for i, strip in enumerate(self.strips):
            self._strip(rows, i, strip)
        return rows.done(title=self.title, finding=self.finding, kind="strips")

    def _numbers(self, strip: Strip) -> str:
        known = [
            (name, value_text(q, self.unit))
            for name, q in zip(self.quantiles, strip.quantiles, strict=True)
            if q.value is not None
        ]
        return " · ".join(f"{name} {text}" for name, text in known) or "not measured"

    def _strip(self, rows: Rows, i: int, strip: Strip) -> None:
        y, scale, face = rows.y(i), rows.scale, colour_class(strip.index)
        known = [
            (name, q, q.value)
            for name, q in zip(self.quantiles, strip.quantiles, strict=True)
            if q.value is not None
        ]
        if not known:
            return
        first, last = known[0][2], known[-1][2]
        rows.parts.append(line(scale(first), y, scale(last), y, class_=f"span {face}"))
        for name, q, value in known:
            if q.low is not None and q.high is not None:
                rows.parts.append(line(scale(q.low), y, scale(q.high), y, class_=f"halo {face}"))
            said = f"{strip.name}, {name}: {estimate_text(q, self.unit)}, {count_text(q)}"
            if q is known[0][1]:
                continue
            x = scale(value)
            rows.parts.append(
                tag(
                    "rect",
                    tip(said),
                    class_=f"m {face}",
                    x=x - 1.5,
                    y=y - 7,
                    width=3,
                    height=14,
                )
            )
        name, q, value = known[0]
        said = f"{strip.name}, {name}: {estimate_text(q, self.unit)}, {count_text(q)}"
        rows.parts.append(mark(strip.index, scale(value), y, title=said))

    def table(self) -> Table:
        """Return the numbers that are drawn."""
        return Table(
            head=("Candidate", *self.quantiles, "n"),
            rows=tuple(
                (
                    strip.name,
                    *(estimate_text(q, self.unit) for q in strip.quantiles),
                    count_text(strip.quantiles[0]),
                )
                for strip in self.strips
            ),
        )
