"""A chart of the report on its own: shown in a notebook or kept as an SVG file.

The pictures are those of `html_charts`; here they carry their own style, so that they
neither need the page of the report nor touch the page that shows them.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from befit.charts.figure import Chart, Table, table_html
from befit.charts.svg import WIDE
from befit.charts.text import escape
from befit.errors import UsageError
from befit.storage.whole_file import write_whole

STYLES = ("palette.css", "charts.css")
FONT = "svg{font-family:system-ui,sans-serif;background:var(--bg)}.chart.wide{display:block}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """One chart: its finding in words, its numbers as a table, and its drawing."""

    chart: Chart

    @property
    def title(self) -> str:
        """What is shown."""
        return self.chart.title

    @property
    def finding(self) -> str:
        """What it says, in a sentence."""
        return self.chart.finding

    def table(self) -> Table:
        """Return the numbers that are drawn, as text."""
        return self.chart.table()

    def svg(self) -> str:
        """Return the drawing as an SVG file of its own, for light and dark screens."""
        templates = resources.files("befit.report").joinpath("templates")
        style = "\n".join(
            templates.joinpath(name).read_text(encoding="utf-8").strip() for name in STYLES
        )
        opening, _, rest = self.chart.svg(WIDE).partition(">")
        # A file of its own names its language; inside HTML the parser knows it.
        return (
            f'{opening} xmlns="http://www.w3.org/2000/svg"><style>{style}\n{FONT}</style>{rest}\n'
        )

    def save(self, path: Path | str) -> Path:
        """Write the SVG file and return its path.

        Raises:
            UsageError: the name does not end in `.svg`.
        """
        target = Path(path)
        if target.suffix != ".svg":
            raise UsageError(
                f"a chart is kept as an SVG file, not as '{target.name}'", do="end it in .svg"
            )
        write_whole(target, self.svg(), errors="backslashreplace")
        return target

    def _repr_html_(self) -> str:
        # As an image: no style or script of a notebook reaches it, nor the other way round.
        data = base64.b64encode(self.svg().encode("utf-8", "backslashreplace")).decode()
        return (
            f"<p><strong>{escape(self.title)}</strong><br>{escape(self.finding)}</p>"
            f'<img alt="{escape(f"{self.title}. {self.finding}")}" '
            f'style="max-width:{WIDE.width:g}px;width:100%" src="data:image/svg+xml;base64,{data}">'
            f"<details><summary>Show as table</summary>"
            f"{table_html(self.table(), caption=self.title)}</details>"
        )
