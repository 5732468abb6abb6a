from __future__ import annotations

import pytest

from befit.core.completion import Completion
from befit.core.sample import Sample
from befit.core.trial import Trial, TrialKey
from befit.scorers.vision import Vision
from befit.scorers.yes_no import read_yes_no


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Yes.", "yes"),
        ("**YES**", "yes"),
        ("Yes, no doubt.", "yes"),
        ("Yes, I think so.", "yes"),
        ("Well, yes: it fits.", "yes"),
        ("The caption fits, so yes.", "yes"),
        ("Yes, there is no mismatch.", "yes"),
        ("Answer yes or no? Yes.", "yes"),
        ("Nope", "no"),
        ("No it does not", "no"),
        ("No. Yes would be wrong.", "no"),
        ("No, the caption says yes.", "no"),
        ("It could be yes, but the answer is no", "no"),
        ("It is yes, not no.", "yes"),
        ("Ja, das passt.", "yes"),
        ("Nein, das passt nicht.", "no"),
        ("Oui.", "yes"),
        ("Sí, encaja.", "yes"),
        ("Não.", "no"),
        ("Нет, не подходит.", "no"),
        ("是的。", "yes"),
        ("不是。", "no"),
        ("はい、合っています。", "yes"),
        ("いいえ", "no"),
        ("아니요.", "no"),
        ("نعم، ينطبق", "yes"),
    ],
)
def test_the_first_clear_statement_is_the_answer(text, said):
    found = read_yes_no(text)
    assert found.said == said
    assert text[slice(*found.span)].strip()


@pytest.mark.parametrize(
    "text",
    [
        "Yes or no?",
        "Answer yes or no.",
        "I cannot say yes or no.",
        "There is no way to tell, yes or no.",
        "It is not a yes.",
        "Maybe yes, maybe no.",
        "Probably yes.",
        "Yes and no.",
        "The answer is yes and no.",
        "Yes, or rather no.",
        "Yes. No.",
        "Yes / No",
        "No way to tell.",
        "No se sabe.",
        "Ja oder nein?",
        "Is it a yes?",
    ],
)
def test_what_is_both_or_neither_or_in_doubt_is_unclear_and_never_right(text):
    for target in ("yes", "no"):
        sample = Sample(id="s", input="?", target=target, tags=("text", "retrieval"))
        done = Trial(
            key=TrialKey("c", "e", "i", "", 0), transcript=(), completions=(Completion(text=text),)
        )
        found = Vision(Vision.Options()).score(sample, done)[0]
        assert (found.value, found.label) == (0.0, "unclear")


def test_a_text_without_either_word_is_no_answer():
    found = read_yes_no("The caption shows a dog.")
    assert (found.said, found.unclear, found.span) == (None, False, None)


def test_a_long_output_is_read_in_bounded_time():
    assert read_yes_no("yes or no, " * 20_000).unclear
    assert read_yes_no("not " * 50_000 + "yes").said is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("y", "yes"),
        (" N. ", "no"),
        ("Answer: y", "yes"),
        ("It is true.", "yes"),
        ("That's correct.", "yes"),
        ("This is true, since both bars end at 7.", "yes"),
        ("The caption is incorrect.", "no"),
        ("That isn't true.", "no"),
        ("It's not the case.", "no"),
        ("Das stimmt.", "yes"),
        ("Die Aussage ist falsch.", "no"),
        ("C'est faux.", "no"),
        ("Non è vero.", "no"),
        ("Es cierto.", "yes"),
    ],
)
def test_a_letter_alone_and_a_sentence_that_it_is_true_or_false_are_answers(text, said):
    found = read_yes_no(text)
    assert found.said == said
    assert text[slice(*found.span)].strip()
    sample = Sample(id="s", input="?", target=said, tags=("text", "retrieval"))
    done = Trial(
        key=TrialKey("c", "e", "i", "", 0), transcript=(), completions=(Completion(text=text),)
    )
    assert Vision(Vision.Options()).score(sample, done)[0].label == "right"


@pytest.mark.parametrize(
    "text",
    [
        "The true value is 7.",
        "The right bar is blue.",
        "True or false?",
        "It may be true.",
        "Whether it is true cannot be seen.",
        "If it is true, the bar is blue.",
        "It is true, but I cannot see it.",
        "The axis is labelled y.",
        "n = 7",
        "N/A",
    ],
)
def test_true_right_and_letters_in_other_uses_are_none(text):
    assert read_yes_no(text).said is None


@pytest.mark.parametrize(
    ("text", "said"),
    [('{"answer": "yes"}', "yes"), ('{"fits": "No."}', "no"), ('{"answer": ""}', None)],
)
def test_json_of_one_value_says_what_its_value_says(text, said):
    assert read_yes_no(text).said == said
