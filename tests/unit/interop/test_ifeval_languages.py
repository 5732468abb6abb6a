"""Spanish, French and Japanese IFEval families, on answers written by hand for each."""

from __future__ import annotations

import json

import pytest

from befit.errors import DataError
from befit.interop.ifeval import checks, instructions, verdicts
from constraint_cases import cases, scored, value
from shared_data import shared

CASES = [case for language in ("es", "fr", "ja") for case in cases(language)]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_what_follows_holds_and_what_breaks_does_not(case):
    asked = instructions(case["id"], case["kwargs"])
    follows = scored(case["follows"], *asked)
    breaks = scored(case["breaks"], *asked)

    assert value(follows, "constraints") == 1.0, [s.explanation for s in follows]
    assert value(breaks, "constraints") == 0.0, [s.explanation for s in breaks]


@pytest.mark.parametrize("language", ["es", "fr", "ja"])
def test_every_family_of_the_published_sets_has_a_case(language):
    published = set()
    for line in shared(f"ifeval/{language}_input_data.jsonl").read_text("utf-8").splitlines():
        published.update(json.loads(line)["instruction_id_list"])

    assert published == {case["id"] for case in cases(language)}


def test_an_unknown_instruction_is_named():
    with pytest.raises(DataError, match="en:mood:cheerful"):
        instructions("en:mood:cheerful", {})


def test_an_id_without_language_is_english():
    assert instructions("startend:quotation", {}) == instructions("en:startend:quotation", {})


def test_an_instruction_of_two_parts_gives_one_verdict():
    record = {
        "prompt": "p",
        "instruction_id_list": ["en:change_case:english_lowercase", "en:punctuation:no_comma"],
        "kwargs": [{}, {}],
    }
    ids = [one["id"] for one in checks(record).options["instructions"]]

    assert ids == ["1:all_lowercase", "1:language", "2:no_comma"]
    assert verdicts([(ids[0], True), (ids[1], False), (ids[2], True)]) == [False, True]
