"""Failure modes: those that can never count are told, and a pack's are the same in every form."""

from __future__ import annotations

import numpy as np
import pytest
from ruamel.yaml import YAML

from befit.analysis.failures import Alike, Modes
from befit.config.load import load_project
from befit.core.candidate import Prompt
from befit.core.scenario import FailureMode
from befit.pipeline.generating import generate_file
from befit.probes.faults import failure_modes
from befit.probes.packs import PACKS

HEAD = "project: p\ncandidates: [{name: a, target: function, model: 'json:dumps'}]\nscenarios:\n"
OWN = """\
  - name: sums
    dimension: reasoning
    success: The number.
    samples: [{id: a, input: "1 + 1?", target: "2"}]
    scorers: [SCORER]
    failure_modes: [{name: blank, label: LABEL}]
"""


def load(folder, text):
    (folder / "befit.yaml").write_text(HEAD + text, "utf-8")
    return load_project(folder, environment={})


def warned(folder, text):
    return [one for one in load(folder, text).warnings if "never counts" in one]


def test_a_label_that_no_scorer_of_the_scenario_makes_is_told_with_the_nearest(tmp_path):
    (text,) = warned(tmp_path, OWN.replace("SCORER", "match").replace("LABEL", "no_anwser"))
    assert "'blank' of 'sums'" in text
    assert "did you mean 'no_answer'?" in text
    assert "befit.yaml:9" in text


@pytest.mark.parametrize(
    ("scorer", "label"),
    [
        ("match", "no_answer"),
        ("match", "content_filter"),
        ("match", "too_late"),
        ("constraints: {instructions: [{kind: no_comma}]}", "brief"),
    ],
)
def test_labels_that_may_come_are_not_warned_of(tmp_path, scorer, label):
    given = OWN.replace("[SCORER]", f"[{{{scorer}}}]" if ":" in scorer else f"[{scorer}]")
    assert warned(tmp_path, given.replace("LABEL", label)) == []


@pytest.mark.parametrize("name", [one.name for one in PACKS if one.name != "vision"])
def test_a_pack_written_to_a_file_names_its_failures_as_the_inline_form_does(tmp_path, name):
    made = generate_file(name, tmp_path / "pack.jsonl", seed=1, n=4, knobs={})
    (written,) = YAML(typ="safe").load(made.scenario)
    modes = [FailureMode.model_validate(mode) for mode in written["failure_modes"]]
    assert modes
    assert set(modes) <= set(failure_modes(name))
    text = "".join(f"  {line}\n" for line in made.scenario.splitlines())
    loaded = load(tmp_path, text)
    inline = f"  - {{name: {name}, dimension: reasoning, samples: {{probe: {name}, n: 4}}}}\n"
    assert loaded.scenarios[0].spec.success == load(tmp_path, inline).scenarios[0].spec.success
    assert not [one for one in loaded.warnings if "never counts" in one]


def test_failure_modes_change_nothing_of_what_is_asked(tmp_path):
    text = OWN.replace("SCORER", "match")
    prints = {
        load(tmp_path, text.replace("LABEL", label))
        .scenarios[0]
        .spec.execution_fingerprint(Prompt())
        for label in ("no_answer", "wrong")
    }
    assert len(prints) == 1


@pytest.mark.parametrize(
    ("pack", "labels", "name"),
    [
        ("chains", {"skipped_step", "failed_step", "lost_goal", "wrong_state"}, "skipped step"),
        ("chains", {"out_of_order", "failed_step", "wrong_state"}, "out of order"),
        ("chains", {"premature_stop", "wrong_state", "lost_goal"}, "premature stop"),
        ("chains", {"failed_step", "wrong_state"}, "failed step"),
        ("chains", {"cap_reached", "premature_stop"}, "cap reached"),
        ("tools", {"wrong_function", "wrong_state"}, "wrong function"),
        ("tools", {"wrong_value", "wrong_state", "missing_call"}, "wrong value"),
        ("tools", {"called_without_parameter", "needless_call"}, "called without parameter"),
        ("tools", {"not_called", "missing_call", "wrong_state"}, "missing call"),
        ("long-context", {"over_abstained", "missed", "wrong"}, "over abstained"),
        ("vision", {"unclear"}, "unclear"),
        ("recovery", {"no_answer"}, "no answer"),
    ],
)
def test_a_failure_of_a_pack_has_its_special_name(pack, labels, name):
    alike = Alike(scenario=pack, rows=np.array([0]), labels=frozenset(labels))
    assert Modes().of(alike, failure_modes(pack)) == name
