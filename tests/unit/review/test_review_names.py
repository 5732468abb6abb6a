"""Names: a reviewer's is taken once; a candidate's is hidden however it is written, or told."""

from __future__ import annotations

import pytest

from befit.cli.review_settings import read_items
from befit.core.message import Message
from befit.errors import DataError, UsageError
from befit.review.create import create_study
from befit.review.masking import HIDDEN, Lexicon
from befit.review.masking_letters import LOOKALIKES as LETTERS
from befit.review.masking_names import too_short
from befit.review.masking_text import folded
from befit.review.material import Material
from befit.review.settings import Settings
from befit.storage.workspace import Workspace
from review_ground import AT, picture_turn, png, source, url_of
from review_world import world


def test_a_name_is_taken_in_any_case_and_has_an_end(tmp_path):
    made = world(tmp_path)
    made.person("Ann Meyer")
    with pytest.raises(UsageError, match="already"):
        made.person("ann  meyer")
    with pytest.raises(UsageError, match="at most 100"):
        made.person("x" * 3000)


def test_an_empty_file_of_known_items_is_refused(tmp_path):
    (tmp_path / "gold.jsonl").write_text("")
    with pytest.raises(DataError, match="no items"):
        read_items(tmp_path / "gold.jsonl")


LOOKALIKES = [
    "I am \u0421l\u0430ude.",  # Cyrillic C and a
    "I am \u0421\u04cf\u0430ud\u0435.",  # and palochka, e
    "\u039fpen\u0391I made me.",  # Greek O and A
    "My name is Gemi\u0578i.",  # an Armenian letter
    "I am \U0001d402laude.",  # a bold letter
    "Ch\u0430t\u200bGPT here",  # Cyrillic a, and a space of no width
]


@pytest.mark.parametrize("text", LOOKALIKES)
def test_a_name_in_letters_of_another_script_is_hidden_like_the_name(text):
    masked, kinds = Lexicon().mask(text)
    assert HIDDEN in masked
    assert kinds


@pytest.mark.parametrize(
    "text",
    [
        "\u041f\u0440\u0438\u0432\u0435\u0442, \u0433\u043e\u0434 \u0445\u043e\u0440\u043e\u0448.",
        "\u039a\u03b1\u03bb\u03b7\u03bc\u03ad\u03c1\u03b1 \u03c3\u03b1\u03c2.",
        "\u0532\u0561\u0580\u0587 \u0541\u0565\u0566",
    ],
)
def test_words_of_other_scripts_are_left_as_they_are(text):
    assert Lexicon(["polaris-7", "o3"]).mask(text) == (text, ())
    assert folded(text)[0] == text


def test_every_lookalike_is_one_letter_for_one_letter():
    assert all(len(plain) == 1 and plain.isascii() for plain in LETTERS.values())
    assert all(chr(odd).isalpha() and odd > 127 for odd in LETTERS)


def test_a_name_of_two_or_three_letters_counts_as_a_whole_word_in_its_own_case():
    lexicon = Lexicon(["o3", "R1", "pro", "GLM"])
    for text in ("o3 thinks so.", "(R1)", "I am pro", "GLM: yes"):
        assert HIDDEN in lexicon.mask(text)[0], text
    for text in ("O3 is ozone", "r1 of the list", "two300", "R12", "a pro and a con", "glm"):
        assert lexicon.mask(text) == (text, ()), text


def test_names_that_cannot_be_looked_for_are_told():
    assert too_short(["A", "B", "7", "12", "o3", "polaris", "\u8c46"]) == (
        "A", "B", "7", "12", "\u8c46"
    )  # fmt: skip
    assert Lexicon(["A", "12"]).mask("A plan of 12 steps") == ("A plan of 12 steps", ())


def test_whoever_makes_a_study_is_told_what_cannot_be_hidden(tmp_path):
    picture = url_of(png(b"Software: polaris"))
    sources = [
        source(n, name, "", turns=(picture_turn("See", url), Message(role="assistant", content=t)))
        for n, url in enumerate((picture, "data:image/svg+xml;base64,PHN2Zy8+"))
        for t, name in zip("xy", ("A", "polaris"), strict=True)
    ]
    with Workspace.open(tmp_path / ".befit") as workspace:
        made = create_study(workspace.reviews, Settings(), Material(sources=sources, identities=()),
                            project="shop", run_id="r", at=AT, by="owner")  # fmt: skip
        answers = workspace.reviews.parts(made.study.id, "answer")
    short, shown, left_out = made.cautions
    assert short.startswith("too short to be hidden in answers: A;")
    assert shown.startswith("pictures reviewers will see: 1;")
    assert left_out.endswith("neither PNG nor JPEG: 1")
    assert "Software" not in str(answers)
