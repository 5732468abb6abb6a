"""A run at its own prices costs by the view of other prices what its report says."""

from __future__ import annotations

import json

import pytest

from befit.config.load import load_project
from befit.pipeline.reporting import make_document
from befit.pipeline.repricing import reprice
from befit.pipeline.running import run_project
from befit.storage.workspace import Workspace

ANSWERS = """
def answer(text):
    return {"text": text, "usage": {"uncached_input": len(text), "text_output": 5}}
"""
PROJECT = """\
project: own-price
candidates:
  - name: echo
    target: function
    model: "answers_{name}:answer"
    sampling: {{temperature: 0, top_p: 1, max_tokens: 5}}
    price: {{input: 1, output: 1}}
scenarios:
  - name: s
    dimension: reasoning
    samples: s.jsonl
    repeats: 2
    success: right
    scorers: [match]
"""


@pytest.mark.parametrize(
    ("name", "right", "cluster"),
    [
        ("all_right", 12, None),
        ("some_right", 7, None),
        ("in_clusters", 7, lambda i: f"c{i // 3}"),
        ("one_right", 1, None),
        ("none_right", 0, None),
    ],
)
def test_at_its_own_price_a_success_costs_what_the_report_says(
    tmp_path, monkeypatch, name, right, cluster
):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / f"answers_{name}.py").write_text(ANSWERS)
    samples = [{"id": f"q{i}", "input": "a" * (i + 1), "target": "a" * (i + 1)} for i in range(12)]
    for i, one in enumerate(samples):
        if i >= right:
            one["target"] = "b"
        if cluster:
            one["cluster"] = cluster(i)
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(one) + "\n" for one in samples))
    path = tmp_path / "befit.yaml"
    path.write_text(PROJECT.format(name=name))
    with Workspace.open(tmp_path / ".befit") as workspace:
        manifest = run_project(load_project(path), workspace).manifest
        own = {one.candidate.name: one.price for one in manifest.candidates}
        (found,) = reprice(workspace, manifest, own)
        told = make_document(workspace, manifest.id).analysis.engineering[0].cost_per_success
    assert found.per_success == told
    assert (told.value is None) == (right == 0)
    assert found.billed == found.anew
