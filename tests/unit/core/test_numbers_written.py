"""Rates in percent: what is not all is not told as all, in any form."""

from __future__ import annotations

import pytest

from befit.charts.numbers import estimate_text
from befit.cli.words import rate
from befit.core.estimate import Estimate
from befit.core.written import in_percent, many
from befit.decide import wording
from befit.report import numbers
from befit.report.figures import retention_text


def _rate(value: float, low: float | None, high: float | None, n: int = 250) -> Estimate:
    return Estimate(
        value=value, low=low, high=high, n_samples=n, n_trials=n, n_missing=0, method="wilson"
    )


@pytest.mark.parametrize(
    ("value", "told"),
    [(1.0, "100"), (0.0, "0"), (0.84, "84"), (0.997, "99.7"), (0.9996, "99.96"), (0.004, "0.4"),
     (0.00004, "0.004"), (1 - 1e-12, "99.999999"), (1e-12, "0.000001"), (2.0, "200")],
)  # fmt: skip
def test_only_all_is_100_percent_and_only_none_is_0(value: float, told: str) -> None:
    assert in_percent(value) == told


@pytest.mark.parametrize(
    ("estimate", "told"),
    [
        (_rate(0.84, 0.79, 0.88), "84 % [79, 88]"),
        (_rate(1.0, 0.996, 1.0), "100.0 % [99.6, 100.0]"),
        (_rate(0.996, 0.978, 0.9993), "99.6 % [97.8, 99.9]"),
        (_rate(0.004, 0.0007, 0.022), "0.4 % [0.1, 2.2]"),
        (_rate(0.0, 0.0, 0.004), "0.0 % [0.0, 0.4]"),
        (_rate(0.84, 0.79, 0.88, n=1000), "84.0 % [79.0, 88.0]"),
    ],
)
def test_every_form_tells_a_rate_alike(estimate: Estimate, told: str) -> None:
    in_terminal = " ".join(rate(estimate))

    assert estimate_text(estimate, "percent") == told
    assert (numbers.percent(estimate), wording.percent(estimate), in_terminal) == (told,) * 3


def test_what_an_estimate_stands_on_is_told_where_it_is_not_that_of_its_neighbour() -> None:
    quality, latency = _rate(0.8, 0.7, 0.9, n=40), _rate(0.5, 0.4, 0.6, n=38)

    assert numbers.other_counts(quality, quality) == ""
    assert numbers.other_counts(latency, quality) == " (n = 38 x 1)"


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [(0.15, None, "[15 or more]"), (None, 0.9, "[90 or less]"), (None, None, "[no bounds]")],
)
def test_a_bound_that_is_not_known_is_told_in_words(
    low: float | None, high: float | None, told: str
) -> None:
    estimate = _rate(0.5, low, high)

    assert estimate_text(estimate, "percent") == numbers.percent(estimate) == f"50 % {told}"
    assert "?" not in f"{wording.percent(estimate)} {rate(estimate)} {estimate}"


@pytest.mark.parametrize(
    ("estimate", "told"),
    [
        (_rate(0.9, 0.8, 1.1, n=40), "90 % [80, 110]"),
        (_rate(0.5, 0.0, 6.85, n=4), "not known well enough: 50 % [0, 685], n = 4 x 1"),
        (_rate(2.0, 0.15, None, n=4), "not known well enough: 200 % [15 or more], n = 4 x 1"),
    ],
)
def test_a_retention_that_is_all_but_open_is_called_so(estimate: Estimate, told: str) -> None:
    assert retention_text(estimate) == told


def test_one_is_singular_and_thousands_have_a_comma() -> None:
    told = [many(n, "call") for n in (0, 1, 2, 2000)]

    assert told == ["0 calls", "1 call", "2 calls", "2,000 calls"]
