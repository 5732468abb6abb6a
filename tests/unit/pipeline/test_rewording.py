"""Wordings by a model: asked once, checked, frozen by name, and run as they were frozen."""

from __future__ import annotations

import pytest

from befit.config.load import load_project
from befit.core.prompt_variant import PromptVariant, template_print
from befit.errors import ProjectError, UsageError
from befit.pipeline.planning import plan_project
from befit.pipeline.rewording import freeze, propose, read_wording
from befit.pipeline.running import run_project
from befit.storage.workspace import Workspace
from cli_ground import befit

MODEL = """
CALLS = []
WORDINGS = {
    "short": "<prompt>Total of the invoice, only the number?\\n{input}</prompt>",
    "official": "So: <prompt>\\nState only the number: total of the invoice.\\n{input}\\n</prompt>",
    "everyday": "<prompt>Add up the invoice.\\n{input}</prompt>",
    "one after": "<prompt>Only the number, please: total of the invoice?</prompt>",
}


def answer(prompt):
    CALLS.append(prompt)
    if "<prompt>" in prompt:
        assert "{input}" in prompt
        return next((said for word, said in WORDINGS.items() if word in prompt), "I cannot.")
    return "120"
"""
PROJECT = """
project: words
candidates: [{name: m, target: function, model: "MODULE:answer", sampling: {temperature: 0}}]
scenarios:
  - name: the totals
    dimension: reasoning
    repeats: 1
    success: The total.
    failure_modes: [{name: other, pattern: "."}]
    template: "Give only the number: what is the total of this invoice?\\n{input}"
    VARIANTS
    scorers: [match]
    samples: [{id: i1, input: "Total 120 EUR", target: "120"}]
"""
FILE = "variants/the-totals.yaml"


@pytest.fixture
def folder(tmp_path, monkeypatch, request):
    module = f"wording_{abs(hash(request.node.name))}"
    (tmp_path / f"{module}.py").write_text(MODEL)
    monkeypatch.syspath_prepend(str(tmp_path))
    write(tmp_path, module, "")
    return tmp_path, module


def write(folder, module, variants, prompt="Give only the number"):
    text = PROJECT.replace("MODULE", module).replace("VARIANTS", variants)
    (folder / "befit.yaml").write_text(text.replace("Give only the number", prompt))


def proposed(folder, n=4):
    with Workspace.open(folder / "own") as own:
        return propose(load_project(folder), own, scenario="the totals", by="m", n=n)


def test_each_wording_is_checked_and_asking_again_costs_nothing(folder):
    place, module = folder
    found = proposed(place)
    told = {one.name: [doubt.text for doubt in one.doubts] for one in found.found}
    assert told["short"] == []
    assert told["formal"] == []
    assert "'only what is asked' is lost" in told["plain"]
    assert told["stepwise"] == ["{input} stands there 0 times instead of 1"]
    calls = __import__(module).CALLS
    assert len(calls) == 4
    assert [one.template for one in proposed(place).found] == [one.template for one in found.found]
    assert len(calls) == 4


def test_what_was_confirmed_is_frozen_and_runs_and_nothing_else(folder):
    place, module = folder
    made = freeze(proposed(place), ["formal"], place / FILE)
    assert [one.name for one in made] == ["formal"]
    write(place, module, f"variants: [politeness, {{file: {FILE}}}]")
    project = load_project(place)
    (_, variant) = project.scenarios[0].spec.variants
    assert variant.template == "State only the number: total of the invoice.\n{input}"
    assert (variant.written_by, variant.made_from) == (
        f"m ({module}:answer)",
        template_print(project.scenarios[0].spec.template),
    )
    with Workspace.open(place / "main") as workspace:
        run_project(project, workspace)
    asked = __import__(module).CALLS
    assert "State only the number: total of the invoice.\nTotal 120 EUR" in asked


@pytest.mark.parametrize(("name", "why"), [("plain", "is lost"), ("shortt", "did you mean")])
def test_what_has_doubts_or_is_unknown_cannot_be_frozen(folder, name, why):
    place, _ = folder
    with pytest.raises(UsageError) as caught:
        freeze(proposed(place), ["short", name], place / FILE)
    assert why in caught.value.why
    assert not (place / FILE).exists()


def test_a_prompt_that_has_changed_since_is_told_by_the_plan(folder):
    place, module = folder
    freeze(proposed(place), ["short"], place / FILE)
    for prompt, strange in (("Give only the number", False), ("Only the number", True)):
        write(place, module, f"variants: [{{file: {FILE}}}]", prompt)
        with Workspace.open(place / "main") as workspace:
            warnings = plan_project(load_project(place), workspace).warnings
        told = any("made from another template than this one: short" in one for one in warnings)
        assert told is strange


def test_a_models_wording_that_nobody_confirmed_is_refused(folder):
    place, module = folder
    write(place, module, 'variants: [{name: x, template: "a {input}", written_by: m}]')
    with pytest.raises(ProjectError, match="nobody has confirmed"):
        load_project(place)
    assert PromptVariant(name="x", template="a").written_by is None


@pytest.mark.parametrize(
    ("said", "wording"),
    [
        ("<prompt>a</prompt>", "a"),
        ("First <PROMPT>a</PROMPT>, better:\n<prompt>\nb\n</prompt> Done.", "b"),
        ("  c {input}\n", "c {input}"),
    ],
)
def test_a_wording_is_read_from_between_the_marks(said, wording):
    assert read_wording(said) == wording


def test_the_verb_shows_doubts_and_freezes_what_is_confirmed(folder):
    place, _ = folder
    words = ["variants", "the totals", "--by", "m", "-n", "4", "--project", str(place)]
    first = befit(*words)
    assert first.code == 0
    assert "✕ stepwise" in first.out
    assert "placeholder: {input} stands there 0 times instead of 1" in first.out
    assert "--confirm short --confirm formal" in first.err
    assert not (place / FILE).exists()
    second = befit(*words, "--confirm", "short", "--json")
    assert second.code == 0
    assert second.data["frozen"] == ["short"]
    assert "name: short" in (place / FILE).read_text()


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["shrt"], "did you mean 'short'?"),
        (["nope", "never"], "no wording is called 'nope', 'never', so none can be confirmed"),
        (["questioning"], "add -n 7"),
    ],
)
def test_what_cannot_be_confirmed_is_refused_before_a_model_is_asked(folder, names, words):
    place, module = folder
    options = [word for name in names for word in ("--confirm", name)]
    ended = befit("variants", "the totals", "--by", "m", "-p", place, *options)
    assert (ended.code, words in ended.err) == (2, True), ended.err
    assert "leave out --confirm" in ended.err or "add -n" in ended.err
    assert __import__(module).CALLS == []


def test_a_wording_the_model_did_not_give_is_told_from_those_it_gave(folder, tmp_path):
    place, _ = folder
    found = proposed(place, n=2)
    with pytest.raises(UsageError, match="the model has given: short, formal"):
        freeze(found, ["detailed"], tmp_path / "out.yaml")
    assert not (tmp_path / "out.yaml").exists()
    assert [one.name for one in freeze(found, ["short", "short"], tmp_path / "out.yaml")] == [
        "short"
    ]


def test_a_wording_without_end_is_refused_in_one_line_and_cannot_be_frozen(folder):
    place, module = folder
    endless = "<prompt>Only the number: total of the invoice? " + "More. " * 5_000 + "{input}"
    __import__(module).WORDINGS["short"] = endless + "</prompt>"
    ended = befit("variants", "the totals", "--by", "m", "-n", "1", "-p", place)
    (line,) = [line for line in ended.out.splitlines() if "wording:" in line]
    assert line.startswith("  wording: it has 30,046 characters, and at most 456 are taken")
    assert len(ended.out) < 1_000
    with pytest.raises(UsageError, match="does not ask for the same") as caught:
        freeze(proposed(place, n=1), ["short"], place / FILE)
    assert "30,046 characters" in caught.value.why
    assert not (place / FILE).exists()
