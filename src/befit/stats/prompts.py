"""How much a score depends on the wording of the prompt.

Works on item means per prompt: (items, prompts). Spread and PSS contain plain
noise, so they come with what label permutation alone would give (`null_excess`),
and with Cochran's Q as the test for single binary trials.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from befit.stats.arrays import Floats, Numbers, as_floats, cluster_codes, item_means
from befit.stats.distributions import chi2_tail


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSensitivity:
    """Summary over prompt variants (no intervals: `per_item` goes to `estimate_mean`).

    `mean`, `worst`, `best`, `spread` of the prompt means; `saturation` =
    1 - (best - mean) and `combined` = saturation x best (Mizrahi et al. 2024);
    `pss` = mean of `per_item` (Zhuo et al. 2024).
    """

    per_prompt: Floats
    per_item: Floats
    mean: float
    worst: float
    best: float
    spread: float
    saturation: float
    combined: float
    pss: float


def item_sensitivity(table: Numbers) -> Floats:
    """Mean absolute difference over pairs of prompts, for each item: (items,)."""
    ranked = np.sort(as_floats(table), axis=1)
    prompts = ranked.shape[1]
    if prompts <= 1:
        raise ValueError("sensitivity needs two prompts")
    # sum over pairs of |a - b| is a weighted sum of the sorted values
    weights = 2 * np.arange(prompts) - prompts + 1
    found: Floats = ranked @ weights / (prompts * (prompts - 1) / 2)
    return found


def prompt_sensitivity(table: Numbers) -> PromptSensitivity:
    """Summarise item means (items, prompts); items that miss a prompt must be left out before."""
    values = as_floats(table)
    if np.isnan(values).any():
        raise ValueError("leave out items that miss a prompt")
    per_item, per_prompt = item_sensitivity(values), values.mean(axis=0)
    mean, best, worst = (float(f(per_prompt)) for f in (np.mean, np.max, np.min))
    saturation = 1 - (best - mean)
    return PromptSensitivity(
        per_prompt=per_prompt,
        per_item=per_item,
        mean=mean,
        worst=worst,
        best=best,
        spread=best - worst,
        saturation=saturation,
        combined=saturation * best,
        pss=float(per_item.mean()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NullExcess:
    """Observed spread and PSS, what noise alone gives, and p-values of the excess."""

    spread: float
    spread_by_noise: float
    spread_p: float
    pss: float
    pss_by_noise: float
    pss_p: float


def null_excess(
    scores: Numbers,
    *,
    rng: np.random.Generator,
    draws: int = 1_000,
    clusters: npt.ArrayLike | None = None,
    weights: Numbers | None = None,
) -> NullExcess:
    """Compare with trials shuffled over prompts inside each item: (items, prompts, repeats).

    With one repeat PSS cannot change under shuffling; its noise is then all of it. Items of one
    cluster are shuffled alike, as what moves one of them may move them all.
    """
    table = as_floats(scores)
    items, prompts, repeats = table.shape
    own = np.ones(items) if weights is None else as_floats(weights)
    share = own / own.sum()

    def measure(cube: Floats) -> tuple[float, float]:
        means = cube.reshape(items * prompts, repeats).mean(axis=1).reshape(items, prompts)
        return float(np.ptp(share @ means)), float(share @ item_sensitivity(means))

    spread, pss = measure(table)
    flat = table.reshape(items, prompts * repeats)
    codes = None if clusters is None else cluster_codes(clusters)

    def shuffled() -> Floats:
        if codes is None:
            return rng.permuted(flat, axis=1)
        places = np.tile(np.arange(prompts * repeats), (int(codes.max()) + 1, 1))
        return np.take_along_axis(flat, rng.permuted(places, axis=1)[codes], axis=1)

    drawn = np.array([measure(shuffled()) for _ in range(draws)])
    reached = (drawn >= np.array((spread, pss)) - 1e-12).sum(axis=0)
    return NullExcess(
        spread=spread,
        spread_by_noise=float(drawn[:, 0].mean()),
        spread_p=float((reached[0] + 1) / (draws + 1)),
        pss=pss,
        pss_by_noise=float(drawn[:, 1].mean()),
        pss_p=float((reached[1] + 1) / (draws + 1)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CochranQ:
    """Cochran's statistic, its degrees of freedom and p (1 where all prompts agree everywhere)."""

    q: float
    df: int
    p_value: float


def cochran_q(table: Numbers) -> CochranQ:
    """Test equal success over prompts on binary (items, prompts)."""
    values = as_floats(table)
    k, columns, rows = values.shape[1], values.sum(axis=0), values.sum(axis=1)
    scale = float(k * rows.sum() - np.square(rows).sum())
    if scale == 0:
        return CochranQ(q=0.0, df=k - 1, p_value=1.0)
    q = (k - 1) * float(k * np.square(columns).sum() - rows.sum() ** 2) / scale
    return CochranQ(q=q, df=k - 1, p_value=chi2_tail(q, df=k - 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptVariance:
    """Variance components; `run` is None with one repeat (it is then part of `interaction`)."""

    item: float
    prompt: float
    interaction: float
    run: float | None


def split_prompt_variance(scores: Numbers) -> PromptVariance:
    """Two-way random ANOVA of a complete (items, prompts, repeats) cube; all items count alike."""
    cube = as_floats(scores)
    items, prompts, repeats = cube.shape
    cell = item_means(cube.reshape(items * prompts, repeats)).reshape(items, prompts)
    grand, by_item, by_prompt = cell.mean(), cell.mean(axis=1), cell.mean(axis=0)
    ms_item = repeats * prompts * float(np.square(by_item - grand).sum()) / (items - 1)
    ms_prompt = repeats * items * float(np.square(by_prompt - grand).sum()) / (prompts - 1)
    rest = cell - by_item[:, None] - by_prompt[None, :] + grand
    ms_both = repeats * float(np.square(rest).sum()) / ((items - 1) * (prompts - 1))
    run: float | None = None
    if repeats > 1:
        within = float(np.square(cube - cell[:, :, None]).sum())
        run = within / (items * prompts * (repeats - 1))
    return PromptVariance(
        item=max(0.0, (ms_item - ms_both) / (repeats * prompts)),
        prompt=max(0.0, (ms_prompt - ms_both) / (repeats * items)),
        interaction=max(0.0, (ms_both - (run or 0.0)) / repeats),
        run=run,
    )
