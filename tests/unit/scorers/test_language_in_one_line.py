"""Two languages in one line, no text at all, a prompt given back: not the language asked."""

from __future__ import annotations

import pytest

from befit.core.completion import Completion
from befit.core.message import Message
from befit.core.sample import Sample
from befit.core.trial import Trial, TrialKey
from befit.scorers.language import Language
from scorer_ground import answered, named

SAID = {
    "en": "I added all the books that were bought and received to the first number.",
    "de": "Ich habe alle gekauften und erhaltenen Bücher zur ersten Zahl hinzugezählt.",
    "fr": "J'ai ajouté tous les livres achetés et reçus au premier nombre de livres.",
    "es": "Sumé todos los libros comprados y recibidos al número inicial de libros.",
    "zh": "我把买来的和收到的书全部加到最初的数量上。",
    "ja": "買った本と受け取った本をすべて最初の数に足しました。",
    "ar": "أضفت كل الكتب المشتراة والمستلمة إلى العدد الأول من الكتب.",
}


def found(code, text, *, prompt=None):
    scorer = Language(Language.Options(allow=("Answer:",)))
    trial = answered(text)
    if prompt is not None:
        said = (Message(role="user", content=prompt), Message(role="assistant", content=text))
        done = (Completion(text=text, finish_reason="stop"),)
        trial = Trial(key=TrialKey("c", "e", "i", "", 0), transcript=said, completions=done)
    return list(scorer.score(Sample(id="s", input="?", language=code), trial))


def verdict(code, text, **given):
    score = named(found(code, text, **given), "language_right")
    return score.value, score.label


@pytest.mark.parametrize("code", SAID)
def test_a_second_language_in_the_same_line_is_mixed_and_shows_where(code):
    other = SAID["en" if code != "en" else "de"]
    text = f"{SAID[code]} {other}\nAnswer: 86"
    whole = named(found(code, text), "language_right")
    assert (whole.value, whole.label) == (0.0, "mixed")
    assert text[slice(*whole.span)].strip() == other
    share = named(found(code, text), "language_share").value
    assert 0.4 < share < 0.6  # two sentences of about the same length
    assert verdict(code, f"{SAID[code]}\nAnswer: 86") == (1.0, "right")


@pytest.mark.parametrize("code", ["zh", "ja"])
def test_a_second_language_is_seen_without_a_stop_between(code):
    assert verdict(code, f"{SAID[code][:-1]} {SAID['en']}") == (0.0, "mixed")


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("zh", f"我用了Microsoft Excel和Google Docs计算。{SAID['zh']}"),
        ("ja", f"{SAID['ja']}計算にはMicrosoft Excelを使いました。"),
        ("de", f"Ich nutze dafür Microsoft Office und Google Docs. {SAID['de']}"),
        ("de", "Das Meeting mit dem Product Owner findet online statt. Danach folgt ein Review."),
        ("es", f"46 + 54 = 100. {SAID['es']} Total: 86."),
        ("fr", f"Alice commence avec 46 livres, puis elle en donne 5. {SAID['fr']}"),
    ],
)
def test_names_terms_and_sums_make_no_second_language(code, text):
    assert verdict(code, text) == (1.0, "right")


def test_allowed_words_alone_are_no_text_and_a_bare_number_contradicts_nothing():
    assert verdict("de", "Answer: 86") == (0.0, "no_text")
    assert named(found("de", "Answer: 86"), "language_share").value == 0.0
    assert verdict("de", "86") == (1.0, "no_letters")


PROMPT = f"{SAID['de']} Erkläre in einem Satz auf Deutsch, wie viele Bücher es jetzt sind."


def test_a_prompt_given_back_is_no_answer_in_its_language():
    assert verdict("de", PROMPT, prompt=PROMPT) == (0.0, "parroted")
    assert verdict("de", f"{PROMPT}\n{SAID['en']}", prompt=PROMPT) == (0.0, "wrong_language")
    own = "Nach dem Zählen aller Kisten komme ich auf die genannte Summe von Büchern."
    assert verdict("de", f"{PROMPT}\n{own}", prompt=PROMPT) == (1.0, "right")


def test_a_text_that_is_asked_back_mended_is_an_answer():
    asked = f"Verbessere die Fehler in diesem Text:\n{SAID['de']}"
    assert verdict("de", SAID["de"], prompt=asked) == (1.0, "right")
