"""A run's answers written for replay give the same run again, without the endpoint."""

from __future__ import annotations

from pathlib import Path

import orjson

from befit.config.load import load_project
from befit.pipeline.replaying import export_replay
from befit.pipeline.running import run_project
from befit.storage.workspace import Workspace
from befit.testing.provider import FakeProvider
from befit.testing.script import Script

SCENARIO = """
scenarios:
  - name: echo
    dimension: knowledge
    samples: [{id: one, input: alpha, target: alpha}, {id: two, input: beta, target: beta}]
    scorers: [match]
    repeats: 2
"""


def _project(folder: Path, name: str, candidates: str) -> Path:
    path = folder / name
    path.write_text(f"project: p\ncandidates:\n{candidates}{SCENARIO}", encoding="utf-8")
    return path


def _run(path: Path) -> tuple[str, list[tuple[object, ...]]]:
    with Workspace.open(path.parent / ".befit") as workspace:
        ran = run_project(load_project(path), workspace)
        rows = [
            (f.sample_id, f.repeat, f.status, f.failure, f.passed, f.output_tokens)
            for f in workspace.facts(ran.manifest.id)
        ]
    return ran.manifest.id, sorted(rows)


def _live(tmp_path: Path, script: Script) -> tuple[str, list[tuple[object, ...]]]:
    with FakeProvider(script) as provider:
        return _run(
            _project(
                tmp_path,
                "live.yaml",
                f"  - {{name: a/b, target: openai, model: m, base_url: '{provider.base_url}'}}\n",
            )
        )


def _replayed(tmp_path: Path, file: str) -> list[tuple[object, ...]]:
    options = f"{{path: recorded/{file}}}"
    path = _project(
        tmp_path, "replay.yaml", f"  - {{name: c, target: replay, options: {options}}}\n"
    )
    return _run(path)[1]


def test_a_replayed_run_has_the_same_answers_usage_and_verdicts(tmp_path):
    run_id, live = _live(tmp_path, Script())
    with Workspace.open(tmp_path / ".befit") as workspace:
        counts = export_replay(workspace, run_id, tmp_path / "recorded")

    assert counts == {"a/b": 4}
    assert _replayed(tmp_path, "a_b.jsonl") == live


def test_a_failure_of_the_candidate_is_replayed_as_that_failure(tmp_path):
    script = Script(permanent={"beta": "content_filter:3"})
    run_id, live = _live(tmp_path, script)
    with Workspace.open(tmp_path / ".befit") as workspace:
        export_replay(workspace, run_id, tmp_path / "recorded")

    assert {row[2] for row in live if row[0] == "two"} == {"candidate_failure"}
    # What was said before the failure is no answer, so its tokens are not recorded.
    assert [row[:5] for row in _replayed(tmp_path, "a_b.jsonl")] == [row[:5] for row in live]


def test_times_are_kept_without_digits_that_mean_nothing(tmp_path):
    run_id, _ = _live(tmp_path, Script())
    with Workspace.open(tmp_path / ".befit") as workspace:
        export_replay(workspace, run_id, tmp_path / "recorded")

    lines = (tmp_path / "recorded" / "a_b.jsonl").read_bytes().splitlines()
    ends = [orjson.loads(line)["timing"]["end"] for line in lines]
    assert all(end > 0 and round(end, 4) == end for end in ends)
