"""The sentences of a decision: why, what is missing, what is open. No numbers are made here."""

from __future__ import annotations

from collections.abc import Sequence

from befit.core.decision import GateVerdict, TierDecision
from befit.core.estimate import Estimate
from befit.decide.choosing import Choice

SHOWN = 3


def percent(estimate: Estimate) -> str:
    """Return a rate with its interval."""
    if estimate.value is None:
        return "not measured"
    low, high = (("?" if b is None else f"{100 * b:.0f}") for b in (estimate.low, estimate.high))
    return f"{100 * estimate.value:.0f} % [{low}, {high}]"


def money(value: float) -> str:
    """Return USD with the digits its size needs."""
    return f"{value:,.2f}" if abs(value) >= 1 else f"{value:.3g}"


def names(choice: Choice, codes: Sequence[int]) -> str:
    """Return candidates as a list in words."""
    found = [choice.evidence.candidates[m] for m in codes]
    return " or ".join([", ".join(found[:-1]), found[-1]] if len(found) > 1 else found)


def reason(choice: Choice, tier: int, chosen: int) -> str:
    """Return why a candidate serves a tier, in one sentence."""
    view, everybody = choice.views[tier], range(len(choice.evidence.candidates))
    gates = len(choice.judgement.gates[tier])
    said = [f"all {gates} gates met" if gates > 1 else "its gate is met"] if gates else []
    measured = [m for m in everybody if view.quality[m].value is not None]
    best = max(measured, key=lambda m: view.quality[m].value or 0.0)
    cost = view.cost[chosen].value
    if best != chosen:
        apart = "is better" if view.better[best, chosen] else "cannot be told from it"
        other = view.cost[best].value
        times = f", {other / cost:.3g} times its cost" if cost and other and other > cost else ""
        said.append(f"{choice.evidence.candidates[best]} {apart} on pass rate{times}")
    elif len(measured) > 1:
        told = all(view.better[chosen, m] for m in measured if m != chosen)
        said.append("better than every other" if told else "the highest pass rate")
    prefer = {"cost": "cheapest", "quality": "best", "value": "of most net value"}
    word = prefer[choice.policy.prefer]
    if choice.policy.prefer == "cost" and cost is None:
        word = "best"
        said.append("no price is known, so cost did not count")
    scope = "of those that pass" if gates else "of those not shown to be worse"
    return f"{word} {scope}: {'; '.join(said)}." if said else f"{word} {scope}."


def shortfall(found: Sequence[GateVerdict]) -> str:
    """Return what a candidate lacks, the worst first."""
    bad = [v for v in found if v.verdict != "pass"]
    parts = []
    for v in sorted(bad, key=lambda v: v.verdict != "fail")[:SHOWN]:
        if v.source == "requirement":
            parts.append(f"{v.gate.metric}: {v.why}")
            continue
        value = v.evidence.value
        seen = "not measured" if value is None else f"{value:.3g}"
        word = "misses" if v.verdict == "fail" else "does not yet show"
        parts.append(f"{word} {v.gate} ({seen})")
    more = f" and {len(bad) - SHOWN} more" if len(bad) > SHOWN else ""
    return "; ".join(parts) + more


def headline(tier: TierDecision) -> str:
    """Return one tier's decision as a sentence."""
    if tier.outcome == "decided":
        back = f"; fall back to {tier.fallback}" if tier.fallback else "; there is no fallback"
        return f"Use {tier.candidate} for {tier.tier}{back}."
    if tier.outcome == "none_good_enough":
        nearest = f" Nearest is {tier.nearest}: {tier.missing}." if tier.nearest else ""
        if tier.missing and not tier.nearest:
            nearest = f" The reason: {tier.missing}."
        return f"No candidate is good enough for {tier.tier}.{nearest}"
    if not tier.contenders:
        return f"Not decided for {tier.tier}: there is nothing measured to decide by."
    who = " or ".join(tier.contenders)
    if tier.samples_needed:
        more = f"; about {tier.samples_needed:,} samples in all settle it"
    else:
        more = "; too close to a limit for more samples to settle it"
    until = f" Until then use {tier.candidate}, which is proven." if tier.candidate else ""
    return f"Not decided for {tier.tier}: {who}{more}.{until}"
