"""A chart in a page: both layouts, and the same numbers as a table beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from markupsafe import Markup

from befit.charts.svg import LAYOUTS, Layout
from befit.charts.text import escape


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The numbers of a chart as text; the first column names the row."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


LONG = 24
"""Longer cells may break into lines; numbers and names of tests stay on one."""


class Chart(Protocol):
    """What every chart is: frozen data that can draw itself and tell its numbers."""

    @property
    def title(self) -> str:
        """What is shown."""
        ...

    @property
    def finding(self) -> str:
        """What it says, in a sentence."""
        ...

    def svg(self, layout: Layout) -> str:
        """Return the picture in one layout."""
        ...

    def table(self) -> Table:
        """Return the numbers that are drawn."""
        ...


def table_html(table: Table, *, caption: str) -> str:
    """Return a plain HTML table with caption and scopes, in a scroll area of its own."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.head)
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(_cell(cell) for cell in row[1:])
        + "</tr>"
        for row in table.rows
    )
    label = escape(f"Table: {caption}")
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{label}">'
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def _cell(text: str) -> str:
    """Return a cell of the table; a long one may break into lines."""
    face = ' class="long"' if len(text) > LONG else ""
    return f"<td{face}>{escape(text)}</td>"


def figure(chart: Chart) -> Markup:
    """Return the chart as an HTML figure; a container query shows the layout that fits.

    It is markup: charts escape whatever they show.
    """
    pictures = "".join(chart.svg(layout) for layout in LAYOUTS)
    return Markup(  # noqa: S704 - made and escaped by our charts
        f'<figure class="fig"><figcaption>{escape(chart.title)}</figcaption>'
        f'<div class="canvas">{pictures}</div>'
        f"<details><summary>Show as table</summary>"
        f"{table_html(chart.table(), caption=chart.title)}</details></figure>"
    )
