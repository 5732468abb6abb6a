"""Simulations of screening with known truth: short in the tests, long in `tools/proof.py`.

Models answer shared items whose difficulties are normal on the logit scale; a
model of mean p is right on an item of difficulty b with chance expit(a(p) - b).
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.optimize import brentq

from befit.analysis.screening_contamination import ItemResults, Suspicion, evidence
from befit.analysis.screening_noise import read_cell
from befit.analysis.screening_ranks import rank_groups
from befit.core.screening import BenchmarkSettings
from befit.interop.benchmarks import Result
from befit.stats.paired import paired_difference

Rng = np.random.Generator
FRACTION = BenchmarkSettings(scale="fraction")
NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(61)
NODE_WEIGHTS = NODE_WEIGHTS / NODE_WEIGHTS.sum()


def expit(x):
    return 1 / (1 + np.exp(-x))


def ability(mean: float, spread: float = 1.5) -> float:
    """Logit ability whose mean success over items of that spread is `mean`."""
    return brentq(lambda a: NODE_WEIGHTS @ expit(a + spread * NODES) - mean, -20, 20)


def answers(rng: Rng, means, n: int, *, spread: float = 1.5) -> np.ndarray:
    """(models, items) of 0 and 1 on shared items."""
    difficulty = spread * rng.standard_normal(n)
    chance = expit(np.array([ability(m, spread) for m in means])[:, None] - difficulty)
    return (rng.random(chance.shape) < chance).astype(float)


FIELD = (0.75, 0.75, 0.75, 0.75, 0.75, 0.70, 0.65, 0.60)
"""Five equal models and three worse ones, the last by 15 points."""


def rank_field(rounds: int, rng: Rng, *, n: int = 200, by_item: bool = True) -> dict[str, float]:
    """Rank groups of the field: how often equals are split, and how often the worst is told."""
    split = told = covered = gaps = gap_hits = 0
    ids = [str(i) for i in range(n)]
    for _ in range(rounds):
        table = answers(rng, FIELD, n)
        results = {
            f"m{i}": Result(
                float(row.mean()),
                n,
                by_item=dict(zip(ids, row.tolist(), strict=True)) if by_item else None,
            )
            for i, row in enumerate(table)
        }
        cells = {m: read_cell(r, FRACTION, assumed_items=100) for m, r in results.items()}
        found = rank_groups("x", cells, results, span=1.0, rng=rng)
        letters = {e.model: set(e.letters) for e in found.entries}
        split += any(not letters[f"m{a}"] & letters[f"m{b}"] for a, b in combinations(range(5), 2))
        best = found.entries[0].model
        told += not letters["m7"] & letters[best]
        covered += sum(
            cells[f"m{i}"].estimate.low <= p <= cells[f"m{i}"].estimate.high
            for i, p in enumerate(FIELD)
        )
        if by_item:
            for a, b in ((0, 1), (0, 5), (0, 7)):
                d = paired_difference(table[a], table[b], binary_single=True, rng=rng).estimate
                gap_hits += d.low <= FIELD[a] - FIELD[b] <= d.high
                gaps += 1
    return {
        "equals split": split / rounds,
        "worst told from the best": told / rounds,
        "values covered": covered / (rounds * len(FIELD)),
        "gaps covered": gap_hits / gaps if gaps else float("nan"),
    }


def cover_runs(rounds: int, rng: Rng, *, p: float, n: int, runs: int, shift: float) -> float:
    """Coverage of a result of several runs, whose true level moves by `shift` between runs."""
    hits = 0
    for _ in range(rounds):
        level = np.clip(p + shift * rng.standard_normal(runs), 0, 1)
        values = rng.binomial(n, level) / n
        cell = read_cell(
            Result(float(values.mean()), n, runs=tuple(values.tolist())), FRACTION, assumed_items=1
        )
        hits += cell.estimate.low <= p <= cell.estimate.high
    return hits / rounds


def contaminated(
    rounds: int,
    rng: Rng,
    *,
    n: int = 200,
    base: float = 0.45,
    known: float = 0.30,
    references: int = 5,
    harder: float = 0.5,
) -> dict[str, float]:
    """How often a model that knows public items by heart is found, and an honest one flagged."""
    found = strong = flagged = flagged_any = 0
    names = ("suspect", "honest", *(f"ref{i}" for i in range(references)))
    refs = names[2:]
    own = ability(base)
    near = np.linspace(base - 0.1, base + 0.1, references)
    others = [ability(p) for p in near]
    for _ in range(rounds):
        difficulty = 1.5 * rng.standard_normal(n)
        skill = np.array([own, own, *others])[:, None]
        original = (rng.random((len(names), n)) < expit(skill - difficulty)).astype(float)
        perturbed = (rng.random((len(names), n)) < expit(skill - difficulty - harder)).astype(float)
        original[0] = np.maximum(original[0], rng.random(n) < known)
        for name in ("suspect", "honest"):
            kept = [i for i, other in enumerate(names) if other in (name, *refs)]
            made = evidence(
                ItemResults(
                    models=tuple(names[i] for i in kept),
                    original=original[kept],
                    perturbed=perturbed[kept],
                ),
                rng=rng,
                suspicion=Suspicion(references=refs),
            )[0]
            if name == "suspect":
                found += made.level in {"weak", "strong"}
                strong += made.level == "strong"
            else:
                flagged += made.level in {"weak", "strong"}
                flagged_any += made.level == "strong"
    return {
        "found": found / rounds,
        "strong": strong / rounds,
        "honest flagged": flagged / rounds,
        "honest strong": flagged_any / rounds,
    }
