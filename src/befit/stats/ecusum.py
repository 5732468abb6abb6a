"""Detecting a drop of a success rate: the one-sided Bernoulli e-CUSUM.

Each observation multiplies the evidence by p1/p0 on success and (1 - p1)/(1 - p0)
on failure; evidence below 1 is forgotten (max(S, 0) in logarithms). An alarm at
S >= h comes, while the rate is at least p0, no more often than once in exp(h)
observations on average (Shin, Ramdas, Rinaldo 2024). Several alternatives p1 are
averaged, which keeps the guarantee.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log

import numpy as np
import numpy.typing as npt

from befit.stats.arrays import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Detector:
    """The state: evidence (logarithm) per alternative. `seen` counts observations."""

    baseline: float
    alternatives: tuple[float, ...]
    evidence: tuple[float, ...]
    seen: int = 0

    @property
    def level(self) -> float:
        """Logarithm of the averaged evidence: alarm at `level >= threshold`."""
        return float(_mix(np.array(self.evidence)[:, None])[0])


def _mix(logs: Floats) -> Floats:
    top = logs.max(axis=0)
    finite = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        mixed: Floats = finite + np.log(np.exp(logs - finite).mean(axis=0))
    return mixed


def log_weights(*, baseline: float, alternative: float) -> tuple[float, float]:
    """Log-likelihood ratio added by a success and by a failure."""
    if not 0 < alternative < baseline < 1:
        raise ValueError("need 0 < alternative < baseline < 1")
    return log(alternative / baseline), log((1 - alternative) / (1 - baseline))


def start_detector(*, baseline: float, alternatives: tuple[float, ...]) -> Detector:
    """Begin watching for a rate below `baseline` (its lower bound minus what is tolerated)."""
    for alternative in alternatives:
        log_weights(baseline=baseline, alternative=alternative)
    return Detector(
        baseline=baseline,
        alternatives=alternatives,
        evidence=tuple(-np.inf for _ in alternatives),
    )


def observe(detector: Detector, successes: npt.ArrayLike) -> tuple[Detector, Floats]:
    """Take observations (1 success, 0 failure) in order; return the new state and the path.

    The path holds the averaged log evidence after each observation.
    """
    ok = np.asarray(successes, dtype=bool)
    paths, evidence = [], []
    for alternative, before in zip(detector.alternatives, detector.evidence, strict=True):
        good, bad = log_weights(baseline=detector.baseline, alternative=alternative)
        sums = np.cumsum(np.where(ok, good, bad)) + max(before, 0.0)
        # S = max(S, 0) + x is the sum above its lowest earlier point
        lowest = np.minimum.accumulate(np.concatenate(([0.0], sums[:-1]))) if ok.size else sums
        path = sums - np.minimum(lowest, 0.0)
        paths.append(path)
        evidence.append(float(path[-1]) if ok.size else before)
    mixed = _mix(np.array(paths)) if ok.size else np.zeros(0)
    state = replace(detector, evidence=tuple(evidence), seen=detector.seen + ok.size)
    return state, mixed


def first_alarm(path: Floats, *, threshold: float) -> int | None:
    """Index of the first observation at which the path reaches the threshold."""
    reached = np.flatnonzero(path >= threshold)
    return int(reached[0]) if reached.size else None


def alarm_threshold(*, observations: float, rules: int = 1, alarms: float = 1.0) -> float:
    """Threshold h for at most `alarms` false alarms over this many observations and rules."""
    return log(max(observations * rules / alarms, 1.0 + 1e-9))


def evidence_of_drop(
    successes: npt.ArrayLike, *, baseline: float, alternatives: tuple[float, ...]
) -> Floats:
    """Path of the log e-process against "the rate is at least `baseline`", without forgetting.

    P(it ever reaches log(1/alpha)) is at most alpha under every such rate.
    """
    ok = np.asarray(successes, dtype=bool)
    paths = []
    for alternative in alternatives:
        good, bad = log_weights(baseline=baseline, alternative=alternative)
        paths.append(np.cumsum(np.where(ok, good, bad)))
    return _mix(np.array(paths))
