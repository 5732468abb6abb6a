"""The fields scorer: outcomes per field, typed reading, and no guessing."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from pydantic import ValidationError

from scorer_ground import named, scorer, scores_of

INVOICE = {
    "number": "text",
    "total": {"type": "number", "locale": "de", "tolerance": 0.005},
    "issued": {"type": "date", "locale": "de"},
    "currency": {"type": "enum", "values": {"EUR": ["€", "euro"], "USD": ["$"]}},
    "positions": {"type": "list"},
    "paid": "boolean",
    "iban": "text",
    "vat_id": "text",
    "discount": "number",
}
TARGET = {
    "number": "R-17",
    "total": 1234.5,
    "issued": "2025-03-04",
    "currency": "EUR",
    "positions": ["desk", "lamp"],
    "paid": False,
    "iban": None,
}


def labels(scores):
    return {score.part: score.label for score in scores if score.name == "field"}


def extracted(answer, target=TARGET, fields=INVOICE, **options):
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    return scores_of("fields", text, target, fields=fields, **options)


def test_a_complete_document_is_complete_and_its_values_are_canonical():
    answer = {
        "number": "r-17",
        "total": "1.234,50 €",
        "issued": "04.03.2025",
        "currency": "euro",
        "positions": ["Lamp", "desk"],
        "paid": "no",
        "iban": "not found",
        "vat_id": None,
        "discount": "n/a",
    }
    scores = extracted(answer)
    whole = named(scores, "document_complete")
    assert (whole.value, whole.label) == (1.0, "complete")
    assert whole.answer == {
        "number": "r-17",
        "total": "1234.5 EUR",
        "issued": "2025-03-04",
        "currency": "EUR",
        "positions": ["desk", "lamp"],
        "paid": False,
        "iban": None,
        "vat_id": None,
        "discount": None,
    }
    assert named(scores, "field_accuracy").value == 1.0
    assert named(scores, "hallucination").value == 0.0


def test_absent_fields_have_three_outcomes_apart():
    fields = {"a": "text", "b": "text", "c": "text", "d": "text"}
    scores = extracted({"a": "not found", "b": "guess", "d": ""}, target={}, fields=fields)
    assert labels(scores) == {
        "a": "true_null_marked",
        "b": "invented",
        "c": "omitted",
        "d": "omitted",
    }
    assert named(scores, "hallucination").value == 0.25
    assert named(scores, "field_accuracy").value == 0.75
    strict = extracted({"a": None, "b": "x"}, target={}, fields=fields, omitted="wrong")
    assert named(strict, "field_accuracy").value == 0.25
    assert labels(strict)["c"] == "omitted"


def test_present_fields_are_right_wrong_or_missed():
    fields = {"a": "text", "b": "text", "c": "text", "d": "text"}
    target = dict.fromkeys(fields, "x")
    scores = extracted({"a": "X", "b": "y", "c": None}, target=target, fields=fields)
    assert labels(scores) == {"a": "right", "b": "wrong", "c": "missed", "d": "missed"}
    assert named(scores, "missed").value == 0.5
    assert named(scores, "coverage").value == 0.5
    assert named(scores, "selective_accuracy").value == 0.5
    assert named(scores, "hallucination") is None


def test_the_outcome_table_of_100_fields():
    # present 80: 70 right, 4 wrong, 6 without value; absent 20: 15 without value, 5 invented.
    names = [f"f{number}" for number in range(100)]
    target = {name: "x" if number < 80 else None for number, name in enumerate(names)}
    said = ["x"] * 70 + ["y"] * 4 + [None] * 6 + [None] * 15 + ["z"] * 5
    scores = extracted(dict(zip(names, said, strict=True)), target=target, fields=names)
    assert Counter(labels(scores).values()) == {
        "right": 70,
        "wrong": 4,
        "missed": 6,
        "true_null_marked": 15,
        "invented": 5,
    }
    assert named(scores, "field_accuracy").value == 0.85
    assert named(scores, "coverage").value == 0.79
    assert named(scores, "selective_accuracy").value == pytest.approx(70 / 79)
    assert named(scores, "hallucination").value == 0.25
    assert named(scores, "missed").value == 0.075
    assert named(scores, "document_complete").value == 0.0


def test_presence_value_and_format_are_kept_apart():
    scores = extracted({"issued": "4. März 2025"}, fields={"issued": INVOICE["issued"]})
    assert named(scores, "field_present", "issued").value == 1.0
    assert named(scores, "field_value", "issued").value == 1.0
    assert named(scores, "field_format", "issued").value == 0.0
    assert labels(scores) == {"issued": "right"}
    strict = extracted(
        {"issued": "4. März 2025"}, fields={"issued": INVOICE["issued"]}, format_counts=True
    )
    assert labels(strict) == {"issued": "wrong_format"}
    assert named(strict, "document_complete").value == 0.0


def test_a_declared_format_is_checked_as_written():
    fields = {"number": {"format": r"R-\d+"}}
    assert named(extracted({"number": "R-17"}, fields=fields), "field_format", "number").value == 1
    assert named(extracted({"number": "r-17"}, fields=fields), "field_format", "number").value == 0


def test_an_ambiguous_date_is_not_guessed():
    scores = extracted({"d": "03/04/2025"}, target={"d": "2025-04-03"}, fields={"d": "date"})
    assert labels(scores) == {"d": "wrong"}
    assert named(scores, "field_value", "d").label == "unreadable"
    assert "either way" in named(scores, "field", "d").explanation
    for locale, value in (("en-GB", 1.0), ("en-US", 0.0)):
        fields = {"d": {"type": "date", "locale": locale}}
        scores = extracted({"d": "03/04/2025"}, target={"d": "2025-04-03"}, fields=fields)
        assert named(scores, "field", "d").value == value


@pytest.mark.parametrize(
    ("spec", "target", "answer", "label"),
    [
        ({"type": "number"}, 1234.5, "1,234.50", "right"),
        ({"type": "number"}, 1234.5, "1.234,50", "wrong"),
        ({"type": "number"}, "100 EUR", "100 USD", "wrong"),
        ({"type": "number"}, "100 EUR", "€100", "right"),
        ({"type": "number"}, 5, True, "wrong"),
        ({"type": "number"}, 5, "5 or 6", "wrong"),
        ({"type": "integer"}, 5, 5.0, "right"),
        ({"type": "integer"}, 5, 5.5, "wrong"),
        ({"type": "enum", "values": ["a", "b"]}, "a", "A", "right"),
        ({"type": "enum", "values": ["a", "b"]}, "a", "c", "wrong"),
        ({"type": "boolean"}, True, "Yes", "right"),
        ({"type": "boolean"}, True, "perhaps", "wrong"),
        ({"type": "list"}, ["a", "b"], ["B", "a"], "right"),
        ({"type": "list"}, ["a", "b"], "b, a", "right"),
        ({"type": "list"}, ["a", "a", "b"], ["a", "b", "b"], "wrong"),
        ({"type": "list", "order": True}, ["a", "b"], ["b", "a"], "wrong"),
        ({"type": "list", "items": "number", "tolerance": 0.1}, [1, 1.15], [1.06, 1.2], "right"),
        ({"type": "list", "items": "number", "tolerance": 0.1}, [1, 1.15], [1.06, 1.3], "wrong"),
        ({"type": "text", "case": True}, "Abc", "abc", "wrong"),
        ({"type": "text", "similarity": 0.9}, "Hello World", "Hello Wrld", "right"),
        ({"type": "text", "similarity": 0.95}, "Hello World", "Hello Wrld", "wrong"),
        ({"type": "text"}, "x", {"a": 1}, "wrong"),
        ({"type": "text"}, "17", 17, "right"),
    ],
)
def test_each_type_is_read_and_compared_by_its_own_rule(spec, target, answer, label):
    scores = extracted({"f": answer}, target={"f": target}, fields={"f": spec})
    assert labels(scores) == {"f": label}


def test_pairing_of_list_items_is_the_best_one_not_the_first():
    # 1.06 could take either target; only 1.06 -> 1 leaves 1.2 -> 1.15. Both orders agree.
    spec = {"type": "list", "items": "number", "tolerance": 0.1}
    for answer in ([1.06, 1.2], [1.2, 1.06]):
        scores = extracted({"f": answer}, target={"f": [1.15, 1]}, fields={"f": spec})
        assert labels(scores) == {"f": "right"}


def test_lines_of_names_and_values_are_read():
    text = "**Number:** R-17\n- Total: 1.234,50 €\nVAT-ID: not found\nNote: x\nIBAN:\n"
    scores = extracted(text)
    assert named(scores, "readable").label == "lines"
    found = labels(scores)
    assert (found["number"], found["total"], found["vat_id"], found["iban"]) == (
        "right",
        "right",
        "true_null_marked",
        "omitted",
    )
    assert text[slice(*named(scores, "field", "total").span)] == "1.234,50 €"


def test_half_a_json_object_is_not_read_as_lines():
    text = '{\n  "number": "R-17",\n  "total": 1234.5,\n'
    scores = extracted(text)
    assert set(labels(scores).values()) == {"unparsed"}
    assert named(scores, "document_complete").value == 0.0
    assert named(scores, "field_accuracy").value == 0.0
    # Read or not, the document lacks what it lacks: nothing was invented, missed or present.
    assert named(scores, "hallucination").value == 0.0
    assert named(scores, "missed").value == 0.0
    assert named(scores, "field_present", "total").value == 0.0
    assert named(scores, "field_unread", "total").label == "held"
    assert named(scores, "field_unread", "iban").label == "not_held"


def test_the_place_of_each_value_is_kept_for_passes():
    text = (
        'Result:\n```json\n{"x": "total", "total": "1.234,50", "positions": ["desk", "lamp"]}\n```'
    )
    scores = extracted(text)
    assert named(scores, "readable").label == "embedded"
    assert text[slice(*named(scores, "field", "total").span)] == '"1.234,50"'
    assert text[slice(*named(scores, "field", "positions").span)] == '["desk", "lamp"]'
    assert "x" in named(scores, "readable").explanation


def test_only_declared_tokens_mark_a_field_as_not_found():
    fields = {"a": "text"}
    assert labels(extracted({"a": "no such thing"}, target={}, fields=fields)) == {"a": "invented"}
    declared = extracted(
        {"a": "No such thing."}, target={}, fields=fields, not_found=["no such thing"]
    )
    assert labels(declared) == {"a": "true_null_marked"}


def test_an_unreadable_target_is_unscored_not_wrong():
    scores = extracted(
        {"d": "2025-01-02", "t": "x"},
        target={"d": "some day", "t": "x"},
        fields={"d": "date", "t": "text"},
    )
    assert (named(scores, "field", "d").value, labels(scores)["d"]) == (None, "bad_target")
    assert named(scores, "document_complete").value is None
    assert named(scores, "field_accuracy").value == 1.0


@pytest.mark.parametrize("target", [None, "x", 5, ["x"]])
def test_without_a_target_object_nothing_is_scored(target):
    (score,) = extracted({"number": "x"}, target=target)
    assert (score.name, score.value) == ("document_complete", None)


def test_aliases_name_the_same_field():
    fields = {"vat_id": {"aliases": ["ust_id"]}}
    assert labels(extracted({"ust_id": "DE1"}, target={"vat_id": "DE1"}, fields=fields)) == {
        "vat_id": "right"
    }


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"a": "money"},
        {"a": "enum"},
        {"a": {"type": "date", "locale": "en"}},
        {"a": {"type": "number", "locale": "xx"}},
        {"a": {"type": "text", "values": ["x"]}},
        {"a": {"type": "boolean", "values": {"maybe": []}}},
        {"a": {"format": "("}},
        {"a": {"typ": "text"}},
    ],
)
def test_fields_options_that_make_no_sense_are_refused(fields):
    with pytest.raises(ValidationError):
        scorer("fields", fields=fields)


def test_each_field_has_one_score_of_each_kind_and_whole_scores_are_declared():
    judge = scorer("fields", fields=INVOICE)
    scores = extracted({"number": "R-17", "iban": "x"})
    keys = [(score.name, score.part) for score in scores]
    assert len(keys) == len(set(keys))
    assert {score.name for score in scores if score.part is None} <= set(judge.names)
