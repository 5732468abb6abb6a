"""Puts a choice into the record that is kept: tiers, combination, prices of constraints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from befit.core.decision import (
    Combination,
    Confidence,
    ConstraintPrice,
    Decision,
    GateVerdict,
    Outcome,
    Route,
    Sensitivity,
    Standing,
    TierDecision,
)
from befit.core.estimate import THIN, Estimate, not_measured
from befit.core.policy import Policy
from befit.decide.cascade import find_cascade
from befit.decide.choosing import Choice
from befit.decide.evidence import Evidence
from befit.decide.frontier import front_of
from befit.decide.gates import requirement_verdicts, verdict
from befit.decide.joint import Judgement
from befit.decide.limits import limits_not_kept
from befit.decide.open_questions import open_questions
from befit.decide.routing import fallback, one_for_all, order, relaxed, solve
from befit.decide.savings import cost_of, saving_of, untold_of
from befit.decide.sensitivity import DOUBTS, doubt_of, draw, flips, more_evidence
from befit.decide.unsettled import idle, listed, lost, unsettled
from befit.decide.wording import UNGATED, only_priced, reason, shortfall, unpriced

SURE, LIKELY = 0.95, 0.8
TINY = 10


def decide(evidence: Evidence, policy: Policy, *, seed: int = 0) -> Decision:
    """Decide; the caller puts run, person and time to it.

    Args:
        evidence: what was measured.
        policy: what is asked for.
        seed: of the draws, so that the same evidence gives the same record.
    """
    choice = Choice(evidence=evidence, policy=policy)
    verdicts = tuple(_verdicts(choice))
    sensitivity = _sensitivity(choice, seed=seed)
    tiers = tuple(
        _tier(choice, t, verdicts, sensitivity, seed=seed) for t in range(len(choice.views))
    )
    return Decision(
        policy=policy,
        verdicts=verdicts,
        letters={
            f"{view.tier.name}/{name}": view.letters(m)
            for view in choice.views
            for m, name in enumerate(evidence.candidates)
        },
        routes=tuple(
            Route(
                tier=tier.tier,
                candidate=tier.candidate,
                fallback=tier.fallback,
                runner_up=tier.runner_up,
                settled=tier.outcome == "decided",
            )
            for tier in tiers
            if tier.candidate is not None
        ),
        open_questions=tuple(open_questions(choice, tiers, verdicts, sensitivity)),
        tiers=tiers,
        combination=_combination(choice),
        constraints=tuple(_constraints(choice)),
        sensitivity=sensitivity,
    )


def _verdicts(choice: Choice) -> Iterator[GateVerdict]:
    for m in range(len(choice.evidence.candidates)):
        yield from requirement_verdicts(choice.evidence, choice.policy, m)
        for gates in choice.judgement.gates:
            for placed in gates:
                yield verdict(choice.evidence, placed, m)


def _own(choice: Choice, tier: int, m: int, verdicts: Sequence[GateVerdict]) -> list[GateVerdict]:
    """Return a candidate's verdicts that count in a tier."""
    inside = {one.name for one in choice.views[tier].scenarios}
    name = choice.evidence.candidates[m]
    return [v for v in verdicts if v.candidate == name and v.scenario in {None, *inside}]


def _standings(
    choice: Choice, tier: int, verdicts: Sequence[GateVerdict], *, seed: int
) -> tuple[Standing, ...]:
    view, names = choice.views[tier], choice.evidence.candidates
    front = front_of(view, rng=np.random.default_rng(seed))
    words = {True: "on", False: "dominated", None: "unknown"}
    found = []
    for m, name in enumerate(names):
        own = _own(choice, tier, m, verdicts)
        joint = choice.judgement.of(tier, m)
        why = shortfall(own)
        if joint == "insufficient_evidence" and all(v.verdict == "pass" for v in own):
            why = f"passes alone, not yet with all {choice.judgement.tests} pairs judged together"
        if view.quality[m].value is None:
            joint, why = "insufficient_evidence", "nothing measured here"
        elif joint != "fail" and (gaps := tuple(lost(choice, tier, m))):
            joint, why = "insufficient_evidence", f"not measured enough: {listed(gaps)}"
        elif choice.judges_word[tier]:
            if joint == "pass":
                joint, why = "insufficient_evidence", "the word of an uncalibrated judge"
        elif not choice.judgement.gates[tier] and not view.quality[m].value:
            joint, why = "fail", "not one right answer was seen"
        elif not choice.judgement.gates[tier] and joint == "pass":
            why = UNGATED
            if not choice.proven[tier, m]:
                joint, why = "fail", f"shown to have a lower {view.quality_name} than another"
        found.append(
            Standing(
                candidate=name,
                provider=choice.evidence.provider(m),
                verdict=joint,
                quality=view.quality[m],
                cost_per_task=view.cost[m],
                cost_per_success=view.per_success[m],
                latency_p95=view.p95[m],
                letters=view.letters(m),
                front=words[front.on[m]],  # type: ignore[arg-type]  # one of the three words
                front_chance=front.chance[m],
                dominated_by=tuple(names[i] for i in front.dominated_by[m]),
                why=why,
                untold_tries=view.untold[m],
            )
        )
    return tuple(found)


def _outcome(choice: Choice, tier: int) -> Outcome:
    if tier in choice.routes and not choice.contenders(tier):
        return "decided"
    if not choice.routes and choice.served and tier not in choice.hopeful:
        return "none_good_enough"  # each tier has somebody, but no combination keeps the limits
    measured = all(quality.value is not None for quality in choice.views[tier].quality)
    # A candidate that was not measured has not failed: the question stays open.
    return "not_decided" if choice.possible[tier].any() or not measured else "none_good_enough"


def _tier(
    choice: Choice,
    t: int,
    verdicts: Sequence[GateVerdict],
    sensitivity: Sensitivity | None,
    *,
    seed: int,
) -> TierDecision:
    view, names = choice.views[t], choice.evidence.candidates
    chosen, outcome = choice.routes.get(t), _outcome(choice, t)
    rivals = choice.contenders(t) if outcome == "not_decided" else ()
    waits = unsettled(choice, t, rivals)
    back = second = cascade = None
    if chosen is not None:
        problem = choice.problem(choice.proven, [t])
        back = fallback(
            problem,
            0,
            chosen,
            [choice.evidence.provider(m) for m in range(len(names))],
            other_provider=choice.policy.fallback_from_other_provider,
        )
        second = next((m for m in order(problem, 0) if m != chosen), None)
        floors = [g.gate.floor for g in choice.judgement.gates[t]
                  if g.gate.metric in {"pass_rate", "pass"}]  # fmt: skip
        known = [f for f in floors if f is not None]
        cascade = find_cascade(view, chosen, floor=max(known, default=None), names=names)
    nearest, lacks = None, ""
    if outcome == "none_good_enough" and choice.possible[t].any():
        lacks = limits_not_kept(choice)
    elif outcome == "none_good_enough":
        nearest = _nearest(choice, t, verdicts)
        lacks = "" if nearest is None else shortfall(_own(choice, t, nearest, verdicts))
    return TierDecision(
        tier=view.tier.name,
        scenarios=tuple(one.name for one in view.scenarios),
        volume_per_month=view.tier.volume_per_month,
        outcome=outcome,
        candidate=None if chosen is None else names[chosen],
        fallback=None if back is None else names[back],
        runner_up=None if second is None else names[second],
        contenders=tuple(names[m] for m in rivals),
        samples_needed=waits.samples,
        by_samples=waits.by_samples,
        lacking=waits.lacking,
        nearest=None if nearest is None else names[nearest],
        missing=lacks,
        reason="" if chosen is None else reason(choice, t, chosen),
        confidence=_confidence(choice, t, outcome, sensitivity),
        standings=_standings(choice, t, verdicts, seed=seed),
        cascade=cascade,
        people=view.people,
        quality_name=view.quality_name,
        clustered=view.clustered,
        gated=bool(choice.judgement.gates[t]),
    )


def _nearest(choice: Choice, t: int, verdicts: Sequence[GateVerdict]) -> int | None:
    """Return who misses least: fewest failed gates, then by the least, then the best quality."""
    view = choice.views[t]
    measured = [m for m, e in enumerate(view.quality) if e.value is not None]

    def distance(m: int) -> tuple[int, float, float]:
        failed = [v for v in _own(choice, t, m, verdicts) if v.verdict == "fail"]
        return len(failed), sum(map(_missed_by, failed)), -(view.quality[m].value or 0.0)

    return min(measured, key=distance, default=None)


def _missed_by(verdict: GateVerdict) -> float:
    """Return by which share of its limit a gate is missed; 1 where nothing was measured."""
    value, limit = verdict.evidence.value, verdict.gate.limit
    if value is None or not limit:
        return 1.0
    return abs(value - limit) / abs(limit)


def _confidence(
    choice: Choice, t: int, outcome: Outcome, sensitivity: Sensitivity | None
) -> Confidence:
    """High: stands in 95 % of the draws on 30 samples; moderate: in 80 % on 10; else low.

    Where cost counts and the price of somebody who could serve as well is unknown, it is not
    high; and low where only one price is known.
    """
    view = choice.views[t]
    stands = None if sensitivity is None else sensitivity.by_tier.get(view.tier.name)
    least = min(one.judged for one in view.scenarios)
    thin = least < THIN
    if outcome != "decided" or stands is None or stands < LIKELY or least < TINY:
        return "low"
    unknown = unpriced(choice, t, choice.routes.get(t))
    if unknown and only_priced(choice, t):
        return "low"  # nothing was compared
    return "high" if stands >= SURE and not thin and not unknown else "moderate"


def _sensitivity(choice: Choice, *, seed: int) -> Sensitivity | None:
    tiers = [t for t in choice.served if t in choice.routes]
    if not tiers:
        return None
    views = [choice.views[t] for t in tiers]
    chosen = [choice.routes[t] for t in tiers]
    problem = choice.problem(choice.possible, tiers)
    doubt = doubt_of(views, choice.judgement, tiers)
    rng = np.random.default_rng(seed)
    whole = draw(problem, doubt, chosen, choice.policy, rng=rng)
    loss = None if _unpriced(choice, tiers) else whole.loss
    names = choice.evidence.candidates
    beside = {t: idle(choice, t) for t in tiers}
    open_now = {
        (t, m): need
        for t in tiers
        for m in range(len(names))
        if not choice.proven[t, m]
        and m not in beside[t]
        and (need := choice.samples_needed(t, m)) is not None
    }
    return Sensitivity(
        stands=whole.stands,
        by_tier={view.tier.name: p for view, p in zip(views, whole.by_tier, strict=True)},
        by_doubt={
            kind: draw(problem, doubt, chosen, choice.policy, rng=rng, only=kind).stands
            for kind in DOUBTS
        },
        expected_loss=None if loss is None else loss.value,
        loss=loss,
        flips=flips(choice.problem(choice.proven, tiers), doubt, chosen, names),
        evidence=more_evidence(
            views, choice.judgement, tiers, whole.winners, chosen, needed=open_now
        ),
        draws=len(whole.winners),
    )


def _unpriced(choice: Choice, tiers: Sequence[int]) -> bool:
    """Tell whether somebody who could serve has no known cost: then no loss can be told."""
    rows = list(tiers)
    return bool((choice.possible & np.isnan(choice.whole_problem.cost))[rows].any())


def _combination(choice: Choice) -> Combination | None:
    """Return the routes beside one model for all; over the tiers that have a route."""
    tiers = [t for t in choice.served if t in choice.routes]
    if not tiers:
        return None
    problem = choice.problem(choice.proven, tiers)
    views, pick = [choice.views[t] for t in tiers], [choice.routes[t] for t in tiers]
    single = one_for_all(problem)
    nothing: Estimate = not_measured("no single candidate may serve every tier")
    return Combination(
        cost=cost_of(views, problem.volumes, pick),
        one_model=None if single is None else choice.evidence.candidates[single.choice[0]],
        one_model_cost=nothing
        if single is None
        else cost_of(views, problem.volumes, single.choice),
        saving=nothing
        if single is None
        else saving_of(views, problem.volumes, pick, single.choice),
        models=len(set(pick)),
        assumed_volume=not any(view.tier.volume_per_month for view in choice.views),
        untold_tries=untold_of(views, pick),
    )


def _constraints(choice: Choice) -> Iterator[ConstraintPrice]:
    """Solve again without each constraint: what it costs, and which routes it changes.

    A tier whose choice has no known cost was chosen by quality, and so it is without the
    constraint, too: whoever comes in with a known cost is not the better for it.
    """
    tiers, names = list(choice.served), choice.evidence.candidates
    if not tiers:
        return
    problem = choice.problem(choice.proven, tiers)
    base = choice.solution

    def price(
        text: str, allowed_without: Sequence[Sequence[bool]] | None, key: str = ""
    ) -> ConstraintPrice:
        loose = (
            relaxed(problem)[key]
            if key
            else replace(problem, allowed=np.array(allowed_without, dtype=np.bool_))
        )
        if base is not None:
            loose = replace(loose, cost=np.where(problem.priced[:, None], loose.cost, np.nan))
        found = solve(loose)
        if found is None:
            return ConstraintPrice(constraint=text, saving=None, routes={})
        changed = {i: m for i, m in enumerate(found.choice) if base is None or base.choice[i] != m}
        saving = None
        if base is not None:
            saved = [
                float(problem.volumes[i] * (problem.cost[i, base.choice[i]] - problem.cost[i, m]))
                for i, m in changed.items()
            ]
            saving = None if np.isnan(saved).any() else sum(saved, start=0.0)
        routes = {problem.tiers[i].name: names[m] for i, m in changed.items()}
        return ConstraintPrice(constraint=text, saving=saving, routes=routes)

    for key in relaxed(problem):
        yield price(key, None, key)
    for row, t in enumerate(tiers):
        for placed in choice.judgement.gates[t]:
            loose = Judgement(evidence=choice.evidence, policy=choice.policy, without=placed)
            allowed = problem.allowed.copy()
            allowed[row] = [
                choice.views[t].quality[m].value is not None and loose.of(t, m) == "pass"
                for m in range(len(names))
            ]
            yield price(str(placed.gate), allowed.tolist())
