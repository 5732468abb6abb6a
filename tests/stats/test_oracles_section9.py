"""Golden values: the front, routes, cascades."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from befit.stats.cascade import (
    average_gap_recovered,
    call_share_needed,
    cascade_cost,
    chain_availability,
    choose_threshold,
    evaluate_cascade,
    gap_recovered,
    largest_paying_share,
)
from befit.stats.pareto import pareto_front, significant_front
from befit.stats.routing import allowed_routes, best_routes, cheapest_routes, unserved_tasks

POINTS = [[0.90, 10, 2], [0.88, 3, 1], [0.85, 3, 1.5], [0.80, 1, 0.5], [0.79, 1.2, 0.6]]
HIGH = [True, False, False]
VOLUMES = [1000, 5000, 500]
QUALITY = np.array([[0.95, 0.93, 0.88], [0.92, 0.90, 0.86], [0.90, 0.75, 0.55]])
COSTS = np.array([[0.02, 0.006, 0.001], [0.01, 0.003, 0.0005], [0.05, 0.015, 0.003]])
LATENCY = [[3, 1.5, 0.8], [2, 1, 0.4], [12, 6, 2]]
ALLOWED = allowed_routes(QUALITY, [0.92, 0.85, 0.85], LATENCY, [5, 1.5, 20])
BIG, MID, SMALL = 0, 1, 2


def test_front_of_five_candidates():
    assert pareto_front(POINTS, maximise=HIGH) == (0, 1, 3)


def test_without_proof_everybody_stays_on_the_front():
    nothing = np.zeros((5, 5), dtype=bool)
    assert significant_front(POINTS, nothing, maximise=HIGH) == (0, 1, 2, 3, 4)
    nothing[1, 2] = True
    assert significant_front(POINTS, nothing, maximise=HIGH) == (0, 1, 3, 4)


@pytest.mark.parametrize(
    ("most", "choice", "cost"),
    [(3, (MID, SMALL, BIG), 33.5), (2, (MID, MID, BIG), 46.0)],
)
def test_cheapest_routes(most, choice, cost):
    found = cheapest_routes(VOLUMES, COSTS, QUALITY, allowed=ALLOWED, most=most)
    assert found.choice == choice
    assert found.cost == pytest.approx(cost)


def test_one_candidate_cannot_serve_all_tasks():
    assert cheapest_routes(VOLUMES, COSTS, QUALITY, allowed=ALLOWED, most=1) is None
    assert unserved_tasks(ALLOWED) == ()
    assert unserved_tasks([[True], [False]]) == (1,)


def test_best_quality_within_a_budget():
    found = best_routes(VOLUMES, COSTS, QUALITY, allowed=ALLOWED, budget=50)
    assert found.quality == pytest.approx(0.904615, abs=1e-6)
    assert found.cost == pytest.approx(46.0)
    assert best_routes(VOLUMES, COSTS, QUALITY, allowed=ALLOWED, budget=1) is None


def test_an_unknown_cost_is_not_free():
    costs = COSTS.copy()
    costs[1, SMALL] = np.nan
    found = cheapest_routes(VOLUMES, costs, QUALITY, allowed=ALLOWED)
    assert found.choice == (MID, MID, BIG)


def test_a_floor_on_the_overall_quality_costs_money():
    free = cheapest_routes(VOLUMES, COSTS, QUALITY, allowed=ALLOWED)
    held = cheapest_routes(VOLUMES, COSTS, QUALITY, allowed=ALLOWED, least_quality=0.9)
    assert held.quality >= 0.9 > free.quality
    assert held.cost > free.cost


@pytest.mark.parametrize("seed", range(8))
def test_the_programme_equals_brute_force(seed):
    rng = np.random.default_rng(seed)
    costs, quality = rng.random((3, 3)), rng.random((3, 3))
    allowed = rng.random((3, 3)) < 0.7
    volumes = rng.integers(1, 10, 3)
    best = None
    for choice in product(range(3), repeat=3):
        if len(set(choice)) <= 2 and all(allowed[t, m] for t, m in enumerate(choice)):
            cost = sum(volumes[t] * costs[t, m] for t, m in enumerate(choice))
            best = cost if best is None else min(best, cost)
    found = cheapest_routes(volumes, costs, quality, allowed=allowed, most=2)
    assert (found is None) == (best is None)
    if found is not None:
        assert found.cost == pytest.approx(best)


def test_cascade_of_a_small_and_a_large_candidate():
    assert cascade_cost(small=1, large=20, deferred=0.3) == pytest.approx(7.0)
    assert largest_paying_share(small=1, large=20) == pytest.approx(0.95)
    # 700 kept of which 679 right, 300 passed on of which 276 right
    confidence = np.array([0.9] * 700 + [0.1] * 300)
    small = np.array([1.0] * 679 + [0.0] * 321)
    large = np.array([0.0] * 700 + [1.0] * 276 + [0.0] * 24)
    found = evaluate_cascade(confidence, small, large, threshold=0.5, costs=(1, 20))
    assert found.deferred == pytest.approx(0.3)
    assert found.accuracy == pytest.approx(0.955)
    assert found.cost == pytest.approx(7.0)
    chosen = choose_threshold(confidence, small, large, floor=0.95, costs=(1, 20))
    assert chosen.accuracy == pytest.approx(0.955)
    assert choose_threshold(confidence, small, large, floor=0.99, costs=(1, 20)) is None


def test_measures_of_a_router():
    shares = [0, 0.25, 0.5, 0.75, 1]
    recovered = gap_recovered([0.60, 0.75, 0.84, 0.88, 0.90], weak=0.60, strong=0.90)
    assert recovered == pytest.approx([0, 0.5, 0.8, 0.9333, 1], abs=1e-4)
    assert average_gap_recovered(shares, recovered) == pytest.approx(0.683333, abs=1e-6)
    assert call_share_needed(shares, recovered, target=0.8) == pytest.approx(0.5)


def test_two_independent_providers_fail_together_rarely():
    assert chain_availability([0.99, 0.95]) == pytest.approx(1 - 0.01 * 0.05)
