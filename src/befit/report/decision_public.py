"""A leaderboard's order beside what one's own scenarios say, as a decision tells it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from befit.core.decision import Decision
from befit.core.written import in_percent
from befit.report.decision import standing_words
from befit.report.numbers import significant


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicRow:
    """One candidate on a leaderboard, and where it stands here."""

    candidate: str
    position: int
    entered: int
    public: str
    own: str
    tiers: str


def public_rows(decision: Decision) -> tuple[PublicRow, ...]:
    """Return the leaderboard's order beside what one's own scenarios say."""
    if decision.public is None:
        return ()
    public = decision.public.public
    return tuple(
        PublicRow(
            candidate=name,
            position=1 + sum(other > value for other in public.values()),
            entered=len(public),
            public=significant(value),
            own="not measured" if (own := decision.public.own.get(name)) is None
            else f"{in_percent(own)} %",
            tiers="; ".join(_parts(decision, name)),
        )
        for name, value in sorted(public.items(), key=lambda item: -item[1])
    )  # fmt: skip


def _parts(decision: Decision, name: str) -> Iterator[str]:
    """Yield tier, rank group and part of a candidate, tier by tier."""
    for tier in decision.tiers:
        own = next((s for s in tier.standings if s.candidate == name), None)
        if own is None:
            continue
        part = standing_words(decision, tier, own)
        if name in {tier.candidate, tier.fallback}:
            part = "serves it" if name == tier.candidate else "steps in"
        yield f"{tier.tier}: {own.letters} {part}" if own.letters else f"{tier.tier}: {part}"
