from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from befit.errors import UsageError
from befit.pipeline.evaluating import evaluate
from befit.pipeline.result import Run
from cli_ground import provided, write_project


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("notebook")
    with provided(write_project(folder)):
        return evaluate(folder)


def test_estimates_by_candidate_and_dimension_are_those_by_dimension(run: Run) -> None:
    assert run.estimates(by=["candidate", "dimension"]).rows == run.estimates("dimension").rows
    for wrong in (["candidate"], "model", ["scenario", "kind"]):
        with pytest.raises(UsageError, match="dimension, scenario or kind"):
            run.estimates(by=wrong)


def test_failures_of_a_dimension_are_those_of_its_scenarios(run: Run) -> None:
    everything = run.failures()
    dimensions = {s.spec.dimension: s.spec.name for s in run.manifest.scenarios}
    parts = [run.failures(dimension=name) for name in dimensions]
    assert len(everything) > 0
    assert sum(len(part) for part in parts) == len(everything)
    assert {row["candidate"] for row in run.failures("bad")} == {"bad"}


def test_a_run_decides_in_python_as_on_the_command_line(run: Run) -> None:
    decision = run.decide()
    assert decision.run_id == run.id
    assert decision.open_questions


def test_a_chart_is_a_file_of_its_own_and_an_image_in_a_notebook(run: Run, tmp_path: Path) -> None:
    row = run.charts.rows[0]
    for picture in (run.charts.ranks(row), run.charts.differences(row), run.charts.stability()):
        saved = picture.save(tmp_path / "picture.svg")
        root = ET.fromstring(saved.read_text(encoding="utf-8"))  # noqa: S314 - our own file
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert "<script" not in saved.read_text(encoding="utf-8")
        shown = picture._repr_html_()
        assert 'src="data:image/svg+xml;base64,' in shown
        assert "<table>" in shown
        assert picture.finding


def test_a_chart_that_cannot_be_drawn_says_why(run: Run, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no row 'nothing'"):
        run.charts.ranks("nothing")
    with pytest.raises(UsageError, match="no scenario 'nothing'"):
        run.charts.stability("nothing")
    with pytest.raises(UsageError, match="on 'nothing'"):
        run.charts.frontier("nothing")
    with pytest.raises(UsageError, match=r"SVG file, not as 'x\.png'"):
        run.charts.ranks().save(tmp_path / "x.png")
