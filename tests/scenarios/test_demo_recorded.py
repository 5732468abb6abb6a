"""The demo from recorded answers: a newcomer's one command ends with an honest report."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from befit.cli.demo_view import write_demo
from befit.config.load import load_project
from befit.errors import UsageError
from befit.storage.workspace import Workspace


def _befit(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sys.executable).parent / "befit", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("demo")
    done = _befit("demo", "--recorded", "--json", folder=folder)
    assert done.returncode == 0, done.stderr
    return folder / "befit-demo", json.loads(done.stdout)


@pytest.fixture(scope="module")
def report(played: tuple[Path, dict[str, Any]]) -> dict[str, Any]:
    done = _befit("report", "--json", folder=played[0])
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)["data"]
    return found


def test_the_recorded_demo_answers_every_question_and_writes_one_file(played):
    folder, said = played

    assert said["ok"]
    assert said["data"]["status"] == "complete"
    assert said["data"]["missing"] == 0
    assert 3 <= len(said["data"]["conclusion"]) <= 5
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "<title>" in page
    assert "https://" not in page.partition("<body")[0]


def test_live_and_recorded_demo_differ_only_in_what_answers(played):
    live, recorded = (load_project(played[0] / name) for name in ("befit.yaml", "recorded.yaml"))

    assert [c.name for c in live.candidates] == [c.name for c in recorded.candidates]
    for a, b in zip(live.candidates, recorded.candidates, strict=True):
        assert (a.model, a.prompt, a.sampling, a.repeats) == (
            b.model,
            b.prompt,
            b.sampling,
            b.repeats,
        )
    assert live.scenarios == recorded.scenarios or [s.spec for s in live.scenarios] == [
        s.spec for s in recorded.scenarios
    ]


def test_the_demo_has_four_candidates_and_four_dimensions_with_fifteen_to_twenty_samples(played):
    project = load_project(played[0] / "befit.yaml")

    assert len(project.candidates) >= 4
    assert len({s.spec.dimension for s in project.scenarios}) >= 4
    assert all(15 <= summary.n <= 20 for summary in project.summaries.values())
    warm = [c for c in project.candidates if c.sampling.temperature == 0.8]
    repeats = [s.spec.repeats_of(c) for c in warm for s in project.scenarios]
    assert sorted(repeats)[-2:] == [5, 5]
    assert any(s.spec.critical for s in project.scenarios)
    assert all(s.spec.success and s.spec.failure_modes for s in project.scenarios)


def test_every_estimate_of_the_demo_is_whole(report):
    keys = {"value", "low", "high", "level", "n_samples", "n_trials", "n_missing", "method"}

    found = list(_estimates(report["analysis"]))

    assert len(found) > 100
    for estimate in found:
        assert set(estimate) == keys
        if estimate["value"] is None:
            assert estimate["method"]


def test_no_candidate_of_the_demo_is_best_everywhere(report):
    best = set()
    for row in report["analysis"]["dimension_rows"]:
        values = {c["candidate"]: c["estimate"]["value"] for c in row["cells"]}
        top = max(values.values())
        best.add(frozenset(name for name, value in values.items() if value == top))

    assert not frozenset.intersection(*best)


def test_absent_fields_are_marked_left_out_or_invented_and_counted_apart(report):
    cells = [c for c in report["analysis"]["fields"] if c["field"] is None]

    assert len(cells) == 4
    for cell in cells:
        shares = [cell[k]["value"] for k in ("marked_not_found", "omitted", "invented")]
        readable = not cell["outcomes"].get("unparsed")
        assert sum(shares) == pytest.approx(1.0) if readable else sum(shares) < 1.0
    assert any(cell["outcomes"].get("invented") for cell in cells)


def test_recorded_times_are_not_called_measurements_of_a_reused_run(report):
    overall = [c for c in report["analysis"]["engineering"] if c["scenario"] is None]

    assert all(c["latency_p50"]["value"] > 0 for c in overall)
    assert all(c["total_cost"] > 0 and c["unknown_cost_calls"] == 0 for c in overall)


def test_the_same_command_again_calls_nothing(played):
    folder = played[0]

    done = _befit("demo", "--recorded", "--json", folder=folder.parent)

    assert done.returncode == 0
    assert json.loads(done.stdout)["data"]["calls"] == 0
    with Workspace.open(folder / ".befit") as workspace:
        assert len(workspace.runs()) == 1


def test_a_folder_with_another_project_is_left_alone(tmp_path):
    (tmp_path / "befit.yaml").write_text("project: mine\n", encoding="utf-8")

    with pytest.raises(UsageError, match="another project"):
        write_demo(tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["befit.yaml"]


def test_files_changed_by_hand_stay_as_they_are(tmp_path):
    first = write_demo(tmp_path)
    (tmp_path / "scenarios.yaml").write_text("[]\n", encoding="utf-8")

    assert len(first) > 8
    assert write_demo(tmp_path) == []
    assert (tmp_path / "scenarios.yaml").read_text(encoding="utf-8") == "[]\n"


def _estimates(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if "n_missing" in value:
            yield value
        for inner in value.values():
            yield from _estimates(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _estimates(inner)
