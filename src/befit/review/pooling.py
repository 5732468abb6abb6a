"""What people said in several studies on one run, put together for the gates.

The rule. Win rates: the votes of all unblinded studies on a scenario that compare the same
candidates are pooled, whoever made them and however the answers were shown; where studies
compare other candidates, the set with most votes counts (of equals, the newest), because a
win rate depends on whom one meets. Rubric: pooled where the rubric is the same, else the
one with most rated votes. A person who voted in several studies under one name is one
person, a sample one sample: errors stay clustered by both.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from befit.core.decision import PREFERRED, StudyVotes, versus
from befit.core.estimate import Estimate
from befit.review.opinions import lowest_rows
from befit.review.ratings import told_apart, win_rate
from befit.review.result import Result
from befit.review.rows import Row

WIN_RATE, RUBRIC = "human_win_rate", "human_rubric"
Gates = Mapping[tuple[str, str, str], Estimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """One study's votes on one scenario, and what has to be equal for them to be pooled."""

    result: Result
    rows: tuple[Row, ...]
    alike: Hashable


def pooled(results: Sequence[Result], /) -> tuple[Gates, tuple[StudyVotes, ...]]:
    """Return (metric, scenario, candidate) -> estimate, and which study's votes count in it.

    Args:
        results: of all unblinded studies on a run, newest first.
    """
    gates: dict[tuple[str, str, str], Estimate] = {}
    told: list[StudyVotes] = []
    for scenario in sorted({place[1] for result in results for place in result.gates}):
        for metric in (WIN_RATE, RUBRIC):
            parts = _parts(results, metric, scenario)
            if not parts:
                continue
            chosen = _most(parts)
            counted = [part for part in parts if part.alike == chosen]
            gates.update(_estimates(counted, metric, scenario))
            if metric == WIN_RATE:
                gates.update(_apart(counted, scenario))
            told += [_told(p, metric, scenario, counts=p.alike == chosen) for p in parts]
    return gates, tuple(told)


def _parts(results: Sequence[Result], metric: str, scenario: str) -> list[_Part]:
    found = []
    for result in results:
        if not any(place[:2] == (metric, scenario) for place in result.gates):
            continue
        rows = [row for row in result.rated if row.scenario == scenario]
        alike: Hashable = result.study.settings.rubric
        if metric == WIN_RATE:
            rows = [row for row in rows if row.y and row.score is not None]
            alike = frozenset(name for row in rows for name in (row.x, row.y))
        else:
            rows = [row for row in rows if row.ballot.rubric]
        found.append(_Part(result=result, rows=tuple(rows), alike=alike))
    return found


def _most(parts: Sequence[_Part]) -> Hashable:
    votes: dict[Hashable, int] = {}
    for part in parts:
        votes[part.alike] = votes.get(part.alike, 0) + len(part.rows)
    return max(votes, key=lambda key: votes[key])  # of equals the first, which is the newest


def _estimates(parts: Sequence[_Part], metric: str, scenario: str) -> Gates:
    if len(parts) == 1:  # as the study itself says it
        own = parts[0].result.gates
        return {place: own[place] for place in own if place[:2] == (metric, scenario)}
    rows = [_shared(row) for part in parts for row in part.rows]
    found: dict[tuple[str, str, str], Estimate] = {}
    if metric == WIN_RATE:
        for name in sorted({name for row in rows for name in (row.x, row.y)}):
            found[metric, scenario, name] = win_rate(rows, name)
    else:
        rubric = parts[0].result.study.settings.rubric
        for (_, name), lowest in lowest_rows(rows, rubric).items():
            found[metric, scenario, name] = lowest
    text = f"{len(parts)} studies pooled"
    return {at: replace(one, method=f"{one.method}, {text}") for at, one in found.items()}


def _apart(parts: Sequence[_Part], scenario: str) -> Gates:
    """Return for each pair, the preferred first, 1 where the pooled votes tell it apart, else 0."""
    rows = [_shared(row) if len(parts) > 1 else row for part in parts for row in part.rows]
    told = Estimate(value=0.0, low=None, high=None, n_samples=len({row.item for row in rows}),
                    n_trials=len(rows), n_missing=0,
                    method="bradley-terry, Holm over all pairs")  # fmt: skip
    return {
        (PREFERRED, scenario, versus(one, other)): replace(told, value=float(apart))
        for (one, other), apart in told_apart(rows).items()
    }


def _shared(row: Row) -> Row:
    """Return a row whose pair has the same name in every study."""
    pair = "|".join(sorted((row.x, row.y)))
    return replace(row, item=f"{row.sample}|{pair}") if row.sample else row


def _told(part: _Part, metric: str, scenario: str, *, counts: bool) -> StudyVotes:
    why = ""
    if not counts:
        other = "candidates are compared" if metric == WIN_RATE else "rubric was used"
        why = f"other {other} than in the votes that count"
    settings = part.result.study.settings
    return StudyVotes(
        study=part.result.study.id,
        metric=metric,
        scenario=scenario,
        votes=len(part.rows),
        people=len({row.reviewer for row in part.rows}),
        counted=counts,
        shown=f"{settings.style}, {settings.masking}",
        elsewhere=part.result.elsewhere,
        broken=bool(part.result.study.broken),
        why=why,
    )
