"""Record sheets and the calibration of judges in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from befit.cli.decide_view import person
from befit.cli.review_view import now
from befit.cli.shell import INSUFFICIENT, OK, Shell
from befit.cli.words import show_table
from befit.core.landed import Fact
from befit.errors import UsageError
from befit.pipeline.review_results import calibrate_judge
from befit.pipeline.review_scores import JUDGED
from befit.report.numbers import percent
from befit.review.notes import add_note, change_note, notes, overdue, sealed_notes
from befit.review.records import Change, RecordSheet
from befit.review.states import find_study

if TYPE_CHECKING:
    from befit.storage.workspace import Workspace


def keep_note(
    shell: Shell, workspace: Workspace, trial: str, seen: str, *, tag: str, severity: int
) -> int:
    """Write a record sheet on a trial."""
    if not seen.strip():
        raise UsageError("a record says what was seen", do='befit note TRIAL "what was seen"')
    fact = _find(workspace, trial)
    dimension, _, word = tag.rpartition("/")
    made = add_note(
        workspace.reviews,
        {
            "trial": fact.key_id,
            "candidate": fact.candidate,
            "scenario": fact.scenario,
            "sample": fact.sample_id,
            "dimension": dimension,
            "tag": word,
            "seen": seen,
            "severity": severity or 2,
        },
        at=now(),
        by=person(),
    )
    shell.data(f"record {made.id} on {made.candidate}, {made.scenario}/{made.sample}")
    shell.say(f"due again {made.due_at[:10]}")
    return shell.result(made.model_dump(mode="json"))


def _find(workspace: Workspace, words: str) -> Fact:
    """Return the newest slot of the trial meant by a key id or its beginning."""
    for manifest, _ in workspace.runs():
        found = {f.key_id: f for f in workspace.facts(manifest.id) if f.key_id.startswith(words)}
        if len(found) > 1:
            raise UsageError(f"'{words}' is the beginning of {len(found)} trials")
        if found:
            return next(iter(found.values()))
    raise UsageError(f"there is no trial '{words}'", do="befit show SAMPLE names its trials")


def mark_note(
    shell: Shell, workspace: Workspace, note_id: str, state: str, *, told: tuple[str, int, str]
) -> int:
    """Confirm, revise or withdraw a record."""
    seen, severity, why = told
    if state not in {"confirmed", "revised", "withdrawn"}:
        raise UsageError(f"'{state}' is no mark", do="confirmed, revised or withdrawn")
    step = Change.model_validate(
        {"at": now(), "author": person(), "state": state, "why": why,
         "seen": seen or None, "severity": severity or None}
    )  # fmt: skip
    made = change_note(workspace.reviews, note_id, step)
    due = "" if made.state == "withdrawn" else f", due again {made.due_at[:10]}"
    shell.data(f"record {made.id} is {made.state}{due}")
    return shell.result(made.model_dump(mode="json"))


def list_notes(shell: Shell, workspace: Workspace) -> int:
    """List all records."""
    sheets = notes(workspace.reviews)
    late = {one.id for one in overdue(sheets, now=now())}
    sheets.sort(key=lambda one: (one.id not in late, -one.severity, one.id))
    sealed = sealed_notes(workspace.reviews)
    if sealed:
        shell.say(f"{sealed} record sheets of reviewers are sealed until their study is unblinded")
    if not sheets and not sealed:
        shell.say("no record sheets yet: befit note TRIAL 'what was seen'")
    elif sheets:
        show_table(
            shell,
            ["record", "candidate", "sample", "tag", "seen", "severity", "state", "due"],
            [_row(one, late=one.id in late) for one in sheets],
            numeric=(5,),
            least=(3,),
        )
    body = [one.model_dump(mode="json") | {"overdue": one.id in late} for one in sheets]
    return shell.result(body)


def _row(one: RecordSheet, *, late: bool) -> list[str]:
    tag = "/".join(part for part in (one.dimension, one.tag) if part)
    due = "" if one.state == "withdrawn" else one.due_at[:10] + (" overdue" if late else "")
    return [one.id, one.candidate, f"{one.scenario}/{one.sample}", tag, one.seen,
            str(one.severity), one.state, due]  # fmt: skip


def show_calibration(
    shell: Shell, workspace: Workspace, study: str, *, runs: tuple[str, ...]
) -> int:
    """Show each wording's agreement on both halves."""
    found = find_study(workspace.reviews, study)
    wordings: dict[str, tuple[str, str]] = {}
    for words in runs or (found.run_id,):
        run, _, metric = words.partition(":")
        run_id = workspace.find_run(run).id
        for name in (metric,) if metric else JUDGED:
            wordings[f"{run_id}:{name}"] = (run_id, name)
    told = [
        one for one in calibrate_judge(workspace, found, wordings=wordings)
        if one.chosen_on.value is not None or one.reported_on.value is not None
    ]  # fmt: skip
    if not told:
        raise UsageError(
            "no judge has scored the answers of this study", do="name runs that have: --run RUN"
        )
    show_table(
        shell,
        ["wording", "agrees, half it is chosen on", "agrees, other half", ""],
        [
            [one.name, percent(one.chosen_on), percent(one.reported_on),
             "proposed" if one.proposed else ""]
            for one in told
        ],
        title="Agreement with one person's vote",
    )  # fmt: skip
    best = next((one for one in told if one.proposed), None)
    enough = best is not None and (best.reported_on.low or 0.0) >= found.settings.judge_gate
    shell.say(
        f"may gate: {'yes' if enough else 'no, an uncalibrated judge'} "
        f"(a lower bound of {found.settings.judge_gate:g} is asked, on the other half)"
    )
    body = [{"wording": one.name, "chosen_on": one.chosen_on.to_dict(),
             "reported_on": one.reported_on.to_dict(), "proposed": one.proposed}
            for one in told]  # fmt: skip
    return shell.result({"wordings": body, "may_gate": enough}, code=OK if enough else INSUFFICIENT)
