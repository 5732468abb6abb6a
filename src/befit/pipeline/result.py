"""A stored run in Python and in notebooks: tables, estimates, differences, the report."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from befit.analysis.results import APART, Analysis, MatrixRow
from befit.core.decision import Decision
from befit.core.landed import Fact, ScoreRow
from befit.core.policy import Policy
from befit.core.run import Manifest
from befit.errors import UsageError, unwritable
from befit.pipeline.analysing import analyse_run
from befit.pipeline.comparing import Compared, compare_candidates
from befit.pipeline.deciding import decide_run
from befit.pipeline.picturing import Charts
from befit.pipeline.reporting import make_document
from befit.pipeline.tables import Table, table
from befit.plugins import nearest
from befit.report.document import Document
from befit.storage.whole_file import write_whole
from befit.storage.workspace import Workspace

Level = Literal["dimension", "scenario", "kind"]
PAGES = frozenset({"", ".html", ".htm"})
"""Endings of a report written as a page."""
ESTIMATE = ("value", "low", "high", "level", "n_samples", "n_trials", "n_missing", "method")


class Run:
    """One stored run. Everything is read when it is asked for, nothing is called.

    Args:
        workspace: a folder (`.befit`) or a PostgreSQL URL.
        run_id: the id, its unique beginning, or `latest`.
    """

    def __init__(self, workspace: Path | str, run_id: str = "latest") -> None:
        self.location = workspace
        with Workspace.open(workspace, create=False) as opened:
            self.manifest: Manifest = opened.find_run(run_id)

    @property
    def id(self) -> str:
        """The run's id."""
        return self.manifest.id

    @cached_property
    def analysis(self) -> Analysis:
        """All results; every number in it is an estimate."""
        with self._open() as workspace:
            return analyse_run(workspace, self.id).analysis

    @cached_property
    def trials(self) -> Table:
        """One row per trial: candidate x scenario x sample x variant x repeat."""
        with self._open() as workspace:
            return table("befit/trials/1", Fact._fields, list(workspace.facts(self.id)))

    @cached_property
    def scores(self) -> Table:
        """One row per score."""
        with self._open() as workspace:
            return table("befit/scores/1", ScoreRow._fields, list(workspace.scores(self.id)))

    @cached_property
    def charts(self) -> Charts:
        """The pictures of the report; a notebook shows each with its table."""
        return Charts(self.analysis)

    def estimates(self, by: Level | Sequence[str] = "dimension") -> Table:
        """Return one row per candidate and row of the matrix, with letters and gate.

        Args:
            by: dimension, scenario or kind; `["candidate", "dimension"]` says the same in full,
                since every row is of one candidate.
        """
        columns = (
            "row",
            "title",
            "metric",
            "candidate",
            *ESTIMATE,
            "letters",
            "thin",
            "below_gate",
            "critical",
        )
        rows = [
            (
                row.key,
                row.title,
                row.metric_title,
                cell.candidate,
                *[getattr(cell.estimate, name) for name in ESTIMATE],
                cell.letters,
                cell.thin,
                cell.below_gate,
                row.critical,
            )
            for row in self._rows(by)
            for cell in row.cells
        ]
        return table("befit/estimates/1", columns, rows)

    def differences(
        self, by: Level | Sequence[str] = "dimension", *, baseline: str | None = None
    ) -> Table:
        """Return all paired differences, Holm-adjusted within their row.

        With `baseline`, only its pairs, each turned so that it is subtracted.

        Raises:
            UsageError: the run has no such candidate.
        """
        self._known("candidate", baseline)
        columns = ("row", "a", "b", *ESTIMATE, "p_value", "p_adjusted", "verdict", "confounded_by")
        rows: list[Sequence[Any]] = []
        for row in self._rows(by):
            for d in row.differences:
                if baseline is not None and baseline not in {d.a, d.b}:
                    continue
                turned = baseline == d.a
                values = {name: getattr(d.estimate, name) for name in ESTIMATE}
                if turned:
                    negated = {k: None if values[k] is None else -values[k] for k in ESTIMATE[:3]}
                    values |= {
                        "value": negated["value"],
                        "low": negated["high"],
                        "high": negated["low"],
                    }
                verdict = d.verdict
                if turned and verdict in APART:
                    verdict = "worse" if verdict == "better" else "better"
                a, b = (d.b, d.a) if turned else (d.a, d.b)
                rows.append(
                    (
                        row.key,
                        a,
                        b,
                        *values.values(),
                        d.p_value,
                        d.p_adjusted,
                        verdict,
                        ", ".join(d.confounded_by),
                    )
                )
        return table("befit/differences/1", columns, rows)

    def decide(self, policy: Policy | None = None) -> Decision:
        """Decide by a policy (that of the run by default); nothing is called or written."""
        with self._open() as workspace:
            return decide_run(workspace, self.id, policy=policy)

    def failures(
        self,
        candidate: str | None = None,
        *,
        scenario: str | None = None,
        dimension: str | None = None,
    ) -> Table:
        """Return the named failure modes with their counts and shares.

        Raises:
            UsageError: the run has no such candidate, scenario or dimension.
        """
        self._known("candidate", candidate)
        self._known("scenario", scenario)
        self._known("dimension", dimension)
        among = {
            s.spec.name for s in self.manifest.scenarios if dimension in {None, s.spec.dimension}
        }
        columns = ("candidate", "scenario", "mode", "count", *ESTIMATE, "examples")
        rows = [
            (
                f.candidate,
                f.scenario,
                f.mode,
                f.count,
                *[getattr(f.share, name) for name in ESTIMATE],
                ", ".join(sample for sample, _, _ in f.examples),
            )
            for f in self.analysis.failures
            if candidate in {None, f.candidate}
            and scenario in {None, f.scenario}
            and f.scenario in among
        ]
        return table("befit/failures/1", columns, rows)

    def document(self, *, full: bool = False) -> Document:
        """Return the report's document."""
        with self._open() as workspace:
            return make_document(workspace, self.id, full=full)

    def report(self, path: Path | str, *, full: bool = False) -> Path:
        """Write the HTML report (one file) and return its path.

        Raises:
            UsageError: the ending is that of another form, or the file cannot be written.
            StoreFullError: there is no room.
        """
        from befit.report.html import render  # noqa: PLC0415 - jinja2 only when it is needed

        target = Path(path)
        if target.suffix.lower() not in PAGES:
            raise UsageError(
                f"a report is one HTML page, not '{target.suffix}'",
                where=str(target),
                do="name it .html; befit report --format writes json, md and csv",
            )
        page = render(self.document(full=full), full=full)
        try:
            write_whole(target, page, errors="backslashreplace")
        except OSError as error:
            do = "choose another path"
            raise unwritable("the report", where=target, error=error, do=do) from error
        return target

    def compare(self, a: str, b: str, *, other: Run | None = None) -> Compared:
        """Compare candidate `a` of this run with `b` of `other` (or of this run).

        Raises:
            UsageError: the other run is in another workspace, or what `compare_candidates` says.
        """
        if other is not None and str(other.location) != str(self.location):
            raise UsageError(
                "the two runs are in different workspaces", do="compare runs of one workspace"
            )
        with self._open() as workspace:
            return compare_candidates(workspace, run_a=self.id, run_b=(other or self).id, a=a, b=b)

    def _open(self) -> Workspace:
        return Workspace.open(self.location, create=False)

    def _known(self, what: str, name: str | None) -> None:
        """Refuse a name that the run does not have: an empty table would say "no failure"."""
        known = {
            "candidate": [entry.candidate.name for entry in self.manifest.candidates],
            "scenario": [entry.spec.name for entry in self.manifest.scenarios],
            "dimension": [entry.spec.dimension for entry in self.manifest.scenarios],
        }[what]
        if name is not None and name not in known:
            guess = nearest(name, known)
            raise UsageError(
                f"the run has no {what} '{name}'",
                do=f"{guess}known: {', '.join(dict.fromkeys(known))}",
            )

    def _rows(self, by: Level | Sequence[str]) -> Sequence[MatrixRow]:
        named = [by] if isinstance(by, str) else [name for name in by if name != "candidate"]
        found = {
            "dimension": self.analysis.dimension_rows,
            "scenario": self.analysis.scenario_rows,
            "kind": self.analysis.kind_rows,
        }.get(named[0] if len(named) == 1 else "")
        if found is None:
            raise UsageError(
                f"'by' is dimension, scenario or kind (each per candidate), not '{by}'"
            )
        return found

    def __repr__(self) -> str:
        names = ", ".join(c.candidate.name for c in self.manifest.candidates)
        return f"<befit run {self.id} of {self.manifest.project}: {names}>"

    def _repr_html_(self) -> str:
        return self.estimates()._repr_html_()
