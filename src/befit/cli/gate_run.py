"""What the regression verbs do: run, compare, keep, show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from befit.cli import shell as codes
from befit.cli.gate_view import data, exit_code, show_regression, write
from befit.cli.words import show_table
from befit.pipeline.gating import (
    Across,
    Regression,
    keep_regression,
    read_regression,
    run_and_compare,
)
from befit.pipeline.watching import Watched, watch
from befit.report.gate_markdown import WORDS
from befit.report.numbers import points

if TYPE_CHECKING:
    from befit.cli.shell import Shell
    from befit.config.project import Project
    from befit.storage.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What a gate is asked: against which baseline, for whom, and how."""

    baseline: str
    only: str
    across: Across


def gate_and_show(
    shell: Shell,
    project: Project,
    workspace: Workspace,
    ask: Ask,
    *,
    on_inconclusive: str,
    out: Sequence[Path],
) -> int:
    """Gate a change."""
    found = run_and_compare(
        project, workspace, baseline=ask.baseline, across=ask.across, only=ask.only
    )
    kept = keep_regression(workspace, found, now=datetime.now(tz=UTC))
    return _finish(shell, found, kept.id, on_inconclusive=on_inconclusive, out=out)


def _finish(
    shell: Shell,
    found: Regression,
    record: str,
    *,
    on_inconclusive: str,
    out: Sequence[Path],
    changed: Sequence[str] = (),
) -> int:
    show_regression(shell, found)
    for path in out:
        write(shell, found, path, on_inconclusive=on_inconclusive)
    for text in changed:
        shell.say(f"changed  {text}")
    shell.say(f"recorded as {record}")
    code = codes.GATE_FAILED if changed else exit_code(found, on_inconclusive)
    told = {"record": record, "exit_code": code, "changed": list(changed), **data(found)}
    return shell.result(told, code=code)


def watch_and_show(
    shell: Shell,
    project: Project,
    workspace: Workspace,
    *,
    baseline: str,
    on_inconclusive: str,
    out: Sequence[Path],
) -> int:
    """Measure anew and compare; a candidate that is not what it was is a failure of its own."""
    made: Watched = watch(project, workspace, baseline=baseline, now=datetime.now(tz=UTC))
    return _finish(
        shell,
        made.regression,
        made.record,
        on_inconclusive=on_inconclusive,
        out=out,
        changed=made.changed,
    )


def show_history(shell: Shell, workspace: Workspace, *, baseline: str, limit: int) -> int:
    """Show the verdicts against a baseline, the newest first."""
    kept = workspace.records.all("regression", name=baseline, limit=limit)
    found = [(written, read_regression(written)) for written in kept]
    rows = [
        [
            written.created_at,
            written.id,
            one.run_id,
            WORDS[one.outcome],
            "; ".join(f"{c.scenario} {points(c.difference)}" for c in one.checks[:3]),
            "; ".join(text for side in one.differing for text in side.served) or "—",
        ]
        for written, one in found
    ]
    if not shell.as_json:
        header = ["when", "record", "run", "verdict", "new - old, points", "served models"]
        show_table(shell, header, rows, title=f"Against {baseline}", least=(5, 1))
    return shell.result(
        [{"record": w.id, "at": w.created_at, "run": r.run_id, "outcome": r.outcome}
         for w, r in found]
    )  # fmt: skip
