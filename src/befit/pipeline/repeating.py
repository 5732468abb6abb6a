"""The same prompt several times: raw outputs, agreement, mean similarity, with intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from befit.core.estimate import Estimate, not_measured
from befit.core.scenario import Equality
from befit.errors import UsageError
from befit.pipeline.equality import describe, sameness
from befit.plugins import load, nearest
from befit.stats.distributions import z_value

Call = Callable[[str], str]
SAME = ("exact", "normalised", "edit", "embedding")


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated:
    """What came of asking the same thing n times.

    `agreement` is the share of pairs of answers that are the same, `similarity`
    their mean likeness (edit distance unless an embedding was asked for). No
    measure of likeness says whether an answer is right.
    """

    prompt: str
    outputs: tuple[str, ...]
    failures: tuple[str, ...]
    """Calls that raised: they are missing, not different answers."""
    same_means: str
    agreement: Estimate
    similarity: Estimate
    similarity_by: str


def run_repeated(
    call: Call, prompt: str, n: int = 5, *, same: str = "normalised", threshold: float = 0.9
) -> Repeated:
    """Call `call(prompt)` n times and measure how alike the answers are.

    Args:
        call: any function from prompt to answer; what it raises counts as missing.
        prompt: what is asked, unchanged, each time.
        n: number of calls, at least 2.
        same: when two answers are the same: `exact`, `normalised`, `edit`,
            `embedding` (extra `semantic`) or `module:function`.
        threshold: for `edit` and `embedding`, the likeness from which they are the same.

    Raises:
        ValueError: n below 2.
        UsageError: unknown way to compare.
        PluginError: it cannot be loaded (an extra that is not installed).
    """
    if n < 2:  # noqa: PLR2004 - one answer agrees with nothing
        raise ValueError("n must be at least 2: one answer agrees with nothing")
    sameness(equality_of(same, threshold))  # a wrong name is told before anything is paid for
    outputs: list[str] = []
    failures: list[str] = []
    for _ in range(n):
        try:
            outputs.append(call(prompt))
        except Exception as error:  # noqa: BLE001 - the user's own code may raise anything
            failures.append(f"{type(error).__name__}: {error}"[:200])
    return measure(prompt, outputs, failures=failures, same=same, threshold=threshold)


def measure(
    prompt: str,
    outputs: list[str],
    *,
    failures: list[str],
    same: str = "normalised",
    threshold: float = 0.9,
) -> Repeated:
    """Measure how alike answers that were already collected are."""
    equality = equality_of(same, threshold)
    is_same = sameness(equality)
    measure_by = "embedding" if same == "embedding" else "edit"
    likeness = load("befit.similarities", measure_by)()
    equal = np.eye(len(outputs))
    alike = np.eye(len(outputs))
    for i, j in combinations(range(len(outputs)), 2):
        equal[i, j] = equal[j, i] = float(is_same(outputs[i], outputs[j]))
        alike[i, j] = alike[j, i] = likeness.compare(outputs[i], outputs[j])
    return Repeated(
        prompt=prompt,
        outputs=tuple(outputs),
        failures=tuple(failures),
        same_means=describe(equality),
        agreement=pair_mean(equal, n_missing=len(failures)),
        similarity=pair_mean(alike, n_missing=len(failures)),
        similarity_by=measure_by,
    )


def equality_of(same: str, threshold: float = 0.9) -> Equality:
    """Return what makes two answers the same, from its name.

    Raises:
        UsageError: an unknown name.
    """
    if ":" in same:
        return Equality(method="function", function=same)
    if same not in SAME:
        raise UsageError(
            f"'{same}' is no way to compare answers",
            why=f"{nearest(same, list(SAME))}known: {', '.join(SAME)}, module:function",
        )
    return Equality.model_validate({"method": same, "threshold": threshold})


def pair_mean(
    table: np.ndarray[tuple[int, ...], np.dtype[np.float64]], *, n_missing: int
) -> Estimate:
    """Return the mean over all pairs of a symmetric table (diagonal left out), with its interval.

    The pairs of few answers depend on each other. The variance is that of a
    U-statistic of degree two by the jackknife over answers (Arvesen 1969); the
    ends are those of Wilson's formula at the n that this variance stands for,
    so that full agreement of five answers is not called certain.
    """
    n = len(table)
    if n < 2:  # noqa: PLR2004 - no pair
        return not_measured("fewer than two answers", n_samples=n, n_missing=n_missing)
    off = (table.sum(axis=1) - np.diag(table)) / (n - 1)
    mean = float(off.mean())
    effective = float(n)
    if n > 2:  # noqa: PLR2004 - a pair cannot be left out of two
        left_out = (n * mean - 2 * off) / (n - 2)
        variance = (n - 1) / n * float(np.square(left_out - left_out.mean()).sum())
        if variance > 0 and 0 < mean < 1:
            effective = min(effective, mean * (1 - mean) / variance)
    z = z_value(0.95)
    middle = (mean + z * z / (2 * effective)) / (1 + z * z / effective)
    half = z / (1 + z * z / effective)
    half *= float(np.sqrt(mean * (1 - mean) / effective + z * z / (4 * effective**2)))
    return Estimate(
        value=mean,
        low=max(0.0, middle - half),
        high=min(1.0, middle + half),
        n_samples=1,
        n_trials=n,
        n_missing=n_missing,
        method="mean over pairs, jackknife over answers in Wilson's form",
    )
