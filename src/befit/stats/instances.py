"""Do several instances behind one name answer alike? A permutation test within samples.

The same sample asked several times is answered now by one instance, now by another.
If they are alike, which answer came from which is chance: the labels are shuffled
among the answers to one sample, so harder samples at one instance do no harm.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from befit.stats.arrays import Ints, Numbers, as_floats


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceTest:
    """`spread`: highest minus lowest mean of an instance after each sample's mean is taken off."""

    spread: float
    p_value: float
    n_trials: int
    """Trials of samples that more than one instance answered."""


def instance_test(
    scores: Numbers, samples: Ints, instances: Ints, *, rng: np.random.Generator, draws: int = 2_000
) -> InstanceTest | None:
    """Test equal instances; None where no sample was answered by two of them.

    Args:
        scores: one per trial, 0..1.
        samples: code of each trial's sample.
        instances: code of each trial's instance.
        rng: for the permutations.
        draws: permutations; the p-value is (reached + 1) / (draws + 1).
    """
    values = as_floats(scores)
    _, sample = np.unique(samples, return_inverse=True)
    _, instance = np.unique(instances, return_inverse=True)
    pairs = np.unique(np.stack((sample, instance)), axis=1)
    several = np.bincount(pairs[0], minlength=int(sample.max(initial=-1)) + 1) > 1
    used = several[sample] if len(sample) else np.zeros(0, dtype=np.bool_)
    if not used.any():
        return None
    values, sample, instance = values[used], sample[used], instance[used]
    _, sample = np.unique(sample, return_inverse=True)
    _, instance = np.unique(instance, return_inverse=True)
    sizes = np.bincount(sample)
    rest = values - (np.bincount(sample, weights=values) / sizes)[sample]
    counts = np.bincount(instance)
    order = np.argsort(sample, kind="stable")
    rest, sample, instance = rest[order], sample[order], instance[order]

    def spread(residuals: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        return float(np.ptp(np.bincount(instance, weights=residuals) / counts))

    seen = spread(rest)
    reached = 0
    for _ in range(draws):
        # Sorting random numbers within each sample shuffles the scores within samples only.
        shuffled = rest[np.lexsort((rng.random(len(rest)), sample))]
        reached += spread(shuffled) >= seen - 1e-12
    return InstanceTest(spread=seen, p_value=(reached + 1) / (draws + 1), n_trials=int(used.sum()))
