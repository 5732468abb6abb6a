"""The structure scorer: JSON, schema, fields, CSV and Markdown tables."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from scorer_ground import answered, named, scorer, scores_of, wanting
from shared_data import shared

SUITE = "json_schema_suite/draft2020-12"
REMOTE = "refers to a schema on another server, which is refused by design"
METASCHEMA = "its metaschema, which switches keywords off, stands on another server; not fetched"
NOT_RUN = {
    **{
        f"dynamicRef.json: {group}": REMOTE
        for group in (
            "strict-tree schema, guards against misspelled properties",
            "tests for implementation dynamic anchor and reference link",
            "$ref and $dynamicAnchor are independent of order - $defs first",
            "$ref and $dynamicAnchor are independent of order - $ref first",
            "$ref to $dynamicRef finds detached $dynamicAnchor",
        )
    },
    **{
        f"refRemote.json: {group}": REMOTE
        for group in (
            "remote ref",
            "fragment within remote ref",
            "anchor within remote ref",
            "ref within remote ref",
            "base URI change",
            "base URI change - change folder",
            "base URI change - change folder in subschema",
            "root ref in remote ref",
            "remote ref with ref to defs",
            "Location-independent identifier in remote ref",
            "retrieved nested refs resolve relative to their URI not $id",
            "remote HTTP ref with different $id",
            "remote HTTP ref with different URN $id",
            "remote HTTP ref with nested absolute ref",
            "$ref to $ref finds detached $anchor",
        )
    },
    "vocabulary.json: schema that uses custom metaschema with with no validation vocabulary": (
        METASCHEMA
    ),
}


def _disagreements(group):
    """The tests of a suite's group on which the scorer says something else."""
    try:
        judge = scorer("structure", schema=group["schema"])
    except ValidationError as refusal:
        return ["refused" if "localhost:1234" in str(refusal) else str(refusal)]
    wrong = []
    for test in group["tests"]:
        scores = judge.score(wanting(), answered(json.dumps(test["data"])))
        assert named(scores, "parses").value == 1.0
        if (named(scores, "schema_valid").value == 1.0) != test["valid"]:
            wrong.append(test["description"])
    return wrong


def test_json_schemas_own_suite_agrees_but_for_what_needs_remote_references():
    differing, refused, tests = set(), set(), 0
    files = sorted(shared(SUITE).glob("*.json"))
    assert len(files) > 40
    for path in files:
        for group in json.loads(path.read_text()):
            tests += len(group["tests"])
            wrong = _disagreements(group)
            if wrong:
                differing.add(f"{path.name}: {group['description']}")
            if wrong == ["refused"]:
                refused.add(f"{path.name}: {group['description']}")
    assert differing == set(NOT_RUN)
    assert refused == {group for group, why in NOT_RUN.items() if why == REMOTE}
    assert tests > 1250


@pytest.mark.parametrize(
    "reference", ["http://127.0.0.1:9/s.json", "https://example.org/s", "file:///etc/hostname", "a"]
)
def test_a_schema_never_reads_from_outside(reference):
    with pytest.raises(ValidationError, match="no usable JSON Schema"):
        scorer("structure", schema={"properties": {"a": {"$ref": reference}}})


def test_a_reference_to_an_existing_file_is_not_read(tmp_path):
    path = tmp_path / "s.json"
    path.write_text("{}")
    with pytest.raises(ValidationError, match="refused: a schema never reads"):
        scorer("structure", schema={"$ref": path.as_uri()})


@pytest.mark.parametrize("schema", [{"type": "strin"}, {"pattern": "("}, {"minimum": "1"}])
def test_a_broken_schema_is_told_when_options_are_read(schema):
    with pytest.raises(ValidationError, match="no usable JSON Schema"):
        scorer("structure", schema=schema)


@pytest.mark.parametrize(
    ("text", "label", "value", "bare_only", "embedded"),
    [
        ('{"a": 1}', "bare", 1, 1, 1),
        (" [1] \n", "bare", 1, 1, 1),
        ('```json\n{"a": 1}\n```', "fenced", 1, 0, 1),
        ('```\n{"a": 1}', "fenced", 1, 0, 1),
        ('Here:\n```json\n{"a": 1}\n```', "embedded", 0, 0, 1),
        ('It is {"a": 1}, see [2].', "embedded", 0, 0, 1),
        ('{"a": 1', "invalid", 0, 0, 0),
        ("{'a': 1}", "invalid", 0, 0, 0),
        ('{"a": NaN}', "invalid", 0, 0, 0),
        ('{"a": 1,}', "invalid", 0, 0, 0),
        ("", "no_answer", 0, 0, 0),
    ],
)
def test_bare_fenced_and_embedded_json_are_told_apart(text, label, value, bare_only, embedded):
    for options, wanted in (
        ({}, value),
        ({"bare_only": True}, bare_only),
        ({"embedded": True}, embedded),
    ):
        (score,) = scores_of("structure", text, **options)
        assert (score.name, score.label, score.value) == ("parses", label, wanted)


def test_the_place_and_value_of_the_json_are_kept_for_passes():
    text = 'Sure: {"a": [1, 2]} - done'
    (score,) = scores_of("structure", text, embedded=True)
    assert text[slice(*score.span)] == '{"a": [1, 2]}'
    assert score.answer == {"a": [1, 2]}


def test_an_output_cut_by_its_length_is_truncated():
    judge = scorer("structure")
    (score,) = judge.score(wanting(), answered('{"a": [1,', finish_reason="length"))
    assert (score.value, score.label) == (0.0, "truncated")


def test_schema_violations_are_named_with_their_path():
    schema = {"properties": {"a": {"items": {"type": "integer"}}}, "required": ["b"]}
    scores = scores_of("structure", '{"a": [1, "x"]}', schema=schema)
    valid = named(scores, "schema_valid")
    assert (valid.value, valid.label) == (0.0, "invalid")
    assert "$.a[1]" in valid.explanation
    assert '"b" is a required property' in valid.explanation
    assert named(scores, "parses").value == 1.0


def test_the_schema_decides_and_else_parsing():
    assert scorer("structure", schema={}).primary == "schema_valid"
    assert scorer("structure").primary == "parses"
    assert scorer("structure", fields=["a"]).primary == "fields_ok"
    assert scorer("structure", format="csv", rows=1).primary == "table_ok"
    scores = scores_of("structure", "no json", schema={})
    assert (named(scores, "schema_valid").value, named(scores, "schema_valid").label) == (
        0.0,
        "unparsed",
    )


def test_presence_type_and_values_of_fields_are_apart():
    fields = {
        "id": {"type": "integer"},
        "buyer.country": {"values": ["DE", "FR"]},
        "total": {"type": "number"},
        "note": {"required": False},
    }
    text = '{"id": true, "buyer": {"country": "de"}, "total": 5}'
    scores = scores_of("structure", text, fields=fields)
    assert named(scores, "has_field", "id").value == 1.0
    assert named(scores, "field_type", "id").label == "wrong_type"
    assert named(scores, "field_type", "id").answer == "boolean"
    assert named(scores, "enum_value", "buyer.country").label == "not_allowed"
    assert named(scores, "field_type", "total").value == 1.0
    assert (named(scores, "has_field", "note").value, named(scores, "has_field", "note").label) == (
        1.0,
        "absent",
    )
    assert named(scores, "fields_ok").value == 0.0
    assert named(scores, "fields_ok").explanation == "not as expected: id, buyer.country"


TABLE = "| a | b |\n|---|:-:|\n| 1 | x\\|y |\n| 2 | |"


@pytest.mark.parametrize(
    ("format_", "text"),
    [("csv", 'a,b\n1,"x,y"\n2,\n'), ("markdown", TABLE), ("csv", "```csv\na,b\n1,2\n3,4\n```")],
)
def test_tables_have_the_expected_columns_and_rows(format_, text):
    scores = scores_of("structure", text, format=format_, columns=["a", "b"], rows=2)
    assert {score.name: score.value for score in scores} == {
        "parses": 1.0,
        "table_ok": 1.0,
        "columns": 1.0,
        "row_count": 1.0,
    }


@pytest.mark.parametrize(
    ("text", "columns", "rows", "label"),
    [
        ("b,a\n1,2", ["a", "b"], 1, "wrong_order"),
        ("a,c\n1,2", ["a", "b"], 1, "missing_columns"),
        ("a,b,c\n1,2,3", ["a", "b"], 1, "extra_columns"),
        ("a,b\n1,2", ["a", "b"], 2, "too_few_rows"),
        ("a,b\n1,2\n3,4\n5,6", ["a", "b"], {"max": 2}, "too_many_rows"),
    ],
)
def test_what_is_wrong_with_a_table_is_told(text, columns, rows, label):
    scores = scores_of("structure", text, format="csv", columns=columns, rows=rows)
    assert label in {score.label for score in scores}
    assert named(scores, "table_ok").value == 0.0


@pytest.mark.parametrize(
    ("format_", "text"),
    [
        ("csv", "a,b\n1,2,3"),
        ("csv", 'a,b\n"1,2'),
        ("csv", "Here is the table you asked for"),
        ("markdown", "| a | b |\n| 1 | 2 |"),
        ("markdown", "| a | b |\n|---|---|\n| 1 | 2 | 3 |"),
    ],
)
def test_ragged_and_missing_tables_do_not_parse(format_, text):
    (score,) = scores_of("structure", text, format=format_)
    assert (score.value, score.label) == (0.0, "invalid")


def test_a_table_among_prose_is_embedded_and_its_place_kept():
    text = f"Here:\n\n{TABLE}\n\nDone."
    (score,) = scores_of("structure", text, format="markdown", embedded=True)
    assert (score.label, score.value) == ("embedded", 1.0)
    assert text[slice(*score.span)] == TABLE
    assert score.answer == [["a", "b"], ["1", "x|y"], ["2", ""]]


def test_long_integers_keep_their_digits():
    (score,) = scores_of("structure", '{"account": 123456789012345678901}')
    assert score.answer == {"account": "123456789012345678901"}


@pytest.mark.parametrize(
    "options",
    [
        {"format": "csv", "schema": {}},
        {"rows": 1},
        {"bare_only": True, "embedded": True},
        {"format": "csv", "delimiter": '"'},
        {"fields": {"a": {"type": "float"}}},
        {"shema": {}},
    ],
)
def test_structure_options_that_make_no_sense_are_refused(options):
    with pytest.raises(ValidationError):
        scorer("structure", **options)
