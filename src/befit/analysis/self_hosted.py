"""What a model costs on a machine of one's own: its hourly price over the answers measured."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from befit.analysis.load import LoadLevel
from befit.core.estimate import Estimate, not_measured

HOUR = 3600.0
MILLION = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfHosted:
    """Costs in USD at one level of load; at a lower load the idle machine costs the same."""

    hourly: Decimal
    level: str
    """The level that the answers per second are from."""
    per_request: Estimate
    per_million_output: Estimate
    per_success: Estimate
    """Per answer that passed its scenario."""


def self_hosted(hourly: Decimal, level: LoadLevel) -> SelfHosted:
    """Return costs at the answers per second of a level; failed calls earn nothing."""
    per_second = float(hourly) / HOUR
    return SelfHosted(
        hourly=hourly,
        level=level.shape.name,
        per_request=_over(per_second, level.requests_per_second),
        per_million_output=_over(per_second * MILLION, level.tokens_per_second),
        per_success=_per_success(per_second, level),
    )


def _over(amount: float, rate: Estimate) -> Estimate:
    """Return amount / rate; the ends change places, and a rate that may be 0 has no upper end."""
    if not rate.value:
        return not_measured("nothing was answered", n_missing=rate.n_missing)
    return Estimate(
        value=amount / rate.value,
        low=amount / rate.high if rate.high else None,
        high=amount / rate.low if rate.low else None,
        n_samples=rate.n_samples,
        n_trials=rate.n_trials,
        n_missing=rate.n_missing,
        method=f"hourly price over what was answered; {rate.method}",
    )


def _per_success(per_second: float, level: LoadLevel) -> Estimate:
    passed, rate = level.passed, level.requests_per_second
    if not passed.value or not rate.value:
        return not_measured("no answer was scored and right", n_missing=passed.n_missing)
    each = _over(per_second, rate)
    # Both ends at once: wider than 95 %, since rate and quality are measured together.
    return Estimate(
        value=(each.value or 0.0) / passed.value,
        low=None if each.low is None or not passed.high else each.low / passed.high,
        high=None if each.high is None or not passed.low else each.high / passed.low,
        n_samples=passed.n_samples,
        n_trials=passed.n_trials,
        n_missing=passed.n_missing,
        method="hourly price over what was answered and passed, both ends at once (conservative)",
    )
