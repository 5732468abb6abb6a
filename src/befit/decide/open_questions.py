"""What a decision leaves open, in sentences: tiers, unknown costs, gaps, gates nobody stated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from befit.analysis.engineering_cost import tries_of_unknown_cost
from befit.core.decision import GateVerdict, Sensitivity, TierDecision
from befit.decide.choosing import Choice
from befit.decide.unsettled import not_measured_enough
from befit.decide.wording import UNGATED, settling


def _unweighed(choice: Choice, t: int, tier: str) -> Iterator[str]:
    """Say whose cost is unknown, and whether it is for want of a price or of its tokens."""
    priced = choice.evidence.priced or (False,) * len(choice.evidence.candidates)
    for what, known, do in (
        ("price", False, "add price to the candidate"),
        ("usage", True, "it has a price, but its answers do not say their tokens"),
    ):
        who = [
            choice.evidence.candidates[m]
            for m, e in enumerate(choice.views[t].cost)
            if e.value is None and choice.proven[t, m] and priced[m] == known
        ]
        if who:
            yield (f"{tier}: the {what} of {', '.join(who)} is unknown, so it could not be "
                   f"weighed; {do}.")  # fmt: skip
    for m, untold in enumerate(choice.views[t].untold):
        if untold and choice.proven[t, m] and choice.views[t].cost[m].value is not None:
            yield (f"{tier}: {choice.evidence.candidates[m]} costs at least what is told: "
                   f"{tries_of_unknown_cost(untold)} may have been billed, too.")  # fmt: skip


def _gaps(choice: Choice, t: int, tier: TierDecision) -> Iterator[str]:
    """Say who could serve, but that too many of its samples have no value."""
    for m in np.flatnonzero(choice.possible[t]):
        for text in not_measured_enough(choice, t, int(m)):
            said = text.format(who=choice.evidence.candidates[m])
            if said not in tier.lacking:
                yield f"{tier.tier}: {said}."


def _of_tier(choice: Choice, t: int, tier: TierDecision) -> Iterator[str]:
    if tier.outcome == "not_decided" and tier.contenders:
        yield f"{tier.tier}: {' or '.join(tier.contenders)}; {settling(tier)}."
    for judged in tier.people:
        beside = "which this rests on alone" if tier.by_people else "beside other pass rates"
        yield (f"{tier.tier}: {judged} has no automatic score; its quality is what people "
               f"said, {beside}.")  # fmt: skip
    if choice.policy.prefer != "quality":
        yield from _unweighed(choice, t, tier.tier)
    yield from _gaps(choice, t, tier)
    if not choice.judgement.gates[t] and not choice.judges_word[t]:
        yield (f"{tier.tier}: {UNGATED}; chosen among those not shown to "
               "be worse than another.")  # fmt: skip


def open_questions(
    choice: Choice,
    tiers: Sequence[TierDecision],
    verdicts: Sequence[GateVerdict],
    sensitivity: Sensitivity | None,
) -> Iterator[str]:
    """Yield what is open, tier by tier; then what was gated but not measured, and what helps."""
    for t, tier in enumerate(tiers):
        yield from _of_tier(choice, t, tier)
    missing = {
        (v.gate.metric, v.scenario, v.evidence.method)
        for v in verdicts
        if v.verdict == "insufficient_evidence"
        and v.evidence.value is None
        and v.source != "requirement"
    }
    for metric, scenario, why in sorted(missing, key=str):
        if not any(f"({why})" in text for tier in tiers for text in tier.lacking):
            yield f"{metric} on {scenario} is gated but was not measured for some candidate: {why}."
    if sensitivity is not None:
        yield from (one.text for one in sensitivity.evidence[:3])
