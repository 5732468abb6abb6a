"""From the columns of a run to the evidence of a decision."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from befit.analysis.answers import ALL_REUSED, UNSEEN
from befit.analysis.cells import rows_by_cell
from befit.analysis.columns import Bools, Floats, Ints
from befit.analysis.engineering_cost import at_least, untold_tries
from befit.analysis.frame import MISSING, Frame
from befit.analysis.items import Items, item_means, rate_of_trials
from befit.analysis.matrix import specs
from befit.analysis.stability import (
    Chance,
    OverSamples,
    planned_repeats,
    repeats_of,
    why_no_repeats,
    why_not_measured,
)
from befit.analysis.wording import reworded
from befit.core.decision import Verdict
from befit.core.estimate import Estimate, not_measured
from befit.core.scenario import ScenarioSpec
from befit.core.tier import Tier
from befit.decide.evidence import ALL_TASKS, Evidence, ScenarioEvidence
from befit.decide.people import quality_by_people, told_apart
from befit.decide.successes import successes_of
from befit.stats.arrays import group_means
from befit.stats.means import estimate_amount
from befit.stats.passk import pass_at_k, pass_hat_k
from befit.stats.quantiles import estimate_quantile

ONE_PROMPT = "no sample was answered under two wordings of the prompt"
QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
STABLE_K = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reader:
    """Estimates any metric of one scenario at any level."""

    frame: Frame
    scenario: int
    items: Items

    def __call__(self, metric: str, candidate: int, level: float) -> Estimate:
        """Return the estimate of a metric for a candidate."""
        if metric in {"pass_rate", "pass"}:
            return self.items.estimate(candidate, level=level)
        special = self._special().get(metric)
        if special is not None:
            return special(candidate, level)
        if metric.startswith(("latency", "first_token", "input_tokens", "output_tokens")):
            name, _, rank = metric.rpartition("_")
            column, q = (name, QUANTILES[rank]) if rank in QUANTILES else (metric, 0.5)
            return self._quantile(column, candidate, q=q, level=level)
        if (self.scenario, metric) in self.frame.metrics:
            items = item_means(self.frame, (self.scenario,), metric)
            return items.estimate(candidate, level=level)
        own = ", ".join(dict.fromkeys(one.name for one in specs(self.frame)[self.scenario].scorers))
        return not_measured(
            f"no answer of this scenario has such a score, its scorers are {own or 'none'}; "
            "add a scorer that makes it (or a sample that asks for it), or drop the gate"
        )

    def _special(self) -> Mapping[str, Callable[[int, float], Estimate]]:
        frame = self.frame
        return {
            "stability": self._stability,
            "ceiling": lambda c, level: self._over_repeats(c, level, pass_at_k),
            "reliable": lambda c, level: self._over_repeats(c, level, pass_hat_k),
            "missing_rate": lambda c, level: self._rate(frame.status == MISSING, c, level),
            "failure_rate": lambda c, level: self._rate(
                frame.failure >= 0, c, level, of_calls=False
            ),
            "retry_rate": lambda c, level: self._rate(frame.attempts > 0, c, level),
            "cost": lambda c, level: self._at_least(self._mean("cost", c, level), c),
            "verbosity": lambda c, level: self._mean("output_tokens", c, level),
            "cost_per_success": self._cost_per_success,
            "worst_prompt": self._worst_prompt,
            "prompt_spread": self._prompt_spread,
        }

    def _rows(self, candidate: int) -> Bools:
        return self.frame.rows(candidate=candidate, scenario=self.scenario)

    def _fresh(self, candidate: int) -> Bools:
        mask = self._rows(candidate)
        mask &= ~self.frame.reused & (self.frame.status != MISSING)
        return mask

    def _reused(self, candidate: int) -> str:
        """Return that nothing of this run is left to time, and what makes it; else nothing."""
        rows = self._rows(candidate)
        if not rows.any() or not self.frame.reused[rows].all():
            return ""
        return f"{ALL_REUSED}; `befit run --label NAME` measures anew"

    def _quantile(self, column: str, candidate: int, *, q: float, level: float) -> Estimate:
        if column not in self.frame.numbers:
            return not_measured(f"{column} is not measured")
        mask = self._fresh(candidate)
        numbers = self.frame.numbers[column][mask]
        kept = ~np.isnan(numbers)
        samples = self.frame.sample[mask]
        if not kept.any():
            return not_measured(self._reused(candidate) or UNSEEN)
        return estimate_quantile(
            numbers,
            q=q,
            n_samples=len(np.unique(samples[kept])),
            n_missing=int((~kept).sum()),
            clusters=self.frame.cluster[samples],
            weights=self.frame.weights_of(samples),
            level=level,
        )

    def _mean(self, column: str, candidate: int, level: float) -> Estimate:
        mask = self._rows(candidate) & (self.frame.status != MISSING)
        numbers = self.frame.numbers[column][mask]
        if not len(numbers) or np.isnan(numbers).any():
            return not_measured("price or usage unknown")
        codes, place = np.unique(self.frame.sample[mask], return_inverse=True)
        means = group_means(numbers, place, groups=len(codes))
        return estimate_amount(
            means,
            n_trials=len(numbers),
            n_missing=0,
            level=level,
            counted=True,
            weights=self.frame.weights_of(codes),
            clusters=self.frame.clusters_of(codes),
        )

    def _rate(
        self, happened: Bools, candidate: int, level: float, *, of_calls: bool = True
    ) -> Estimate:
        mask = self._rows(candidate) & ~self.frame.reused
        if why := self._reused(candidate):
            return not_measured(why)
        return rate_of_trials(self.frame, mask, happened, level=level, of_calls=of_calls)

    def _over(self, candidate: int) -> OverSamples:
        repeats = repeats_of(self.frame, candidate, self.scenario)
        return OverSamples.of(self.frame, repeats, self.items, candidate)

    def _stability(self, candidate: int, level: float) -> Estimate:
        why = why_not_measured(self.frame, candidate, self.scenario)
        if why is not None:
            return not_measured(why)
        over = self._over(candidate)
        if not (np.count_nonzero(over.repeats.labels >= 0, axis=1) > 1).any():
            return not_measured("too few repeats")
        return over.agreement(level=level)

    def _over_repeats(self, candidate: int, level: float, of_item: Chance) -> Estimate:
        why = why_no_repeats(self.frame, candidate, self.scenario)
        if why is not None:
            return not_measured(why)
        k = planned_repeats(self.frame, candidate, self.scenario)
        return self._over(candidate).chance(of_item, k=k, level=level)

    def _cost_per_success(self, candidate: int, level: float) -> Estimate:
        costs = item_means_of(self.frame, self.scenario, "cost", scored=True)[candidate]
        found = successes_of(self.items, costs, candidate).estimate(level=level)
        return self._at_least(found, candidate)

    def _at_least(self, cost: Estimate, candidate: int) -> Estimate:
        return at_least(cost, untold_tries(self.frame, self._rows(candidate)))

    def _worst_prompt(self, candidate: int, level: float) -> Estimate:
        asked = reworded(self.frame, candidate, self.scenario)
        return asked.worst(level=level) if asked.compared else not_measured(ONE_PROMPT)

    def _prompt_spread(self, candidate: int, level: float) -> Estimate:
        asked = reworded(self.frame, candidate, self.scenario)
        return asked.spread(level=level) if asked.compared else not_measured(ONE_PROMPT)


def item_means_of(frame: Frame, scenario: int, column: str, *, scored: bool = False) -> Floats:
    """Return the mean of a number over the ended trials of each sample: (candidates, samples).

    `scored`: over those of them that have a pass or fail.
    """
    told = ~np.isnan(frame.passed) if scored else np.ones(len(frame.passed), dtype=np.bool_)
    chosen = np.flatnonzero(frame.home == scenario)
    place = np.full(len(frame.samples), -1, dtype=np.int64)
    place[chosen] = np.arange(len(chosen))
    rows = np.flatnonzero(
        (frame.scenario == scenario) & (frame.status != MISSING) & (frame.variant == 0) & told
    )
    at = frame.candidate[rows] * len(chosen) + place[frame.sample[rows]]
    size = len(frame.candidates) * len(chosen)
    total = np.bincount(at, weights=frame.numbers[column][rows], minlength=size)
    count = np.bincount(at, minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    return np.asarray(found.reshape(len(frame.candidates), len(chosen)), dtype=np.float64)


def _latencies(frame: Frame, rows: Ints, chosen: Ints) -> tuple[Floats, Ints]:
    kept = ~frame.reused[rows] & (frame.status[rows] != MISSING)
    rows = rows[kept & ~np.isnan(frame.numbers["latency"][rows])]
    return frame.numbers["latency"][rows], np.searchsorted(chosen, frame.sample[rows])


def _by_repeat(frame: Frame, rows: Ints, chosen: Ints, column: Floats, repeats: int) -> Floats:
    kept = (frame.variant[rows] == 0) & (frame.status[rows] != MISSING)
    rows = rows[kept & (frame.repeat[rows] < repeats)]
    table = np.full((len(chosen), repeats), np.nan)
    table[np.searchsorted(chosen, frame.sample[rows]), frame.repeat[rows]] = column[rows]
    return table


def _by_repeats(
    frame: Frame, rows: Sequence[Ints], chosen: Ints, column: Floats, repeats: int
) -> tuple[Floats, ...]:
    return tuple(_by_repeat(frame, own, chosen, column, min(repeats, STABLE_K)) for own in rows)


def _asked(frame: Frame, rows: Sequence[Ints]) -> Ints:
    """Return how many samples each candidate was asked; of a race that is not the whole plan."""
    return np.array([len(np.unique(frame.sample[own])) for own in rows], dtype=np.int64)


def _measured(frame: Frame) -> Iterator[tuple[int, ScenarioSpec, Items, list[Ints]]]:
    """Yield every scenario that has samples, its pass rates, and its rows by candidate."""
    by_cell = rows_by_cell(frame)
    for code, spec in enumerate(specs(frame)):
        items = item_means(frame, (code,), "pass")
        if items.mean.shape[1]:
            yield code, spec, items, [by_cell[code, m] for m in range(len(frame.candidates))]


def read_evidence(
    frame: Frame,
    *,
    tiers: tuple[Tier, ...],
    outside: Mapping[tuple[str, str, str], Estimate] | None = None,
    settled: Mapping[tuple[str, str], Verdict] | None = None,
    looks: int = 1,
) -> Evidence:
    """Return the evidence of a run.

    Args:
        frame: its columns.
        tiers: the task tiers as they are now.
        outside: estimates made elsewhere, by (metric, scenario, candidate).
        settled: verdicts on the pass rate of a run that stopped itself.
        looks: how often the other gates are looked at.
    """
    found = []
    answers = np.where(frame.answer >= 0, frame.answer, np.nan).astype(np.float64)
    for code, spec, items, rows in _measured(frame):
        chosen = np.flatnonzero(frame.home == code)
        latencies = [_latencies(frame, own, chosen) for own in rows]
        metric, said = quality_by_people(items, spec.name, frame.candidates, outside or {})
        found.append(
            ScenarioEvidence(
                name=spec.name,
                tier=spec.tier or ALL_TASKS,
                items=items,
                cost=item_means_of(frame, code, "cost"),
                scored_cost=item_means_of(frame, code, "cost", scored=True),
                latency=tuple(times for times, _ in latencies),
                latency_item=tuple(places for _, places in latencies),
                measure=Reader(frame=frame, scenario=code, items=items),
                accept=spec.accept,
                critical=spec.critical,
                repeats=spec.repeats,
                dimension=spec.dimension,
                people=said,
                people_metric=metric,
                people_apart=told_apart(metric, spec.name, frame.candidates, outside or {}),
                asked=None if settled is None else _asked(frame, rows),
                answers=_by_repeats(frame, rows, chosen, answers, spec.repeats),
                passes=_by_repeats(frame, rows, chosen, frame.passed, spec.repeats),
                untold=tuple(untold_tries(frame, own) for own in rows),
            )
        )
    return Evidence(
        candidates=frame.candidates,
        scenarios=tuple(found),
        tiers=tiers,
        providers=tuple(one.candidate.provider for one in frame.manifest.candidates),
        traits=tuple(one.candidate.traits for one in frame.manifest.candidates),
        priced=tuple(one.price is not None for one in frame.manifest.candidates),
        outside=outside or {},
        settled=settled or {},
        looks=looks,
    )
