"""Right in all of k repeats is one quantity with one interval, wherever it is shown or gated."""

from __future__ import annotations

import pytest

from analysis_ground import facts_of, frame_of, manifest, spec
from befit.analysis.engineering import usability_cells
from befit.analysis.frame import build_frame
from befit.analysis.items import item_means
from befit.analysis.stability import stability_cells
from befit.core.run import RunSettings
from befit.decide.reading import Reader
from befit.stats.intervals import wilson

THREE = {"a": [[1.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]}
FIVE = {"a": [[1.0] * 5, [1.0, 1.0, 1.0, 1.0, 0.0], [0.0] * 5]}


def bounds(estimate):
    return (estimate.value, estimate.low, estimate.high, estimate.n_samples, estimate.n_trials)


def gated(frame, metric):
    return Reader(frame=frame, scenario=0, items=item_means(frame, (0,), "pass"))(metric, 0, 0.95)


def test_pass_3_of_three_repeats_and_reliable_are_the_same_number_with_the_same_interval():
    frame = frame_of(THREE)
    stable, usable = stability_cells(frame)[0], usability_cells(frame)[0]
    # Two of four samples are right in all three repeats: one yes or no for each sample.
    expected = wilson(2.0, n=4, level=0.95)
    assert bounds(stable.pass_all)[:3] == (0.5, expected.low, expected.high)
    assert bounds(usable.reliable) == bounds(stable.pass_all)
    assert bounds(gated(frame, "reliable")) == bounds(stable.pass_all)


def test_of_five_repeats_pass_3_is_a_score_of_each_sample():
    cell = stability_cells(frame_of(FIVE))[0]
    # C(5,3)/C(5,3) = 1, C(4,3)/C(5,3) = 0.4, 0
    assert cell.pass_all.value == pytest.approx((1 + 0.4 + 0) / 3)
    assert usability_cells(frame_of(FIVE))[0].reliable.value == pytest.approx(1 / 3)


def test_repeats_that_are_the_same_call_say_nothing_of_reliability_anywhere():
    settings = RunSettings(seed="fixed")
    made = manifest(["a"], [(spec(repeats=3), 4)], settings=settings)
    frame = build_frame(made, facts_of(THREE), [])
    usable = usability_cells(frame)[0]
    for found in (
        usable.reliable,
        usable.ceiling,
        gated(frame, "reliable"),
        gated(frame, "ceiling"),
    ):
        assert found.value is None
        assert "seed: fixed" in found.method
