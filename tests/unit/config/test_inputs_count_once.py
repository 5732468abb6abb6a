"""The same input twice in a sample file is one measurement: counted once, and told."""

from __future__ import annotations

import json

from befit.config.load import load_project
from befit.pipeline.analysing import analyse_run
from befit.pipeline.running import run_project
from befit.storage.workspace import Workspace

PROJECT = """\
project: p
candidates:
  - {name: a, target: function, model: "twice_code:answer", sampling: {temperature: 0}}
scenarios:
  - name: s
    dimension: reasoning
    samples: s.jsonl
    scorers: [match]
    repeats: 1
"""


def loaded(folder, *rows):
    (folder / "twice_code.py").write_text("def answer(prompt):\n    return prompt\n")
    (folder / "befit.yaml").write_text(PROJECT)
    (folder / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return load_project(folder)


def row(name, text, target, **more):
    return {"id": name, "input": text, "target": target, **more}


def test_a_copy_of_a_sample_is_left_out_and_n_is_one_less(tmp_path):
    project = loaded(
        tmp_path, row("a", "x", "x"), row("b", "y", "y"), row("c", "x", "x", tags=["again"])
    )
    assert [sample.id for sample in project.scenarios[0].samples.load()] == ["a", "b"]
    assert project.summaries["s"].n == 2
    assert any("'a' and 'c'" in text and "'c' is left out" in text for text in project.warnings)
    with Workspace.open(tmp_path / ".befit") as store:
        run_id = run_project(project, store).manifest.id
        (cell,) = analyse_run(store, run_id).analysis.scenario_rows[0].cells
    assert (cell.estimate.n_samples, cell.estimate.n_missing) == (2, 0)


def test_one_input_with_two_targets_is_one_cluster(tmp_path):
    rows = [
        row("a", "x", "x"),
        row("b", "x", "z"),
        *(row(f"s{i}", f"{i}", f"{i}") for i in range(9)),
    ]
    project = loaded(tmp_path, *rows)
    samples = {sample.id: sample for sample in project.scenarios[0].samples.load()}
    assert len(samples) == 11
    assert samples["a"].cluster == samples["b"].cluster == "same input as a"
    assert samples["s0"].cluster is None
    assert any("they count as one for intervals" in text for text in project.warnings)
    with Workspace.open(tmp_path / ".befit") as store:
        run_id = run_project(project, store).manifest.id
        (cell,) = analyse_run(store, run_id).analysis.scenario_rows[0].cells
    assert "10 clusters" in cell.estimate.method


def test_samples_in_different_worlds_are_no_copies(tmp_path):
    worlds = [{"results": {"look": [{"arguments": {}, "result": n}]}} for n in (1, 2)]
    tools = [{"name": "look"}]
    rows = [row(f"s{n}", "x", "x", tools=tools, world=world) for n, world in enumerate(worlds)]
    project = loaded(tmp_path, *rows)
    assert project.summaries["s"].n == 2
    assert not project.summaries["s"].copies
