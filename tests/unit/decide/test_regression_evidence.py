"""What a check against a baseline passes on: weights count, and nearly all must be there."""

from __future__ import annotations

import numpy as np
import pytest

from befit.decide.regression import Pairing, check
from befit.report.gate_markdown import render
from befit.report.junit import describe


def _pair(old, new, **told) -> Pairing:
    return Pairing(
        candidate="new",
        baseline="old",
        scenario="s",
        old=np.array(old, dtype=float),
        new=np.array(new, dtype=float),
        ids=tuple(map(str, range(len(old)))),
        margin=0.05,
        single=True,
        **told,
    )


def test_heavy_samples_that_break_are_seen_in_the_difference():
    """Four samples of weight 200 break, 396 of weight 1 do not: -800 / (800 + 396)."""
    old, new = [1.0] * 400, [0.0] * 4 + [1.0] * 396
    weights = np.array([200.0] * 4 + [1.0] * 396)
    weighted = check(_pair(old, new, weights=weights, planned=400), scenarios=1)
    assert weighted.difference.value == pytest.approx(-800 / 1196)
    assert weighted.verdict != "pass"
    alike = check(_pair(old, new, planned=400), scenarios=1)
    assert alike.difference.value == pytest.approx(-4 / 400)
    assert alike.verdict == "pass"


@pytest.mark.parametrize(("lost", "verdict"), [(20, "pass"), (21, "insufficient_evidence")])
def test_nothing_passes_where_more_than_a_twentieth_has_no_answer(lost, verdict):
    old, new = [1.0] * 400, [np.nan] * lost + [1.0] * (400 - lost)
    found = check(_pair(old, new, planned=400), scenarios=1)
    assert found.verdict == verdict
    assert found.lacking == (0 if verdict == "pass" else lost)
    assert ("21 of 400 samples lack a value" in found.note) is (verdict != "pass")


def test_what_was_never_asked_is_lacking_like_what_was_lost():
    found = check(_pair([1.0] * 200, [1.0] * 200, planned=400), scenarios=1)
    assert (found.verdict, found.lacking) == ("insufficient_evidence", 200)


def test_a_fall_is_a_fall_even_among_those_that_are_left():
    old, new = [1.0] * 400, [np.nan] * 200 + [0.0] * 100 + [1.0] * 100
    assert check(_pair(old, new, planned=400), scenarios=1).verdict == "fail"


def _said(one) -> tuple[str, str]:
    """What the comment and the sentence say of a check."""
    comment = render([one], outcome=one.verdict, runs=("a", "b"), differing=(), notes=())
    return comment, describe(one)


@pytest.mark.parametrize(
    ("broken", "fixed", "verdict"),
    [(15, 9, "pass"), (25, 10, "insufficient_evidence"), (60, 5, "fail")],
)
def test_the_one_sided_bound_that_decides_stands_beside_the_wider_interval(broken, fixed, verdict):
    old = [1.0] * broken + [0.0] * fixed + [1.0] * (400 - broken - fixed)
    new = [0.0] * broken + [1.0] * fixed + [1.0] * (400 - broken - fixed)
    found = check(_pair(old, new, planned=400), scenarios=1)
    assert found.verdict == verdict
    if verdict == "fail":
        assert found.difference.value < found.upper < found.difference.high
        bound = f"at most {100 * found.upper:+.1f}"
        assert found.upper < -found.margin
    else:
        assert found.difference.low < found.bound < found.difference.value
        bound = f"at least {100 * found.bound:+.1f}"
        assert (found.bound >= -found.margin) is (verdict == "pass")
    comment, sentence = _said(found)
    assert f"| {bound} |" in comment
    assert "one-sided" in comment
    assert f"one-sided bound {bound}, margin 5 points" in sentence
