"""The sentences of a decision: why, what is missing, what is open. No numbers are made here."""

from __future__ import annotations

from collections.abc import Sequence

from befit.analysis.results import IN_CLUSTERS
from befit.core.decision import GateVerdict, TierDecision
from befit.core.estimate import Estimate
from befit.core.written import between, bound, in_percent, places
from befit.decide.amounts import beyond_limits, plain
from befit.decide.choosing import Choice
from befit.decide.unsettled import CLOSE

SHOWN = 3
UNGATED = "no gate was stated, so nothing is proven"


def percent(estimate: Estimate) -> str:
    """Return a rate with its interval."""
    if estimate.value is None:
        return "not measured"
    told, low, high = (
        None if value is None else bound(value, places=places(estimate))
        for value in (estimate.value, estimate.low, estimate.high)
    )
    return f"{told} % [{between(low, high)}]"


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
    what = view.quality_name
    met = f"all {gates} gates met" if gates > 1 else "its gate is met"
    said = [met if gates else UNGATED]
    measured = [m for m in everybody if view.quality[m].value is not None and view.covered[m]]
    best = max(measured, key=lambda m: view.quality[m].value or 0.0)
    cost = view.cost[chosen].value
    if best != chosen:
        apart = "is better" if view.better[best, chosen] else "cannot be told from it"
        other = view.cost[best].value
        times = f", {other / cost:.3g} times its cost" if cost and other and other > cost else ""
        said.append(f"{choice.evidence.candidates[best]} {apart} on {what}{times}")
    elif len(measured) > 1:
        told = all(view.better[chosen, m] for m in measured if m != chosen)
        same = [m for m in measured if m != chosen and not view.better[chosen, m]]
        unlike = f", which cannot be told from {names(choice, same)}" if view.by_people else ""
        said.append(f"a higher {what} than every other" if told
                    else f"the highest {what} seen{unlike}")  # fmt: skip
    prefer = {"cost": "cheapest", "quality": "best", "value": "of most net value"}
    word = prefer[choice.policy.prefer]
    unknown = unpriced(choice, tier, chosen)
    if unknown:
        said.append(f"the cost of {' and '.join(unknown)} is unknown, so not compared")
    if choice.policy.prefer == "cost" and cost is None:
        word = "best"
        said.append("no price is known, so cost did not count")
    scope = "of those that pass" if gates else "of those not shown to be worse"
    if unknown and only_priced(choice, tier):
        word = "the only one with a known price"
    elif unknown:
        scope += " and have a price"
    return f"{word} {scope}: {'; '.join(said)}."


def unpriced(choice: Choice, tier: int, chosen: int | None) -> tuple[str, ...]:
    """Return who could serve as well but could not be weighed, since its price is unknown.

    None where cost does not count, or where the price of the chosen one is unknown too.
    """
    cost = choice.views[tier].cost
    if chosen is None or choice.policy.prefer == "quality" or cost[chosen].value is None:
        return ()
    return tuple(
        name
        for m, name in enumerate(choice.evidence.candidates)
        if choice.proven[tier, m] and cost[m].value is None
    )


def only_priced(choice: Choice, tier: int) -> bool:
    """Tell whether only one of those that could serve has a known price: no choice by cost."""
    known = [one.value is not None for one in choice.views[tier].cost]
    return int((choice.proven[tier] & known).sum()) == 1


UNITS = {
    "latency": " s",
    "first_token": " s",
    "input_tokens": " tokens",
    "output_tokens": " tokens",
    "verbosity": " tokens",
    "throughput": " calls a second",
}
"""Beginnings of metrics that are amounts, but for costs; all others are rates."""
SCALES = ((0.01, 1, ""), (1e-5, 1_000, "1,000 "), (0.0, 1_000_000, "million "))
"""Costs from so much on are told by so many tasks."""


def unit_of(verdict: GateVerdict) -> tuple[float, str] | None:
    """Return by what the figures of a gate are multiplied, and their unit; None for rates.

    Costs are told by 1,000 or a million tasks where the smaller of limit and value asks for it.
    """
    metric, value = verdict.gate.metric, verdict.evidence.value
    if metric.startswith("cost"):
        small = min(abs(x) for x in (verdict.gate.limit, value) if x)
        scale, words = next((by, words) for least, by, words in SCALES if small >= least)
        task = "success" if metric == "cost_per_success" else "task"
        many = {"success": "successes", "task": "tasks"}[task] if words else task
        return scale, f" USD per {words}{many}"
    unit = next((unit for key, unit in UNITS.items() if metric.startswith(key)), None)
    if unit is not None:
        return 1, unit
    rate = 0 <= verdict.gate.limit <= 1 and 0 <= (value or 0.0) <= 1
    return None if rate else (1, "")


def figure(value: float, verdict: GateVerdict, *, exact: bool = False, unit: bool = True) -> str:
    """Return a value of a gate's metric: rates in percent, amounts with their unit.

    What was measured has no decimals of a percent; what was asked (`exact`) has those it needs.
    """
    told = unit_of(verdict)
    if told is not None:
        return plain(told[0] * value) + (told[1] if unit else "")
    number = f"{100 * value:.4g}" if exact else in_percent(value)
    return f"{number} %" if unit else number


def seen(verdict: GateVerdict) -> str:
    """Return what was seen of a gate's metric with its interval, for instance `76 % [61, 86]`."""
    found = verdict.evidence
    if found.value is None:
        return f"not measured ({found.method})"
    if unit_of(verdict) is None:
        return percent(found)
    low, high = (
        None if b is None else figure(b, verdict, unit=False) for b in (found.low, found.high)
    )
    return f"{figure(found.value, verdict)} [{between(low, high)}]"


def shortfall(found: Sequence[GateVerdict]) -> str:
    """Return what a candidate lacks, the worst first."""
    bad = [v for v in found if v.verdict != "pass"]
    parts = []
    for v in sorted(bad, key=lambda v: v.verdict != "fail")[:SHOWN]:
        if v.source == "requirement":
            parts.append(f"{v.gate.metric}: {v.why}")
            continue
        where = f" on {v.scenario}" if v.scenario else ""
        limit = figure(v.gate.limit, v, exact=True)
        asked = f"at {'most' if v.gate.floor is None else 'least'} {limit} is asked"
        name = v.gate.metric.replace("_", " ")
        if v.evidence.value is None:
            parts.append(f"{name}{where} is not measured; {asked}")
        else:
            told = asked if v.verdict == "fail" else f"which does not yet show {limit}"
            parts.append(f"{name}{where} is {seen(v)} (n = {v.evidence.n_samples:,}), {told}")
    more = f"; and {len(bad) - SHOWN} more" if len(bad) > SHOWN else ""
    return "; ".join(parts) + more


def headline(tier: TierDecision) -> str:
    """Return one tier's decision as a sentence."""
    if tier.outcome == "decided":
        back = f"; fall back to {tier.fallback}" if tier.fallback else "; there is no fallback"
        alone = ", on the word of people alone" if tier.by_people else ""
        return f"Use {tier.candidate} for {tier.tier}{alone}{back}."
    if beyond_limits(tier):
        return f"No route for {tier.tier}: {tier.missing}."
    if tier.outcome == "none_good_enough":
        nearest = f" Nearest is {tier.nearest}: {tier.missing}." if tier.nearest else ""
        return f"No candidate is good enough for {tier.tier}.{nearest}"
    if not tier.contenders:
        return f"Not decided for {tier.tier}: there is nothing measured to decide by."
    who = " or ".join(tier.contenders)
    until = f" Until then use {until_then(tier)}." if tier.candidate else ""
    return f"Not decided for {tier.tier}: {who}; {settling(tier)}.{until}"


def until_then(tier: TierDecision) -> str:
    """Return who serves a tier until it is settled, and why; proven is who has met a gate."""
    stands = "proven" if tier.gated else "not shown to be worse than another"
    return f"{tier.candidate}, which is {stands}"


def settling(tier: TierDecision) -> str:
    """Return what settles an open tier: samples for whom they can settle, and what is missing."""
    parts = []
    if tier.samples_needed:
        what = " and ".join(tier.by_samples) if tier.lacking and tier.by_samples else "it"
        how = f" ({IN_CLUSTERS})" if tier.clustered else ""
        parts.append(f"about {tier.samples_needed:,} samples in all{how} settle {what}")
    return "; ".join([*parts, *tier.lacking]) or CLOSE
