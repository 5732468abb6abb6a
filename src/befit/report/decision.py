"""A decision in words and tables for every rendering: no number is made here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from befit.analysis.engineering_cost import tries_of_unknown_cost
from befit.analysis.results import Analysis
from befit.core.decision import (
    ConstraintPrice,
    Decision,
    GateVerdict,
    Sensitivity,
    Standing,
    StudyVotes,
    TierDecision,
)
from befit.core.estimate import Estimate
from befit.core.written import between, in_percent, many
from befit.decide.amounts import beyond_limits, plain, saving_words
from befit.decide.diff import Changed
from befit.decide.wording import figure, headline, seen, settling, until_then
from befit.report.numbers import amount, counts, other_counts, percent, significant

VERDICT_WORDS = {"pass": "✓ met", "fail": "✕ missed", "insufficient_evidence": "? open"}
_STANDING_WORDS = {"pass": "✓ proven", "fail": "✕ out", "insufficient_evidence": "? open"}
NOT_WORSE = "~ not shown worse"
"""Stands where no gate was stated: nobody was asked for anything, so nothing is proven."""
OUTCOME_WORDS = {
    "decided": "Decided",
    "not_decided": "Not decided",
    "none_good_enough": "None is good enough",
}
BEYOND = "No combination keeps the limits"
CENT = 0.01
TOLD = 3
"""Tiers up to which the headline names every route."""
CONFIDENCE = (
    "high: the choice is the best one in at least 95 % of draws in which all doubts move at once, "
    "on 30 samples or more; moderate: in at least 80 %; low: else, or not decided. Where cost "
    "counts and a candidate that could serve as well has no price, it is never high, and low where "
    "only the chosen one has a price."
)


def outcome_words(decision: Decision) -> str:
    """Return the outcome in a few words; where only some tiers are decided, how many."""
    count = len(decision.tiers)
    done = sum(tier.outcome == "decided" for tier in decision.tiers)
    if 0 < done < count:
        return f"Decided for {done} of {count} task tiers"
    none = [tier for tier in decision.tiers if tier.outcome == "none_good_enough"]
    if none and len(none) < count:
        return (
            f"None is good enough for {len(none)} of {count} task tiers, "
            f"not decided for {count - len(none)}"
        )
    return tier_words(none[0]) if none else OUTCOME_WORDS[decision.outcome]


def tier_words(tier: TierDecision) -> str:
    """Return the outcome of a tier in a few words."""
    return BEYOND if beyond_limits(tier) else OUTCOME_WORDS[tier.outcome]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One of the facts beside a recommendation."""

    name: str
    value: str


def standing_words(decision: Decision, tier: TierDecision, one: Standing) -> str:
    """Return where a candidate stands; proven is only who was asked for something and gave it."""
    inside = {None, *tier.scenarios}
    asked = tier.gated and any(
        v.source != "requirement" and v.scenario in inside for v in decision.verdicts
    )
    return NOT_WORSE if one.verdict == "pass" and not asked else _STANDING_WORDS[one.verdict]


def headlines(decision: Decision) -> tuple[str, ...]:
    """Return one sentence per tier."""
    return tuple(headline(tier) for tier in decision.tiers)


def chosen(tier: TierDecision) -> Standing | None:
    """Return the standing of the candidate a tier goes to, if any."""
    return next((s for s in tier.standings if s.candidate == tier.candidate), None)


def stale_sentence(found: Sequence[Changed]) -> str:
    """Return that the policy is not the one of the decision any more; empty where it is."""
    if not found:
        return ""
    shown = [f"{one.key}: {one.old} -> {one.new}" for one in found[:TOLD]]
    shown += [f"and {len(found) - TOLD} more"] if len(found) > TOLD else []
    return (
        f"The policy in the project file is another since this decision ({'; '.join(shown)}): "
        "befit decide decides by it."
    )


def waits_for(tier: TierDecision) -> str:
    """Return what an open tier waits for: samples, or what was never measured; and who serves."""
    until = f"; until then {until_then(tier)}" if tier.candidate else ""
    return f"{settling(tier)}{until}"


def money(value: float | None) -> str:
    """Return USD; unknown is said."""
    if value is None:
        return "unknown"
    return "less than $0.01" if 0 < value < CENT else f"${significant(value)}"


def per_task(value: float) -> str:
    """Return USD of one task, which may be very little."""
    return f"${plain(value)}"


def facts(decision: Decision, tier: TierDecision, *, stability: str) -> tuple[Fact, ...]:
    """Return the five facts of the chosen candidate."""
    own = chosen(tier)
    if own is None:
        return ()
    verdicts = [
        v
        for v in decision.verdicts
        if v.candidate == own.candidate and v.scenario in {None, *tier.scenarios}
    ]
    met = sum(v.verdict == "pass" for v in verdicts)
    per_task = own.cost_per_task
    cost = "price unknown"
    if per_task.value is not None:
        low, high = (None if b is None else plain(1000 * b) for b in (per_task.low, per_task.high))
        least = "at least " if own.untold_tries else ""
        cost = f"{least}${plain(1000 * per_task.value)} [{between(low, high)}]"
        cost += other_counts(per_task, own.quality)
    took = amount(own.latency_p95, unit="s") + other_counts(own.latency_p95, own.quality)
    return (
        Fact(name=tier.quality_name, value=f"{percent(own.quality)}, {counts(own.quality)}"),
        Fact(name="answers agree over repeats", value=stability),
        Fact(name="per 1,000 tasks", value=cost),
        Fact(name="p95 latency", value=took),
        Fact(name="gates met", value=f"{met} of {len(verdicts)}" if verdicts else "no gate stated"),
    )


def limit_text(verdict: GateVerdict) -> str:
    """Return a gate's limit in words."""
    gate = verdict.gate
    if verdict.source == "requirement":
        return "required"
    sign = "at least" if gate.floor is not None else "at most"
    return f"{sign} {figure(gate.limit, verdict, exact=True)}"


def evidence_text(verdict: GateVerdict) -> str:
    """Return what was seen, with the bound that was used."""
    found = verdict.evidence
    if verdict.source == "requirement":
        return f"stated: {verdict.why}"
    if found.value is None:
        return seen(verdict)
    bound = "" if verdict.bound is None else f"; bound {figure(verdict.bound, verdict)}"
    return f"{seen(verdict)}{bound}, {counts(found)}"


def source_text(verdict: GateVerdict) -> str:
    """Return where a gate comes from."""
    return {
        "policy": "policy",
        "acceptance": "scenario's acceptance",
        "tier": "tier's value and cost of error",
        "requirement": "policy, required",
    }[verdict.source]


def floor_notes(decision: Decision) -> tuple[str, ...]:
    """Return where floors come from that the policy does not state: a tier's value and costs."""
    found = {
        f"At least {figure(v.gate.limit, v, exact=True)} right is asked on {v.scenario}: from "
        f"there on right answers pay for wrong ones ({v.why}); `tiers` in the project "
        "file states both, a gate on pass_rate goes before it."
        for v in decision.verdicts
        if v.source == "tier" and v.why
    }
    return tuple(sorted(found))


def combination_sentence(decision: Decision) -> str:
    """Return the best-fitting combination against one model for all, in a sentence."""
    made = decision.combination
    if made is None:
        beyond = next((tier.missing for tier in decision.tiers if beyond_limits(tier)), "")
        return f"No combination: {beyond or 'no tier has a candidate that may serve it'}."
    per = "per 1,000 tasks of each tier" if made.assumed_volume else "a month"
    models = f"{made.models} model{'' if made.models == 1 else 's'}"
    if made.cost.value is None:
        return f"{models}; the cost is unknown, since a price is."
    routed = [tier.tier for tier in decision.tiers if tier.candidate is not None]
    whole = len(routed) == len(decision.tiers)
    cost = cost_text(made.cost, made.untold_tries, unit="USD")
    text = f"{cost} {per}" if len(routed) == 1 else f"{models}, {cost} {per}"
    if not whole:
        text += f" for {', '.join(routed)} alone"
    if len(routed) == 1:
        return f"{text}."
    if made.one_model is None:
        return f"{text}. No single candidate may serve every tier."
    if made.models == 1:
        return f"{text}: one model for all is the best combination."
    return (
        f"{text}; one model for all would be {made.one_model} at "
        f"{amount(made.one_model_cost, unit='USD')}: the combination {_saved(made.saving)} {per}."
    )


def _saved(saving: Estimate) -> str:
    """Return what a combination saves; what it saves below 0 it costs more."""
    if saving.value is None or saving.value >= 0:
        return f"saves {amount(saving, unit='USD')}"
    low, high = (None if end is None else -end for end in (saving.high, saving.low))
    more = replace(saving, value=-saving.value, low=low, high=high)
    return f"costs {amount(more, unit='USD')} more"


def untold_text(untold: int) -> str:
    """Return why a cost is a least one."""
    return f"at least: {tries_of_unknown_cost(untold)}"


def cost_text(cost: Estimate, untold: int, *, unit: str = "") -> str:
    """Return an amount of USD; beside failed tries of unknown cost it is at least so much."""
    told = amount(cost, unit=unit)
    return f"at least {told}" if untold and cost.value is not None else told


def frontier_text(standing: Standing) -> str:
    """Return whether a candidate is on the frontier, and in how many of the draws it is."""
    said = {"on": "on it", "dominated": "dominated", "unknown": "not known"}[standing.front]
    if standing.front_chance is None or not standing.front_chance:
        return said
    often = chance(standing.front_chance)
    return f"{said}, {often}" if standing.front == "on" else f"{said} (on it: {often})"


def stands_sentence(decision: Decision) -> str:
    """Return how firmly the routes stand."""
    found = decision.sensitivity
    if found is None or found.stands is None:
        return "There is no route whose firmness could be tried."
    loss = ""
    if found.expected_loss is not None:
        made = decision.combination
        per = "per 1,000 tasks of each tier" if made and made.assumed_volume else "a month"
        told = f"{_loss(found)} {per}, n = {found.draws:,} draws"
        loss = f" Expected loss from what is not known: {told}."
    times = round(found.stands * found.draws)
    often = "all" if times == found.draws else f"{times:,}"
    among = ", among the candidates whose price is known" if _unpriced(decision) else ""
    what = "this route stays" if len(decision.routes) == 1 else "these routes stay"
    return (
        "If pass rates, prices, costs, traffic and weights are off by as much as they may be, "
        f"{what} the best in {often} of {found.draws:,} draws{among}.{loss}"
    )


def _loss(found: Sensitivity) -> str:
    """Return the expected loss, with its interval where the record holds one."""
    low = None if found.loss is None else found.loss.low
    high = None if found.loss is None else found.loss.high
    if low is None or high is None:
        return money(found.expected_loss)
    return f"${plain(found.expected_loss or 0.0)} [{plain(low)}, {plain(high)}]"


def _unpriced(decision: Decision) -> bool:
    """Tell whether somebody proven was left out of the choice since its price is unknown."""
    return decision.policy.prefer != "quality" and any(
        one.verdict == "pass" and one.cost_per_task.value is None
        for tier in decision.tiers
        if (own := chosen(tier)) is not None and own.cost_per_task.value is not None
        for one in tier.standings
    )


def verdicts_of(decision: Decision, candidate: str) -> Sequence[GateVerdict]:
    """Return the verdicts on one candidate."""
    return [v for v in decision.verdicts if v.candidate == candidate]


FRONTIER = (
    "Frontier: on it is who no other is shown to beat on quality, cost and p95 latency together; "
    "the percentage is how often somebody is on it when the samples are drawn anew."
)
DOUBT_WORDS = {
    "quality": "the pass rates, within their sampling noise",
    "prices": "prices",
    "traffic": "the traffic of the tiers",
    "costs": "costs per task, within their sampling noise",
    "weights": "the weights of the scenarios within a tier",
}


def chance(value: float | None) -> str:
    """Return a probability in whole percent."""
    return "not known" if value is None else f"{in_percent(value)} %"


def binding(decision: Decision) -> tuple[ConstraintPrice, ...]:
    """Return the constraints without which some route would be another."""
    return tuple(one for one in decision.constraints if one.routes)


def saving(one: ConstraintPrice) -> str:
    """Return what goes with a constraint, as the end of its line; "" where that is unknown."""
    told = saving_words(one.saving)
    return f", {told}" if told else ""


def summary(decision: Decision) -> str:
    """Return the decision over several tiers in one sentence."""
    count = len(decision.tiers)
    done = [t for t in decision.tiers if t.outcome == "decided"]
    if count <= TOLD:
        parts = [_short(tier) for tier in decision.tiers]
        return "; ".join([parts[0], *(part[:1].lower() + part[1:] for part in parts[1:])]) + "."
    if len(done) == count:
        return f"Decided for all {count} task tiers."
    none = [t.tier for t in decision.tiers if t.outcome == "none_good_enough"]
    left = [t.tier for t in decision.tiers if t.outcome == "not_decided"]
    parts = [f"Decided for {len(done)} of {count} task tiers"]
    parts += [f"not decided for {', '.join(left)}"] if left else []
    parts += [f"no candidate is good enough for {', '.join(none)}"] if none else []
    return "; ".join(parts) + "."


def _short(tier: TierDecision) -> str:
    if tier.outcome == "decided":
        return f"Use {tier.candidate} for {tier.tier}"
    if beyond_limits(tier):
        return f"No route for {tier.tier} keeps the limits"
    if tier.outcome == "none_good_enough":
        return f"No candidate is good enough for {tier.tier}"
    who = " or ".join(tier.contenders) or "nothing is measured"
    return f"Not decided for {tier.tier}: {who}"


def doubts(decision: Decision, most: int) -> tuple[tuple[str, str], ...]:
    """Return what could change the decision: ("open" or "turns", text), the open first."""
    found = [("open", text) for text in decision.open_questions]
    if decision.sensitivity is not None:
        found += [("turns", f"{flip.tier}: {flip.text}") for flip in decision.sensitivity.flips]
    return tuple(found[:most])


def votes_text(one: StudyVotes) -> str:
    """Return one study's part in what people said, in one line."""
    marks = [text for text, on in (("votes made elsewhere", one.elsewhere),
                                   ("blinding broken early", one.broken)) if on]  # fmt: skip
    mark = f" ({', '.join(marks)})" if marks else ""
    counts = "count" if one.counted else f"do not count: {one.why}"
    of = f"{many(one.votes, 'vote')} of {one.people} {'person' if one.people == 1 else 'people'}"
    return (f"{one.metric.replace('_', ' ')} on {one.scenario}: {of} "
            f"in study {one.study}{mark}, shown {one.shown}, {counts}")  # fmt: skip


def short_facts(decision: Decision, tier: TierDecision) -> str:
    """Return pass rate, cost, latency and gates of the chosen candidate in one line."""
    own = chosen(tier)
    if own is None:
        return ""
    found = facts(decision, tier, stability="")
    cost = found[2].value
    priced = own.cost_per_task.value is not None
    parts = [f"{tier.quality_name} {found[0].value}", f"{cost} per 1,000" if priced else cost]
    if own.latency_p95.value is not None:
        parts.append(f"p95 {found[3].value}")
    return " · ".join([*parts, f"gates {found[-1].value}"])


def stability_text(analysis: Analysis, tier: TierDecision) -> str:
    """Return the agreement over repeats of the chosen candidate, the lowest of its scenarios."""
    cells = [
        c
        for c in analysis.stability
        if c.candidate == tier.candidate and c.scenario in tier.scenarios
    ]
    known = [c for c in cells if c.agreement.value is not None]
    if not known:
        return f"not measured ({cells[0].agreement.method})" if cells else "not measured"
    return percent(min(known, key=lambda c: c.agreement.value or 0.0).agreement)
