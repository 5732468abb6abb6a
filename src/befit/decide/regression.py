"""A change against its baseline: non-inferior on every scenario, judged on the same samples.

Passing asks every scenario to be at most its margin worse (each at 95 %, so
the whole is at least as sure); failing asks one of them to be worse by more than
its margin, at an error shared among the scenarios. Nothing passes on which more than
5 % of the samples have no answer on one side: which are left may be the new version's choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Literal

import numpy as np

from befit.analysis.columns import Floats
from befit.analysis.results import COVERAGE
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
    lacking: int = 0
    """Samples without a value on one side, where these are more than may lack one."""
    upper: float | None = None
    """One-sided upper bound that is below -margin where the check fails."""


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
    weights: Floats | None = None
    """Weight of each sample; None where all weigh the same."""
    planned: int = 0
    """Samples that both sides were to have."""
    note: str = ""

    @property
    def lacking(self) -> int:
        """Samples without a value on one side, where these are more than may lack one; else 0."""
        there = int((~np.isnan(self.new - self.old)).sum())
        return self.planned - there if there < COVERAGE * self.planned else 0


LISTED = 20


def check(pair: Pairing, *, scenarios: int) -> Check:
    """Judge one scenario; the error of failing is shared among `scenarios`."""

    def at(level: float) -> Estimate:
        return paired_difference(
            pair.new,
            pair.old,
            binary_single=pair.single,
            rng=np.random.default_rng(0),
            clusters=pair.clusters,
            weights=pair.weights,
            level=level,
        ).estimate

    shown = at(0.95)
    alone, shared = at(one_sided(1 - ERROR)), at(one_sided(1 - ERROR / scenarios))
    lacking, note = pair.lacking, pair.note
    verdict: Verdict = "insufficient_evidence"
    if non_inferior(alone, margin=pair.margin) == "pass" and not lacking:
        verdict = "pass"
    elif non_inferior(shared, margin=pair.margin) == "fail":
        verdict = "fail"
    gaps = pair.new - pair.old
    needed = None
    if lacking:
        told = f"{lacking:,} of {pair.planned:,} samples lack a value on one side; run again"
        note = f"{note}; {told}" if note else told
    elif verdict == "insufficient_evidence" and (~np.isnan(gaps)).any():
        needed = _needed(pair, gaps, shown.n_samples)
    return Check(
        candidate=pair.candidate,
        baseline=pair.baseline,
        scenario=pair.scenario,
        margin=pair.margin,
        difference=shown,
        bound=alone.low,
        upper=shared.high,
        verdict=verdict,
        samples_needed=needed,
        fixed=tuple(pair.ids[i] for i in np.flatnonzero(gaps > 0)[:LISTED]),
        broken=tuple(pair.ids[i] for i in np.flatnonzero(gaps < 0)[:LISTED]),
        note=note,
        lacking=lacking,
    )


def _needed(pair: Pairing, gaps: Floats, have: int) -> int | None:
    """Return the samples that settle it, in clusters as large as now; None of one cluster."""
    there = ~np.isnan(gaps)
    clusters = None if pair.clusters is None else np.asarray(pair.clusters)[there]
    weights = None if pair.weights is None else pair.weights[there]
    effect = design_effect(gaps[there], clusters=clusters, weights=weights)
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
