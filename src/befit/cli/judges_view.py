"""How the reliability of judges is shown, and how people's labels are read."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from befit.cli.words import show_table
from befit.core.written import many
from befit.errors import DataError, UsageError
from befit.pipeline.judge_reliability import JudgeReport, Label, judge_report
from befit.plugins import nearest
from befit.report.numbers import p_text, percent, points

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from befit.cli.shell import Shell
    from befit.core.run import Manifest
    from befit.storage.workspace import Workspace

_SHOWN = 10
_COLUMNS = ("scenario", "candidate", "sample", "repeat", "value")


def show_judges(
    shell: Shell, workspace: Workspace, run_id: str, *, labels: Path | None = None
) -> int:
    """Show each judge of a run: what of it is reliable, what it prefers, what it cost."""
    manifest = workspace.find_run(run_id)
    if not any(entry.spec.judges for entry in manifest.scenarios):
        raise UsageError(
            f"run {manifest.id} has no judges",
            do="add the scorer 'judge' and 'judges:' to a scenario, and run again",
        )
    given = None if labels is None else read_labels(labels, known=_Known(workspace, manifest))
    report = judge_report(workspace, manifest.id, labels=given)
    rows = [
        (
            judge.judge,
            judge.scenario,
            percent(judge.parsed),
            percent(judge.self_agreement),
            percent(judge.flip_rate),
            p_text(judge.first_p) or "-",
            points(judge.length_preference),
            points(judge.family_preference),
        )
        for judge in report.judges
    ]
    header = (
        "judge", "scenario", "one verdict", "agrees with itself", "flips with the order",
        "p (first place)", "longer answers", "own family",
    )  # fmt: skip
    show_table(shell, header, rows, least=(5,))
    for (scenario, judge), rates in report.corrected.items():
        for candidate, rate in rates.items():
            why = f" ({rate.method})"
            shell.data(f"{scenario}, {judge}: {candidate} corrected by labels {percent(rate)}{why}")
    spent = "unknown cost" if report.spent is None else f"{report.spent:.4g} USD"
    tokens = report.input_tokens + report.output_tokens
    shell.data(
        f"\n{many(report.calls, 'call')} of judges, {tokens} tokens, {spent}, beside the run's own"
    )
    return shell.result(_as_json(report))


class _Known:
    """The names that labels of a run may have."""

    def __init__(self, workspace: Workspace, manifest: Manifest) -> None:
        self._scenarios = [entry.spec.name for entry in manifest.scenarios if entry.spec.judges]
        self._candidates = [entry.candidate.name for entry in manifest.candidates]
        self._samples = {
            name: dict.fromkeys(s.id for s in workspace.samples(manifest.id, name))
            for name in self._scenarios
        }

    def check(self, row: Mapping[str, str], *, where: str) -> None:
        """Raise DataError, with the nearest known name, where a name is none of the run's."""
        _one_of(row["scenario"], self._scenarios, "judged scenario", where)
        _one_of(row["candidate"], self._candidates, "candidate", where)
        _one_of(row["sample"], self._samples[row["scenario"]], "sample", where)


def _one_of(name: str, known: Collection[str], what: str, where: str) -> None:
    if name in known:
        return
    do = nearest(name, list(known)).strip() or f"known: {', '.join(list(known)[:_SHOWN])}"
    raise DataError(f"'{name}' is no {what} of this run", where=where, do=do)


def read_labels(path: Path, *, known: _Known) -> dict[str, dict[Label, float]]:
    """Return people's verdicts by scenario.

    Raises:
        DataError: a column is missing, a value lies outside of 0..1, or the run has no such
            scenario, candidate or sample; names the line.
    """
    found: dict[str, dict[Label, float]] = {}
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            lost = [name for name in _COLUMNS if name not in (reader.fieldnames or ())]
            if lost:
                raise DataError(
                    f"the column '{lost[0]}' is missing",
                    where=str(path),
                    do=f"give the columns {', '.join(_COLUMNS)}",
                )
            for line, row in enumerate(reader, start=2):
                place, value = _label(row, where=f"{path.name}:{line}")
                known.check(row, where=f"{path.name}:{line}")
                found.setdefault(row["scenario"], {})[place] = value
    except UnicodeDecodeError as error:
        raise DataError("this is no UTF-8", where=str(path), do="save the file as UTF-8") from error
    except OSError as error:
        raise UsageError(f"'{path}' cannot be read", why=str(error)) from error
    return found


def _label(row: dict[str, str], *, where: str) -> tuple[Label, float]:
    try:
        repeat, value = int(row["repeat"] or 0), float(row["value"])
    except (TypeError, ValueError) as error:
        raise DataError("a label is no number", where=where, why=str(error)) from error
    if not 0 <= value <= 1:
        raise DataError(
            f"a label is {value:g}", where=where, do="write 0 for wrong and 1 for right"
        )
    return (row["candidate"], row["sample"], repeat), value


def _as_json(report: JudgeReport) -> dict[str, object]:
    names = ("parsed", "self_agreement", "flip_rate", "length_preference", "family_preference")
    return {
        "judges": [
            {
                "judge": judge.judge,
                "scenario": judge.scenario,
                "first_place_p": judge.first_p,
                **{name: getattr(judge, name).to_dict() for name in names},
            }
            for judge in report.judges
        ],
        "corrected": [
            {
                "scenario": scenario,
                "judge": judge,
                "rates": {name: rate.to_dict() for name, rate in rates.items()},
            }
            for (scenario, judge), rates in report.corrected.items()
        ],
        "calls": report.calls,
        "input_tokens": report.input_tokens,
        "output_tokens": report.output_tokens,
        "spent": report.spent,
    }
