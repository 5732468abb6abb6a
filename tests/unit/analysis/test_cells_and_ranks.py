from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis_ground import MISSING, REFUSED, UNSCORED, facts_of, frame_of, manifest, score, spec
from befit.analysis.frame import build_frame
from befit.analysis.items import item_means
from befit.analysis.matrix import dimension_rows, scenario_rows, slice_rows
from befit.analysis.results import MatrixRow
from befit.core.estimate import THIN
from befit.core.scenario import Accept


def cell(row: MatrixRow, candidate: str):
    return next(c for c in row.cells if c.candidate == candidate)


def test_a_cell_is_the_mean_of_item_means_with_wilson_on_the_items() -> None:
    # 8 of 10 items right: Wilson 95 % (0.490162, 0.943318)
    frame = frame_of({"a": [[1.0]] * 8 + [[0.0]] * 2})
    estimate = cell(dimension_rows(frame)[0], "a").estimate
    assert estimate.value == pytest.approx(0.8)
    assert (estimate.low, estimate.high) == pytest.approx((0.490162, 0.943318), abs=1e-6)
    assert (estimate.n_samples, estimate.n_trials, estimate.n_missing) == (10, 10, 0)


def test_repeats_are_averaged_per_sample_before_anything_else() -> None:
    # items: (1+0)/2 and (1)/1, so .75; the mean over calls would be 2/3
    frame = frame_of({"a": [[1.0, 0.0], [1.0, MISSING]]})
    estimate = cell(dimension_rows(frame)[0], "a").estimate
    assert estimate.value == pytest.approx(0.75)
    assert (estimate.n_samples, estimate.n_trials, estimate.n_missing) == (2, 3, 1)


def test_missing_trials_are_never_zero() -> None:
    frame = frame_of({"a": [[1.0]] * 975 + [[MISSING]] * 25})
    estimate = cell(dimension_rows(frame)[0], "a").estimate
    assert estimate.value == 1.0
    assert (estimate.n_samples, estimate.n_trials, estimate.n_missing) == (975, 975, 25)


def test_a_refusal_is_zero_and_not_missing() -> None:
    frame = frame_of({"a": [[1.0], [REFUSED]]})
    estimate = cell(dimension_rows(frame)[0], "a").estimate
    assert (estimate.value, estimate.n_missing) == (0.5, 0)


def test_a_refusal_is_zero_on_a_metric_its_scorer_never_gave() -> None:
    outcomes = {"a": [[1.0], [1.0], [REFUSED], [MISSING]]}
    frame = frame_of(
        outcomes,
        scenario=spec(dimension="classification"),
        scores=[score("a", "s0", "match", 1.0), score("a", "s1", "match", 1.0)],
    )
    row = dimension_rows(frame)[0]
    assert row.metric == "match"
    assert cell(row, "a").estimate.value == pytest.approx(2 / 3)
    assert cell(row, "a").estimate.n_missing == 1


def test_unscored_trials_count_as_neither_right_nor_wrong() -> None:
    frame = frame_of({"a": [[1.0], [UNSCORED], [0.0]]})
    estimate = cell(dimension_rows(frame)[0], "a").estimate
    assert (estimate.value, estimate.n_trials, estimate.n_missing) == (0.5, 2, 1)


def test_trials_that_were_not_run_are_missing() -> None:
    frame = frame_of({"a": [[1.0]] * 6}, n_samples=10)
    estimate = cell(dimension_rows(frame)[0], "a").estimate
    assert (estimate.n_trials, estimate.n_missing) == (6, 4)


def test_nothing_measured_has_no_value_and_no_letters() -> None:
    frame = frame_of({"a": [[MISSING]] * 3, "b": [[1.0]] * 3})
    row = dimension_rows(frame)[0]
    assert cell(row, "a").estimate.value is None
    assert cell(row, "a").letters == ""
    assert row.differences[0].estimate.value is None
    assert row.differences[0].p_value is None


def test_the_first_scorer_of_a_name_gives_the_headline() -> None:
    rows = [
        score("a", "s0", "match", 1.0),
        score("a", "s0", "match", 0.0, scorer="match#2"),
        score("a", "s0", "match", 0.0, part="turn 1"),
    ]
    frame = frame_of({"a": [[0.0]]}, scenario=spec(dimension="classification"), scores=rows)
    assert cell(dimension_rows(frame)[0], "a").estimate.value == 1.0


def test_few_samples_are_marked_thin() -> None:
    frame = frame_of({"a": [[1.0]] * (THIN - 1)})
    assert cell(dimension_rows(frame)[0], "a").thin
    frame = frame_of({"a": [[1.0]] * THIN})
    assert not cell(dimension_rows(frame)[0], "a").thin


def test_differences_carry_the_real_trials_of_both_on_the_shared_samples() -> None:
    a = [[1.0, 1.0, 0.0]] * 4 + [[MISSING] * 3]
    b = [[0.0, 1.0, MISSING]] * 4 + [[1.0, 1.0, 1.0]]
    difference = dimension_rows(frame_of({"a": a, "b": b}))[0].differences[0]
    # 4 shared samples: 4 x 3 of a and 4 x 2 of b; one sample that a lacks
    assert difference.estimate.n_samples == 4
    assert difference.estimate.n_trials == 20
    assert difference.estimate.n_missing == 1
    assert difference.estimate.value == pytest.approx(2 / 3 - 1 / 2)


def test_equal_candidates_share_letters_and_a_clearly_worse_one_does_not() -> None:
    draw = random.Random(7)  # noqa: S311 - toy data
    rates = {"good": 0.9, "twin": 0.9, "bad": 0.3}
    outcomes = {
        name: [[float(draw.random() < rate)] for _ in range(200)] for name, rate in rates.items()
    }
    row = dimension_rows(frame_of(outcomes))[0]
    letters = {c.candidate: set(c.letters) for c in row.cells}
    assert letters["good"] & letters["twin"]
    assert not letters["good"] & letters["bad"]
    assert not letters["twin"] & letters["bad"]
    assert row.rank_sets == {"good": (1, 2), "twin": (1, 2), "bad": (3, 3)}


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.floats(0.05, 0.95), min_size=2, max_size=5),
    st.integers(8, 60),
    st.integers(0, 10_000),
)
def test_two_share_a_letter_exactly_where_their_difference_does_not_stand(rates, n, seed) -> None:
    draw = random.Random(seed)  # noqa: S311 - toy data
    outcomes = {
        f"c{i}": [[float(draw.random() < rate)] for _ in range(n)] for i, rate in enumerate(rates)
    }
    row = dimension_rows(frame_of(outcomes))[0]
    letters = {c.candidate: set(c.letters) for c in row.cells}
    for d in row.differences:
        apart = not letters[d.a] & letters[d.b]
        assert apart == (d.verdict != "not_distinguishable")
        assert d.p_adjusted is None or d.p_adjusted >= (d.p_value or 0)
        if d.verdict == "better":
            assert d.estimate.value > 0
        if d.verdict == "worse":
            assert d.estimate.value < 0


def test_a_pair_is_judged_on_shared_samples_though_the_plain_means_say_the_reverse() -> None:
    # b lost every hard sample; on the 60 easy ones that both have, a is better
    a = [[1.0]] * 60 + [[0.0]] * 60
    b = [[1.0]] * 40 + [[0.0]] * 20 + [[MISSING]] * 60
    row = dimension_rows(frame_of({"a": a, "b": b}))[0]
    assert cell(row, "b").estimate.value > cell(row, "a").estimate.value
    assert row.differences[0].estimate.value == pytest.approx(1 / 3)
    assert row.differences[0].p_adjusted < 0.001


def test_a_candidate_with_too_little_coverage_is_not_ranked() -> None:
    full = [[1.0]] * 100
    row = dimension_rows(frame_of({"a": full, "b": full[:94] + [[MISSING]] * 6}))[0]
    assert cell(row, "b").letters == ""
    assert set(row.rank_sets) == {"a"}
    row = dimension_rows(frame_of({"a": full, "b": full[:95] + [[MISSING]] * 5}))[0]
    assert cell(row, "b").letters
    assert set(row.rank_sets) == {"a", "b"}


def test_a_dimension_pools_its_scenarios_sample_by_sample() -> None:
    one, two = spec("one", repeats=1), spec("two", repeats=1)
    made = manifest(["a"], [(one, 3), (two, 1)])
    rows = facts_of({"a": [[1.0]] * 3}, scenario="one") + facts_of({"a": [[0.0]]}, scenario="two")
    frame = build_frame(made, rows, [])
    estimate = cell(dimension_rows(frame)[0], "a").estimate
    assert (estimate.value, estimate.n_samples) == (0.75, 4)
    assert dimension_rows(frame)[0].scenarios == ("one", "two")
    assert [cell(row, "a").estimate.value for row in scenario_rows(frame)] == [1.0, 0.0]


def test_a_dimension_falls_back_to_the_pass_rate_where_one_scenario_lacks_the_metric() -> None:
    one, two = spec("one", dimension="reasoning"), spec("two", dimension="reasoning")
    made = manifest(["a"], [(one, 1), (two, 1)])
    rows = facts_of({"a": [[1.0]]}, scenario="one") + facts_of({"a": [[0.0]]}, scenario="two")
    scores = [score("a", "s0", "match", 1.0, scenario="one")]
    row = dimension_rows(build_frame(made, rows, scores))[0]
    assert (row.metric, row.metric_title) == ("pass", "Pass rate")


def test_samples_count_by_their_weights() -> None:
    made = manifest(["a", "b"], [(spec(), 2)])
    rows = [
        f._replace(weight=3.0 if f.sample_id == "s0" else 1.0)
        for f in facts_of({"a": [[1.0], [0.0]], "b": [[0.0], [1.0]]})
    ]
    row = dimension_rows(build_frame(made, rows, []))[0]
    # (3 x 1 + 1 x 0) / 4 and (3 x 0 + 1 x 1) / 4
    assert cell(row, "a").estimate.value == pytest.approx(0.75)
    assert cell(row, "b").estimate.value == pytest.approx(0.25)
    assert row.differences[0].estimate.value == pytest.approx(0.5)
    assert "weighted" in cell(row, "a").estimate.method


def test_samples_of_one_cluster_do_not_count_as_independent() -> None:
    made = manifest(["a"], [(spec(), 60)])
    outcomes = {"a": [[float(i // 6 % 2)] for i in range(60)]}
    alone = build_frame(made, facts_of(outcomes), [])
    rows = [f._replace(cluster=f"doc {int(f.sample_id[1:]) // 6}") for f in facts_of(outcomes)]
    shared = build_frame(made, rows, [])
    apart = cell(dimension_rows(alone)[0], "a").estimate
    together = cell(dimension_rows(shared)[0], "a").estimate
    assert together.value == apart.value
    assert together.high - together.low > 1.5 * (apart.high - apart.low)
    assert "cluster" in together.method


@pytest.mark.parametrize(
    ("right", "below"),
    [(100, False), (50, True), (92, None)],
)
def test_a_threshold_is_met_missed_or_not_settled(right: int, below: bool | None) -> None:  # noqa: FBT001 - a case of the table
    outcomes = {"a": [[1.0]] * right + [[0.0]] * (100 - right)}
    frame = frame_of(outcomes, scenario=spec(accept=Accept(pass_rate=0.9)))
    row = scenario_rows(frame)[0]
    assert row.threshold == 0.9
    assert row.cells[0].below_gate is below


def test_kinds_have_rows_of_their_own_without_comparisons() -> None:
    made = manifest(["a", "b"], [(spec(), 4)])
    rows = [
        f._replace(kind="edge" if f.sample_id in {"s2", "s3"} else "typical")
        for f in facts_of({"a": [[1.0], [1.0], [0.0], [1.0]], "b": [[1.0]] * 4})
    ]
    found = {row.key: row for row in slice_rows(build_frame(made, rows, []))}
    assert set(found) == {"kind/task/edge", "kind/task/typical"}
    assert found["kind/task/edge"].cells[0].estimate.value == 0.5
    assert found["kind/task/edge"].cells[0].estimate.n_missing == 0
    assert not any(row.differences for row in found.values())


def test_variants_of_the_prompt_do_not_count_in_the_matrix() -> None:
    made = manifest(["a"], [(spec(), 1)])
    rows = [*facts_of({"a": [[1.0]]}), *facts_of({"a": [[0.0]]}, variant="paraphrase 1")]
    assert dimension_rows(build_frame(made, rows, []))[0].cells[0].estimate.value == 1.0


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from([0.0, 1.0, MISSING, REFUSED, UNSCORED]), min_size=2, max_size=2),
        min_size=1,
        max_size=20,
    )
)
def test_scored_and_missing_trials_add_up_to_the_plan(outcomes) -> None:
    frame = frame_of({"a": outcomes, "b": outcomes})
    items = item_means(frame, (0,), "pass")
    for code in range(2):
        scored = int(items.n_trials[code].sum())
        assert scored + items.n_missing(code) == 2 * len(outcomes)
