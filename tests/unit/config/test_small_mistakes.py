"""Small mistakes in a project file: one line each, in words that fit, before any call."""

from __future__ import annotations

import pytest

from befit.cli.doctor_view import examine
from befit.config.load import load_project
from befit.errors import ProjectError

PROJECT = """\
project: p
candidates:
  - {name: a, target: openai, model: m, price: {input: 1, output: 1}}
scenarios:
  - name: s
    dimension: reasoning
    samples: [{id: one, input: x, target: y}]
    scorers: [match]
    repeats: 3
run: {seed: 7}
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (PROJECT[PROJECT.index("scenarios:") :], "scenarios: []\n", "there are no scenarios"),
        ("[{id: one, input: x, target: y}]", "[]", "there are no samples"),
        ("[{id: one, input: x, target: y}]", ".", "'.' is a folder, not a sample file"),
        ("input: x", "input: []", "'input' is an empty list"),
        ("repeats: 3", "repeats: true", "repeats must be a number, not true or false"),
        ("repeats: 3", "repeats: 100000000", "repeats must be less than or equal to 10000"),
        ("seed: 7", f"seed: {10**25}", f"run.seed '{10**25}' is too large a number"),
        ("input: 1,", "input: -1,", "price.input must be greater than or equal to 0"),
    ],
)
def test_a_small_mistake_is_one_line(tmp_path, monkeypatch, old, new, told):
    assert old in PROJECT
    (tmp_path / "befit.yaml").write_text(PROJECT.replace(old, new))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ProjectError) as caught:
        load_project(".")
    assert len(caught.value.problems) == 1, str(caught.value)
    assert told in str(caught.value)


def test_true_is_taken_where_true_or_false_is_due(tmp_path):
    text = PROJECT.replace("repeats: 3", "repeats: 3\n    critical: true")
    (tmp_path / "befit.yaml").write_text(text)
    assert load_project(tmp_path).scenarios[0].spec.critical is True


@pytest.mark.parametrize(
    ("old", "new", "do"),
    [
        ("    dimension", "   dimension", "line up the keys"),
        ("repeats: 3", "repeats: often", "write a whole number"),
        ("[{id: one, input: x, target: y}]", "none.jsonl", "check the path"),
        ("input: 1,", "input: -1,", "give a value that fits"),
        ("run: {", "policy: {gates: [{metric: pass_rate, floor: .nan}]}\nrun: {", "use a number"),
        ("openai, model: m,", "local, model: m,", "known: smollm2-135m"),
    ],
)
def test_a_small_mistake_says_what_to_do(tmp_path, monkeypatch, old, new, do):
    assert old in PROJECT
    (tmp_path / "befit.yaml").write_text(PROJECT.replace(old, new))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ProjectError) as caught:
        load_project(".")
    assert len(caught.value.problems) == 1, str(caught.value)
    assert do in caught.value.problems[0].do


def test_a_path_of_a_local_model_is_not_looked_for_when_the_project_is_read(tmp_path):
    text = PROJECT.replace("openai, model: m,", "local, model: /elsewhere/own.gguf,")
    (tmp_path / "befit.yaml").write_text(text)
    assert load_project(tmp_path).candidates[0].model == "/elsewhere/own.gguf"


def test_doctor_names_the_variable_that_the_key_asks_for(tmp_path, monkeypatch):
    monkeypatch.delenv("NOT_SET_VAR", raising=False)
    text = PROJECT.replace("model: m,", 'model: m, api_key: "${NOT_SET_VAR}",')
    (tmp_path / "befit.yaml").write_text(text)
    checks = [one for one in examine(tmp_path, call=False) if one.name == "key a"]
    assert [(one.state, one.do) for one in checks] == [
        ("weak", "set NOT_SET_VAR in the environment")
    ]
