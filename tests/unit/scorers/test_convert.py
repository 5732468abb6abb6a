from __future__ import annotations

import pytest

from befit.scorers.convert import Convert
from scorer_ground import answered, named, wanting

ROWS = [
    {"item": "tea, green", "price": "3.50", "stock": "12"},
    {"item": "cup", "price": "7", "stock": "0"},
]
AS = {
    "csv": 'item,price,stock\n"tea, green",3.50,12\ncup,7,0\n',
    "json": '[{"item": "tea, green", "price": "3.50", "stock": "12"},'
    ' {"stock": "0", "price": "7", "item": "cup"}]',
    "yaml": "- item: tea, green\n  price: '3.50'\n  stock: '12'\n"
    "- {item: cup, price: '7', stock: '0'}\n",
    "xml": '<rows><row item="tea, green"><price>3.50</price><stock>12</stock></row>'
    "<row><item>cup</item><price>7</price><stock>0</stock></row></rows>",
    "markdown": "| item | price | stock |\n|---|---|---|\n| tea, green | 3.50 | 12 |\n"
    "| cup | 7 | 0 |\n",
}


def scores(text, target, /, **options):
    scorer = Convert(Convert.Options.model_validate(options))
    return list(scorer.score(wanting(target), answered(text)))


def verdict(*given, **options):
    found = scores(*given, **options)
    return tuple(
        (s.value, s.label) if s else None
        for s in (named(found, "converted"), named(found, "parses"))
    )


@pytest.mark.parametrize("form", list(AS))
def test_every_format_is_read_as_the_same_data(form):
    target = {"row": ROWS} if form == "xml" else ROWS
    assert verdict(AS[form], target, to=form) == ((1.0, "right"), (1.0, "bare"))
    # The target may be a text in that format just as well.
    assert verdict(AS[form], AS[form], to=form)[0] == (1.0, "right")
    fenced = f"```{form}\n{AS[form]}\n```"
    assert verdict(fenced, target, to=form) == ((1.0, "right"), (1.0, "fenced"))
    assert verdict(fenced, target, to=form, bare_only=True)[0] == (0.0, "fenced")


@pytest.mark.parametrize("form", list(AS))
def test_one_changed_value_is_found_in_every_format(form):
    target = {"row": ROWS} if form == "xml" else ROWS
    found = scores(AS[form].replace("12", "21"), target, to=form)
    assert (named(found, "converted").value, named(found, "converted").label) == (0.0, "changed")
    assert "[1].stock: '21' for '12'" in named(found, "converted").explanation
    # 5 of the 6 values of the two rows are right.
    assert named(found, "values_kept").value == pytest.approx(5 / 6)


def test_a_lost_row_and_a_made_up_row_are_named_and_do_not_spoil_the_others():
    three = [{"n": "1"}, {"n": "2"}, {"n": "3"}]
    found = scores("n\n1\n3\n", three, to="csv")
    assert named(found, "converted").label == "missing"
    assert named(found, "values_kept").value == pytest.approx(2 / 3)
    found = scores("n\n1\n2\n9\n3\n", three, to="csv")
    assert named(found, "converted").label == "extra"
    assert named(found, "values_kept").value == pytest.approx(3 / 4)


def test_types_count_where_the_format_has_them():
    assert verdict('{"a": "5"}', {"a": 5}, to="json")[0] == (0.0, "wrong_type")
    assert verdict('{"a": "5"}', {"a": 5}, to="json", types=False)[0] == (1.0, "right")
    assert verdict("a: 5\n", {"a": 5}, to="yaml")[0] == (1.0, "right")
    assert verdict("a\n5.0\n", [{"a": 5}], to="csv")[0] == (1.0, "right")
    # A text of digits keeps its zeros.
    assert verdict("zip\n1040\n", [{"zip": "01040"}], to="csv")[0] == (0.0, "changed")


def test_the_order_of_rows_and_columns_counts_as_asked():
    turned = "b,a\n2,1\n4,3\n"
    target = [{"a": "1", "b": "2"}, {"a": "3", "b": "4"}]
    assert verdict(turned, target, to="csv")[0] == (1.0, "right")
    assert verdict(turned, target, to="csv", column_order=True)[0] == (0.0, "wrong_order")
    swapped = "a,b\n3,4\n1,2\n"
    assert verdict(swapped, target, to="csv")[0] == (0.0, "changed")
    assert verdict(swapped, target, to="csv", row_order=False)[0] == (1.0, "right")


def test_prose_around_a_block_counts_only_where_it_may():
    text = f"Here it is:\n```json\n{AS['json']}\n```"
    assert verdict(text, ROWS, to="json") == ((0.0, "unparsed"), (0.0, "unparsed"))
    assert verdict(text, ROWS, to="json", embedded=True)[0] == (1.0, "right")


@pytest.mark.parametrize(
    ("form", "text", "why"),
    [
        ("xml", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "entities are refused"),
        ("yaml", "a: &x [1]\nb: *x\n", "aliases, anchors and tags are refused"),
        ("yaml", "a: !!python/object:os.system 1", "aliases, anchors and tags are refused"),
        ("csv", "a,a\n1,2\n", "stands twice"),
        ("csv", "a,b\n1\n", "row 1 has 1 cells"),
        ("json", '{"a": 1', "unexpected end"),
        ("yaml", "I cannot convert this.", "a text, no data"),
    ],
)
def test_what_is_no_document_of_the_format_says_why(form, text, why):
    found = named(scores(text, {"a": 1}, to=form), "parses")
    assert (found.value, found.label) == (0.0, "unparsed")
    assert why in found.explanation


def test_in_xml_a_list_of_one_is_its_only_item():
    assert verdict("<a><b>1</b></a>", {"b": ["1"]}, to="xml")[0] == (1.0, "right")


def test_without_data_to_compare_with_nothing_is_scored():
    assert verdict("a: 1", None, to="yaml")[0] == (None, "no_target")
    assert verdict("a: 1", "{broken", to="json")[0] == (None, "bad_target")


def test_a_text_behind_a_child_is_part_of_an_element_of_xml():
    target = "<r><a>one <b>two</b> three</a></r>"
    scorer = Convert(Convert.Options(to="xml"))
    same = scorer.score(wanting(target), answered(target))
    other = answered(target.replace("three", "four"))
    changed = scorer.score(wanting(target), other)
    assert (same[0].value, changed[0].value) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("form", "text", "target"),
    [
        ("csv", "id,name\n1,Ann", {"id": 1, "name": "Ann"}),
        ("markdown", "| id | name |\n|---|---|\n| 1 | Ann |", {"id": 1, "name": "Ann"}),
        ("xml", "<rows><row><id>1</id></row><row><id>2</id></row></rows>", [{"id": 1}, {"id": 2}]),
        ("xml", "<rows><row><id>1</id></row></rows>", [{"id": 1}]),
    ],
)
def test_data_that_a_format_writes_in_its_own_shape_is_the_same_data(form, text, target):
    scorer = Convert(Convert.Options(to=form))
    assert scorer.target_problem(target) is None
    found = scorer.score(wanting(target), answered(text))
    assert (found[0].value, found[0].label) == (1.0, "right")


@pytest.mark.parametrize(
    ("form", "target", "why"),
    [
        ("csv", [1, 2], "csv holds rows: write a list of mappings"),
        ("markdown", [{"a": [1]}], "a row of markdown is flat: one of the target holds a list"),
        ("json", "{a", "expected a string key"),
    ],
)
def test_a_target_that_the_format_cannot_hold_is_told_and_unscored(form, target, why):
    scorer = Convert(Convert.Options(to=form))
    assert why in scorer.target_problem(target)
    (score,) = scorer.score(wanting(target), answered("a\n1"))
    assert (score.value, score.label) == (None, "bad_target")
