"""A document on which every trial failed: its fields are missing, not 0 and not gone."""

from __future__ import annotations

import pytest

from analysis_ground import FIELDS, MISSING, REFUSED, field_row, frame_of, spec
from befit.analysis.extraction import field_cells


def cells_of(outcomes, rows):
    frame = frame_of(outcomes, scenario=spec(dimension="extraction", scorers=(FIELDS,)))
    return {(cell.candidate, cell.field): cell for cell in field_cells(frame, rows)}


def test_fields_of_a_document_that_failed_for_all_are_missing_beside_those_that_were_given():
    rows = [field_row("s0", "total", "right"), field_row("s0", "total", "wrong", candidate="b")]
    cells = cells_of({"a": [[1.0], [REFUSED]], "b": [[0.0], [REFUSED]]}, rows)
    for part in (None, "total"):
        one = cells["a", part]
        assert one.outcomes == {"right": 1}
        assert (one.accuracy.value, one.accuracy.n_samples, one.accuracy.n_missing) == (1.0, 1, 1)
        assert cells["b", part].accuracy.n_missing == 1


@pytest.mark.parametrize("outcome", [REFUSED, MISSING])
def test_where_every_trial_failed_the_cell_says_so(outcome):
    cells = cells_of({"a": [[outcome], [outcome]], "b": [[outcome], [outcome]]}, [])
    assert set(cells) == {("a", None), ("b", None)}
    accuracy = cells["a", None].accuracy
    assert (accuracy.value, accuracy.n_missing) == (None, 2)
    assert "every trial of the others failed" in accuracy.method
    assert cells["a", None].outcomes == {}


def test_a_candidate_whose_trials_are_all_missing_keeps_its_cells():
    rows = [field_row(f"s{i}", "total", "right") for i in range(2)]
    cells = cells_of({"a": [[1.0], [1.0]], "b": [[MISSING], [MISSING]]}, rows)
    lost = cells["b", "total"].accuracy
    assert (lost.value, lost.n_missing) == (None, 2)
    assert cells["a", "total"].accuracy.value == 1.0


def test_a_failed_trial_at_a_known_document_is_no_answer_and_not_missing():
    rows = [field_row("s0", "total", "right")]
    cells = cells_of({"a": [[1.0]], "b": [[REFUSED]]}, rows)
    failed = cells["b", "total"]
    assert failed.outcomes == {"no_answer": 1}
    assert (failed.accuracy.value, failed.accuracy.n_missing) == (0.0, 0)
