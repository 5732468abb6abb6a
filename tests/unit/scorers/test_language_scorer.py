from __future__ import annotations

import pytest
from pydantic import ValidationError

from befit.core.sample import Sample
from befit.scorers.language import Language
from scorer_ground import answered, named

GERMAN = "Der Vertrag endet am letzten Tag des Monats, sofern niemand vorher kündigt."
ENGLISH = "The contract ends on the last day of the month unless somebody gives notice before."
FRENCH = "Le contrat prend fin le dernier jour du mois, sauf si quelqu'un le résilie avant."
SPANISH = "El contrato termina el último día del mes, salvo que alguien lo cancele antes."
JAPANESE = "契約は、誰かが事前に解約しない限り、月末に終了します。"
CHINESE = "除非有人提前通知，否则合同将于本月最后一天结束。"
ARABIC = "ينتهي العقد في آخر يوم من الشهر ما لم يقدم أحد إشعارا قبل ذلك."


def scores(text, /, language=None, **options):
    scorer = Language(Language.Options.model_validate(options))
    return list(scorer.score(Sample(id="s", input="?", language=language), answered(text)))


def verdict(*given, **options):
    found = named(scores(*given, **options), "language_right")
    return found.value, found.label


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("de", GERMAN),
        ("en", ENGLISH),
        ("fr", FRENCH),
        ("es", SPANISH),
        ("ja", JAPANESE),
        ("zh", CHINESE),
        ("ar", ARABIC),
    ],
)
def test_each_language_is_right_for_itself_and_wrong_for_another(code, text):
    assert verdict(text, language=code) == (1.0, "right")
    other = "fr" if code != "fr" else "de"
    assert verdict(text, language=other) == (0.0, "wrong_language")


def test_the_option_wins_over_the_samples_own_language():
    assert verdict(GERMAN, language="en", code="de") == (1.0, "right")


def test_an_answer_that_changes_its_language_is_mixed_and_shows_where():
    text = f"{GERMAN}\n\n{ENGLISH}\n{GERMAN}"
    found = scores(text, language="de")
    whole = named(found, "language_right")
    assert (whole.value, whole.label) == (0.0, "mixed")
    assert text[slice(*whole.span)] == ENGLISH
    letters = [sum(char.isalpha() for char in line) for line in (GERMAN, ENGLISH, GERMAN)]
    share = (letters[0] + letters[2]) / sum(letters)
    assert named(found, "language_share").value == pytest.approx(share)


def test_code_links_and_allowed_words_are_not_held_against_an_answer():
    code = "```python\n# the following function adds two numbers and returns the result\n```"
    assert verdict(f"{GERMAN}\n{code}", language="de")[0] == 1.0
    quoted = "Siehe: general terms and conditions of purchase for all our customers"
    assert verdict(f"{GERMAN}\n{quoted}", language="de")[0] == 0.0
    terms = "general terms and conditions of purchase for all our customers"
    assert verdict(f"{GERMAN}\n{quoted}", language="de", allow=[terms])[0] == 1.0


def test_numbers_alone_contradict_no_language_and_silence_is_no_answer():
    assert verdict("42", language="de") == (1.0, "no_letters")
    assert verdict("  ", language="de") == (0.0, "no_answer")
    assert named(scores("  ", language="de"), "language_share").value == 0.0
    assert verdict("42") == (None, "no_language")


def test_a_language_that_cannot_be_told_apart_is_refused_in_the_options():
    with pytest.raises(ValidationError, match="no language that can be told apart"):
        Language.Options(code="xx")
