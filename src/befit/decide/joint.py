"""All gates of all candidates in all tiers judged together, so that luck picks no route.

A candidate holds a tier if it passes every gate there (the largest p counts);
the pairs (candidate, tier) are then corrected by Holm. The strength of a pair is
the largest k at which it still passes with error / k, which is all that Holm
needs, and it works for any interval, not only for those with a p-value.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from befit.core.decision import Verdict
from befit.core.policy import Policy
from befit.decide.evidence import Evidence
from befit.decide.gates import (
    PASS_NAMES,
    Placed,
    estimate_of,
    gates_of,
    judged,
    requirement_verdicts,
)
from befit.stats.distributions import one_sided


@dataclass(frozen=True, kw_only=True, eq=False)
class Judgement:
    """Every (tier, candidate) pair: judged alone and together."""

    evidence: Evidence
    policy: Policy
    without: Placed | None = None
    """A gate left out, to see what it costs."""

    @cached_property
    def gates(self) -> tuple[tuple[Placed, ...], ...]:
        """Gates by tier."""
        return tuple(
            tuple(
                placed
                for one in self.evidence.of_tier(tier.name)
                for placed in gates_of(one, tier, self.policy)
                if placed != self.without
            )
            for tier in self.evidence.served_tiers
        )

    @cached_property
    def tests(self) -> int:
        """How many pairs are tested."""
        return sum(len(self.evidence.candidates) for gates in self.gates if gates) or 1

    @property
    def joint_level(self) -> float:
        """One-sided level that is enough for the first of Holm's steps."""
        return 1 - self.policy.error / self.tests

    def alone(self, placed: Placed, candidate: int, k: int) -> Verdict:
        """Judge one gate at the k-th part of the error."""
        name = self.evidence.candidates[candidate]
        if placed.gate.metric in PASS_NAMES:
            settled = self.evidence.settled.get((placed.scenario.name, name))
            if settled is not None:
                return settled
        level = one_sided(1 - self.policy.error / (k * self.evidence.looks))
        return judged(placed.gate, estimate_of(self.evidence, placed, candidate, level=level))

    def _strength(self, tier: int, candidate: int, wanted: Verdict) -> int:
        """Return the largest k <= tests at which the pair passes (or fails); 0: not even alone."""
        gates = self.gates[tier]

        def holds(k: int) -> bool:
            if wanted == "pass":
                return all(self.alone(g, candidate, k) == "pass" for g in gates)
            # failing one gate of several is enough, so each is tested that much harder
            return any(self.alone(g, candidate, k * len(gates)) == "fail" for g in gates)

        if holds(self.tests):
            return self.tests
        if not holds(1):
            return 0
        low, high = 1, self.tests
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if holds(middle) else (low, middle)
        return low

    def _holm(self, wanted: Verdict) -> set[tuple[int, int]]:
        pairs = [
            (self._strength(t, m, wanted), t, m)
            for t, gates in enumerate(self.gates)
            if gates
            for m in range(len(self.evidence.candidates))
        ]
        found: set[tuple[int, int]] = set()
        for step, (strength, t, m) in enumerate(sorted(pairs, key=lambda p: -p[0])):
            if strength < self.tests - step:
                break
            found.add((t, m))
        return found

    @cached_property
    def _passed(self) -> set[tuple[int, int]]:
        return self._holm("pass")

    @cached_property
    def _failed(self) -> set[tuple[int, int]]:
        return self._holm("fail")

    @cached_property
    def required(self) -> tuple[Verdict, ...]:
        """Verdict on the stated traits, by candidate."""
        found: list[Verdict] = []
        for m in range(len(self.evidence.candidates)):
            verdicts = {v.verdict for v in requirement_verdicts(self.evidence, self.policy, m)}
            order: tuple[Verdict, ...] = ("fail", "insufficient_evidence")
            found.append(next((v for v in order if v in verdicts), "pass"))
        return tuple(found)

    def of(self, tier: int, candidate: int) -> Verdict:
        """Return the verdict on a candidate in a tier, all gates and all pairs together."""
        required = self.required[candidate]
        if required == "fail" or (tier, candidate) in self._failed:
            return "fail"
        name = self.evidence.served_tiers[tier].name
        if required == "insufficient_evidence" or not self.evidence.covered(name, candidate):
            return "insufficient_evidence"  # what cannot be ranked cannot be chosen
        if not self.gates[tier] or (tier, candidate) in self._passed:
            return "pass"
        return "insufficient_evidence"
