"""A gate that no run can measure is said before a run is paid for."""

from __future__ import annotations

import json

import pytest

from befit.config.load import load_project
from befit.errors import ProjectError
from decision_project import shares, write_project

EXTRACTION = ("dimension: classification", "dimension: extraction")
GATE = "gates: [{metric: field_accuracy, scenario: s, floor: 0.8}]"


def load(folder, *, policy="", dimension=EXTRACTION, **more):
    right = {"a": {"s": shares(100, 0.9)}, "b": {"s": shares(100, 0.9)}}
    path = write_project(folder, right, prices={"a": 1, "b": 1}, policy=policy, **more)
    path.write_text(path.read_text().replace(*dimension))
    return load_project(path)


def test_a_metric_of_the_dimension_that_no_scorer_makes_is_a_warning(tmp_path):
    (said,) = load(tmp_path, policy=GATE).warnings
    assert "'field_accuracy' is not made by the scorers of 's' (match)" in said
    assert "the scorer fields makes it" in said


def test_so_is_one_that_a_scenario_asks_for_its_acceptance(tmp_path):
    accept = "accept: {metrics: {field_accuracy: 0.8}}"
    (said,) = load(tmp_path, scenario_extra=accept).warnings
    assert "no run can measure it there" in said


def test_a_sample_with_checks_of_its_own_may_make_any_metric(tmp_path):
    right = {"a": {"s": [1] * 100}}
    path = write_project(tmp_path, right, prices={"a": 1}, policy=GATE)
    path.write_text(path.read_text().replace(*EXTRACTION))
    rows = (tmp_path / "s.jsonl").read_text().splitlines()
    checks = '"checks": [{"fields": {"fields": {"total": "number"}}}]}'
    first = json.dumps({**json.loads(rows[0]), "target": {"total": 1}})
    (tmp_path / "s.jsonl").write_text("\n".join([first[:-1] + ", " + checks, *rows[1:]]))
    assert not any("field_accuracy" in text for text in load_project(path).warnings)


def test_a_metric_that_other_scorers_make_is_not_called_unknown(tmp_path):
    with pytest.raises(ProjectError) as error:
        load(tmp_path, policy=GATE, dimension=("", ""))
    assert "'field_accuracy' is not made by the scorers of 's' (match)" in str(error.value)
    assert "unknown metric" not in str(error.value)


@pytest.mark.parametrize(
    ("metric", "takes"), [("stability", "repeats"), ("worst_prompt", "variants")]
)
def test_what_takes_repeats_or_variants_that_are_not_there_is_said(tmp_path, metric, takes):
    policy = f"gates: [{{metric: {metric}, floor: 0.8}}]"
    found = load(tmp_path, policy=policy, dimension=("", "")).warnings
    assert any(takes in text and "cannot be measured" in text for text in found)
