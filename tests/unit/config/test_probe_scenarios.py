"""A scenario over a pack of probes needs nothing of its own, and is not told that it lacks it."""

from __future__ import annotations

import asyncio

import pytest

from befit.config.load import load_project
from befit.core.scenario import Caps
from befit.engine.executor import execute
from befit.pipeline.analysing import analyse_run
from befit.probes.faults import failure_modes
from befit.probes.packs import PACKS
from engine_ground import RUN, Answering, candidate, fixed, job, scenario, workspace
from probe_readers import FLAWED, samples_of

PROJECT = """\
project: probes
candidates: [{name: a, target: openai, model: m}]
scenarios:
  - name: far
    dimension: long-context
    samples: {probe: long-context, n: 4}
"""
TEXT = [one.name for one in PACKS if one.name != "vision"]


def load(folder, text=PROJECT):
    (folder / "befit.yaml").write_text(text, "utf-8")
    return load_project(folder, environment={})


def test_a_pack_brings_its_failure_modes_and_what_success_is(tmp_path):
    project = load(tmp_path)
    spec = project.scenarios[0].spec
    assert "missed" in [mode.label for mode in spec.failure_modes]
    assert spec.success.startswith("As the pack was made: facts at set depths")
    assert not [text for text in project.warnings if "far" in text]


def test_what_a_scenario_says_itself_counts(tmp_path):
    own = "    success: All of them.\n    failure_modes: [{name: lost, label: missed}]\n"
    spec = load(tmp_path, PROJECT + own).scenarios[0].spec
    assert spec.success == "All of them."
    assert [mode.name for mode in spec.failure_modes] == ["lost"]


@pytest.mark.parametrize("name", TEXT)
def test_wrong_answers_to_a_pack_have_a_name(tmp_path, name):
    given = scenario(
        fixed(*samples_of(name, n=6, **({"absent": 1} if name == "long-context" else {}))),
        scorers=(),
        caps=Caps(steps=4),
        failure_modes=failure_modes(name),
    )
    one = job([candidate()], [given], concurrency=8)
    with workspace(tmp_path, one) as store:
        asyncio.run(execute(one, store=store, targets={"a": Answering(lambda _: FLAWED)}))
        failures = analyse_run(store, RUN).analysis.failures
    assert failures
    assert "other" not in {found.mode for found in failures}
