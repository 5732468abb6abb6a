from __future__ import annotations

import pytest
from pydantic import ValidationError

from befit.core.sample import Sample
from befit.scorers.generation import Generation
from befit.scorers.summary import Summary
from scorer_ground import answered, named

SOURCE = (
    "On 12 May 2026 the board in Vienna agreed to raise prices by 4.5 % from 1 July. The fund"
    " holds 1,250,000 EUR. Ms Berger voted against it. Three members were absent."
)
TARGET = {
    "facts": [{"id": "date", "text": ["12 May", "May 12"]}, "4.5 %", "Vienna"],
    "absent": ["unanimously"],
    "length": {"words": 30},
}
GOOD = "On May 12 the board in Vienna raised prices by 4.5 %; the fund holds EUR 1.250.000."


def summary(text, target=TARGET, /, **options):
    scorer = Summary(Summary.Options.model_validate(options))
    return list(scorer.score(Sample(id="s", input=SOURCE, target=target), answered(text)))


def generation(text, target, /, **options):
    scorer = Generation(Generation.Options.model_validate(options))
    return list(scorer.score(Sample(id="s", input=SOURCE, target=target), answered(text)))


def whole(found, name):
    score = named(found, name)
    return score.value, score.label


def test_a_summary_with_its_facts_in_any_form_is_right():
    found = summary(GOOD)
    assert whole(found, "summary") == (1.0, "right")
    assert whole(found, "facts_kept") == (1.0, "right")
    assert whole(found, "length_ok") == (1.0, "right")


@pytest.mark.parametrize(
    ("text", "label", "why"),
    [
        (GOOD.replace("Vienna", "town"), "missed", "missed: fact 3"),
        (f"{GOOD} All agreed unanimously.", "invented", "'unanimously'"),
        (f"{GOOD} It is up from 3.9 %.", "invented_number", None),
        (GOOD.replace("4.5 %", "5.4 %") + " So 4.5 %.", "invented_number", "'5.4'"),
        (f"{GOOD} {'and so on ' * 10}", "too_long", None),
        ("", "no_answer", None),
    ],
)
def test_each_fault_of_a_summary_has_its_name(text, label, why):
    found = summary(text)
    assert whole(found, "summary") == (0.0, label)
    if why:
        assert why in named(found, "summary").explanation


def test_small_counts_lists_and_derived_numbers_are_not_invented():
    text = "1. On May 12 in Vienna: 4.5 %.\n2. 3 members were absent.\n11. From 1 July.\n47 in all."
    assert whole(summary(text), "none_invented") == (0.0, "invented_number")
    assert named(summary(text), "none_invented").explanation == "not in the source: '47'"
    assert whole(summary(text, {**TARGET, "derived": ["47"]}), "none_invented")[0] == 1.0
    assert whole(summary(f"{GOOD} 99", numbers=False), "summary") == (1.0, "right")


@pytest.mark.parametrize(
    ("source", "said", "foreign"),
    [
        ("It holds 3.5 million EUR.", "It holds 3,500,000 EUR.", None),
        ("It holds 3,500,000 EUR.", "It holds 3.5 million EUR.", None),
        ("It holds 3,500,000 EUR.", "Es sind 3,5 Mio. Euro.", None),
        ("In million EUR: 3.5", "It holds 3.5 million EUR.", None),
        ("It holds 3.5 million EUR.", "In million EUR: 3.5", None),
        ("It holds 1.5 million EUR.", "It holds 1.5 billion EUR.", "'1.5'"),
        ("It holds 35万元。", "It holds 350,000 yuan.", None),
        ("Signed on 12.5.2026.", "Signed on 12 May 2026.", None),
        ("Signed on 12 May 2026.", "Signed on 12.5.2026.", None),
        ("Signed on 12 November 2026.", "Signed on 2026-11-12.", None),
        ("Signed on 12 May 2026.", "Signed on 13.5.2026.", "'13'"),
        ("Signed on 12 May 2026.", "Signed on May 12 2026.", None),
        ("It took 2024 300 days.", "In 2024, 300 days.", None),
    ],
)
def test_a_number_written_another_way_is_not_invented(source, said, foreign):
    sample = Sample(id="s", input=source, target={"facts": [said.split()[0]]})
    found = Summary(Summary.Options()).score(sample, answered(said))
    check = named(found, "none_invented")
    assert check.value == float(foreign is None)
    assert check.explanation == (foreign and f"not in the source: {foreign}")


def test_a_copy_of_the_source_is_no_summary_of_it():
    source = f"{SOURCE} {SOURCE} {SOURCE}"
    sample = Sample(id="s", input=source, target={"facts": ["Vienna"]})
    scorer = Summary(Summary.Options())
    found = scorer.score(sample, answered(source))
    assert whole(found, "summary") == (0.0, "too_long")
    assert whole(scorer.score(sample, answered("The board met in Vienna.")), "summary")[0] == 1.0


@pytest.mark.parametrize("kind", [Summary, Generation])
def test_a_slip_in_the_key_of_a_target_is_told_and_not_left_out(kind):
    scorer = kind(kind.Options())
    target = {"facts": ["Vienna"], "abscent": ["unanimously"]}
    assert scorer.target_problem(target) == "unknown key 'abscent': did you mean 'absent'?"
    sample = Sample(id="s", input=SOURCE, target=target)
    (score,) = scorer.score(sample, answered("Vienna, unanimously."))
    assert (score.value, score.label) == (None, "bad_target")
    # Another scorer of the same sample may need a key of its own.
    assert scorer.target_problem({"facts": ["Vienna"], "passages": {}}) is None


def test_length_may_be_a_share_of_the_source_and_counts_characters_of_chinese():
    limits = {"facts": ["Vienna"], "length": {"share": 0.1}}
    # The source has 33 words, of which a tenth are 3.
    assert whole(summary("Prices in Vienna", limits), "length_ok")[0] == 1.0
    assert whole(summary("Higher prices in Vienna", limits), "length_ok") == (0.0, "too_long")
    chinese = {"facts": ["维也纳"], "length": {"words": 7}}
    assert named(summary("维也纳提价了", chinese), "length_ok").answer == 6


LETTER = {
    "facts": ["12 May"],
    "untouched": ["The seller is liable for defects.", "Courts of Vienna."],
    "changed": ["we regret to inform you"],
    "constraints": [{"kind": "words", "at_most": 25}],
}
DRAFT = "From 12 May prices rise.\nThe seller is liable\nfor defects. Thank you. Courts of Vienna."


def test_a_text_that_holds_all_that_was_asked_is_right():
    found = generation(DRAFT, LETTER)
    assert whole(found, "generation") == (1.0, "right")
    for name in ("facts_kept", "untouched", "changed", "constraints_held"):
        assert whole(found, name)[0] == 1.0


@pytest.mark.parametrize(
    ("text", "side", "value", "label"),
    [
        (DRAFT.replace("12 May", "May"), "facts_kept", 0.0, "missed"),
        (DRAFT.replace("liable", "responsible"), "untouched", 0.5, "touched"),
        (f"Courts of Vienna. {DRAFT[:-18]}", "untouched", 0.5, "moved"),
        (f"We regret to inform you: {DRAFT}", "changed", 0.0, "not_changed"),
        (f"{DRAFT} {'Best wishes. ' * 10}", "constraints_held", 0.0, "not_followed"),
    ],
)
def test_each_fault_of_a_written_text_has_its_name(text, side, value, label):
    found = generation(text, LETTER)
    assert whole(found, side) == (value, label)
    assert whole(found, "generation") == (0.0, label)


def test_a_target_that_asks_nothing_or_cannot_be_read_leaves_it_unscored():
    assert whole(generation(DRAFT, {}), "generation") == (None, "no_target")
    broken = {"constraints": [{"kind": "no such kind"}]}
    assert whole(generation(DRAFT, broken), "generation") == (None, "bad_target")
    assert whole(summary(GOOD, {"facts": []}), "summary") == (None, "no_target")


def test_instructions_of_the_scenario_are_checked_when_the_scorer_is_made():
    with pytest.raises(ValidationError):
        Generation(Generation.Options(constraints=({"kind": "no such kind"},)))
