"""The match scorer: what is right, and the evidence kept for passes too."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from befit.core.protocols import Scorer
from scorer_ground import answered, scorer, scores_of, wanting
from shared_data import shared

SYSTEMS = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")


def match(text, target, **options):
    (score,) = scores_of("match", text, target, **options)
    return score


@pytest.mark.parametrize("options", [{"numeric": True, "after": "A:"}, {"numeric": True}])
def test_all_800_recorded_verdicts_on_worked_solutions_are_reproduced(options):
    judge = scorer("match", **options)
    disagreements, verdicts = [], 0
    with shared("gsm8k/example_model_solutions_first200.jsonl").open() as lines:
        for line in lines:
            item = json.loads(line)
            target = item["ground_truth"].rpartition("A:")[2].strip()
            for system in SYSTEMS:
                (score,) = judge.score(wanting(target), answered(item[system]["solution"]))
                verdicts += 1
                if (score.value == 1.0) != item[system]["is_correct"]:
                    disagreements.append((system, item["question"]))
    assert verdicts == 800
    assert disagreements == []


def test_a_number_is_not_found_inside_a_date():
    for options in ({"contains": True}, {"numeric": True}):
        assert match("2025-01-01", "20", **options).value == 0.0
        assert match("on 2025-01-01 there were 20", "20", **options).value == 1.0


@pytest.mark.parametrize("text", ["1.20", "20:15", "20/12", "A20", "20th", "v-20", "20,5"])
def test_a_contained_number_stands_alone(text):
    assert match(text, "20", contains=True).value == 0.0


def test_contained_words_are_whole_and_their_place_is_kept():
    assert match("concatenate", "cat", contains=True).value == 0.0
    text = "Im CAFE\u0301  Central!"
    score = match(text, "café central", contains=True)
    assert score.value == 1.0
    assert text[slice(*score.span)] == "CAFE\u0301  Central"
    assert match("答えは東京です", "東京", contains=True).span == (3, 5)


def test_passes_keep_answer_span_and_rule():
    score = match("So the total is $1,018.50.", 1018.5, numeric=True)
    assert (score.value, score.label, score.answer) == (1.0, "right", "1018.5 USD")
    assert "So the total is $1,018.50."[slice(*score.span)] == "$1,018.50"
    assert score.rule == "the last number of the output"


@pytest.mark.parametrize(
    ("text", "target"),
    [("**Paris.**", "paris"), (' "Yes" ', "yes"), ("\uff30aris", "Paris"), ("it’s", "it's")],
)
def test_normalised_ignores_case_width_quotes_and_decoration(text, target):
    assert match(text, target).value == 1.0


@pytest.mark.parametrize(("text", "target"), [("-5", "5"), (".5", "5"), ("Paris, TX", "Paris")])
def test_normalised_keeps_signs_points_and_inner_words(text, target):
    assert match(text, target).value == 0.0


def test_exact_tells_a_wrong_format_from_a_wrong_answer():
    assert match("Yes", "Yes", exact=True).label == "right"
    assert match("yes.", "Yes", exact=True).label == "wrong_format"
    assert match("no", "Yes", exact=True).label == "wrong"


def test_a_list_of_targets_means_any_of_them():
    assert match("B", ["a", "b"], one_of=True).value == 1.0
    assert match("c", ["a", "b"], one_of=True).value == 0.0
    assert match("y", None, one_of=["yes", "y"]).value == 1.0


def test_without_a_target_nothing_is_scored():
    assert match("x", None).value is None
    assert match("x", None).label == "no_target"
    assert match("x1", None, regex=r"\d").value == 1.0
    assert scorer("match", regex="x").needs_target is False


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_output_is_no_answer_and_wrong(text):
    assert (match(text, "x").value, match(text, "x").label) == (0.0, "no_answer")


@pytest.mark.parametrize(
    ("text", "target", "numeric", "label"),
    [
        ("1.234,50 €", 1234.5, {"locale": "de"}, "right"),
        ("1.234,50 €", 1234.5, {"locale": "en"}, "no_answer"),
        ("1 234,50", 1234.5, {"locale": "fr"}, "right"),
        ("1'234.50", 1234.5, {"locale": "de-CH"}, "right"),
        ("12,34,567", 1234567, {"locale": "en-IN"}, "right"),
        ("12,34,567", 1234567, {}, "no_answer"),
        ("85 %", "85%", {}, "right"),
        ("85%", 0.85, {"percent": "fraction"}, "right"),
        ("85%", 0.85, {}, "wrong"),
        ("18 euros", "$18", {}, "wrong_unit"),
        ("18", "$18", {}, "right"),
        ("18", "$18", {"unit": "required"}, "wrong_unit"),
        ("5000 g", "5 kg", {"units": {"kg": 1, "g": 0.001}}, "right"),
        ("5 g", "5 kg", {}, "wrong_unit"),
        ("5 kilograms", "5 kg", {}, "right"),
        ("6 million", 6_000_000, {}, "right"),
        ("100.9", 100, {"tolerance": {"relative": 0.01}}, "right"),
        ("101.1", 100, {"tolerance": {"relative": 0.01}}, "wrong"),
        ("3.15", 3.14, {"tolerance": 0.01}, "right"),
        ("\u22125", -5, {}, "right"),
        ("18.0", 18, {}, "right"),
        ("GPT-4 and 12/30", 4, {}, "no_answer"),
        ("1e3", 1000, {}, "right"),
    ],
)
def test_numbers_are_read_in_the_declared_locale_with_their_units(text, target, numeric, label):
    assert match(text, target, numeric=numeric).label == label


@pytest.mark.parametrize(
    ("text", "options", "answer"),
    [
        ("Answer: 7. It took 3 steps.", {}, "7"),
        ("It took 3 steps: 7", {}, "7"),
        ("\\boxed{\\text{so } 7} in 3 steps", {}, "7"),
        ("The answer is 3 + 4 = 7", {}, "7"),
        ("Answer: 7. It took 3 steps.", {"where": "last_number"}, "3"),
        ("7\nsteps: 3", {"where": "first_line"}, "7"),
        ("steps: 3\n\n7 \n", {"where": "last_line"}, "7"),
        ("#### 7\nor 3", {"after": "####"}, "7"),
        ("Result:\n**7**\n3", {"after": "result"}, "7"),
    ],
)
def test_the_answer_is_looked_for_where_the_options_say(text, options, answer):
    score = match(text, 7, numeric=True, **options)
    assert score.answer == answer
    assert text[slice(*score.span)] == answer


def test_a_missing_marker_is_a_wrong_format():
    assert match("18", 18, numeric=True, after="####").label == "wrong_format"
    assert match("yes", "yes", after="Answer:").label == "wrong_format"
    assert match("18 eggs", 18, numeric=True, where="whole").label == "wrong_format"


def test_an_unreadable_target_is_unscored():
    assert match("5", "five", numeric=True).value is None
    assert match("5", "(", regex=True).value is None


@pytest.mark.parametrize(
    ("text", "letter", "label"),
    [
        ("B", "B", "right"),
        ("(b)", "B", "right"),
        ("**B**", "B", "right"),
        ("The answer is (B).", "B", "right"),
        ("A) x\nB) y\nAnswer: **B**", "B", "right"),
        ("I thought of A, but the correct answer is B) Paris", "B", "right"),
        ("B) Paris", "B", "right"),
        ("The answer is:\n\nB", "B", "right"),
        ("\\boxed{B}", "B", "right"),
        ("答えはBです", "B", "right"),
        ("La respuesta correcta es B", "B", "right"),
        ("Die richtige Antwort ist B.", "B", "right"),
        ("After thinking, it must be B", "B", "right"),
        ("The answer is (A).", "A", "wrong"),
        ("Either A or B.", None, "ambiguous"),
        ("The answer is a bit complicated", None, "no_answer"),
        ("A cat sat.", None, "no_answer"),
    ],
)
def test_a_letter_is_read_out_of_words(text, letter, label):
    score = match(text, "B", choice=True)
    assert (score.answer, score.label) == (letter, label)
    if letter:
        assert text[slice(*score.span)].upper() == letter


@pytest.mark.parametrize(
    "options",
    [
        {"numeric": True, "exact": True},
        {"mode": "exact", "numeric": True},
        {"mode": "fuzzy"},
        {"regex": "("},
        {"regex": 5},
        {"numeric": {"locale": "xx"}},
        {"where": "after"},
        {"where": "last_number"},
        {"contains": 5},
        {"tolerence": 1},
    ],
)
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(ValidationError):
        scorer("match", **options)


def test_equal_numbers_have_equal_answers_and_other_texts_other_ones():
    assert match("$18.00", 1, numeric=True).answer == match("18 dollars", 1, numeric=True).answer
    long = "x" * 10_000
    assert match(long + "a", "y").answer != match(long + "b", "y").answer
    assert len(match(long, "y").answer) < 600


def test_the_version_changes_with_the_options():
    assert scorer("match").version == scorer("match").version
    assert scorer("match").version != scorer("match", exact=True).version


@pytest.mark.parametrize("name", ["match", "structure"])
def test_scorers_follow_the_protocol(name):
    assert isinstance(scorer(name), Scorer)
