"""How a decision is made, shown and compared in the terminal."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from befit.cli import shell as codes
from befit.cli.words import show_table
from befit.cli.writing import writing
from befit.core.decision import Decision, TierDecision
from befit.errors import ConfigError, ProjectError, UsageError
from befit.report.decision import (
    FRONTIER,
    combination_sentence,
    cost_text,
    floor_notes,
    frontier_text,
    headlines,
    outcome_words,
    saving,
    standing_words,
    stands_sentence,
    votes_text,
)
from befit.report.decision_votes import votes_behind
from befit.report.html_charts import per_thousand
from befit.report.numbers import amount, percent

if TYPE_CHECKING:
    from befit.cli.shell import Shell
    from befit.config.project import Project
    from befit.storage.workspace import Workspace

MARKDOWN = ("", ".md", ".markdown", ".txt")
"""Endings under which Markdown may be written."""
OUTCOME_CODES = {
    "decided": codes.OK,
    "not_decided": codes.INSUFFICIENT,
    "none_good_enough": codes.GATE_FAILED,
}


def current_project(project: Path, shell: Shell) -> Project | None:
    """Return the project as it is now; None where there is no project file beside the workspace."""
    from befit.config.load import load_project  # noqa: PLC0415 - lazy verb

    try:
        return load_project(project, keys_needed=False)
    except ProjectError:
        raise
    except ConfigError as error:
        shell.warn(f"the project file cannot be read ({error.what}); the run's own policy is used")
        return None


def person() -> str:
    """Return who is at this terminal."""
    try:
        return getpass.getuser()
    except OSError:
        return "unknown"


def decide_and_show(
    shell: Shell,
    workspace: Workspace,
    project: Path,
    *,
    run_id: str,
    words: tuple[str, str],
    out: Path | None,
    dry_run: bool,
) -> int:
    """Decide on a run, or show an earlier decision; record, show, write."""
    from befit.pipeline.deciding import (  # noqa: PLC0415 - lazy verb
        decide_run,
        keep_decision,
        read_decision,
        recorded_already,
    )

    if out is not None and out.suffix.lower() not in MARKDOWN:
        raise UsageError(
            f"a decision is written as Markdown, not as '{out.suffix}'",
            where=f"--out {out}",
            do="name a file that ends in .md; the whole report as one page: befit report -f html",
        )
    diff, show = words
    older = workspace.records.find("decision", diff) if diff else None
    if show:
        written = workspace.records.find("decision", show)
        decision, record = read_decision(written), written.id
    else:
        loaded = current_project(project, shell)
        decision = decide_run(
            workspace,
            workspace.find_run(run_id).id,
            policy=None if loaded is None else loaded.policy,
            tiers=None if loaded is None else loaded.tiers,
            candidates=() if loaded is None else loaded.candidates,
        )
        record = ""
        if not dry_run:
            known = recorded_already(workspace, decision)
            decision, kept = known or keep_decision(
                workspace, decision, by=person(), now=datetime.now(tz=UTC)
            )
            record = kept.id
            if known:
                shell.say(f"nothing changed since {record}, so it stays the record")
    if out is not None:
        _write(out, decision, record)
        shell.say(f"record  {out}")
    if older is not None:
        return show_diff(shell, read_decision(older), decision, names=(older.id, record))
    show_decision(shell, decision, record=record)
    return shell.result({"record": record, **data(decision)}, code=OUTCOME_CODES[decision.outcome])


def _write(out: Path, decision: Decision, record: str) -> None:
    from befit.report.decision_markdown import render  # noqa: PLC0415 - lazy form
    from befit.storage.whole_file import write_whole  # noqa: PLC0415 - lazy form

    with writing(out, "the decision"):
        write_whole(out, render(decision, record=record), errors="backslashreplace")


def data(decision: Decision) -> dict[str, Any]:
    """Return the decision as JSON values."""
    found = asdict(decision)
    found["policy"] = decision.policy.model_dump(mode="json")
    found["outcome"] = decision.outcome
    found["headlines"] = list(headlines(decision))
    for verdict, plain in zip(decision.verdicts, found["verdicts"], strict=True):
        plain["gate"] = verdict.gate.model_dump(mode="json")
    return found


def _quality(decision: Decision) -> str:
    """Return what the tiers' quality is: what people said is no pass rate."""
    return " or ".join(dict.fromkeys(tier.quality_name for tier in decision.tiers)) or "pass rate"


def _reasons(decision: Decision) -> Iterator[str]:
    for tier in decision.tiers:
        if tier.reason:
            yield f"{tier.tier}: {tier.reason} Confidence: {tier.confidence}."
        if counted := votes_behind(decision, tier):
            yield f"{tier.tier}: {counted}"


def _unlike(decision: Decision, tier: TierDecision) -> str:
    """Return what marks a tier that people judged, where others of the table were scored."""
    mixed = len({one.quality_name for one in decision.tiers}) > 1
    return "by people" if mixed and tier.by_people else ""


def show_decision(shell: Shell, decision: Decision, *, record: str) -> None:
    """Print a decision to stdout."""
    if shell.as_json:
        return
    made = f"  recorded as {record}" if record else "  not recorded"
    shell.data(f"{outcome_words(decision)}: {decision.project}, run {decision.run_id}{made}\n")
    for line in headlines(decision):
        shell.data(f"  {line}")
    for line in _reasons(decision):
        shell.data(f"  {line}")
    votes = [f"people: {votes_text(one)}" for one in decision.people_votes]
    for line in (*floor_notes(decision), *votes):
        shell.data(f"  {line}")
    shell.data("\nWhat could change this")
    shell.data(f"  {stands_sentence(decision)}")
    for question in decision.open_questions:
        shell.data(f"  - {question}")
    for flip in decision.sensitivity.flips if decision.sensitivity else ():
        shell.data(f"  - {flip.tier}: {flip.text}")
    shell.data(f"\nBest-fitting combination\n  {combination_sentence(decision)}")
    for one in decision.constraints:
        if one.routes:
            routes = ", ".join(f"{tier} -> {name}" for tier, name in one.routes.items())
            shell.data(f"  without {one.constraint}: {routes}{saving(one)}")
    shell.data("")
    rows = [
        [
            tier.tier,
            one.candidate + (" *" if one.candidate == tier.candidate else ""),
            standing_words(decision, tier, one),
            one.letters or "—",
            percent(one.quality) + (f" {by}" if (by := _unlike(decision, tier)) else ""),
            cost_text(per_thousand(one.cost_per_task), one.untold_tries),
            amount(one.latency_p95, unit="s"),
            frontier_text(one),
            one.why or "—",
        ]
        for tier in decision.tiers
        for one in tier.standings
    ]
    header = [
        "tier",
        "candidate",
        "verdict",
        "group",
        _quality(decision),
        "USD per 1,000",
        "p95",
        "frontier",
        "why",
    ]
    show_table(shell, header, rows, title="Candidates by tier (* serves it)", least=(6, 7, 3, 5))
    shell.data(FRONTIER)


def show_diff(shell: Shell, old: Decision, new: Decision, *, names: tuple[str, str]) -> int:
    """Print what changed between two decisions; the exit code is that of the new one."""
    from befit.decide.diff import differences, reasons  # noqa: PLC0415 - lazy verb

    changes, why = differences(old, new), reasons(old, new)
    if not shell.as_json:
        shell.data(f"{names[0]} -> {names[1] or 'not recorded'}")
        for line in why:
            shell.data(f"  {line}")
        if changes and not why:
            shell.data("  the same routes and outcomes; what changed beside them:")
        rows = [[c.part, c.key, c.old, c.new] for c in changes]
        if rows:
            show_table(shell, ["what", "which", "old", "new"], rows)
        else:
            shell.data("nothing changed")
    found = [asdict(c) for c in changes]
    return shell.result(
        {"old": names[0], "new": names[1], "reasons": list(why), "changes": found},
        code=OUTCOME_CODES[new.outcome],
    )
