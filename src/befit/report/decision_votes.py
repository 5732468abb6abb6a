"""Which votes a decision counts, in words; and what a study's own section says beside it.

A decision puts the votes of all unblinded studies together, a study's section shows its
own alone: where they differ, each says what the other counts.
"""

from __future__ import annotations

from collections.abc import Sequence

from befit.core.decision import Decision, Standing, StudyVotes, TierDecision
from befit.core.written import many
from befit.review.result import Result

_METRIC = {"win rate by people": "human_win_rate", "lowest rubric row by people": "human_rubric"}


def votes_behind(decision: Decision, tier: TierDecision) -> str:
    """Return which votes a tier's choice counts and whom they tell apart; empty without any."""
    counted = _counted(decision, tier)
    if not counted:
        return ""
    return f"Counted are {_studies(counted)}{_apart(tier)}."


def beside_decision(decision: Decision | None, result: Result) -> str:
    """Return what a decision counts besides, or instead of, a study; empty where just this."""
    if decision is None:
        return ""
    told = []
    for tier in decision.tiers:
        counted = _counted(decision, tier)
        if not counted or {one.study for one in counted} == {result.study.id}:
            continue
        here = any(one.study == result.study.id for one in counted)
        what = "pools more than this study" if here else "does not count this study"
        told.append(f"The decision for {tier.tier} {what}: {_studies(counted)}{_apart(tier)}.")
    return " ".join(told)


def _counted(decision: Decision, tier: TierDecision) -> list[StudyVotes]:
    metrics = [metric for words, metric in _METRIC.items() if words in tier.quality_name]
    return [
        one
        for one in decision.people_votes
        if one.counted and one.scenario in tier.people and one.metric in metrics
    ]


def _studies(counted: Sequence[StudyVotes]) -> str:
    votes: dict[str, int] = {}
    for one in counted:
        votes[one.study] = votes.get(one.study, 0) + one.votes
    total = sum(votes.values())
    if len(votes) == 1:
        return f"{many(total, 'vote')} of people, of study {next(iter(votes))}"
    parts = ", ".join(f"{name} ({count})" for name, count in votes.items())
    return f"{many(total, 'vote')} of people, of {len(votes)} studies: {parts}"


def _apart(tier: TierDecision) -> str:
    """Return the letters of the votes together, the best first."""
    if not tier.by_people:
        return ""

    def better_first(one: Standing) -> float:
        return -(one.quality.value or 0.0)

    ranked = [one for one in sorted(tier.standings, key=better_first) if one.letters]
    if len(ranked) < 2:  # noqa: PLR2004 - one candidate has nobody to be told from
        return ""
    letters = ", ".join(f"{one.candidate} {one.letters}" for one in ranked)
    best = ranked[0]
    same = [one.candidate for one in ranked[1:] if set(one.letters) & set(best.letters)]
    told = (
        f"{best.candidate} cannot be told from {' and '.join(same)}"
        if same
        else f"{best.candidate} is told apart from every other"
    )
    return f"; together, {told} (letters: {letters})"
