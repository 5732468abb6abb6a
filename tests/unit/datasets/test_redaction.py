"""Personal data planted in five languages: how much is found, and what is taken for some."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from befit.core.interaction import Interaction
from befit.core.message import Message, ToolCall
from befit.datasets.redact import Redactor
from befit.datasets.redact_options import Redaction
from befit.errors import DataError
from befit.scorers import patterns
from planted_data import CLEAN, RARE, SENTENCES, planted

LOCALES = ("de", "fr", "es", "zh", "us")
CHECKSUMMED = {"IBAN", "CARD", "NATIONAL_ID"}


def redactor(**options):
    return Redactor(Redaction(**{"locales": LOCALES, **options}), key=b"secret")


def recall(each):
    found, total = Counter(), Counter()
    made = redactor()
    for language, name, value, text in planted(3, each=each):
        total[name, language] += 1
        found[name, language] += value not in made.text(text, scope="c")
    return found, total


def test_checksummed_classes_are_found_in_99_of_100_and_the_rest_as_stated():
    found, total = recall(each=40)
    stated = {"EMAIL": 0.99, "PHONE": 0.95, "IP": 0.99, "KEY": 0.99, "NAME": 0.95}
    for name in SENTENCES["en"]:
        seen = sum(found[name, language] for language in SENTENCES)
        all_of = sum(total[name, language] for language in SENTENCES)
        assert seen / all_of >= (0.99 if name in CHECKSUMMED else stated[name]), (
            name, {language: found[name, language] for language in SENTENCES}
        )  # fmt: skip


def test_names_on_no_list_are_found_by_what_stands_before_them():
    made = redactor()
    texts = [(name, SENTENCES[lang]["NAME"].format(x=name)) for lang in RARE for name in RARE[lang]]
    seen = sum(name not in made.text(text, scope="c") for name, text in texts)
    assert seen / len(texts) >= 0.9
    bare = [f"The parcel for {name} is late." for names in RARE.values() for name in names]
    assert sum("[NAME" in made.text(text, scope="c") for text in bare) <= len(bare) / 4


@pytest.mark.parametrize("text", CLEAN)
def test_numbers_and_words_of_business_are_no_personal_data(text):
    assert redactor().text(text, scope="c") == text


def exchange(text, **more):
    return Interaction(id="x", ts="", messages=(Message(role="user", content=text),), **more)


def test_the_same_value_has_the_same_pseudonym_in_a_conversation_and_another_elsewhere():
    made = redactor()
    one = made.interaction(exchange("I am at a@example.org", output="Noted: A@example.org",
                                    conversation_id="c1"))  # fmt: skip
    two = made.interaction(exchange("again a@example.org", conversation_id="c1"))
    other = made.interaction(exchange("I am at a@example.org", conversation_id="c2"))
    mark = one.output.removeprefix("Noted: ")
    assert mark.startswith("[EMAIL-")
    assert mark in one.messages[0].text
    assert mark in two.messages[0].text
    assert mark not in other.messages[0].text


def test_a_family_name_alone_has_the_pseudonym_it_had_in_the_whole_name():
    held = redactor().interaction(
        exchange("My name is Sabine Krause.", output="Thank you. Krause it is, Sabine.")
    )
    first, last = held.messages[0].text.removeprefix("My name is ").rstrip(".").split()
    assert held.output == f"Thank you. {last} it is, {first}."


def test_escapes_in_the_json_of_a_call_hide_nothing():
    arguments = json.dumps({"to": "Jürgen Müller", "mail": "j@example.org", "n": 3})
    assert "\\u00fc" in arguments
    held = redactor().interaction(
        exchange("send it", tool_calls=(ToolCall(id="1", name="send", arguments=arguments),))
    )
    told = json.loads(held.tool_calls[0].arguments)
    assert "ller" not in told["to"]
    assert told["mail"].startswith("[EMAIL-")
    assert told["n"] == 3


def test_what_is_to_be_kept_is_kept_and_own_patterns_are_found():
    made = redactor(keep=("email",), patterns={"ticket": r"TCK-\d+"})
    text = made.text("a@example.org has TCK-4711", scope="c")
    assert text.startswith("a@example.org has [TICKET-")
    assert made.counts == {"TICKET": 1}


def test_a_second_pass_finds_nothing_in_what_the_first_one_wrote():
    made = redactor()
    once = [made.text(text, scope="c") for _, _, _, text in planted(5, each=4)]
    assert all(made.text(text, scope="c") == text for text in once)


def test_national_ids_stay_where_no_locale_is_named():
    text = "Mi DNI es 12345678Z como me pidió."
    assert redactor(locales=()).text(text, scope="c") == text


def test_a_pattern_that_would_take_for_ever_stops_the_import_instead(monkeypatch):
    monkeypatch.setattr(patterns, "SECONDS", 0.02)
    made = redactor(patterns={"slow": r"^(\w|\w\w)+$"})
    with pytest.raises(DataError, match="takes too long"):
        made.text("a" * 60 + "!", scope="c")
