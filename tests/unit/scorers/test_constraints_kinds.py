"""Every kind of instruction with an answer that follows it and one that breaks it."""

from __future__ import annotations

from typing import get_args

import pytest

from befit.scorers.instructions.kinds import AnyInstruction
from constraint_cases import cases, scored, value

OWN = cases("own")
KINDS = {m.model_fields["kind"].default for m in get_args(get_args(AnyInstruction)[0])}


@pytest.mark.parametrize("case", OWN, ids=lambda c: f"{c['instruction']['kind']}")
def test_what_follows_holds_and_what_breaks_does_not(case):
    follows = scored(case["follows"], case["instruction"])
    breaks = scored(case["breaks"], case["instruction"])

    assert value(follows, "constraints") == 1.0, follows[2].explanation
    assert value(breaks, "constraints") == 0.0, breaks[2].explanation


def test_every_kind_has_a_case():
    assert {case["instruction"]["kind"] for case in OWN} == KINDS


@pytest.mark.parametrize("case", OWN, ids=lambda c: f"{c['instruction']['kind']}")
def test_a_finding_says_what_was_found_and_its_span_lies_in_the_answer(case):
    for text in (case["follows"], case["breaks"]):
        part = scored(text, case["instruction"])[2]
        assert part.explanation
        assert part.rule.startswith(case["instruction"]["kind"])
        if part.span is not None:
            assert 0 <= part.span[0] <= part.span[1] <= len(text)
