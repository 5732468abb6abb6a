"""Scores that are all alike, or nearly: the narrowest interval of their size, and an honest one."""

from __future__ import annotations

import numpy as np
import pytest

from befit.stats.intervals import wilson
from befit.stats.twoway import estimate_shared_mean

ROUNDS = 200


def crossed(items, people):
    """Return item and reviewer of every rating."""
    return (
        [i for i in range(items) for _ in range(people)],
        [p for _ in range(items) for p in range(people)],
    )


@pytest.mark.parametrize(("items", "people"), [(30, 1), (15, 2), (10, 3)])
def test_thirty_ratings_all_alike_are_no_wider_than_ratings_that_vary(items, people):
    places = crossed(items, people)
    alike = estimate_shared_mean([1 / 3] * 30, *places)
    near = estimate_shared_mean([1 / 3] * 29 + [2 / 3], *places)
    varied = estimate_shared_mean(np.tile([0.0, 1 / 3, 2 / 3, 1 / 3, 1 / 3], 6), *places)
    share = wilson(0, n=items).high
    # by arithmetic: a share of the items may be otherwise, and lie at 0 or at 1
    assert alike.low == pytest.approx(1 / 3 - share / 3)
    assert alike.high == pytest.approx(1 / 3 + share * 2 / 3)
    assert f"all alike in {items} items" in alike.method
    assert alike.high - alike.low <= near.high - near.low + 1e-9
    assert alike.high - alike.low <= varied.high - varied.low + 1e-9


def test_the_interval_of_scores_all_alike_shrinks_with_the_items_not_with_the_ratings():
    widths = [
        made.high - made.low
        for made in (estimate_shared_mean([0.5] * n * 2, *crossed(n, 2)) for n in (5, 20, 80))
    ]
    assert widths == pytest.approx([wilson(0, n=n).high for n in (5, 20, 80)])
    once, often = (estimate_shared_mean([0.5] * 10 * n, *crossed(10, n)) for n in (1, 6))
    assert (once.low, once.high) == pytest.approx((often.low, often.high))


@pytest.mark.parametrize("people", [1, 3])
@pytest.mark.parametrize("rare", [0.02, 0.1, 0.2])
def test_intervals_cover_where_nearly_all_scores_are_alike(people, rare):
    rng = np.random.default_rng(7)
    places = crossed(10, people)
    truth = 1 / 3 + rare * 2 / 3
    hits = 0
    for _ in range(ROUNDS):
        items = np.where(rng.random(10) < rare, 1.0, 1 / 3)
        made = estimate_shared_mean(np.repeat(items, people), *places)
        hits += made.low <= truth <= made.high
    # 95 % less three standard errors of 200 rounds
    assert hits / ROUNDS >= 0.95 - 3 * (0.95 * 0.05 / ROUNDS) ** 0.5
