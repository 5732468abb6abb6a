from __future__ import annotations

import asyncio

import pytest
from pydantic import ValidationError

from befit.core.candidate import Prompt
from befit.core.prompt_variant import PromptVariant
from befit.core.scenario import ScenarioSpec
from befit.engine.executor import execute
from befit.engine.job import pairings
from befit.engine.plan import plan
from befit.engine.plan_warnings import scenario_warnings
from befit.engine.prompt_variants import reworded
from engine_ground import RUN, Answering, candidate, fixed, job, numbered, scenario, workspace

TEMPLATE = "Give only the answer.\n{input}"


@pytest.mark.parametrize(
    ("rule", "made"),
    [
        ("order", "{input}\n\nGive only the answer."),
        ("delimiters", "Give only the answer.\n<input>\n{input}\n</input>"),
        ("format", "## Task\nGive only the answer.\n\n## Input\n{input}"),
        ("synonyms", "Provide just the reply.\n{input}"),
        (
            "politeness",
            f"Could you please help me with this?\n{TEMPLATE}\nThank you very much.",
        ),
    ],
)
def test_each_rule_changes_one_thing_about_the_form(rule, made):
    assert reworded(TEMPLATE, rule) == made


def test_names_of_variables_are_no_words():
    assert reworded("Question {question}: {text}", "synonyms") == "Query {question}: {text}"


def test_keys_and_literals_keep_their_spelling():
    template = 'Give {"answer": ...} for the question; <answer> and `list` stay, answer_id too.'
    assert reworded(template, "synonyms") == (
        'Provide {"answer": ...} for the query; <answer> and `list` stay, answer_id too.'
    )


def test_a_rule_that_changes_nothing_is_told_by_the_plan():
    spec = ScenarioSpec(name="s", dimension="x", variants=["order", "politeness"])
    warnings = scenario_warnings(spec, job([], []).settings, n_samples=1, n_unchecked=0)
    assert [w.text for w in warnings if w.code == "same_wording"] == [
        "variants that change nothing in the template: order"
    ]


def test_a_variant_is_a_rule_or_is_written_and_has_a_name_of_its_own():
    assert PromptVariant.model_validate("order").rule == "order"
    with pytest.raises(ValidationError, match="either 'rule'"):
        PromptVariant(name="x")
    with pytest.raises(ValidationError, match="either 'rule'"):
        PromptVariant(name="x", rule="order", template="{input}")
    with pytest.raises(ValidationError, match="two variants are called 'order'"):
        ScenarioSpec(name="s", dimension="x", variants=["order", "order"])


def test_every_wording_is_asked_with_a_key_of_its_own(tmp_path):
    written = {"name": "terse", "template": "A: {input}", "system": "Be brief."}
    one = job(
        [candidate(prompt=Prompt(system="Be kind."))],
        [scenario(numbered(3), template=TEMPLATE, variants=["order", written], repeats=2)],
    )
    target = Answering()
    with workspace(tmp_path, one) as store:
        outcome = asyncio.run(execute(one, store=store, targets={"a": target}))
        facts = list(store.facts(RUN))
    assert outcome.ok == 18 == plan(one).n_slots == plan(one).n_calls
    assert len({fact.key_id for fact in facts}) == 18
    assert sorted(f.variant for f in facts if f.sample_id == "s0") == sorted(
        ["", "order", "terse"] * 2
    )
    shown = {
        request.metadata["variant"]: [message.text for message in request.messages]
        for request in target.requests
        if request.metadata["sample"] == "s0"
    }
    assert shown[""] == ["Be kind.", "Give only the answer.\nquestion 0"]
    assert shown["order"] == ["Be kind.", "question 0\n\nGive only the answer."]
    assert shown["terse"] == ["Be brief.", "A: question 0"]


def test_another_text_of_a_variant_is_another_measurement():
    entry = candidate()

    def keys(template):
        variants = [{"name": "v", "template": template}]
        spec = scenario(fixed(), variants=variants).spec
        return [pairing.key_variant for pairing in pairings(entry, spec, job([], []).settings)]

    first, second = keys("A {input}"), keys("B {input}")
    assert first[0] == second[0] == ""
    assert first[1] != second[1]
    assert first[1].startswith("prompt=v#")


def test_a_scenario_without_variants_keeps_its_keys_and_its_plan():
    spec = scenario(fixed()).spec
    assert len(pairings(candidate(), spec, job([], []).settings)) == 1
    assert "variants" not in spec.model_dump(exclude_defaults=True)
