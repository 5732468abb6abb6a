"""Intervals of what comes in documents cover what they are of, where those of samples do not.

200 draws of a fixed seed; nominal 95 %, of which three standard errors are 4.6 points.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from befit.stats.arrays import Floats, Ints
from befit.stats.means import estimate_amount
from befit.stats.ppi import estimate_judged_mean
from befit.stats.survival import survival
from befit.stats.twowindows import shared_rates

DRAWS = 200
ENOUGH = 0.95 - 0.046
Bounds = tuple[float | None, float | None]


def bounds(found) -> Bounds:
    return found.low, found.high


def costs(rng: np.random.Generator, kin: Ints) -> tuple[float, Bounds, Bounds]:
    """Costs around that of their document, whose mean is 1."""
    values = np.abs(1 + rng.normal(0, 0.3, size=30)[kin] + rng.normal(0, 0.1, size=kin.size))
    told = [estimate_amount(values, n_trials=1, n_missing=0, clusters=c) for c in (kin, None)]
    return 1.0, bounds(told[0]), bounds(told[1])


def chains(rng: np.random.Generator, kin: Ints) -> tuple[float, Bounds, Bounds]:
    """Chains of 3 steps; a document's chance p of each is Beta(4, 1): E p^3 = 4 / 7."""
    chance = np.clip(rng.beta(4, 1, size=30)[kin], 0, 0.999)
    ends = np.minimum(rng.geometric(1 - chance), 4)
    told = [survival(ends, ends < 4, units=units)[-1] for units in (kin, None)]
    return 4 / 7, bounds(told[0]), bounds(told[1])


def labelled(rng: np.random.Generator, kin: Ints) -> tuple[float, Bounds, Bounds]:
    """Half of the documents have labels, a judge is right on 85 % of all; E p = 2 / 3."""
    right = (rng.random(kin.size) < rng.beta(2, 1, size=30)[kin]).astype(float)
    said = np.where(rng.random(kin.size) < 0.85, right, 1 - right)
    known = kin < 15
    parts = right[known], said[known], said[~known]
    units = np.r_[kin[known], kin[~known]]
    told = [estimate_judged_mean(*parts, units=own) for own in (units, None)]
    return 2 / 3, bounds(told[0]), bounds(told[1])


def longer(rng: np.random.Generator, kin: Ints) -> tuple[float, Bounds, Bounds]:
    """The documents of long answers are as good as the others."""
    right = (rng.random(kin.size) < rng.beta(2, 1, size=30)[kin]).astype(float)
    told = [shared_rates(right, kin < 15, units=own) for own in (kin, np.arange(kin.size))]
    return 0.0, bounds(told[0]), bounds(told[1])


def held(world, rng: np.random.Generator) -> Iterator[Floats]:
    kin = np.repeat(np.arange(30), 6)
    for _ in range(DRAWS):
        truth, *told = world(rng, kin)
        yield np.array([low <= truth <= high for low, high in told], dtype=float)


@pytest.mark.parametrize("world", [costs, chains, labelled, longer])
def test_intervals_by_document_cover_and_those_by_sample_do_not(world):
    by_document, by_sample = np.mean(list(held(world, np.random.default_rng(11))), axis=0)
    assert by_document >= ENOUGH
    assert by_sample < ENOUGH
