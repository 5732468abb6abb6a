"""A variant that is the prompt as it is costs as much as any and tells nothing: it is not asked."""

from __future__ import annotations

import pytest

from befit.config.load import load_project

PROJECT = """
project: wordings
candidates:
  - {name: a, target: function, model: "operator:neg", sampling: {temperature: 0}}
  - {name: b, target: function, model: "operator:pos", sampling: {temperature: 0}OWN}
scenarios:
  - name: s
    dimension: reasoning
    template: TEMPLATE
    variants: [order, politeness, synonyms]
    repeats: 3
    success: right
    failure_modes: [{name: none, pattern: '^$'}]
    samples: [{id: q1, input: x, target: x}, {id: q2, input: y, target: y}]
    scorers: [match]
"""


def loaded(folder, template, own=""):
    text = PROJECT.replace("TEMPLATE", template).replace("OWN", own)
    (folder / "befit.yaml").write_text(text)
    project = load_project(folder)
    told = [text for text in project.warnings if "it is not asked" in text]
    return [one.name for one in project.scenarios[0].spec.variants], told


def test_rules_that_change_nothing_are_told_of_and_not_asked(tmp_path):
    kept, told = loaded(tmp_path, '"{input}"')
    assert kept == ["politeness"]
    assert ["'order'" in told[0], "'synonyms'" in told[1], len(told)] == [True, True, 2]


@pytest.mark.parametrize(
    ("template", "own"),
    [
        ('"Answer the question: {input}"', ""),
        # b is shown another template, in which both rules find something to change
        ('"{input}"', ', prompt: {templates: {s: "Answer the question: {input}"}}'),
    ],
)
def test_what_changes_the_prompt_of_one_candidate_is_asked(tmp_path, template, own):
    assert loaded(tmp_path, template, own) == (["order", "politeness", "synonyms"], [])
