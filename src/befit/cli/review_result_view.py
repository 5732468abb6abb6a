"""How the result of a study is shown in the terminal, once it is unblinded."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from befit.cli.decide_view import person
from befit.cli.review_view import show_reviewers
from befit.cli.shell import Shell
from befit.cli.words import show_table
from befit.core.estimate import Estimate
from befit.core.written import between, many
from befit.pipeline.review_results import people_result
from befit.report.numbers import percent
from befit.report.people import adjudication, guesses, people_json
from befit.review.ratings import Preference
from befit.review.result import Result
from befit.review.states import break_blind, find_study, unblind

if TYPE_CHECKING:
    from befit.storage.workspace import Workspace


def unblind_and_show(
    shell: Shell, workspace: Workspace, study: str, *, key_file: Path | None,
    breaking: tuple[bool, str],
) -> int:  # fmt: skip
    """Unblind, check the commitment, and show what the people say."""
    found = find_study(workspace.reviews, study)
    at, by = datetime.now(UTC).isoformat(timespec="seconds"), person()
    if breaking[0] and found.state not in {"closed", "unblinded"}:
        opened, mapping = break_blind(
            workspace.reviews, found.id, reason=breaking[1], at=at, by=by, key_file=key_file
        )
    else:
        opened, mapping = unblind(workspace.reviews, found.id, at=at, by=by, key_file=key_file)
    result = people_result(workspace, opened, mapping)
    shell.say(f"the mapping is the one committed to: {opened.commitment.sha256[:16]}...")
    show_result(shell, result)
    return shell.result(people_json(result))


def _text(estimate: Estimate) -> str:
    if estimate.value is None:
        return "—"
    low, high = (None if b is None else f"{b:.2f}" for b in (estimate.low, estimate.high))
    return f"{estimate.value:+.2f} [{between(low, high)}]"


def show_result(shell: Shell, result: Result) -> None:
    """Show the result as tables."""
    for warning in result.warnings:
        shell.warn(warning)
    made = result.agreement
    counts = "1 vote counts" if result.n_votes == 1 else f"{result.n_votes} votes count"
    outs = sum(bool(line.excluded) for line in result.quality)
    whose = f" (of {many(outs, 'reviewer')}, by the rule)" if result.n_left_out else ""
    shell.data(f"{counts}, {result.n_left_out} left out{whose}, "
               f"{result.cannot_judge} could not be judged")  # fmt: skip
    shell.data(f"agreement: alpha {made.told}, raw {made.raw}, AC1 {made.ac1}")
    if result.preference is not None:
        _show_preference(shell, result.preference)
    for group in result.groups:
        of = f"{many(group.n_votes, 'vote')} of {many(group.n_reviewers, 'reviewer')}"
        shell.data(f"{group.group.replace('_', ' ')}: {of}, alpha {group.agreement.alpha}")
    for line in (adjudication(result), guesses(result)):
        if line:
            shell.data(line)
    rows = [one for one in result.rubric if not one.scenario]
    if rows:
        show_table(shell, ["candidate", "row", "score"],
                   [[one.candidate, one.row, percent(one.score)] for one in rows],
                   title="Rubric (0 % worst anchor, 100 % best)")  # fmt: skip
    if result.reasons:
        show_table(shell, ["candidate", "reason", "share of its answers"],
                   [[one.candidate, one.tag, percent(one.share)] for one in result.reasons[:20]],
                   title="Reasons")  # fmt: skip
    _show_judges(shell, result)
    _show_drift(shell, result)
    show_reviewers(shell, result.quality)


def _show_judges(shell: Shell, result: Result) -> None:
    if not result.judges:
        return
    show_table(
        shell,
        ["judge", "agrees with a person", "two people agree", "changes with the order",
         "prefers length", "prefers its family", "may gate"],
        [
            [one.judge, percent(one.agreement), percent(one.human_human), percent(one.flip_rate),
             _text(one.length_bias), _text(one.family_bias), "yes" if one.may_gate else one.word]
            for one in result.judges
        ],
        title="Judges beside people",
        least=(5, 4, 3),
    )  # fmt: skip


def _show_drift(shell: Shell, result: Result) -> None:
    if not result.drift:
        return
    show_table(
        shell,
        ["recalibration", "gold right", "decided as before", "rubric moved by", "two agree"],
        [
            [str(one.cycle or "the study"), percent(one.gold), percent(one.same),
             _text(one.rubric_shift), percent(one.agreement)]
            for one in result.drift
        ],
        title="Drift: gold and own earlier items, rated again",
    )  # fmt: skip


def _show_preference(shell: Shell, found: Preference) -> None:
    show_table(
        shell,
        ["candidate", "rank", "win rate", "rating", "style held equal"],
        [
            [one.candidate, one.letters, percent(one.win_rate), _text(one.rating),
             _text(one.styled)]
            for one in found.strengths
        ],
        title=f"Preference ({many(found.n_votes, 'vote')}, {many(found.n_items, 'pair')}, "
        f"{many(found.n_reviewers, 'reviewer')}, ties {percent(found.ties)})",
        numeric=(2, 3),
        least=(4,),
    )  # fmt: skip
    names = [one.candidate for one in found.strengths]
    cells = {(one.row, one.column): one.rate for one in found.wins}
    few = 8
    if len(names) <= few:
        show_table(
            shell,
            ["preferred to", *names],
            [[a, *(percent(cells[a, b]) if (a, b) in cells else "" for b in names)] for a in names],
            title="Win matrix (ties half)",
        )
