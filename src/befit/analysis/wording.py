"""How far results move with the wording of the prompt alone.

Spread and PSS hold plain noise too, so they stand beside what shuffling the trials
of a sample over the wordings gives (the floor of the same prompt asked again). A
candidate whose spread is well above that is costly to maintain.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from befit.analysis.columns import Floats
from befit.analysis.frame import MISSING, Frame
from befit.analysis.wording_result import OrderUnderWording, WordingCell, Wordings
from befit.core.estimate import not_measured
from befit.engine.prompt_variants import changes_nothing
from befit.stats.means import estimate_amount, estimate_mean
from befit.stats.prompts import item_sensitivity, null_excess, split_prompt_variance
from befit.stats.rankcorrelation import kendall_tau

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


def _cell(frame: Frame, candidate: int, scenario: int) -> WordingCell | None:
    codes, cube = _cube(frame, candidate, scenario)
    if len(codes) < 2 or cube.shape[0] < _LEAST:  # noqa: PLR2004 - one wording has no spread
        return None
    with np.errstate(invalid="ignore"):
        table = np.nanmean(cube, axis=2)
    items, prompts, repeats = cube.shape
    trials = int((~np.isnan(cube)).sum())
    names = [frame.variants[code] for code in codes]
    binary = bool(np.isin(cube[~np.isnan(cube)], (0.0, 1.0)).all())
    means = table.mean(axis=0)
    best, worst = int(means.argmax()), int(means.argmin())
    whole = not np.isnan(cube).any()
    noise = null_excess(cube, rng=np.random.default_rng(0), draws=400) if whole else None
    floor = noise if repeats > 1 else None  # one repeat cannot tell noise from wording in PSS
    spread = estimate_amount(
        table[:, best] - table[:, worst], n_trials=2 * items * repeats, n_missing=0
    )
    above = means[best] - means[worst] - (noise.spread_by_noise if noise else 0.0)
    return WordingCell(
        candidate=frame.candidates[candidate],
        scenario=frame.scenarios[scenario],
        per_prompt=tuple(
            (
                name,
                estimate_mean(
                    table[:, place],
                    n_trials=int((~np.isnan(cube[:, place])).sum()),
                    n_missing=0,
                    binary=binary,
                ),
            )
            for place, name in enumerate(names)
        ),
        mean=estimate_mean(table.mean(axis=1), n_trials=trials, n_missing=0, binary=binary),
        worst=estimate_mean(
            table[:, worst],
            n_trials=items * repeats,
            n_missing=0,
            binary=binary,
            level=1 - 0.05 / prompts,
        ),
        worst_name=names[worst],
        spread=spread,
        spread_by_noise=None if noise is None else noise.spread_by_noise,
        spread_p=None if noise is None else noise.spread_p,
        pss=estimate_mean(item_sensitivity(table), n_trials=trials, n_missing=0, binary=False)
        if prompts > 1
        else not_measured("one wording"),
        pss_by_noise=None if floor is None else floor.pss_by_noise,
        shares=_shares(cube) if whole else (),
        costly=bool(noise is not None and noise.spread_p < _SURE and above >= COSTLY),
    )


def _cube(frame: Frame, candidate: int, scenario: int) -> tuple[list[int], Floats]:
    """Return the wordings and the values (samples, wordings, repeats), nan where one is missing.

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
    return [int(code) for code in codes], cube[complete]


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
