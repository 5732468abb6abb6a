"""One tier's evidence put together: quality, cost and latency of every candidate in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from befit.analysis.columns import Bools, Floats
from befit.analysis.engineering_cost import at_least
from befit.core.estimate import Estimate, not_measured
from befit.core.policy import Policy
from befit.core.tier import Tier
from befit.decide.evidence import (
    Evidence,
    ScenarioEvidence,
    combined,
    cost_per_task,
    covered,
    latency_p95,
)
from befit.decide.gates import PASS_NAMES
from befit.decide.people import WORDS, letters_of, preferred
from befit.decide.successes import over_scenarios
from befit.stats.means import clusters_repeat
from befit.stats.ranking import Ranking, rank_candidates

ASSUMED = 1000
"""Tasks of each tier where none states its traffic."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TierView:
    """A tier with the estimates of all candidates; lists are by candidate."""

    tier: Tier
    scenarios: tuple[ScenarioEvidence, ...]
    shares: tuple[float, ...]
    """Share of each scenario in the tier's tasks."""
    weights: tuple[float, ...]
    """Weight of each scenario in the tier's quality; the shares where the policy states none."""
    quality: tuple[Estimate, ...]
    cost: tuple[Estimate, ...]
    per_success: tuple[Estimate, ...]
    p95: tuple[Estimate, ...]
    ranking: Ranking | None
    untold: tuple[int, ...] = ()
    """Failed tries of unknown cost, of which costs are told without."""

    @property
    def covered(self) -> Bools:
        """By candidate, whether enough of the tier's planned samples is measured to rank it."""
        found = [covered(self.scenarios, m) for m in range(len(self.quality))]
        return np.array(found, dtype=np.bool_)

    @property
    def clustered(self) -> bool:
        """Whether some samples share a cluster, so that numbers of samples suppose such."""
        return any(clusters_repeat(one.items.clusters) for one in self.scenarios)

    @property
    def people(self) -> tuple[str, ...]:
        """The scenarios whose quality is what people said."""
        return tuple(one.name for one in self.scenarios if one.people)

    @property
    def by_people(self) -> bool:
        """Whether nothing in the tier was scored: its quality rests on people alone."""
        return len(self.people) == len(self.scenarios)

    @property
    def quality_name(self) -> str:
        """What the tier's quality is, in words."""
        if self.by_people:
            return " and ".join(WORDS[name] for name in self.quality_metrics)
        return "pass rate, win rate by people" if self.people else "pass rate"

    @property
    def quality_metrics(self) -> tuple[str, ...]:
        """The metrics that are the tier's quality: a floor on them is a floor on it."""
        if self.by_people:
            return tuple({one.people_metric: None for one in self.scenarios})
        return PASS_NAMES

    @property
    def better(self) -> Bools:
        """[i, j]: i is shown to be better than j (Holm over the tier's pairs).

        By the pass rate where anything was scored; else by what people said: by their votes
        on each pair, or by intervals where several scenarios or a rubric are put together.
        Who is not ranked, since too many of its samples are missing, is better than nobody.
        """
        count = len(self.quality)
        if self.by_people:
            apart = self.scenarios[0].people_apart if len(self.scenarios) == 1 else None
            return preferred(self.quality) if apart is None else apart
        found = np.zeros((count, count), dtype=np.bool_)
        for pair in self.ranking.pairs if self.ranking else ():
            if pair.significant:
                up = (pair.difference.estimate.value or 0.0) > 0
                found[(pair.first, pair.second) if up else (pair.second, pair.first)] = True
        return np.asarray(found & self.covered[:, None], dtype=np.bool_)

    def letters(self, candidate: int) -> str:
        """Return the rank group letters of a candidate."""
        if self.by_people:
            return letters_of(self.quality, self.better)[candidate]
        ranked = self.ranking is not None and self.covered[candidate]
        return self.ranking.letters[candidate] if self.ranking and ranked else ""


def tier_view(evidence: Evidence, tier: Tier, policy: Policy, *, ranked: bool = True) -> TierView:
    """Put a tier together; `ranked` False leaves the rank groups out, which gates do not need."""
    scenarios = evidence.of_tier(tier.name)
    shares = _shares(scenarios, policy)
    weights = _weights(scenarios, policy) or shares
    count = range(len(evidence.candidates))
    untold = tuple(sum(one.untold_of(m) for one in scenarios) for m in count)
    return TierView(
        tier=tier,
        scenarios=scenarios,
        shares=shares,
        weights=weights,
        quality=tuple(combined([s.quality(m) for s in scenarios], [*weights]) for m in count),
        cost=tuple(
            at_least(combined([cost_per_task(s, m) for s in scenarios], [*shares]), untold[m])
            for m in count
        ),
        untold=untold,
        per_success=tuple(at_least(_per_success(scenarios, shares, m), untold[m]) for m in count),
        p95=tuple(_slowest([latency_p95(s, m) for s in scenarios]) for m in count),
        ranking=_scored_ranking(scenarios, weights) if ranked else None,
    )


def _per_success(
    scenarios: Sequence[ScenarioEvidence], shares: Sequence[float], candidate: int
) -> Estimate:
    if any(one.people for one in scenarios):
        return not_measured("no automatic score: people said which answer is better")
    return over_scenarios([one.successes(candidate) for one in scenarios], shares)


def _shares(scenarios: Sequence[ScenarioEvidence], policy: Policy) -> tuple[float, ...]:
    return _filled([policy.traffic.get(one.name) for one in scenarios])


def _weights(scenarios: Sequence[ScenarioEvidence], policy: Policy) -> tuple[float, ...] | None:
    """Return the weights that the policy states for some of these scenarios; None: for none."""
    stated = [policy.weights.get(s.name, policy.weights.get(s.dimension)) for s in scenarios]
    known = [weight for weight in stated if weight is not None]
    return _filled(stated) if sum(known) > 0 else None


def _filled(stated: Sequence[float | None]) -> tuple[float, ...]:
    known = [share for share in stated if share is not None]
    if not known:
        return tuple(1.0 / len(stated) for _ in stated)
    # scenarios without a stated share get what the mean of the stated ones is
    rest = sum(known) / len(known) or 1.0
    filled = [rest if share is None else share for share in stated]
    return tuple(share / sum(filled) for share in filled)


def _slowest(found: Sequence[Estimate]) -> Estimate:
    missing = next((one for one in found if one.value is None), None)
    return missing or max(found, key=lambda one: one.value or 0.0)


def _scored_ranking(
    scenarios: Sequence[ScenarioEvidence], shares: Sequence[float]
) -> Ranking | None:
    """Rank by what was scored; scenarios that people judged have no pass rate to test."""
    scored = [(s, w) for s, w in zip(scenarios, shares, strict=True) if not s.people]
    return _ranked([s for s, _ in scored], [w for _, w in scored]) if scored else None


def _ranked(scenarios: Sequence[ScenarioEvidence], shares: Sequence[float]) -> Ranking | None:
    tables = [one.items for one in scenarios]
    means = np.concatenate([items.mean for items in tables], axis=1)
    if len(means) < 2 or not means.shape[1]:  # noqa: PLR2004 - one candidate has no rank
        return None
    weights = clusters = None
    if any(items.weights is not None for items in tables) or len(tables) > 1:
        parts = [
            (np.ones(i.mean.shape[1]) if i.weights is None else i.weights / i.weights.mean())
            * (share / max(1, i.mean.shape[1]))
            for i, share in zip(tables, shares, strict=True)
        ]
        weights = np.concatenate(parts)
        weights = None if np.ptp(weights) < 1e-12 else weights  # noqa: PLR2004 - rounding
    if any(items.clusters is not None for items in tables):
        labels: list[str] = []
        for at, items in enumerate(tables):
            own = range(items.mean.shape[1]) if items.clusters is None else items.clusters
            labels += [f"{at}/{code}" for code in own]
        clusters = np.array(labels)
    return rank_candidates(
        means,
        binary_single=all(items.single for items in tables),
        rng=np.random.default_rng(0),
        clusters=clusters,
        weights=weights,
    )


def nothing(why: str, count: int) -> tuple[Estimate, ...]:
    """Return `count` estimates of something nobody measured."""
    return tuple(not_measured(why) for _ in range(count))


def values(found: Sequence[Estimate]) -> Floats:
    """Return the values of estimates, nan where not measured."""
    return np.array([np.nan if e.value is None else e.value for e in found])


def widths(found: Sequence[Estimate]) -> Floats:
    """Return standard errors read off 95 % intervals, the wider side; 0 where there is none."""
    z = 1.959964

    def width(e: Estimate) -> float:
        if e.value is None:
            return 0.0
        sides = [abs(b - e.value) for b in (e.low, e.high) if b is not None]
        return max(sides, default=0.0) / z

    return np.array([width(e) for e in found])
