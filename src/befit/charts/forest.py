"""Forest of paired differences: the test that settles who is better, drawn.

Whether an interval includes zero is the answer, but for few samples and many pairs,
where the exact and corrected test is; whether the intervals of two candidates overlap
never is.
"""

from __future__ import annotations

from dataclasses import dataclass

from befit.charts.figure import Table
from befit.charts.numbers import Unit, bare, estimate_text, interval_text, value_text
from befit.charts.rows import BETWEEN, Row, Rows
from befit.charts.scale import span_domain
from befit.charts.svg import Layout, line, tag, tip
from befit.core.estimate import Estimate

SIDE = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A minus B, with the verdict of the corrected test in a word or two."""

    first: str
    second: str
    estimate: Estimate
    verdict: str
    """For instance `better`, `worse`, `cannot tell`."""
    settled: bool
    p_value: str = ""
    note: str = ""

    @property
    def name(self) -> str:
        """Both names, as the difference they are."""
        return f"{self.first}{BETWEEN}{self.second}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """The chart of pairs of one matrix row."""

    title: str
    finding: str
    pairs: tuple[Pair, ...]
    unit: Unit = "points"
    corrected: bool = True
    """Whether the p-values are those over several pairs."""

    def svg(self, layout: Layout) -> str:
        """Return the picture in one layout."""
        ends = [v for p in self.pairs for v in (p.estimate.low, p.estimate.high, p.estimate.value)]
        reach = max((abs(v) for v in ends if v is not None), default=0.1) or 0.1
        rows = Rows(
            layout=layout,
            rows=[
                Row(
                    name=pair.first,
                    second=pair.second + ("*" if pair.note.startswith("*") else ""),
                    numbers=f"{estimate_text(pair.estimate, self.unit)}  {pair.verdict}",
                )
                for pair in self.pairs
            ],
            domain=span_domain([-reach, reach]),
            most=270.0,
        )
        rows.axis({v: bare(v, self.unit) for v in rows.scale.ticks(5)})
        zero = rows.scale(0.0)
        rows.parts.append(line(zero, rows.top, zero, rows.bottom, class_="zero"))
        rows.labels()
        for i, pair in enumerate(self.pairs):
            self._pair(rows, i, pair)
        return rows.done(title=self.title, finding=self.finding, kind="forest")

    def _pair(self, rows: Rows, i: int, pair: Pair) -> None:
        estimate, y, scale = pair.estimate, rows.y(i), rows.scale
        if estimate.value is None:
            return
        low = scale.low if estimate.low is None else estimate.low
        high = scale.high if estimate.high is None else estimate.high
        side = "up" if estimate.value > 0 else "down"
        face = side if pair.settled else "open"
        rows.parts.append(line(scale(low), y, scale(high), y, class_=f"ci {face}"))
        said = f"{pair.name}: {estimate_text(estimate, self.unit)}, {pair.verdict}"
        x = scale(estimate.value)
        rows.parts.append(
            tag(
                "rect",
                tip(said),
                class_=f"m {face}" if pair.settled else f"m hollow {face}",
                x=x - SIDE,
                y=y - SIDE,
                width=2 * SIDE,
                height=2 * SIDE,
            )
        )

    def table(self) -> Table:
        """Return the numbers that are drawn."""
        return Table(
            head=(
                "Pair",
                "Difference",
                "95 % interval",
                "Samples of both",
                "Adjusted p" if self.corrected else "p",
                "Verdict",
                "Note",
                "Method",
            ),
            rows=tuple(
                (
                    pair.name,
                    value_text(pair.estimate, self.unit),
                    interval_text(pair.estimate, self.unit),
                    f"{pair.estimate.n_samples:,}",
                    pair.p_value,
                    pair.verdict,
                    pair.note,
                    pair.estimate.method,
                )
                for pair in self.pairs
            ),
        )
