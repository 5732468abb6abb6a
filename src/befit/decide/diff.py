"""What changed between two decisions, in words: routes, verdicts, policy, evidence; and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from befit.core.decision import Decision, Standing, TierDecision
from befit.core.policy import Policy
from befit.decide.amounts import plain
from befit.decide.wording import percent, settling

NOTHING = "—"


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """One thing that is not what it was."""

    part: str
    """`route`, `verdict`, `policy`, `limit`, `configuration`, `price`, `samples` or `pass rate`."""
    key: str
    old: str
    new: str


def differences(old: Decision, new: Decision) -> tuple[Changed, ...]:
    """Return all that differs, the routes first."""
    return (
        *_maps("route", _routes(old), _routes(new)),
        *_maps("verdict", _verdicts(old), _verdicts(new)),
        *policy_changes(old.policy, new.policy),
        *_maps("limit", _bars(old), _bars(new)),
        *_maps("configuration", old.fingerprints, new.fingerprints),
        *_maps("price", old.prices, new.prices),
        *_maps("samples", old.set_versions, new.set_versions),
        *_maps("pass rate", _rates(old), _rates(new)),
    )


def policy_changes(old: Policy, new: Policy) -> tuple[Changed, ...]:
    """Return what of a policy is not what it was, line by line."""
    return tuple(_maps("policy", _policy(old), _policy(new)))


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


def _policy(policy: Policy) -> dict[str, str]:
    """Return the policy line by line: each gate, each requirement, each setting."""
    found = {}
    for gate in policy.gates:
        where = f" on {gate.scenario}" if gate.scenario else ""
        sign = "at most" if gate.floor is None else "at least"
        found[f"gate {gate.metric}{where}"] = f"{sign} {plain(gate.limit)}"
    for key, value in policy.model_dump(mode="json", exclude={"gates"}).items():
        if isinstance(value, dict):
            found.update({f"{key}.{name}": _said(one) for name, one in value.items()})
        else:
            found[key] = _said(value)
    return found


def _said(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return plain(value)
    return NOTHING if value is None else str(value)


def _bars(decision: Decision) -> dict[str, str]:
    """Return every gate that was judged, also those that no policy line states: their limits."""
    found = {}
    for one in decision.verdicts:
        if one.source in {"acceptance", "tier"}:
            sign = "at most" if one.gate.floor is None else "at least"
            found[f"{one.gate.metric} on {one.scenario}"] = f"{sign} {plain(one.gate.limit)}"
    return found


def reasons(old: Decision, new: Decision) -> tuple[str, ...]:
    """Return, tier by tier, why what was decided is not what it was; empty where it is."""
    before = {tier.tier: tier for tier in old.tiers}
    return tuple(
        f"{tier.tier}: {text}"
        for tier in new.tiers
        if (text := _reason(before.get(tier.tier), tier, tuple(_causes(old, new))))
    )


def _causes(old: Decision, new: Decision) -> Iterator[str]:
    """Yield what of the basis of a decision is another."""
    if old.policy != new.policy or _bars(old) != _bars(new):
        yield "the policy"
    if old.fingerprints != new.fingerprints:
        yield "the candidates"
    if old.prices != new.prices:
        yield "prices"
    if old.set_versions != new.set_versions:
        yield "the samples"
    if old.run_id != new.run_id or _rates(old) != _rates(new):
        yield "what was measured"


def _reason(old: TierDecision | None, new: TierDecision, causes: Sequence[str]) -> str:
    if old is not None and (old.candidate, old.outcome) == (new.candidate, new.outcome):
        return ""
    was = "not there" if old is None else old.candidate or old.outcome.replace("_", " ")
    now = new.candidate or new.outcome.replace("_", " ")
    said = f"{was} -> {now}, since {' and '.join(causes) or 'befit'} changed"
    lost = None if old is None else _standing(new, old.candidate)
    parts = [f"{lost.candidate} {_says(lost)}"] if lost is not None else []
    gained = _standing(new, new.candidate)
    if gained is not None and new.reason:
        parts.append(f"{gained.candidate} is {new.reason.rstrip('.')}")
    elif new.outcome == "none_good_enough" and new.missing and lost is None:
        parts.append(new.missing)
    elif new.outcome == "not_decided" and lost is None:
        parts.append(settling(new))
    return f"{said}: {'; '.join(parts)}." if parts else f"{said}."


def _standing(tier: TierDecision, name: str | None) -> Standing | None:
    return next((one for one in tier.standings if one.candidate == name), None)


def _says(one: Standing) -> str:
    words = {"pass": "passes", "fail": "is out", "insufficient_evidence": "is open"}
    return words[one.verdict] + (f" ({one.why})" if one.why else "")
