"""The decision itself: gates, then routes, then what is open; every step is a plain function.

A tier is decided when the routes among the proven candidates are also the best
routes if every open candidate turned out good enough. Otherwise it is between
the proven one and those that could still beat it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from befit.analysis.columns import Bools
from befit.core.policy import Policy
from befit.decide.evidence import Evidence
from befit.decide.gates import estimate_of, needed
from befit.decide.joint import Judgement
from befit.decide.routing import Problem, Solution, make_problem, order, solve
from befit.decide.tiers import TierView, tier_view
from befit.stats.distributions import one_sided

MOST_CONTENDERS = 4


@dataclass(frozen=True, kw_only=True, eq=False)
class Choice:
    """Evidence and policy, and all that follows from them; computed when it is asked for."""

    evidence: Evidence
    policy: Policy
    ranked: bool = True
    """False leaves the rank groups out; only for policies with a gate in every tier."""

    @cached_property
    def judgement(self) -> Judgement:
        """The gates."""
        return Judgement(evidence=self.evidence, policy=self.policy)

    @cached_property
    def views(self) -> tuple[TierView, ...]:
        """The tiers."""
        return tuple(
            tier_view(self.evidence, t, self.policy, ranked=self.ranked)
            for t in self.evidence.served_tiers
        )

    @cached_property
    def proven(self) -> Bools:
        """(tiers, candidates): passes all gates; without a gate, not shown to be worse than any."""
        return self._mask(("pass",))

    @cached_property
    def possible(self) -> Bools:
        """(tiers, candidates): not shown to miss a gate."""
        return self._mask(("pass", "insufficient_evidence"))

    def _mask(self, verdicts: Sequence[str]) -> Bools:
        count = len(self.evidence.candidates)
        found = np.zeros((len(self.views), count), dtype=np.bool_)
        for t, view in enumerate(self.views):
            for m in range(count):
                measured = view.quality[m].value is not None
                found[t, m] = measured and self.judgement.of(t, m) in verdicts
            if self.judges_word[t]:
                # neither good enough nor worse than another by the word of such a judge
                found[t] &= "insufficient_evidence" in verdicts
            elif not self.judgement.gates[t]:
                # nobody said what is good enough: whoever is not shown to be worse than another
                found[t] &= ~view.better.any(axis=0)
                # and has a right answer to show
                found[t] &= np.array([one.value != 0 for one in view.quality], dtype=np.bool_)
                found[t] &= self._in_the_race(view)
        return found

    @cached_property
    def judges_word(self) -> tuple[tuple[str, ...], ...]:
        """By tier, the scenarios whose quality an uncalibrated judge tells, where it chooses.

        Behind gates, cost may choose alone, and a single candidate is no choice.
        """
        found = []
        for gates, view in zip(self.judgement.gates, self.views, strict=True):
            costs = {one.value for one in view.cost if one.value is not None}
            by_cost = self.policy.prefer == "cost" and len(costs) > 1
            judged = () if gates and (by_cost or len(view.cost) == 1) else view.scenarios
            names = [one.name for one in judged if not one.people]
            found.append(tuple(filter(self.evidence.uncalibrated, names)))
        return tuple(found)

    def _in_the_race(self, view: TierView) -> Bools:
        """Return who was not put out of a race on the tier's scenarios."""
        out = [
            any(self.evidence.settled.get((one.name, name)) == "fail" for one in view.scenarios)
            for name in self.evidence.candidates
        ]
        return ~np.array(out, dtype=np.bool_)

    @cached_property
    def served(self) -> tuple[int, ...]:
        """Tiers in which somebody is proven."""
        return tuple(int(t) for t in np.flatnonzero(self._usable(self.proven).any(axis=1)))

    def _usable(self, allowed: Bools) -> Bools:
        """Leave out candidates of unknown cost where others of known cost could serve the tier."""
        cost = self.whole_problem.cost
        some = np.asarray((allowed & ~np.isnan(cost)).any(axis=1)).reshape(-1)
        return np.asarray(allowed & (~np.isnan(cost) | ~some[:, None]), dtype=np.bool_)

    @cached_property
    def whole_problem(self) -> Problem:
        """The problem over all tiers, anybody allowed."""
        everybody = np.ones((len(self.views), len(self.evidence.candidates)), dtype=np.bool_)
        return make_problem(self.views, everybody, self.policy)

    def problem(self, allowed: Bools, tiers: Sequence[int]) -> Problem:
        """Return the problem of some tiers."""
        whole, rows = self.whole_problem, list(tiers)
        return replace(
            whole,
            tiers=tuple(whole.tiers[t] for t in rows),
            volumes=whole.volumes[rows],
            cost=whole.cost[rows],
            quality=whole.quality[rows],
            allowed=self._usable(allowed)[rows],
            losses=None if whole.losses is None else whole.losses[rows],
        )

    @cached_property
    def solution(self) -> Solution | None:
        """The best routes among the proven, over the tiers that have any."""
        return solve(self.problem(self.proven, self.served)) if self.served else None

    @cached_property
    def routes(self) -> dict[int, int]:
        """Tier -> candidate, proven; empty where limits across tiers cannot be kept."""
        if self.solution is None:
            return {}
        return dict(zip(self.served, self.solution.choice, strict=True))

    @cached_property
    def hopeful(self) -> dict[int, int]:
        """Tier -> candidate, if every open candidate turned out good enough."""
        tiers = [t for t in range(len(self.views)) if self.possible[t].any()]
        found = solve(self.problem(self.possible, tiers)) if tiers else None
        return {} if found is None else dict(zip(tiers, found.choice, strict=True))

    def contenders(self, tier: int) -> tuple[int, ...]:
        """Return those between whom a tier is not decided, the best by the objective first.

        The proven choice and every open candidate that comes before it; empty if decided.
        """
        chosen = self.routes.get(tier)
        problem = replace(self.problem(self.possible, [tier]), most=None, budget=None)
        rank = order(problem, 0)
        unproven = [m for m in rank if not self.proven[tier, m]]
        if chosen is None:
            return tuple(unproven[:MOST_CONTENDERS])
        if self.hopeful.get(tier) == chosen:
            return ()
        before = rank[: rank.index(chosen)] if chosen in rank else rank
        ahead = [m for m in before if not self.proven[tier, m]]
        hoped = self.hopeful.get(tier)
        if not ahead and hoped is not None:
            ahead = [hoped]
        return (*ahead[: MOST_CONTENDERS - 1], chosen)

    def samples_needed(self, tier: int, candidate: int) -> int | None:
        """Return the samples in all that would settle a candidate's open gates in a tier.

        None where samples would not: something was never measured, a trait is not stated, or
        too many of the samples there are have no value.
        """
        required = self.judgement.required[candidate]
        stated = required != "insufficient_evidence"
        if not stated or self.judges_word[tier] or not self.views[tier].covered[candidate]:
            return None
        level = self.judgement.joint_level
        found: list[int] = []
        for placed in self.judgement.gates[tier]:
            bounds = estimate_of(self.evidence, placed, candidate, level=one_sided(level))
            if bounds.value is None:
                return None
            shown = estimate_of(self.evidence, placed, candidate, level=0.95)
            more = needed(placed, bounds, shown, level=level)
            alone = self.judgement.alone(placed, candidate, self.judgement.tests)
            if alone == "insufficient_evidence" and more is not None:
                found.append(more)
        return max(found, default=None)
