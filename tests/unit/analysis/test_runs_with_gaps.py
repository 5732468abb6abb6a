"""A run with missing trials: the same figure everywhere, and no verdict on the unranked."""

from __future__ import annotations

import pytest

from analysis_ground import FIELDS, MISSING, REFUSED, field_row, frame_of, score, spec
from befit.analysis.analyse import analyse
from befit.analysis.extraction import field_cells
from befit.analysis.matrix import dimension_rows, scenario_rows
from befit.report.conclusion import conclusion


def whole(cells):
    return next(cell for cell in cells if cell.field is None)


def test_field_accuracy_is_one_figure_in_matrix_and_extraction_where_trials_are_missing() -> None:
    # 10 documents of 2 fields: the even ones have all 3 repeats with both fields right, the odd
    # ones lost two repeats and have one of the two right. Over documents (5 x 1 + 5 x 0.5) / 10
    # = 0.75; over trials it would be (15 x 1 + 5 x 0.5) / 20 = 0.875.
    outcomes = {"a": [[1.0] * 3 if i % 2 == 0 else [0.0, MISSING, MISSING] for i in range(10)]}
    parts, scores = [], []
    for i in range(10):
        for repeat in range(3 if i % 2 == 0 else 1):
            second = "right" if i % 2 == 0 else "wrong"
            rows = [field_row(f"s{i}", "x", "right"), field_row(f"s{i}", "y", second)]
            parts += [row._replace(repeat=repeat) for row in rows]
            rate = 1.0 if i % 2 == 0 else 0.5
            scores.append(score("a", f"s{i}", "field_accuracy", rate, repeat=repeat))
    used = spec(dimension="extraction", scorers=(FIELDS,), repeats=3)
    frame = frame_of(outcomes, scenario=used, scores=scores)
    row = next(one for one in dimension_rows(frame) if one.metric == "field_accuracy")
    matrix, pooled = row.cells[0].estimate, whole(field_cells(frame, parts)).accuracy
    assert matrix.value == pytest.approx(0.75)
    assert pooled.value == pytest.approx(matrix.value)
    assert (pooled.n_samples, pooled.n_trials) == (matrix.n_samples, matrix.n_trials) == (10, 20)


def test_a_pair_with_one_that_is_not_ranked_has_no_verdict() -> None:
    outcomes = {"a": [[1.0]] * 120, "b": [[0.0]] * 80 + [[MISSING]] * 40}
    row = scenario_rows(frame_of(outcomes))[0]
    assert list(row.rank_sets) == ["a"]
    pair = row.differences[0]
    assert pair.verdict == "not_ranked"
    assert pair.not_ranked == ("b 80 of 120",)
    assert pair.samples_needed is None
    assert pair.p_adjusted < 0.001


def test_repeats_whose_answers_are_missing_are_not_advised_again() -> None:
    frame = frame_of({"a": [[MISSING] * 3] * 4}, scenario=spec(repeats=3))
    told = [f for f in analyse(frame).findings if f.text.startswith("Stability")]
    assert [f.do for f in told] == ["run the same command again to fill the gaps"]
    once = frame_of({"a": [[1.0]] * 4})
    told = [f for f in analyse(once).findings if f.text.startswith("Stability")]
    assert [f.do for f in told] == ["set repeats to 3 or more"]


@pytest.mark.parametrize(
    ("second", "told"), [(1.0, "Every repeated answer agrees"), (0.0, "Least consistent: a on")]
)
def test_the_least_consistent_is_named_only_where_some_answers_differ(second, told) -> None:
    frame = frame_of({"a": [[1.0, 1.0]] * 9 + [[1.0, second]]}, scenario=spec(repeats=2))
    lines = conclusion(analyse(frame))
    assert any(line.startswith(told) for line in lines)
    assert len([line for line in lines if "onsisten" in line or "agrees" in line]) == 1


def test_the_parse_success_rate_is_the_share_of_answers_that_could_be_read() -> None:
    # 8 readable of 10 scored: one cannot be read, one trial failed, one more is missing
    outcomes = {"a": [[1.0]] * 8 + [[0.0], [REFUSED], [MISSING]]}
    rows = [field_row(f"s{i}", part, "right") for i in range(8) for part in ("x", "y")]
    rows += [field_row("s8", part, "unparsed") for part in ("x", "y")]
    frame = frame_of(outcomes, scenario=spec(dimension="extraction", scorers=(FIELDS,)))
    found = whole(field_cells(frame, rows)).readable
    assert found.value == pytest.approx(0.8)
    assert (found.n_samples, found.n_trials, found.n_missing) == (10, 10, 1)
    assert found.low < 0.8 < found.high
