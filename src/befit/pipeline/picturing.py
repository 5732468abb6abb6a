"""The charts of a run for Python and notebooks: `run.charts.frontier()`."""

from __future__ import annotations

from befit.analysis.results import Analysis, MatrixRow
from befit.errors import UsageError
from befit.report import html_charts as charts
from befit.report import html_sections as sections
from befit.report.pictures import Picture


class Charts:
    """The pictures of the report for one run; each shows one row of the matrix or one scenario.

    Args:
        analysis: the results of the run.
    """

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis

    @property
    def rows(self) -> tuple[str, ...]:
        """The keys of the rows that can be drawn."""
        return tuple(row.key for row in self._analysis.dimension_rows)

    def ranks(self, row: str | None = None) -> Picture:
        """Return the values of a row (the first by default) with intervals and letters."""
        return Picture(chart=charts.rank_dots(self._analysis, self._row(row)))

    def differences(self, row: str | None = None) -> Picture:
        """Return the paired differences of a row (the first by default).

        Raises:
            UsageError: no such row, or nothing to compare in it.
        """
        found = self._row(row)
        chart = charts.rank_forest(found)
        if chart is None:
            raise UsageError(f"no two candidates can be compared in '{found.key}'")
        return Picture(chart=chart)

    def frontier(self, scenario: str | None = None) -> Picture:
        """Return capability against cost for a scenario (by default the first that can be drawn).

        Raises:
            UsageError: fewer than two candidates have a value and a known cost there.
        """
        for view in sections.cost_charts(self._analysis):
            if scenario in {None, view.row.scenarios[0]}:
                return Picture(chart=view.chart)
        where = f" on '{scenario}'" if scenario else ""
        raise UsageError(
            f"fewer than two candidates have both a value and a known cost{where}",
            do="give the candidates a `price`",
        )

    def stability(self, scenario: str | None = None) -> Picture:
        """Return the shares of samples always right, mixed and always wrong over the repeats.

        Raises:
            UsageError: no such scenario (by default the first one).
        """
        cells = self._analysis.stability
        names = list(dict.fromkeys(cell.scenario for cell in cells))
        wanted = names[0] if scenario is None and names else scenario
        found = [cell for cell in cells if cell.scenario == wanted]
        if not found:
            raise UsageError(f"no scenario '{wanted}'", do=f"one of: {', '.join(names)}")
        return Picture(chart=charts.stability_bars(self._analysis, found))

    def _row(self, key: str | None) -> MatrixRow:
        rows = self._analysis.dimension_rows
        found = [row for row in rows if key in {None, row.key}]
        if not found:
            raise UsageError(f"no row '{key}'", do=f"one of: {', '.join(self.rows)}")
        return found[0]
