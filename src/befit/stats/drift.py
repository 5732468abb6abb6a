"""Has a distribution changed? PSI with its own noise, Kolmogorov-Smirnov, CUSUM of means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from befit.stats.arrays import Floats, Numbers, as_floats

_FLOOR = 1e-4


def _special() -> Any:
    import scipy.special  # noqa: PLC0415  # loads on first use: the command line starts without it

    return scipy.special


def quantile_edges(baseline: Numbers, *, bins: int = 10) -> Floats:
    """Inner edges of bins with equal shares of the baseline, duplicates removed."""
    inner = np.arange(1, bins) / bins
    return np.unique(np.quantile(as_floats(baseline), inner))


def binned(values: Numbers, edges: Floats) -> Floats:
    """Counts per bin: (len(edges) + 1,)."""
    places = np.searchsorted(edges, as_floats(values), side="right")
    return np.bincount(places, minlength=edges.size + 1).astype(np.float64)


def psi(baseline: Numbers, current: Numbers) -> float:
    """Population stability index of two count vectors, empty bins held at a small floor."""
    p, q = as_floats(baseline), as_floats(current)
    p = np.maximum(p / p.sum(), _FLOOR)
    q = np.maximum(q / q.sum(), _FLOOR)
    return float(((q - p) * np.log(q / p)).sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class PsiNull:
    """What PSI is when nothing changed: its mean and its critical value."""

    mean: float
    critical: float


def psi_null(*, bins: int, n: int, m: int, alpha: float = 0.05) -> PsiNull:
    """PSI without drift: PSI / (1/n + 1/m) is chi-squared with bins - 1 degrees of freedom.

    The usual limits 0.1 and 0.25 ignore n: with 10 bins and 100 against 100 values
    the mean is already 0.18.
    """
    scale = 1 / n + 1 / m
    quantile = float(_special().chdtri(bins - 1, alpha))
    return PsiNull(mean=(bins - 1) * scale, critical=quantile * scale)


@dataclass(frozen=True, slots=True, kw_only=True)
class KolmogorovSmirnov:
    """Largest distance of two empirical distributions and the p of "the same"."""

    distance: float
    p_value: float


def kolmogorov_smirnov(a: Numbers, b: Numbers) -> KolmogorovSmirnov:
    """Two-sample test; exact where the samples are small."""
    import scipy.stats  # noqa: PLC0415  # a second to load, and only monitoring needs it

    found = scipy.stats.ks_2samp(as_floats(a), as_floats(b))
    return KolmogorovSmirnov(distance=float(found.statistic), p_value=float(found.pvalue))


def cusum(values: Numbers, *, mean: float, slack: float) -> tuple[Floats, Floats]:
    """Upper and lower CUSUM paths of a mean: C+ = max(0, C+ + x - (mean + slack)) (Page 1954)."""
    x = as_floats(values)

    def path(steps: Floats) -> Floats:
        sums = np.cumsum(steps)
        above: Floats = sums - np.minimum(np.minimum.accumulate(sums), 0.0)
        return above

    return path(x - mean - slack), path(mean - slack - x)
