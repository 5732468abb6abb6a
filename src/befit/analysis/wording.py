"""How far results move with the wording of the prompt alone.

Spread and PSS hold plain noise too, so they stand beside what shuffling the trials
of a sample over the wordings gives (the floor of the same prompt asked again). A
candidate whose spread is well above that is costly to maintain. Samples count by their weight
and in their clusters, as everywhere, but for the shares of the variance: these are of samples
that count alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from befit.analysis.columns import Floats, Ints
from befit.analysis.frame import MISSING, Frame
from befit.analysis.items import estimate_over_items
from befit.analysis.wording_result import OrderUnderWording, WordingCell, Wordings
from befit.core.estimate import Estimate
from befit.engine.prompt_variants import changes_nothing
from befit.stats.paired import paired_difference
from befit.stats.prompts import (
    NullExcess,
    item_sensitivity,
    null_excess,
    split_prompt_variance,
)
from befit.stats.rankcorrelation import kendall_tau
from befit.stats.weighted import row_means

COSTLY = 0.10
"""A spread above noise of so much is called costly."""
_SURE = 0.05
_LEAST = 3
"""Samples asked under every wording, from which on anything is said."""


def wordings(frame: Frame) -> Wordings:
    """Return what the variants of prompts show; empty where none were run."""
    if len(frame.variants) < 2:  # noqa: PLR2004 - the prompt as it is, alone
        return Wordings()
    cells = [
        cell
        for scenario in range(len(frame.scenarios))
        for candidate in range(len(frame.candidates))
        if (cell := _cell(frame, candidate, scenario)) is not None
    ]
    return Wordings(cells=tuple(cells), orders=tuple(_orders(frame, cells)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reworded:
    """What one candidate gave on one scenario under every wording."""

    variants: tuple[int, ...]
    """Codes of the wordings."""
    cube: Floats
    """(samples, wordings, repeats): 1 right, 0 wrong, nan where one is missing."""
    table: Floats
    """Its means over repeats: (samples, wordings)."""
    clusters: Ints | None
    weights: Floats | None

    @property
    def compared(self) -> bool:
        """Whether there are two wordings and a sample that was asked under all of them."""
        return len(self.variants) > 1 and len(self.cube) > 0

    def means(self) -> Floats:
        """Return the mean of each wording over the samples."""
        return row_means(self.table.T, self.weights)

    def over(self, values: Floats, chosen: Floats, *, score: bool = False, level: float = 0.95,
             ) -> Estimate:  # fmt: skip
        """Return the mean of one value a sample, which the chosen trials made; `score`: no rate."""
        known = chosen[~np.isnan(chosen)]
        return estimate_over_items(
            values,
            n_trials=known.size,
            n_missing=0,
            binary=not score and bool(np.isin(self.cube[~np.isnan(self.cube)], (0.0, 1.0)).all()),
            clusters=self.clusters,
            weights=self.weights,
            level=level,
        )

    def rate(self, wording: int, *, level: float = 0.95) -> Estimate:
        """Return the pass rate under one wording."""
        return self.over(self.table[:, wording], self.cube[:, wording], level=level)

    def worst(self, *, level: float = 0.95) -> Estimate:
        """Return the pass rate under the worst one, at a level corrected for the choice."""
        corrected = 1 - (1 - level) / len(self.variants)
        return self.rate(int(self.means().argmin()), level=corrected)

    def spread(self, *, level: float = 0.95) -> Estimate:
        """Return best minus worst wording, paired on the same samples."""
        means = self.means()
        both = [int(means.argmax()), int(means.argmin())]
        found = paired_difference(
            *self.table[:, both].T,
            binary_single=False,
            rng=np.random.default_rng(0),  # a fixed seed: the same answers, the same interval
            clusters=self.clusters,
            weights=self.weights,
            level=level,
        )
        n = int((~np.isnan(self.cube[:, both])).sum())
        return replace(found.estimate, n_trials=n)


def _cell(frame: Frame, candidate: int, scenario: int) -> WordingCell | None:
    asked = reworded(frame, candidate, scenario)
    if not asked.compared or len(asked.cube) < _LEAST:
        return None
    cube, table, means = asked.cube, asked.table, asked.means()
    names = [frame.variants[code] for code in asked.variants]
    whole = not np.isnan(cube).any()
    noise = _noise(asked) if whole else None
    floor = noise if cube.shape[2] > 1 else None  # one repeat tells noise from wording in no PSS
    above = np.ptp(means) - (noise.spread_by_noise if noise else 0.0)
    return WordingCell(
        candidate=frame.candidates[candidate],
        scenario=frame.scenarios[scenario],
        per_prompt=tuple((name, asked.rate(place)) for place, name in enumerate(names)),
        mean=asked.over(table.mean(axis=1), cube),
        worst=asked.worst(),
        worst_name=names[int(means.argmin())],
        spread=asked.spread(),
        spread_by_noise=None if noise is None else noise.spread_by_noise,
        spread_p=None if noise is None else noise.spread_p,
        pss=asked.over(item_sensitivity(table), cube, score=True),
        pss_by_noise=None if floor is None else floor.pss_by_noise,
        shares=_shares(cube) if whole else (),
        costly=bool(noise is not None and noise.spread_p < _SURE and above >= COSTLY),
    )


def _noise(asked: Reworded) -> NullExcess:
    return null_excess(
        asked.cube,
        rng=np.random.default_rng(0),
        draws=400,
        clusters=asked.clusters,
        weights=asked.weights,
    )


def reworded(frame: Frame, candidate: int, scenario: int) -> Reworded:
    """Return what a candidate gave under the wordings of a scenario's prompt.

    Only samples with a value under every wording are in it. A variant that changes nothing in
    the template is the prompt as it is asked again, no other wording, and is not in it.
    """
    mask = frame.rows(candidate=candidate, scenario=scenario)
    mask &= (frame.status != MISSING) & ~np.isnan(frame.passed)
    mask &= ~np.isin(frame.variant, _unchanged(frame, candidate, scenario))
    rows = np.flatnonzero(mask)
    codes, prompt = np.unique(frame.variant[rows], return_inverse=True)
    samples, item = np.unique(frame.sample[rows], return_inverse=True)
    repeats = int(frame.repeat[rows].max()) + 1 if len(rows) else 0
    cube = np.full((len(samples), len(codes), repeats), np.nan)
    cube[item, prompt, frame.repeat[rows]] = frame.passed[rows]
    complete = ~np.isnan(cube).all(axis=2).any(axis=1) if len(rows) else np.zeros(0, dtype=bool)
    asked = cube[complete]
    return Reworded(
        variants=tuple(codes.tolist()),
        cube=asked,
        table=np.nanmean(asked, axis=2),
        clusters=frame.clusters_of(samples[complete]),
        weights=frame.weights_of(samples[complete]),
    )


def _unchanged(frame: Frame, candidate: int, scenario: int) -> list[int]:
    spec = frame.manifest.scenarios[scenario].spec
    same = changes_nothing(spec, frame.manifest.candidates[candidate].candidate)
    return [code for code, name in enumerate(frame.variants) if name in same]


def _shares(cube: Floats) -> tuple[tuple[str, float], ...]:
    parts = split_prompt_variance(cube)
    named = [("sample", parts.item), ("wording", parts.prompt)]
    if parts.run is None:  # one repeat cannot tell the two apart
        named.append(("sample and wording together, or run", parts.interaction))
    else:
        named += [("sample and wording together", parts.interaction), ("run", parts.run)]
    total = sum(value for _, value in named)
    return tuple((name, value / total) for name, value in named) if total > 0 else ()


def _orders(frame: Frame, cells: list[WordingCell]) -> Iterator[OrderUnderWording]:
    for scenario in frame.scenarios:
        own = [dict(cell.per_prompt) for cell in cells if cell.scenario == scenario]
        if len(own) < 2:  # noqa: PLR2004 - one candidate has no order
            continue
        names = [name for name in own[0] if name and all(name in one for one in own)]
        base = [one[""].value or 0.0 for one in own if "" in one]
        if not names or len(base) < len(own):
            continue
        leader = int(np.argmax(base))
        taus: list[float] = []
        same = 0
        for name in names:
            values = [one[name].value or 0.0 for one in own]
            same += values[leader] >= max(values)
            tau = kendall_tau(base, values)
            taus += [] if tau is None else [tau]
        yield OrderUnderWording(
            scenario=scenario,
            n_variants=len(names),
            same_leader=same,
            least_tau=min(taus) if taus else None,
        )
