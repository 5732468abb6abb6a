"""From votes to a result: names in, reviewers left out by the rule, everything estimated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from befit.core.estimate import Estimate
from befit.review.agreeing import agreement
from befit.review.cautions import cautions
from befit.review.cycles import drift
from befit.review.opinions import (
    comments,
    guessing,
    lowest_rows,
    reasons,
    rubric_agreement,
    rubric_scores,
)
from befit.review.quality import excluded_by, quality_table
from befit.review.ratings import Preference, preference, win_rate
from befit.review.records import Guess, Sealed, Study
from befit.review.result import GroupResult, Result
from befit.review.rows import Row, work_of
from befit.review.settings import GROUPS, Group


def named(rows: Iterable[Row], mapping: Sealed) -> list[Row]:
    """Return rows with the names of candidates and samples in place of the random ones."""
    return [
        replace(
            row,
            x=mapping.codes.get(row.x, row.x),
            y=mapping.codes.get(row.y, row.y),
            sample=mapping.samples.get(row.sample, row.sample).removeprefix(f"{row.scenario}/"),
        )
        for row in rows
    ]


def result_of(
    study: Study, rows: Sequence[Row], names: Mapping[str, str], guesses: Sequence[Guess]
) -> Result:
    """Return the result.

    Args:
        study: the study, unblinded.
        rows: all votes, with candidates by name (`named`).
        names: reviewer id -> name.
        guesses: answers to "which model is it?".
    """
    quality = quality_table(rows, study.settings, names)
    out = excluded_by(quality)
    counted = work_of(rows, without=out)
    rated = [r for r in rows if r.purpose == "work" and r.reviewer not in out]
    clean = [row for row in counted if not row.flagged]
    judged = counted if study.settings.kind == "pairs" else rated
    made = agreement([row for row in rows if row.reviewer not in out])
    overall = preference(counted) if counted and counted[0].y else None
    groups = tuple(_group(group, judged, rows, out, overall) for group in GROUPS
                   if any(row.group == group for row in judged))  # fmt: skip
    work = [row for row in rows if row.purpose == "work"]
    found = Result(
        study=study,
        n_votes=len(judged),
        n_left_out=sum(row.reviewer in out for row in work),
        cannot_judge=sum(row.outcome == "cannot_judge" for row in work),
        flagged=sum(row.flagged for row in judged),
        quality=quality,
        agreement=made,
        groups=groups,
        guessing=guessing(guesses, rows, names=study.guess_names),
        preference=overall,
        unflagged=preference(clean) if clean and len(clean) < len(counted) else None,
        reasons=reasons(rated),
        comments=comments(rated),
        rubric=rubric_scores(rated, study.settings.rubric),
        rubric_agreement=rubric_agreement(rated, study.settings.rubric),
        gates=gates(study, counted, rated),
        warnings=(),
        drift=drift(rows),
        elsewhere=bool(study.elsewhere),
        rated=tuple(_by_name(rated, names)),
        adjudicated=adjudicated(rows, out),
    )
    return replace(found, warnings=cautions(found, judged))


def adjudicated(rows: Sequence[Row], out: frozenset[str]) -> tuple[tuple[str, Estimate], ...]:
    """Return each candidate's win rate in the pairs that adjudicators decided, the best first."""
    decided = [r for r in rows if r.purpose == "adjudication" and r.y
               and r.score is not None and r.reviewer not in out]  # fmt: skip
    found = [(name, win_rate(decided, name))
             for name in sorted({n for row in decided for n in (row.x, row.y)})]  # fmt: skip
    return tuple(sorted(found, key=lambda one: -(one[1].value or 0.0)))


def _by_name(rows: Iterable[Row], names: Mapping[str, str]) -> list[Row]:
    """Return rows with the reviewers' names; two of one name in a study stay two."""
    told = list(names.values())
    who = {key: f"{name} {key}" if told.count(name) > 1 else name for key, name in names.items()}
    return [replace(row, reviewer=who.get(row.reviewer, row.reviewer)) for row in rows]


def _group(
    group: Group,
    judged: Sequence[Row],
    rows: Sequence[Row],
    out: frozenset[str],
    overall: Preference | None,
) -> GroupResult:
    mine = [row for row in judged if row.group == group]
    pairs = [row for row in mine if row.y and row.score is not None]
    alone = len(mine) == len(judged)
    return GroupResult(
        group=group,
        n_votes=len(mine),
        n_reviewers=len({row.reviewer for row in mine}),
        share=len(mine) / len(judged),
        agreement=agreement([r for r in rows if r.group == group and r.reviewer not in out]),
        preference=overall if alone else preference(pairs) if pairs else None,
    )


def gates(
    study: Study, counted: Sequence[Row], rated: Sequence[Row]
) -> dict[tuple[str, str, str], Estimate]:
    """Return what gates of a policy may be held against, by metric, scenario and candidate."""
    found: dict[tuple[str, str, str], Estimate] = {}
    for scenario in sorted({row.scenario for row in rated}):
        here = [row for row in counted if row.scenario == scenario and row.y]
        for name in sorted({n for row in here for n in (row.x, row.y)}):
            found["human_win_rate", scenario, name] = win_rate(here, name)
    for (scenario, name), lowest in lowest_rows(rated, study.settings.rubric).items():
        found["human_rubric", scenario, name] = lowest
    return found
