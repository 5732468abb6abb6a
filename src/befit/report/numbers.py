"""How numbers are written in every report: the interval always beside the value."""

from __future__ import annotations

import math
from collections.abc import Sequence

from befit.core.estimate import Estimate
from befit.core.written import MANY, between, bound, places

CENT = 0.01
TINY_P = 0.001


def percent(estimate: Estimate) -> str:
    """Return a rate as `84 % [79, 88]`, or `not measured`."""
    if estimate.value is None:
        return "not measured"
    return f"{share(estimate.value, estimate)} % [{interval(estimate)}]"


def share(value: float | None, estimate: Estimate) -> str:
    """Return a share in percent without the sign; `?` where there is no bound."""
    if value is None:
        return "?"
    return bound(value, places=places(estimate))


def interval(estimate: Estimate) -> str:
    """Return both bounds of a rate in percent."""
    low, high = (None if b is None else share(b, estimate) for b in (estimate.low, estimate.high))
    return between(low, high)


def points(estimate: Estimate) -> str:
    """Return a difference of rates in points with its sign, `+8 [+1, +15]`."""
    if estimate.value is None:
        return "not measured"
    decimals = 1 if estimate.n_samples >= MANY else 0

    def text(value: float) -> str:
        told = f"{100 * value:+.{decimals}f}"
        return told if float(told) else told[1:]  # zero has no sign

    low, high = (None if b is None else text(b) for b in (estimate.low, estimate.high))
    return f"{text(estimate.value)} [{between(low, high)}]"


def amount(estimate: Estimate, *, unit: str) -> str:
    """Return an amount with its interval and unit (`s`, `USD`, `tokens`)."""
    if estimate.value is None:
        return "not measured"

    low, high = (None if b is None else significant(b) for b in (estimate.low, estimate.high))
    return f"{significant(estimate.value)} [{between(low, high)}] {unit}"


def significant(value: float) -> str:
    """Return three significant digits, without exponents for ordinary sizes."""
    if value == 0:
        return "0"
    if abs(value) >= 100:  # noqa: PLR2004 - whole numbers from here on
        return f"{value:,.0f}"
    if abs(value) >= CENT:
        return f"{value:.3g}"
    return f"{value:.2g}"


def counts(estimate: Estimate) -> str:
    """Return n as samples x repeats, and what is missing."""
    if not estimate.n_samples:
        return "n = 0"
    repeats = estimate.n_trials / estimate.n_samples
    missing = f", {estimate.n_missing} missing" if estimate.n_missing else ""
    return f"n = {estimate.n_samples} x {repeats:.3g}{missing}"


def other_counts(found: Estimate, beside: Estimate) -> str:
    """Return what an estimate stands on, if that is not what the one told beside it stands on."""
    same = (found.n_samples, found.n_trials) == (beside.n_samples, beside.n_trials)
    return "" if same or found.value is None else f" ({counts(found)})"


def same_value(a: Estimate, b: Estimate) -> bool:
    """Tell whether two measured values are the same number, whatever their intervals."""
    if a.value is None or b.value is None:
        return False
    return math.isclose(a.value, b.value, abs_tol=1e-9)


def tie_of_all(estimates: Sequence[Estimate]) -> Estimate | None:
    """Return the value that all of several measured ones share: such a tie is no rank.

    It comes with the widest of their intervals; None where they differ or are fewer than two.
    """
    known = [one for one in estimates if one.value is not None]
    if len(known) < 2 or not all(same_value(known[0], one) for one in known[1:]):  # noqa: PLR2004 - a tie takes two
        return None
    return max(known, key=lambda one: (one.high or 0.0) - (one.low or 0.0))


def p_text(value: float | None) -> str:
    """Return a p value as text."""
    if value is None:
        return ""
    return f"< {TINY_P}" if value < TINY_P else f"{value:.3f}"


def p_told(value: float) -> str:
    """Return a p value with its letter, within a sentence."""
    told = p_text(value)
    return f"p {told}" if told.startswith("<") else f"p = {told}"
