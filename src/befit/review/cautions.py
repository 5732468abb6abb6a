"""What a reader has to know before believing the result of a study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from befit.review.result import Result
from befit.review.rows import Row

_HALF, _RARE = 0.5, 0.05


def cautions(result: Result, judged: Sequence[Row]) -> tuple[str, ...]:
    """Return the warnings, the weightiest first; `judged` are the votes that count."""
    return (*_blinding(result), *_groups(result, judged), *_reviewers(result))


def _blinding(result: Result) -> Iterator[str]:
    if result.study.broken:
        yield f"The blinding was broken before the study was closed: {result.study.broken}"
    if result.elsewhere:
        yield "These votes were made elsewhere; whether they were blind is not known here."
    if result.flagged:
        told = "1 vote is" if result.flagged == 1 else f"{result.flagged} votes are"
        yield f"{told} on pairs whose identity may show."
    for why, count in result.study.left_out.items():
        yield f"{count} pair{'s were' if count != 1 else ' was'} never shown: {why}."
    guessed = result.guessing
    rare = guessed.p_value is not None and guessed.p_value < _RARE
    if rare and (guessed.right.value or 0.0) > guessed.chance:
        yield "Reviewers could tell candidates by their style better than by chance."


def _groups(result: Result, judged: Sequence[Row]) -> Iterator[str]:
    if not judged:
        yield "No vote counts."
        return
    users = sum(row.group == "real_user" for row in judged)
    if users < _HALF * len(judged):
        yield f"Real users gave {users} of {len(judged)} votes, less than half."
    seen = {row.scenario for row in judged if row.group == "real_user"}
    wanted = result.study.settings.scenarios
    for info in result.study.scenarios:
        if info.critical and info.name not in seen and (not wanted or info.name in wanted):
            yield f"No real user has voted on {info.name}, which is critical."


def _reviewers(result: Result) -> Iterator[str]:
    made = result.agreement
    if made.word == "low":
        alpha = made.alpha
        within = (
            ""
            if alpha.low is None or alpha.high is None
            else f" [{alpha.low:.2f}, {alpha.high:.2f}]"
        )
        yield f"Reviewers agree little: alpha {alpha.value:.2f}{within}."
    if made.disputed:
        n = len(made.disputed)
        yield f"Reviewers disagree on {n} pair{'s' if n != 1 else ''}, to be adjudicated."
    if result.preference is not None and not result.preference.connected:
        yield "Some candidates never met or never lost: their ratings mean little."
    outs = [line.name for line in result.quality if line.excluded]
    if outs:
        yield f"Left out by the rule set before the study: {', '.join(outs)}."
