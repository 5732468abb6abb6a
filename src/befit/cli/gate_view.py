"""How a regression verdict is shown, written and turned into an exit code."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from befit.cli import shell as codes
from befit.cli.words import show_note, show_table
from befit.cli.writing import writing
from befit.errors import UsageError
from befit.report.gate_markdown import ONE_SIDED, WORDS, deciding, render
from befit.report.junit import describe, to_junit
from befit.report.numbers import points
from befit.storage.whole_file import write_whole

if TYPE_CHECKING:
    from befit.cli.shell import Shell
    from befit.pipeline.gating import Regression

CODES = {"pass": codes.OK, "fail": codes.GATE_FAILED}
ON_INCONCLUSIVE = {"pass": codes.OK, "fail": codes.GATE_FAILED, "exit4": codes.INSUFFICIENT}


def exit_code(found: Regression, on_inconclusive: str) -> int:
    """Return 0 for a pass, 3 for a failure, and what was asked for where evidence is missing.

    5 where too many trials are missing for either.
    """
    if any(one.lacking for one in found.checks):
        return codes.PARTIAL
    return CODES.get(found.outcome, ON_INCONCLUSIVE[on_inconclusive])


def show_regression(shell: Shell, found: Regression) -> None:
    """Print the checks and what differs."""
    if shell.as_json:
        return
    baseline = found.baseline_name or found.baseline_run
    shell.data(f"{WORDS[found.outcome]}: run {found.run_id} against {baseline}\n")
    rows = [
        [
            one.candidate,
            one.scenario,
            points(one.difference),
            deciding(one) or "—",
            f"{100 * one.margin:g}",
            str(one.difference.n_samples),
            WORDS[one.verdict],
            "" if one.samples_needed is None else f"about {one.samples_needed:,}",
        ]
        for one in found.checks
    ]
    header = [
        "candidate",
        "scenario",
        "new - old, points",
        "bound",
        "margin",
        "pairs",
        "verdict",
        "settles",
    ]
    show_table(shell, header, rows, numeric=(2, 4, 5), least=(7,))
    show_note(shell, ONE_SIDED)
    for one in found.checks:
        if one.verdict == "fail":
            shell.data(f"  newly wrong on {one.scenario}: {', '.join(one.broken[:5]) or 'none'}")
    for side in found.differing:
        old, new = (value[:12] for value in side.fingerprints)
        same = " (the same configuration)" if old == new else ""
        shell.data(f"\n{side.candidate}: {old} -> {new}{same}")
        for change in side.changes:
            if change.part not in {"prompt", "template"} or not side.prompt_diff:
                shell.data(f"  {change.part} {change.key}: {change.a} -> {change.b}")
        for line in side.prompt_diff:
            shell.data(f"  {line}")
        for line in side.served:
            shell.data(f"  {line}")
    for note in found.notes:
        shell.warn(note)


def markdown(found: Regression) -> str:
    """Return the comment for a pull request."""
    return render(
        found.checks,
        outcome=found.outcome,
        runs=(found.baseline_name or found.baseline_run, found.run_id),
        differing=[(d.candidate, d.changes, d.prompt_diff, d.served) for d in found.differing],
        notes=found.notes,
    )


def write(shell: Shell, found: Regression, path: Path, *, on_inconclusive: str) -> None:
    """Write a verdict in the form that the file's name asks for: .xml, .md or .json."""
    suffix = path.suffix.lower()
    if suffix == ".xml":
        name = f"regression against {found.baseline_name or found.baseline_run}"
        made = datetime.now(tz=UTC).isoformat(timespec="seconds")
        text = to_junit(found.checks, suite=name, on_inconclusive=on_inconclusive, made_at=made)
    elif suffix == ".md":
        text = markdown(found)
    elif suffix == ".json":
        import json  # noqa: PLC0415 - this form only

        text = json.dumps(data(found), indent=1) + "\n"
    else:
        raise UsageError(f"'{path}' has no form that is known", do="end it in .xml, .md or .json")
    with writing(path, "the verdict", do="choose another file"):
        write_whole(path, text, errors="backslashreplace")
    shell.say(f"written  {path}")


def data(found: Regression) -> dict[str, Any]:
    """Return the verdict as JSON values."""
    return {**asdict(found), "text": [describe(one) for one in found.checks]}
