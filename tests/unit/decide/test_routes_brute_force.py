"""The routing programme against trying every assignment, and the worked example of the method."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from befit.core.tier import Tier
from befit.decide.routing import Problem, fallback, one_for_all, order, relaxed, solve

VOLUMES = np.array([1000.0, 5000, 500])
QUALITY = np.array([[0.95, 0.93, 0.88], [0.92, 0.90, 0.86], [0.90, 0.75, 0.55]])
COST = np.array([[0.02, 0.006, 0.001], [0.01, 0.003, 0.0005], [0.05, 0.015, 0.003]])
LATENCY = np.array([[3, 1.5, 0.8], [2, 1, 0.4], [12, 6, 2]])
ALLOWED = (np.array([[0.92], [0.85], [0.85]]) <= QUALITY) & (
    np.array([[5], [1.5], [20]]) >= LATENCY
)
TIERS = tuple(Tier(name=name) for name in "xyz")


def example(**changes) -> Problem:
    values = {
        "tiers": TIERS,
        "volumes": VOLUMES,
        "cost": COST,
        "quality": QUALITY,
        "allowed": ALLOWED,
    }
    return Problem(**{**values, **changes})


@pytest.mark.parametrize(
    ("most", "choice", "cost"), [(3, (1, 2, 0), 33.5), (2, (1, 1, 0), 46.0), (1, None, None)]
)
def test_the_worked_example_costs_what_the_method_says(most, choice, cost):
    found = solve(example(most=most))
    if choice is None:
        assert found is None
        return
    assert found.choice == choice
    assert found.cost == pytest.approx(cost)


def test_relaxing_the_number_of_models_shows_its_price():
    tight = example(most=2)
    loose = relaxed(tight)["at most 2 different models"]
    assert solve(tight).cost - solve(loose).cost == pytest.approx(46.0 - 33.5)


def test_a_budget_below_the_cheapest_routes_has_no_solution():
    assert solve(example(budget=33.0)) is None
    assert solve(example(budget=34.0)).cost == pytest.approx(33.5)


def test_best_quality_within_the_budget():
    found = solve(example(prefer="quality", budget=50.0, most=3))
    share = VOLUMES / VOLUMES.sum()
    quality = sum(
        s * QUALITY[t, m] for t, (s, m) in enumerate(zip(share, found.choice, strict=True))
    )
    assert quality == pytest.approx(0.904615, abs=1e-6)
    assert found.cost == pytest.approx(46.0)


def test_no_single_model_serves_all():
    assert one_for_all(example()) is None


def test_an_unknown_price_is_never_taken_for_nothing():
    cost = COST.copy()
    cost[1, 2] = np.nan
    assert solve(example(cost=cost)).choice == (1, 1, 0)


def test_without_any_price_the_best_one_serves():
    found = solve(example(cost=np.full_like(COST, np.nan)))
    assert found.choice == (0, 1, 0)
    assert found.cost == 0.0


def test_the_fallback_is_the_next_best_of_another_provider():
    problem = example(allowed=np.ones((3, 3), dtype=bool))
    providers = ["east", "east", "west"]
    assert order(problem, 0) == [2, 1, 0]
    assert fallback(problem, 0, 2, providers, other_provider=True) == 1
    assert fallback(problem, 0, 1, providers, other_provider=True) == 2
    assert fallback(problem, 0, 1, ["one"] * 3, other_provider=True) is None


def test_the_programme_equals_brute_force_on_300_random_instances():
    rng = np.random.default_rng(11)
    feasible = 0
    for _ in range(300):
        tiers, count = int(rng.integers(1, 5)), int(rng.integers(1, 6))
        prefer = ["cost", "value"][int(rng.integers(2))]
        problem = Problem(
            tiers=tuple(
                Tier(
                    name=str(t),
                    value=float(rng.uniform(0, 0.1)),
                    cost_of_error=float(rng.uniform(0, 0.1)),
                )
                for t in range(tiers)
            ),
            volumes=rng.integers(1, 10_000, tiers).astype(float),
            cost=rng.lognormal(-5, 1, (tiers, count)),
            quality=rng.uniform(0.3, 1, (tiers, count)),
            allowed=rng.random((tiers, count)) < 0.7,
            prefer=prefer,
            most=int(rng.integers(1, count + 1)),
            budget=None if rng.random() < 0.5 else float(rng.lognormal(4, 1)),
        )
        found, wanted = solve(problem), brute_force(problem)
        assert (found is None) == (wanted is None)
        if found is not None:
            feasible += 1
            assert found.objective == pytest.approx(wanted, rel=1e-6, abs=1e-6)
    assert 100 < feasible < 300


def brute_force(problem: Problem) -> float | None:
    """Return the least objective over all assignments that keep the limits."""
    objective = problem.volumes[:, None] * problem.objective()
    money = problem.volumes[:, None] * problem.cost
    best = None
    tiers, count = problem.allowed.shape
    for choice in product(range(count), repeat=tiers):
        rows = np.arange(tiers), np.array(choice)
        if not problem.allowed[rows].all() or len(set(choice)) > problem.most:
            continue
        if problem.budget is not None and money[rows].sum() > problem.budget:
            continue
        value = float(objective[rows].sum())
        best = value if best is None else min(best, value)
    return best
