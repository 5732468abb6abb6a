"""A change against its baseline: non-inferior on every scenario, judged on the same samples.

Passing asks every scenario to be at most its margin worse (each at 95 %, so
the whole is at least as sure); failing asks one of them to be worse by more than
its margin, at an error shared among the scenarios.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Literal

import numpy as np

from befit.analysis.columns import Floats
from befit.core.decision import Verdict
from befit.core.estimate import Estimate
from befit.stats.design import design_effect
from befit.stats.distributions import one_sided
from befit.stats.gates import non_inferior
from befit.stats.paired import paired_difference
from befit.stats.power import samples_for_margin

ERROR = 0.05
Outcome = Literal["pass", "fail", "insufficient_evidence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One candidate on one scenario: new minus old, and what that means."""

    candidate: str
    baseline: str
    scenario: str
    margin: float
    difference: Estimate
    """New minus old of the pass rate, 95 % interval."""
    bound: float | None
    """One-sided lower bound that a pass needs to be above -margin."""
    verdict: Verdict
    samples_needed: int | None
    fixed: tuple[str, ...] = ()
    """Samples that were wrong and are right now; at most twenty."""
    broken: tuple[str, ...] = ()
    """Samples that were right and are wrong now; at most twenty."""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairing:
    """Item means of old and new on the samples of one scenario that both have."""

    candidate: str
    baseline: str
    scenario: str
    old: Floats
    new: Floats
    ids: tuple[str, ...]
    margin: float
    single: bool
    clusters: Sequence[str] | None = None
    note: str = ""


LISTED = 20


def check(pair: Pairing, *, scenarios: int) -> Check:
    """Judge one scenario; the error of failing is shared among `scenarios`."""

    def bounds(error: float) -> Estimate:
        return paired_difference(
            pair.new,
            pair.old,
            binary_single=pair.single,
            rng=np.random.default_rng(0),
            clusters=pair.clusters,
            level=one_sided(1 - error),
        ).estimate

    shown = paired_difference(
        pair.new,
        pair.old,
        binary_single=pair.single,
        rng=np.random.default_rng(0),
        clusters=pair.clusters,
    ).estimate
    alone, shared = bounds(ERROR), bounds(ERROR / scenarios)
    verdict: Verdict = "insufficient_evidence"
    if non_inferior(alone, margin=pair.margin) == "pass":
        verdict = "pass"
    elif non_inferior(shared, margin=pair.margin) == "fail":
        verdict = "fail"
    gaps = pair.new - pair.old
    needed = None
    if verdict == "insufficient_evidence" and (~np.isnan(gaps)).any():
        needed = _needed(pair, gaps, shown.n_samples)
    return Check(
        candidate=pair.candidate,
        baseline=pair.baseline,
        scenario=pair.scenario,
        margin=pair.margin,
        difference=shown,
        bound=alone.low,
        verdict=verdict,
        samples_needed=needed,
        fixed=tuple(pair.ids[i] for i in np.flatnonzero(gaps > 0)[:LISTED]),
        broken=tuple(pair.ids[i] for i in np.flatnonzero(gaps < 0)[:LISTED]),
        note=pair.note,
    )


def _needed(pair: Pairing, gaps: Floats, have: int) -> int | None:
    """Return the samples that settle it, in clusters as large as now; None of one cluster."""
    there = ~np.isnan(gaps)
    clusters = None if pair.clusters is None else np.asarray(pair.clusters)[there]
    effect = design_effect(gaps[there], clusters=clusters)
    if effect is None:
        return None
    discordance = min(1.0, max(float(np.square(gaps[there]).mean()), 0.01))
    plain = samples_for_margin(pair.margin, discordance=discordance)
    return max(ceil(plain * effect), have + 1)


def check_all(pairs: Sequence[Pairing]) -> tuple[Check, ...]:
    """Judge all scenarios of all candidates."""
    return tuple(check(pair, scenarios=len(pairs)) for pair in pairs)


def outcome_of(checks: Sequence[Check]) -> Outcome:
    """Return fail if any fails, pass if all pass, else insufficient evidence."""
    verdicts = {one.verdict for one in checks}
    if "fail" in verdicts:
        return "fail"
    return "pass" if verdicts == {"pass"} else "insufficient_evidence"


def skipped(candidate: str, baseline: str, scenario: str, *, margin: float, why: str,
            nothing: Estimate) -> Check:  # fmt: skip
    """Return the check of a scenario that could not be compared."""
    return Check(
        candidate=candidate,
        baseline=baseline,
        scenario=scenario,
        margin=margin,
        difference=replace(nothing, method=why),
        bound=None,
        verdict="insufficient_evidence",
        samples_needed=None,
        note=why,
    )
