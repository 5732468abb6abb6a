"""What a project file may say, and what comes out of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from befit.config.load import importable, load_project
from befit.errors import ProjectError

if TYPE_CHECKING:
    from pathlib import Path

    from befit.config.project import Project

EXAMPLE = """\
project: invoice-desk
candidates:
  - name: small-terse
    target: openai
    model: small-2026-09
    base_url: ${BASE_URL}
    api_key: ${API_KEY}
    prompt: {system: Answer with the value only.}
    sampling: {temperature: 0.2, max_tokens: 200}
    price: {input: 0.15, output: 0.60}      # USD per million tokens; `auto` looks it up
scenarios:
  - name: invoice-total
    dimension: extraction
    tier: high-volume
    samples: samples/invoices.jsonl
    template: "Total of this invoice?\\n{input}"
    scorers: [{match: {numeric: true}}]
    repeats: 5
    accept: {pass_rate: 0.9}
    critical: true
tiers:
  high-volume: {value: 0.02, cost_of_error: 0.5, complexity: low, volume_per_month: 200000}
run: {concurrency: 50, retries: 5, seed: 7, max_cost: 5.00}
policy: {gates: [{scenario: invoice-total, metric: pass_rate, floor: 0.9}]}
"""
HEAD = "project: p\n"
CANDIDATE = "candidates: [{name: a, target: openai, model: m, sampling: {temperature: 0}}]\n"
SCENARIO = """\
scenarios:
  - name: s
    dimension: knowledge
    samples: [{id: "1", input: x, target: "y"}]
    scorers: [match]
    failure_modes: [{name: long, pattern: "..."}]
"""
ENVIRONMENT = {"BASE_URL": "https://host.example/v1", "API_KEY": "sk-private"}


def load(folder: Path, text: str, **environment: str) -> Project:
    (folder / "befit.yaml").write_text(text)
    return load_project(folder, environment=environment)


@pytest.fixture
def invoices(tmp_path: Path) -> Path:
    (tmp_path / "samples").mkdir()
    path = tmp_path / "samples" / "invoices.jsonl"
    path.write_text('{"id": "i1", "input": "...", "target": 5, "kind": "typical"}\n')
    return tmp_path


def test_the_example_of_the_manual_loads(invoices: Path) -> None:
    project = load(invoices, EXAMPLE, **ENVIRONMENT)
    (candidate,) = project.candidates
    (scenario,) = project.scenarios
    assert project.name == "invoice-desk"
    assert candidate.base_url == "https://host.example/v1"
    assert candidate.api_key is not None
    assert candidate.api_key.get_secret_value() == "sk-private"
    assert candidate.sampling.max_tokens == 200
    assert scenario.spec.template == "Total of this invoice?\n{input}"
    assert [sample.id for sample in scenario.samples.load()] == ["i1"]
    assert project.tiers[0].name == "high-volume"
    assert project.settings.max_cost == 5
    assert project.policy.gates[0].floor == 0.9
    assert project.summaries["invoice-total"].n == 1
    assert len(project.warnings) == 2
    assert "names no failure modes" in project.warnings[0]
    assert "can never pass (from 25 samples)" in project.warnings[1]


def test_a_project_shows_no_secret_when_printed(invoices: Path) -> None:
    assert "sk-private" not in repr(load(invoices, EXAMPLE, **ENVIRONMENT))


def test_a_missing_key_is_a_warning_where_no_call_is_made(invoices: Path) -> None:
    (invoices / "befit.yaml").write_text(EXAMPLE)
    environment = {"BASE_URL": "https://host.example"}
    project = load_project(invoices, environment=environment, keys_needed=False)
    assert any("'API_KEY' is not set" in warning for warning in project.warnings)
    with pytest.raises(ProjectError):
        load_project(invoices, environment=environment)


def test_variables_have_defaults_and_can_be_escaped(tmp_path: Path) -> None:
    text = (
        HEAD
        + SCENARIO
        + (
            "candidates:\n- name: a\n  target: openai\n  model: ${M:-small}-${V}\n"
            "  sampling: {temperature: '${T:-0.5}'}\n  prompt: {system: 'costs $${PRICE}'}\n"
        )
    )
    candidate = load(tmp_path, text, V="2").candidates[0]
    assert candidate.model == "small-2"
    assert candidate.sampling.temperature == 0.5
    assert candidate.prompt.system == "costs ${PRICE}"


def test_includes_are_relative_to_the_file_that_names_them(tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    (parts / "prompt.txt").write_text("Be ${brief}.\n\nAlways.\n")
    (parts / "candidates.yaml").write_text(
        "- name: a\n  target: openai\n  model: m\n  prompt: {system: file:prompt.txt}\n"
        "  sampling: {file: cold.yaml, max_tokens: 5}\n"
    )
    (parts / "cold.yaml").write_text("temperature: 0\nmax_tokens: 100\n")
    (parts / "s.csv").write_text("id,input,target\n1,x,y\n")
    (parts / "scenario.yaml").write_text(
        "name: s\ndimension: knowledge\nsamples: s.csv\nscorers: [match]\n"
    )
    text = HEAD + (
        "candidates:\n- file:parts/candidates.yaml\n"
        "- {name: b, target: openai, model: n, sampling: {temperature: 1}}\n"
        "scenarios:\n- {file: parts/scenario.yaml, repeats: 2}\n"
    )
    project = load(tmp_path, text)
    first, second = project.candidates
    assert first.prompt.system == "Be ${brief}.\n\nAlways."
    assert (first.sampling.temperature, first.sampling.max_tokens) == (0, 5)
    assert second.name == "b"
    assert project.scenarios[0].spec.repeats == 2
    assert project.summaries["s"].n == 1


def test_defaults_lie_under_every_candidate_and_scenario(tmp_path: Path) -> None:
    text = HEAD + (
        "defaults:\n"
        "  candidates: {target: openai, sampling: {temperature: 0, max_tokens: 9}}\n"
        "  scenarios: {dimension: knowledge, repeats: 3, scorers: [match]}\n"
        "candidates:\n- {name: a, model: m}\n- {name: b, model: m, sampling: {temperature: 1}}\n"
        "- {name: c, model: m, sampling: {max_tokens: null}}\n"
        "scenarios:\n- {name: s, samples: [{id: '1', input: x, target: y}]}\n"
        "- {name: t, repeats: 1, samples: [{id: '1', input: z, target: y}]}\n"
    )
    project = load(tmp_path, text)
    sampled = [(c.sampling.temperature, c.sampling.max_tokens) for c in project.candidates]
    assert sampled == [(0, 9), (1, 9), (0, None)]
    assert [s.spec.repeats for s in project.scenarios] == [3, 1]


def test_a_matrix_crosses_models_prompts_and_samplings(tmp_path: Path) -> None:
    text = (
        HEAD
        + SCENARIO
        + (
            "matrix:\n"
            "  models:\n    small: {target: openai, model: s, sampling: {max_tokens: 7}}\n"
            "    big: {target: openai, model: b}\n"
            "  prompts:\n    terse: {system: Be brief.}\n    plain: {}\n"
            "  samplings:\n    cold: {temperature: 0}\n    hot: {temperature: 0.8}\n"
            "  exclude: [{model: big, sampling: hot}]\n"
        )
    )
    candidates = {c.name: c for c in load(tmp_path, text).candidates}
    assert list(candidates) == [
        "small-terse-cold",
        "small-terse-hot",
        "small-plain-cold",
        "small-plain-hot",
        "big-terse-cold",
        "big-plain-cold",
    ]
    hot = candidates["small-terse-hot"]
    assert (hot.sampling.temperature, hot.sampling.max_tokens) == (0.8, 7)
    assert hot.prompt.system == "Be brief."


def test_matrix_names_follow_a_pattern(tmp_path: Path) -> None:
    text = (
        HEAD
        + SCENARIO
        + (
            "matrix:\n- name: '{sampling}/{model}'\n"
            "  models: {m: {target: openai, model: m}}\n  samplings: {cold: {temperature: 0}}\n"
            "- models: {n: {target: openai, model: n, sampling: {temperature: 0}}}\n"
        )
    )
    assert [c.name for c in load(tmp_path, text).candidates] == ["cold/m", "n"]


def test_anchors_and_merge_keys_work_and_x_keys_are_free(tmp_path: Path) -> None:
    text = (
        HEAD
        + SCENARIO
        + (
            "x-base: &base {target: openai, model: m, sampling: {temperature: 0}}\n"
            "candidates:\n- {<<: *base, name: a}\n- {<<: *base, name: b, model: n}\n"
        )
    )
    assert [c.model for c in load(tmp_path, text).candidates] == ["m", "n"]


def test_samples_may_come_from_own_code_beside_the_project(tmp_path: Path) -> None:
    (tmp_path / "own_samples_here.py").write_text(
        "from befit.core.sample import Sample\n"
        "def make():\n"
        "    yield Sample(id='1', input='x', target='y')\n"
        "    yield {'id': '2', 'input': 'z', 'target': 'y'}\n"
    )
    samples = "samples: {python: own_samples_here:make}"
    text = (
        HEAD + CANDIDATE + SCENARIO.replace('samples: [{id: "1", input: x, target: "y"}]', samples)
    )
    before = list(sys.path)
    project = load(tmp_path, text)
    assert sys.path == before
    assert project.summaries["s"].n == 2
    assert [sample.id for sample in project.scenarios[0].samples.load()] == ["1", "2"]


def test_the_import_path_is_put_back_after_an_error(tmp_path: Path) -> None:
    before = list(sys.path)

    def fail() -> None:
        with importable(tmp_path):
            assert sys.path[0] == str(tmp_path.resolve())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert sys.path == before


def test_the_path_of_recorded_answers_is_relative_to_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "answers.jsonl").write_text("")
    candidate = "candidates: [{name: a, target: replay, options: {path: answers.jsonl}}]\n"
    (folder / "befit.yaml").write_text(HEAD + candidate + SCENARIO)
    monkeypatch.chdir(tmp_path)
    project = load_project("p", environment={})
    assert project.candidates[0].options == {"path": "p/answers.jsonl"}


WARNINGS = {
    "a key in the file": ("model: m", "model: m, api_key: sk-123", "the key stands in the file"),
    "no temperature": (", sampling: {temperature: 0}", "", "temperature is not set"),
    "no failure modes": (
        '    failure_modes: [{name: long, pattern: "..."}]\n',
        "",
        "no failure modes",
    ),
    "critical with few repeats": (
        "    scorers",
        "    critical: true\n    repeats: 2\n    scorers",
        "is critical with 2 repeat(s): stability is not measured",
    ),
    "no scorers": ("    scorers: [match]\n", "", "has no scorers"),
    "no target": (', target: "y"', "", "1 of 1 samples are unlabelled and left out"),
    "template without input": (
        "    scorers",
        "    template: Hello\n    scorers",
        "never shows {input}",
    ),
    "wording without input": (
        "    scorers",
        "    variants: [{name: other, template: Hello}]\n    scorers",
        "variant 'other' of 's' has a template that never shows {input}",
    ),
    "same input twice": (
        '"y"}]',
        '"y"}, {id: "2", input: x, target: "z"}]',
        "show a candidate the same input",
    ),
}


@pytest.mark.parametrize("name", WARNINGS)
def test_what_is_allowed_but_should_be_known_is_a_warning(name: str, tmp_path: Path) -> None:
    old, new, words = WARNINGS[name]
    text = HEAD + CANDIDATE + SCENARIO
    assert old in text
    warnings = load(tmp_path, text.replace(old, new, 1)).warnings
    assert len(warnings) == 1
    assert words in warnings[0]
    assert warnings[0].startswith(str(tmp_path / "befit.yaml") + ":")
    assert "sk-123" not in warnings[0]


def test_literal_braces_in_a_template_are_no_variables(tmp_path: Path) -> None:
    template = """    template: 'Answer {"a": 1} or {{name}} for {input}'\n    scorers"""
    text = HEAD + CANDIDATE + SCENARIO.replace("    scorers", template, 1)
    assert load(tmp_path, text).warnings == ()


def test_a_scorer_of_ones_own_lies_beside_the_project_and_names_its_metric(tmp_path: Path) -> None:
    (tmp_path / "own_scorer_here.py").write_text("def polite(output, sample):\n    return 1.0\n")
    scorer = "{python: {function: own_scorer_here:polite, name: politeness}}"
    text = HEAD + CANDIDATE + SCENARIO.replace("scorers: [match]", f"scorers: [{scorer}]")
    text += "    accept: {metrics: {politeness: 0.9}}\n"
    assert load(tmp_path, text).warnings == ()
    with pytest.raises(ProjectError, match="unknown metric 'polite'"):
        load(tmp_path, text.replace("metrics: {politeness", "metrics: {polite"))
    with pytest.raises(ProjectError, match="cannot be loaded"):
        load(tmp_path, text.replace("own_scorer_here:polite", "own_scorer_here:rude"))
