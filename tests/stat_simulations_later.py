"""Simulations of the sequential, judged and stratified methods (see `stat_simulations.py`)."""

from __future__ import annotations

from functools import cache
from math import log

import numpy as np

from befit.stats.bradleyterry import fit_bradley_terry
from befit.stats.confidence import confidence_sequence
from befit.stats.ecusum import (
    evidence_of_drop,
    first_alarm,
    observe,
    start_detector,
)
from befit.stats.judged import JudgeQuality, corrected_interval
from befit.stats.ppi import estimate_judged_mean
from befit.stats.sequential import judge_duel
from befit.stats.stratified import estimate_stratified

Rng = np.random.Generator


@cache
def _verdict(a: int, b: int) -> str:
    return judge_duel(a, b, n=4 * (a + b), margin=0.0).verdict


def false_winners(rounds: int, rng: Rng, *, looks: int = 150) -> float:
    """Equal candidates, looked at after every discordant item: share with a winner."""
    hits = 0
    for _ in range(rounds):
        wins = np.cumsum(rng.random(looks) < 0.5)
        verdicts = (_verdict(a, seen - a) for seen, a in enumerate(wins.tolist(), start=1))
        hits += any(verdict in {"a", "b"} for verdict in verdicts)
    return hits / rounds


def duel_length(rounds: int, rng: Rng, *, share: float, limit: int = 400) -> tuple[float, float]:
    """Share of duels won by the better side, and the mean number of discordant items until then."""
    won, length = 0, []
    for _ in range(rounds):
        wins = np.cumsum(rng.random(limit) < share)
        for seen, a in enumerate(wins.tolist(), start=1):
            verdict = _verdict(a, seen - a)
            if verdict in {"a", "b"}:
                won += verdict == "a"
                length.append(seen)
                break
    return won / rounds, float(np.mean(length)) if length else float("nan")


def false_drops(rounds: int, rng: Rng, *, p: float = 0.9, length: int = 500) -> float:
    """Steady traffic at the baseline, looked at after every observation: share alarmed at 5 %."""
    hits = 0
    for _ in range(rounds):
        path = evidence_of_drop(rng.random(length) < p, baseline=p, alternatives=(0.8, 0.7))
        hits += first_alarm(path, threshold=log(20)) is not None
    return hits / rounds


def alarms_per_month(rounds: int, rng: Rng, *, threshold: float, length: int) -> float:
    """Share of months of steady traffic in which the e-CUSUM alarms at all."""
    start = start_detector(baseline=0.95, alternatives=(0.9, 0.8))
    hits = 0
    for _ in range(rounds):
        _, path = observe(start, rng.random(length) < 0.95)
        hits += first_alarm(path, threshold=threshold) is not None
    return hits / rounds


def alarm_delay(rounds: int, rng: Rng, *, p: float, threshold: float) -> float:
    """Median number of observations from a drop to `p` until the alarm."""
    start = start_detector(baseline=0.95, alternatives=(0.9, 0.8))
    waits = []
    for _ in range(rounds):
        _, path = observe(start, rng.random(20_000) < p)
        alarm = first_alarm(path, threshold=threshold)
        waits.append(20_000 if alarm is None else alarm + 1)
    return float(np.median(waits))


def cover_always(rounds: int, rng: Rng, *, p: float, length: int = 200) -> float:
    """Share of streams whose confidence sequence holds the rate at every one of many looks."""
    hits = 0
    for _ in range(rounds):
        successes = np.cumsum(rng.random(length) < p)
        hits += all(
            found.low <= p <= found.high
            for n in range(5, length, 13)
            for found in (confidence_sequence(int(successes[n - 1]), n=n),)
        )
    return hits / rounds


def cover_judged(rounds: int, rng: Rng, *, labels: int, rest: int) -> float:
    """PPI++ with a judge that is right 85 % of the time and lenient."""
    hits, truth = 0, 0.7
    for _ in range(rounds):
        y = (rng.random(labels + rest) < truth).astype(float)
        f = np.where(rng.random(y.size) < np.where(y == 1, 0.95, 0.75), y, 1 - y)
        found = estimate_judged_mean(y[:labels], f[:labels], f[labels:])
        hits += found.low <= truth <= found.high
    return hits / rounds


def cover_corrected(rounds: int, rng: Rng, *, n: int, calibration: int) -> float:
    hits, truth, q0, q1 = 0, 0.8, 0.8, 0.9
    for _ in range(rounds):
        judged = rng.binomial(n, truth * q1 + (1 - truth) * (1 - q0)) / n
        judge = JudgeQuality(
            specificity=rng.binomial(calibration, q0) / calibration,
            sensitivity=rng.binomial(calibration, q1) / calibration,
            negatives=calibration,
            positives=calibration,
        )
        found = corrected_interval(judged, n=n, judge=judge)
        hits += found.low <= truth <= found.high
    return hits / rounds


def cover_stratified(rounds: int, rng: Rng) -> float:
    hits, weights, rates, sizes = 0, (0.7, 0.2, 0.1), (0.95, 0.7, 0.5), (30, 30, 20)
    truth = sum(w * p for w, p in zip(weights, rates, strict=True))
    strata = np.repeat(np.arange(3), sizes)
    for _ in range(rounds):
        y = (rng.random(strata.size) < np.array(rates)[strata]).astype(float)
        found = estimate_stratified(y, strata, weights=weights, n_trials=strata.size, n_missing=0)
        hits += found.low <= truth <= found.high
    return hits / rounds


def cover_rating_gap(rounds: int, rng: Rng, *, votes: int) -> float:
    """Bradley-Terry: the gap of two of four candidates."""
    b, hits = np.array([0.6, 0.2, -0.2, -0.6]), 0
    for _ in range(rounds):
        left = rng.integers(0, 4, votes)
        right = (left + rng.integers(1, 4, votes)) % 4
        won = (rng.random(votes) < 1 / (1 + np.exp(b[right] - b[left]))).astype(float)
        gap, _ = fit_bradley_terry(left, right, won, candidates=4).difference(0, 3)
        hits += gap.low <= 1.2 <= gap.high
    return hits / rounds
