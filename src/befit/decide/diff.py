"""What changed between two decisions: routes, verdicts, policy, evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from befit.core.decision import Decision
from befit.decide.wording import percent

NOTHING = "—"


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """One thing that is not what it was."""

    part: str
    """`route`, `verdict`, `policy`, `configuration`, `price`, `samples` or `pass rate`."""
    key: str
    old: str
    new: str


def differences(old: Decision, new: Decision) -> tuple[Changed, ...]:
    """Return all that differs, the routes first."""
    return (
        *_maps("route", _routes(old), _routes(new)),
        *_maps("verdict", _verdicts(old), _verdicts(new)),
        *_maps("policy", _policy(old), _policy(new)),
        *_maps("configuration", old.fingerprints, new.fingerprints),
        *_maps("price", old.prices, new.prices),
        *_maps("samples", old.set_versions, new.set_versions),
        *_maps("pass rate", _rates(old), _rates(new)),
    )


def _maps(part: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Changed]:
    for key in dict.fromkeys([*old, *new]):
        a, b = old.get(key, NOTHING), new.get(key, NOTHING)
        if a != b:
            yield Changed(part=part, key=key, old=a, new=b)


def _routes(decision: Decision) -> dict[str, str]:
    found = {}
    for tier in decision.tiers:
        text = tier.candidate or "none"
        text += f", fallback {tier.fallback}" if tier.fallback else ""
        found[tier.tier] = f"{text} ({tier.outcome.replace('_', ' ')})"
    return found


def _verdicts(decision: Decision) -> dict[str, str]:
    return {
        f"{tier.tier}: {one.candidate}": one.verdict.replace("_", " ")
        for tier in decision.tiers
        for one in tier.standings
    }


def _rates(decision: Decision) -> dict[str, str]:
    return {
        f"{tier.tier}: {one.candidate}": percent(one.quality)
        for tier in decision.tiers
        for one in tier.standings
    }


def _policy(decision: Decision) -> dict[str, str]:
    return {key: str(value) for key, value in decision.policy.model_dump(mode="json").items()}
