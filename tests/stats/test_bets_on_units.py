"""Bets on clusters and by weight: what is staked on, by arithmetic and beside plain bets."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from befit.stats.betting import (
    STAKES,
    Units,
    log_evidence_above,
    log_evidence_below,
    log_evidence_better,
)

VALUES = [1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0]


def _units(codes: list[int], weights: list[float], *, heaviest: float) -> Units:
    return Units(codes=np.array(codes), weights=np.array(weights), heaviest=heaviest)


def test_items_that_stand_alone_and_weigh_alike_are_bet_on_as_ever() -> None:
    alone = _units(list(range(8)), [3.0] * 8, heaviest=3.0)
    for evidence in (log_evidence_above, log_evidence_below):
        assert evidence(VALUES, mean=0.5, units=alone) == pytest.approx(
            evidence(VALUES, mean=0.5), rel=1e-12
        )
    assert log_evidence_better(VALUES, margin=0.1, units=alone) == pytest.approx(
        log_evidence_better(VALUES, margin=0.1), rel=1e-12
    )


def test_copies_of_an_item_tell_no_more_than_the_item() -> None:
    copies = _units(np.repeat(range(8), 5).tolist(), [1.0] * 40, heaviest=5.0)
    told = log_evidence_above(np.repeat(VALUES, 5), mean=0.5, units=copies)
    assert told == pytest.approx(log_evidence_above(VALUES, mean=0.5), rel=1e-12)


def test_a_light_item_is_a_small_bet() -> None:
    """Two right items of weights 4 and 1 against 1/2: gains of 1/2 x 4/4 and 1/2 x 1/4."""
    uneven = _units([0, 1], [4.0, 1.0], heaviest=4.0)
    stakes = STAKES * 2  # at most 1 / mean
    expected = log(float(((1 + stakes * 0.5) * (1 + stakes * 0.125)).mean()))
    assert log_evidence_above([1.0, 1.0], mean=0.5, units=uneven) == pytest.approx(expected)


def test_what_is_missing_of_a_cluster_is_not_counted_as_wrong() -> None:
    """A cluster of two, one of them missing: its gain is (1 - 1/2) x 1/2, of at most 1/2."""
    half = _units([0, 0], [1.0, 1.0], heaviest=2.0)
    expected = log(float((1 + STAKES * 2 * 0.25).mean()))
    assert log_evidence_above([1.0, np.nan], mean=0.5, units=half) == pytest.approx(expected)
    assert log_evidence_above([np.nan, np.nan], mean=0.5, units=half) == 0.0
