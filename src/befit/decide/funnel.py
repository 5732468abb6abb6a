"""Who left at which layer and why, which layer was not run, and the leaderboard beside it all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from befit.core.decision import Decision, GateVerdict, Layer, PublicView
from befit.core.estimate import Estimate, not_measured
from befit.core.run import ManifestCandidate
from befit.core.screening import RankGroups, Screening
from befit.decide.people import PEOPLE
from befit.decide.tiers import values, widths
from befit.decide.wording import shortfall
from befit.stats.rankcorrelation import kendall_tau

QUALITY = ("pass_rate", "pass", "stability", "reliable", "ceiling", "worst_prompt", "prompt_spread")
DRAWS = 2_000


def funnel(
    decision: Decision,
    candidates: Sequence[ManifestCandidate],
    screening: Screening | None,
    *,
    reviewed: bool,
) -> tuple[Layer, ...]:
    """Return the layers from public results to the choice.

    A candidate leaves at the first layer at which it misses a gate in every tier.
    """
    names = [entry.candidate.name for entry in candidates]
    tiers = [set(tier.scenarios) for tier in decision.tiers]
    left = dict.fromkeys(names, "")
    layers = [_screened(candidates, screening)]

    def pass_through(name: str, wanted: Sequence[str] | None, *, note: str = "") -> Layer:
        inside = [v for v in decision.verdicts if _belongs(v, wanted)]
        out = []
        for one in [n for n in names if not left[n]]:
            bad = [v for v in inside if v.candidate == one and v.verdict == "fail"]
            if bad and all(any(v.scenario in {None, *tier} for v in bad) for tier in tiers):
                left[one] = shortfall(bad[:1])
                out.append((one, left[one]))
        kept = tuple(n for n in names if not left[n])
        status = "run" if inside else "not run"
        return Layer(
            name=name,
            status=status,  # type: ignore[arg-type]  # one of the two words
            kept=kept,
            left=tuple(out),
            note=note or ("" if inside else "the policy states no gate for it"),
        )

    layers.append(pass_through("scenarios validated", QUALITY))
    people = pass_through("reviewed by people", PEOPLE)
    if not reviewed:
        note = "not reviewed by people"
        people = Layer(name=people.name, status="not run", kept=people.kept, left=(), note=note)
    layers.append(people)
    layers.append(pass_through("engineering gates", None))
    layers.append(_chosen(decision, [n for n in names if not left[n]]))
    return tuple(layers)


def _belongs(verdict: GateVerdict, wanted: Sequence[str] | None) -> bool:
    metric = verdict.gate.metric
    engineering = verdict.source == "requirement" or metric.startswith(
        ("latency", "first_token", "cost", "input_tokens", "output_tokens", "verbosity",
         "throughput", "missing", "failure", "retry", "fallback")
    )  # fmt: skip
    if wanted is None:
        return engineering
    if wanted is QUALITY:
        return not engineering and metric not in PEOPLE
    return metric in wanted


def _screened(candidates: Sequence[ManifestCandidate], screening: Screening | None) -> Layer:
    name, names = "threshold confirmed", tuple(c.candidate.name for c in candidates)
    if screening is None or not screening.verdicts:
        note = "no public results were screened"
        return Layer(name=name, status="not run", kept=names, left=(), note=note)
    entered = {c.candidate.model or c.candidate.name for c in candidates} | set(names)
    left = tuple(
        (one.model, "; ".join(one.reasons) or one.outcome.replace("_", " "))
        for one in screening.models
        if one.outcome == "excluded" and one.model not in entered
    )
    known = {one.model for one in screening.models}
    unseen = [
        c.candidate.name for c in candidates if not {c.candidate.model, c.candidate.name} & known
    ]
    note = f"not in the tables: {', '.join(unseen)}" if unseen else ""
    return Layer(name=name, status="run", kept=names, left=left, note=note)


def _chosen(decision: Decision, entered: Sequence[str]) -> Layer:
    serving: dict[str, list[str]] = {}
    for tier in decision.tiers:
        if tier.candidate:
            serving.setdefault(tier.candidate, []).append(tier.tier)
    kept = tuple(n for n in entered if n in serving)
    left = []
    for name in entered:
        if name in serving:
            continue
        roles = [t.tier for t in decision.tiers if t.fallback == name]
        why = f"steps in for {', '.join(roles)}" if roles else _why_not(decision, name)
        left.append((name, why))
    note = "; ".join(f"{name}: {', '.join(tiers)}" for name, tiers in serving.items())
    return Layer(name="chosen", status="run", kept=kept, left=tuple(left), note=note)


def _why_not(decision: Decision, name: str) -> str:
    reasons = []
    for tier in decision.tiers:
        own = next((s for s in tier.standings if s.candidate == name), None)
        if own is None:
            continue
        if own.verdict == "pass" and tier.candidate:
            reasons.append(f"{tier.tier}: {tier.candidate} is preferred by the policy")
        elif own.why:
            reasons.append(f"{tier.tier}: {own.why}")
    return "; ".join(reasons) or "not needed"


def public_view(
    decision: Decision, candidates: Sequence[ManifestCandidate], screening: Screening | None
) -> PublicView | None:
    """Return the leaderboard with most candidates on it beside the own pass rates; None: none."""
    if screening is None or not decision.tiers:
        return None
    model = {c.candidate.name: (c.candidate.model, c.candidate.name) for c in candidates}
    best: tuple[RankGroups, dict[str, Estimate]] | None = None
    for group in screening.groups:
        by_model = {entry.model: entry.estimate for entry in group.entries}
        own = {
            name: next(by_model[key] for key in keys if key in by_model)
            for name, keys in model.items()
            if any(key in by_model for key in keys)
        }
        if len(own) > 1 and (best is None or len(own) > len(best[1])):
            best = group, own
    if best is None:
        return None
    group, public = best
    names = list(public)
    rates = [_mean_quality(decision, name) for name in names]
    there = [i for i, e in enumerate(rates) if e.value is not None]
    names, rates = [names[i] for i in there], [rates[i] for i in there]
    listed = [public[name] for name in names]
    return PublicView(
        leaderboard=group.benchmark,
        public={n: e.value or 0.0 for n, e in zip(names, listed, strict=True)},
        own={n: e.value or 0.0 for n, e in zip(names, rates, strict=True)},
        tau=_tau(listed, rates),
        turned=tuple(_turned(names, listed, rates)),
    )


def _mean_quality(decision: Decision, name: str) -> Estimate:
    found = [s.quality for t in decision.tiers for s in t.standings if s.candidate == name]
    known = [e for e in found if e.value is not None]
    if not known:
        return not_measured("no pass rate")
    return known[0] if len(known) == 1 else _average(known)


def _average(known: Sequence[Estimate]) -> Estimate:
    value = float(np.mean(values(known)))
    half = 1.959964 * float(np.sqrt(np.square(widths(known)).sum())) / len(known)
    return Estimate(
        value=value,
        low=value - half,
        high=value + half,
        n_samples=sum(e.n_samples for e in known),
        n_trials=sum(e.n_trials for e in known),
        n_missing=0,
        method="mean over tiers",
    )


def _tau(public: Sequence[Estimate], own: Sequence[Estimate]) -> Estimate:
    """Kendall's tau with a 95 % interval from the noise of both sides."""
    a, b = values(public), values(own)
    value = kendall_tau(a, b) if len(a) > 1 else None
    if value is None:
        return not_measured("fewer than two candidates in common, or no order")
    rng = np.random.default_rng(0)
    draws = []
    for _ in range(DRAWS):
        left = a + rng.standard_normal(len(a)) * widths(public)
        right = b + rng.standard_normal(len(b)) * widths(own)
        draws.append(kendall_tau(left, right) or 0.0)
    low, high = (float(x) for x in np.quantile(draws, (0.025, 0.975)))
    return Estimate(
        value=value,
        low=min(low, value),
        high=max(high, value),
        n_samples=len(a),
        n_trials=len(a),
        n_missing=0,
        method="kendall tau-b, both sides redrawn",
    )


def _turned(
    names: Sequence[str], public: Sequence[Estimate], own: Sequence[Estimate]
) -> Iterator[tuple[str, str, str]]:
    for i, j in combinations(range(len(names)), 2):
        there = (public[i].value or 0.0) - (public[j].value or 0.0)
        here = (own[i].value or 0.0) - (own[j].value or 0.0)
        if there * here < 0:
            up, down = (i, j) if here > 0 else (j, i)
            text = (
                f"{names[up]} is ahead here by {100 * abs(here):.0f} points, {names[down]} is "
                f"ahead on the leaderboard"
            )
            yield names[up], names[down], text
