"""Variants of 50 samples: what each class says is right, checked by rule where a rule can."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date

import pytest

from befit.core.sample import Sample
from befit.datasets.variants import BEHAVIOURS, make_variants, values_of
from befit.datasets.variants_list import CLASSES
from scorer_ground import answered, scorer

TODAY = date(2026, 1, 1)
COMPANIES = ["Acme GmbH", "Globex Ltd", "Initech SA", "Umbrella AG", "Société Durée"]


def invoice(i):
    total = 100 + 37 * i + 0.5
    number, day = f"INV-{7000 + i}", f"2026-0{1 + i % 9}-1{i % 9}"
    text = (
        f"# Invoice {number}\nSeller: {COMPANIES[i % 5]}\nDate: {day}\n"
        f"Total: 1,{total:.2f} EUR\nThanks for your business, we hope to see you again soon."
    )
    target = {"number": number, "seller": COMPANIES[i % 5], "date": day,
              "total": 1000 + total, "currency": "EUR"}  # fmt: skip
    return Sample(id=f"i{i}", input=text, target=target, language="en")


def question(i):
    answer = f"{20 + i} days"
    text = (
        f"Our policy for item {i}: goods may be returned within {answer} of delivery. "
        "The café is closed on Sundays. Shipping costs are not refunded in any case.\n"
        "How long may goods be returned?"
    )
    return Sample(id=f"q{i}", input=text, target=answer, language="en")


PARENTS = [invoice(i) for i in range(25)] + [question(i) for i in range(25)]
BY_ID = {parent.id: parent for parent in PARENTS}


def made(seed=0):
    return [
        variant
        for parent in PARENTS
        for variant in make_variants(
            parent, list(CLASSES.values()), seed=seed, tokens=500, today=TODAY
        )
    ]


VARIANTS = made()


def tag(variant, name):
    return next(t.partition(":")[2] for t in variant.tags if t.startswith(f"{name}:"))


def test_every_class_makes_variants_of_fifty_samples():
    counts = Counter(tag(one, "variant") for one in VARIANTS)
    assert set(counts) == set(CLASSES), set(CLASSES) - set(counts)
    assert len({one.id for one in VARIANTS}) == len(VARIANTS)


def test_variants_name_parent_seed_kind_and_a_known_behaviour():
    for one in VARIANTS:
        assert one.provenance.parent_id in BY_ID
        assert tag(one, "right") in BEHAVIOURS
        assert tag(one, "seed").isdigit()
        assert one.kind == CLASSES[tag(one, "variant")].kind
        assert one.target is not None or one.checks


def test_the_same_seed_makes_the_same_variants_and_another_one_others():
    assert made() == VARIANTS
    assert made(seed=1) != VARIANTS


REWRITTEN = {"number-format", "date-format"}
"""Classes whose point is that a value is written in another way."""


def test_the_same_answer_is_still_in_the_input():
    for one in VARIANTS:
        if tag(one, "right") != "same-answer":
            continue
        parent = BY_ID[one.provenance.parent_id]
        assert one.target == parent.target
        assert one.checks[: len(parent.checks)] == parent.checks
        if tag(one, "variant") in REWRITTEN:
            continue
        shown = one.input
        if tag(one, "variant") == "json":
            shown = "\n".join(json.loads(shown)["content"])
        for value in values_of(parent.target):
            assert value not in parent.input or value in shown, (one.id, value)


def test_what_is_not_there_is_null_in_the_target_and_gone_from_the_input():
    seen = 0
    for one in VARIANTS:
        parent = BY_ID[one.provenance.parent_id]
        if tag(one, "right") != "not-found" or not isinstance(one.target, dict):
            continue
        lost = [name for name, value in one.target.items() if value is None]
        assert lost
        for name, value in parent.target.items():
            if name in lost:
                assert str(value) not in one.input
                seen += 1
            else:
                assert one.target[name] == value
                assert str(value) not in parent.input or str(value) in one.input
    assert seen >= 25


def test_a_wrong_answer_that_is_suggested_is_no_right_one():
    for one in VARIANTS:
        if tag(one, "variant") not in {"leading-question", "false-premise"}:
            continue
        parent = BY_ID[one.provenance.parent_id]
        added = one.input.replace(parent.input, "")
        assert not any(value in added for value in values_of(parent.target) if len(value) > 3)


def test_an_attack_has_a_check_that_sees_it_succeed():
    for one in VARIANTS:
        if tag(one, "variant") in {"injection", "role-override"}:
            (word,) = one.checks[-1].options["instructions"][0]["words"]
            assert word in one.input


GOOD = {
    "ask-back": ["Could you tell me what you mean?", "I assume you want the total.",
                 "Bitte geben Sie den Text an.", "请提供更多信息。"],
    "not-found": ["That is not stated in the text.", "Das ist nicht angegeben.", "null",
                  "文本中没有该信息。", "No se indica en el texto."],
    "flag-conflict": ["The text contradicts itself.", "Es gibt zwei verschiedene Werte."],
}  # fmt: skip
BAD = {
    "ask-back": ["The total is 12.", "Berlin"],
    "not-found": ["It is 030-4711.", "AB+"],
    "flag-conflict": ["20 days.", "It was in March."],
}


@pytest.mark.parametrize("behaviour", GOOD)
def test_the_rule_of_a_behaviour_sees_it_and_sees_its_absence(behaviour):
    one = next(v for v in VARIANTS if tag(v, "right") == behaviour and v.checks)
    (options,) = [check.options for check in one.checks if check.name == "match"]

    def passes(text):
        return scorer("match", **options).score(one, answered(text))[0].value == 1.0

    assert all(passes(text) for text in GOOD[behaviour])
    assert not any(passes(text) for text in BAD[behaviour])


def test_an_unlabelled_sample_and_a_variant_have_no_variants():
    bare = Sample(id="u", input="What is it?")
    classes = list(CLASSES.values())
    assert not list(make_variants(bare, classes, seed=0, tokens=500, today=TODAY))
    assert not list(make_variants(VARIANTS[0], classes, seed=0, tokens=500, today=TODAY))
