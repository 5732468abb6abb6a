"""What runs say of samples, and what may retire: the surest reasons first, never too much."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from befit.core.sample import Provenance, Sample
from befit.datasets.freshness import ages_of, standing_of, to_retire

TODAY = date(2026, 11, 30)
NAN = float("nan")


def sample(i, *, day=date(2026, 1, 1), tags=("language:en",)):
    return Sample(id=f"s{i}", input=f"Question {i}", target="x", tags=tags, added_on=day)


def test_saturated_hopeless_and_telling_samples_are_told_apart():
    # Candidates are the rows: a good one, a middling one, a bad one.
    means = np.array([[1, 0, 1, 1, NAN], [1, 0, 1, 0, NAN], [1, 0, 0, 1, 1]], dtype=float)
    made = {one.sample_id: one for one in standing_of(["a", "b", "c", "d", "e"], means)}
    assert [one.sample_id for one in made.values() if one.saturated] == ["a"]
    assert [one.sample_id for one in made.values() if one.hopeless] == ["b"]
    assert made["a"].spread == 0
    assert made["a"].discrimination is None
    assert made["c"].spread == pytest.approx(np.std([1, 1, 0]))
    assert made["e"].candidates == 1
    assert not made["e"].saturated  # one candidate says nothing


def test_discrimination_is_the_correlation_with_the_rest_of_the_set():
    means = np.array([[1, 1, 1, 0], [0.5, 0.5, 0.5, 0.5], [0, 0, 0, 1]])
    made = standing_of(["a", "b", "c", "d"], means)
    rest = means[:, 1:].mean(axis=1)
    assert made[0].discrimination == pytest.approx(np.corrcoef(means[:, 0], rest)[0, 1])
    assert made[0].discrimination > 0.9
    assert made[3].discrimination < -0.9


def test_age_is_since_what_is_shown_was_captured():
    captured = Provenance(source="log", captured_on=date(2026, 11, 20))
    held = [sample(1), sample(2).model_copy(update={"provenance": captured})]
    ages = ages_of(held, today=TODAY)
    assert (ages.known, ages.oldest) == (2, 333)
    assert ages.median == (333 + 10) / 2


def standings(samples, *, saturated):
    means = np.ones((2, len(samples)))
    means[0, [i for i, one in enumerate(samples) if one.id not in saturated]] = 0
    return {one.sample_id: one for one in standing_of([one.id for one in samples], means)}


def test_saturated_samples_go_when_they_are_old_and_the_set_stays_large():
    held = [sample(i, day=date(2026, 1, 1 + i % 28)) for i in range(55)]
    held[7] = sample(7, day=date(2026, 11, 1))  # new
    held[8] = sample(8, tags=("language:fr",))  # the last of its tag
    ids = {f"s{i}" for i in range(20)}
    made = to_retire(held, standings(held, saturated=ids), leaks=["s30"], duplicates=["s31"],
                     today=TODAY)  # fmt: skip
    assert [(one.sample_id, one.why) for one in made[:2]] == [
        ("s30", "the answer is given away"),
        ("s31", "repeats another sample"),
    ]
    gone = {one.sample_id for one in made[2:]}
    assert len(gone) == 55 - 2 - 50
    assert gone <= ids - {"s7", "s8"}
    assert "every one of 2 candidates passes it" in made[2].why


def test_nothing_goes_from_a_small_set_or_without_runs():
    held = [sample(i) for i in range(30)]
    every = {one.id for one in held}
    assert not to_retire(held, standings(held, saturated=every), leaks=[], duplicates=[],
                         today=TODAY)  # fmt: skip
    assert not to_retire([sample(i) for i in range(80)], {}, leaks=[], duplicates=[], today=TODAY)
