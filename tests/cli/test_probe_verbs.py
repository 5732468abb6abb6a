"""`befit probes list` and `generate`, and packs as the samples of a scenario."""

from __future__ import annotations

import orjson
import pytest
from ruamel.yaml import YAML

from befit.config.load import load_project
from befit.core.sample import Sample
from befit.core.scenario import ScenarioSpec
from befit.datasets.lint import LintSet, run_rules
from befit.datasets.lint_mix import picture_tags
from befit.datasets.redact import Redactor
from befit.datasets.redact_options import Redaction
from befit.errors import ProjectError
from befit.probes.packs import PACKS
from cli_ground import befit

PROJECT = """\
project: probes
candidates: [{name: a, target: function, model: "json:dumps"}]
scenarios:
  - name: sums
    dimension: reasoning
    samples: SAMPLES
"""


def project(folder, samples):
    path = folder / "befit.yaml"
    path.write_text(PROJECT.replace("SAMPLES", samples))
    return load_project(path)


def test_the_list_names_every_pack_with_its_knobs():
    ended = befit("probes", "list", "--json")
    assert ended.code == 0
    assert [one["name"] for one in ended.data["packs"]] == [one.name for one in PACKS]
    assert all(one["knobs"] for one in ended.data["packs"])
    assert befit("probes", "list").code == 0


def test_a_generated_file_and_its_scenario_make_a_project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ended = befit("probes", "generate", "chains", "--n", "3", "--seed", "4", "--set", "steps=5")
    assert ended.code == 0
    (scenario,) = YAML(typ="safe").load(ended.out)
    assert scenario["samples"] == "chains.jsonl"
    text = "project: p\ncandidates: [{name: a, target: function, model: 'json:dumps'}]\n"
    text += "scenarios:\n" + "".join(f"  {line}\n" for line in ended.out.splitlines())
    (tmp_path / "befit.yaml").write_text(text)
    (loaded,) = load_project(tmp_path / "befit.yaml").scenarios
    assert [one.id for one in loaded.samples.load()] == [f"chains-4-00{n}" for n in (1, 2, 3)]
    rows = [orjson.loads(line) for line in (tmp_path / "chains.jsonl").read_bytes().splitlines()]
    assert [len(row["target"]["steps"]) for row in rows] == [5, 5, 5]


def test_own_samples_are_wrapped_from_a_file(tmp_path):
    (tmp_path / "mine.jsonl").write_text('{"id": "q", "input": "1 + 1?", "target": "2"}\n')
    out = tmp_path / "out.jsonl"
    words = ["generate", "contamination", "--from", tmp_path / "mine.jsonl", "-o", out]
    ended = befit("probes", *words, "--set", "doses=0 2", "--json")
    assert (ended.code, ended.data["n_samples"], ended.data["n_items"]) == (0, 2, 1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("generate", "chain"), "did you mean 'chains'?"),
        (("generate", "chains", "--set", "steps"), "write knob=value"),
        (("generate", "chains", "--set", "steps=two"), "'steps' is a number"),
        (("generate", "chains", "--n", "0"), "from 1 to 100,000"),
    ],
)
def test_wrong_words_are_one_line_with_a_way_out(words, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ended = befit("probes", *words)
    assert ended.code == 2
    assert said in ended.err


def test_a_scenario_takes_its_samples_from_a_pack(tmp_path):
    loaded = project(tmp_path, "{probe: reasoning, n: 6, seed: 2, knobs: {form: calculation}}")
    samples = list(loaded.scenarios[0].samples.load())
    assert [one.id for one in samples] == [f"reasoning-2-00{n}" for n in range(1, 7)]
    assert samples == list(loaded.scenarios[0].samples.load())


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        ("{probe: reasonin}", "no pack 'reasonin'"),
        ("{probe: reasoning, knobs: {step: 3}}", "no knob 'step'"),
        ("{probe: reasoning, number: 3}", "number"),
    ],
)
def test_a_pack_that_is_not_there_is_told_with_its_place(tmp_path, samples, said):
    with pytest.raises(ProjectError, match=r"befit\.yaml:6") as caught:
        project(tmp_path, samples)
    assert said in str(caught.value)


def test_pictures_without_their_tags_are_named():
    samples = [
        Sample(id="good", input="?", target="x", tags=("text", "reasoning")),
        Sample(id="half", input="?", target="x", tags=("structure",)),
        Sample(id="bare", input="?", target="x"),
    ]
    spec = ScenarioSpec(name="s", dimension="vision")
    held = LintSet(scenario="s", samples=samples, spec=spec)
    found = run_rules(held, [picture_tags], redactor=Redactor(Redaction(), key=b"k" * 32))
    assert [one.samples for one in found] == [("bare",), ("half", "bare")]
    other = LintSet(scenario="s", samples=samples, spec=spec.model_copy(update={"dimension": "x"}))
    assert run_rules(other, [picture_tags], redactor=Redactor(Redaction(), key=b"k" * 32)) == []


def test_samples_of_a_scenario_of_ones_own_are_wrapped(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    project(tmp_path, "[{id: a1, input: What is 6 x 7?, target: '42'}]")
    (tmp_path / "befit.yaml").write_text(
        PROJECT.replace("SAMPLES", "[{id: a1, input: What is 6 x 7?, target: '42'}]")
        + "    scorers: [match]\n    success: ok\n"
    )
    ended = befit("probes", "generate", "contamination", "--from", "sums", "--set", "doses=0 2",
                  "-o", "c.jsonl", "--json")  # fmt: skip
    assert ended.code == 0
    assert ended.data["n_samples"] == 2
    rows = [orjson.loads(line) for line in (tmp_path / "c.jsonl").read_bytes().splitlines()]
    assert all("What is 6 x 7?" in str(row) for row in rows)
    unknown = befit("probes", "generate", "contamination", "--from", "sumz", "--json")
    assert unknown.code == 2
    assert "did you mean 'sums'?" in unknown.out
