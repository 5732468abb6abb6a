"""One short sentence in another language, and a prompt given back from its end."""

from __future__ import annotations

import pytest

from befit.core.completion import Completion
from befit.core.message import Message
from befit.core.sample import Sample
from befit.core.trial import Trial, TrialKey
from befit.probes.multilingual import PACK
from befit.probes.pack import generate
from befit.scorers.language import Language
from scorer_ground import named

BASE = {
    "de": "Ich zähle die Stühle in jeder Reihe und nehme sie mit der Zahl der Reihen mal. Danach"
    " ziehe ich die Plätze ab, die schon vergeben sind, und komme auf den Rest.",
    "en": "I count the chairs in each row and multiply them by the number of rows. Then I take"
    " away the seats that are sold already, which leaves the rest.",
    "fr": "Je compte les chaises de chaque rangée et je multiplie par le nombre de rangées. Puis"
    " je retire les places déjà vendues, ce qui donne le reste.",
    "es": "Cuento las sillas de cada fila y las multiplico por el número de filas. Después quito"
    " los asientos ya vendidos, y así obtengo el resto.",
    "zh": "我先数每一排的椅子，再乘以排数。然后减去已经卖出的座位，就得到剩下的座位数。",
    "ja": "各列の椅子を数えて、列の数を掛けます。そのあと、売れた席を引くと残りの席になります。",
}


def judged(code, text, *, prompt=None, **options):
    said = () if prompt is None else (Message(role="user", content=prompt),)
    done = (Completion(text=text, finish_reason="stop"),)
    trial = Trial(key=TrialKey("c", "e", "i", "", 0), transcript=said, completions=done)
    scorer = Language(Language.Options.model_validate({"allow": ["Answer:"], **options}))
    return list(scorer.score(Sample(id="s", input="?", language=code), trial))


def verdict(code, text, **given):
    score = named(judged(code, text, **given), "language_right")
    return score.value, score.label


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("de", "You can ask me more."),
        ("de", "C'est la réponse."),
        ("en", "Das ist der Rest."),
        ("en", "Esta es la respuesta."),
        ("en", "剩下的就是答案。"),
        ("en", "Это и есть ответ."),
        ("fr", "That is all I have."),
        ("es", "I hope it is right."),
        ("zh", "This is the answer."),
        ("ja", "It was easy to see."),
    ],
)
def test_one_short_sentence_in_another_language_is_mixed_wherever_it_stands(code, sentence):
    base = BASE[code]
    for text in (
        f"{base} {sentence}",
        f"{sentence}\n{base}\nAnswer: 40",
        f"{base}\n{base} {sentence}",
    ):
        found = named(judged(code, text), "language_right")
        assert (found.value, found.label) == (0.0, "mixed"), text
        assert text[slice(*found.span)].strip() == sentence


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("de", "Mein Lieblingsfilm ist The Best of Me."),
        ("de", "Auf Englisch heißt das: “You are in the wrong seat.”"),
        ("de", "Ein Meeting per Video ist okay."),
        ("en", "She said «Je suis en retard» and left."),
        ("en", "Deutsche Bahn and La Repubblica are names."),
        ("fr", "Le feedback du manager est dans le mail."),
        ("es", "Lea la guía de Google Maps."),
        ("zh", "请打开Visual Studio Code。"),
        ("ja", "Pythonのfor文を使います。"),
        ("en", "All in all: $(u+4)(u-1)$ and i = 0."),
    ],
)
def test_titles_quotations_terms_and_formulas_are_no_sentence_in_another_language(code, sentence):
    assert verdict(code, f"{BASE[code]} {sentence}") == (1.0, "right")


def test_the_letters_of_such_a_sentence_count_against_the_share_and_a_lower_share_forgives_it():
    text = f"{BASE['de']} You can ask me more."
    share = named(judged("de", text), "language_share").value
    foreign, all_letters = len("Youcanaskmemore"), sum(c.isalpha() for c in text)
    assert share == pytest.approx(1 - foreign / all_letters)
    assert verdict("de", text, share=0.8) == (1.0, "right")


ASKED = "Wie viele Stühle sind frei? Erkläre es bitte in einem Satz auf Deutsch."


def test_the_end_of_a_prompt_given_back_is_no_text_in_its_language():
    assert verdict("de", "Erkläre es bitte in einem Satz auf Deutsch.", prompt=ASKED) == (
        0.0,
        "parroted",
    )
    zh = "一共有多少把椅子？请用一句中文回答。"
    assert verdict("zh", "请用一句中文回答。Answer: 4", prompt=zh) == (0.0, "parroted")
    own = "Frei sind alle Stühle, die noch niemand gekauft hat."
    assert verdict("de", own, prompt=ASKED) == (1.0, "right")


@pytest.mark.parametrize(
    "before", ["Verbessere den Text:", "Verbessere den Text.\n", "Mach das: „"]
)
def test_a_text_that_the_prompt_sets_off_at_its_end_may_be_right_as_it_is(before):
    text = "Der Hund schläft seit heute Morgen auf dem Sofa."
    assert verdict("de", text, prompt=f"{before} {text}") == (1.0, "right")


def test_in_the_multilingual_pack_no_part_of_the_problem_is_an_answer_in_its_language():
    for sample in generate(PACK, seed=9, n=2, knobs={"reply": 1}):
        problem, _, how = sample.input.partition("\n")
        options = {k: v for k, v in sample.checks[1].options.items() if k != "code"}
        for part in (how, problem):
            given = verdict(sample.language, f"{part}\nAnswer: 7", prompt=sample.input, **options)
            assert given == (0.0, "parroted"), (sample.language, part)
        said = BASE.get(sample.language)
        if said is not None:
            assert verdict(
                sample.language, f"{said}\nAnswer: 7", prompt=sample.input, **options
            ) == (
                1.0,
                "right",
            )


@pytest.mark.parametrize(
    ("code", "text", "value"),
    [
        ("de", "Ja.", 1.0),
        ("de", "Nein.\nAnswer: 3", 1.0),
        ("fr", "Oui !", 1.0),
        ("es", "Sí.", 1.0),
        ("it", "È vero.", 1.0),
        ("pt", "Sim.", 1.0),
        ("nl", "Nee.", 1.0),
        ("en", "No.", 1.0),
        ("de", "Yes.", 0.0),
        ("en", "Ja.", 0.0),
        ("en", "Oui.", 0.0),
        ("fr", "Jawohl.", 0.0),
        ("de", "Nope.", 0.0),
        ("pt", "Ja.", 0.0),
        ("de", "Okay.", 1.0),
    ],
)
def test_a_word_that_is_an_answer_is_in_the_languages_that_have_it(code, text, value):
    assert named(judged(code, text), "language_right").value == value
