"""Sparkline: the course of a number in the height of a line of text; gaps are not joined."""

from __future__ import annotations

from dataclasses import dataclass

from befit.charts.figure import Table
from befit.charts.numbers import MISSING, Unit, bare, with_unit
from befit.charts.scale import Scale, span_domain
from befit.charts.svg import Layout, document, num, tag, tip

HEIGHT = 28.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sparkline:
    """The chart; None is a gap. `names` says what each value is of (a day, a run)."""

    title: str
    finding: str
    names: tuple[str, ...]
    values: tuple[float | None, ...]
    unit: Unit = "percent"

    def _text(self, value: float | None) -> str:
        return MISSING if value is None else with_unit(bare(value, self.unit), self.unit)

    def svg(self, layout: Layout) -> str:
        """Return the picture in one layout (it has no text, so any width will do)."""
        low, high = span_domain(self.values)
        x = Scale(low=0, high=max(len(self.values) - 1, 1), start=4, end=layout.width - 4)
        y = Scale(low=low, high=high, start=HEIGHT - 4, end=4)
        path, last, parts = "", None, []
        for i, value in enumerate(self.values):
            if value is not None:
                path += f"{'M' if last is None else 'L'}{num(x(i))} {num(y(value))}"
                said = f"{self.names[i]}: {self._text(value)}"
                parts.append(tag("circle", tip(said), class_="dot", cx=x(i), cy=y(value), r=2))
            last = value
        body = (tag("path", class_="course", d=path) if path else "") + "".join(parts)
        return document(
            body,
            layout=layout,
            height=HEIGHT,
            title=self.title,
            finding=self.finding,
            kind="sparkline",
        )

    def table(self) -> Table:
        """Return the numbers that are drawn."""
        pairs = zip(self.names, self.values, strict=True)
        return Table(
            head=("", "Value"), rows=tuple((name, self._text(value)) for name, value in pairs)
        )
