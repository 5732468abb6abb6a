"""What the scorers are made of: numbers, dates, partial credit, pairing, normalising."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from befit.scorers.anls import anls, anls_tree
from befit.scorers.dates import read_date
from befit.scorers.matching import best_pairs
from befit.scorers.normalise import folded, folded_with_places, normalised
from befit.scorers.numerals import as_decimal, close, numbers_in, plain


def test_anls_of_texts():
    assert anls("Hello Wrld", ["Hello World"]) == pytest.approx(10 / 11)
    assert anls("Hello Wrld", ["Hello World", "HelloWorld"]) == pytest.approx(10 / 11)
    assert anls("abc", ["xyz"]) == 0.0
    assert anls("abcd", ["abxy"]) == 0.0  # half of it differs: nothing


@pytest.mark.parametrize(
    ("answer", "target", "value"),
    [
        ({"a": "x", "b": "helo"}, {"a": "x", "b": "hello"}, 0.9),
        ({"a": "x"}, {"a": "x", "b": "y"}, 0.5),
        ({"a": "x", "b": "y"}, {"a": "x"}, 0.5),
        (["b", "a"], ["a", "b"], 1.0),
        ("x", None, 0.0),
        (None, None, 1.0),
        ({}, {}, 1.0),
    ],
)
def test_anls_of_trees(answer, target, value):
    assert anls_tree(answer, target) == pytest.approx(value)


@given(
    st.integers(1, 6).flatmap(
        lambda width: st.lists(
            st.lists(st.integers(0, 4), min_size=width, max_size=width), min_size=1, max_size=6
        )
    )
)
@settings(max_examples=150, deadline=None)
def test_pairing_earns_as_much_as_an_independent_solver(gains):
    pairs = best_pairs(gains)
    rows, columns = linear_sum_assignment(gains, maximize=True)
    assert sum(gains[row][column] for row, column in pairs) == sum(
        gains[row][column] for row, column in zip(rows, columns, strict=True)
    )
    assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == len(rows)


@pytest.mark.parametrize(
    ("text", "order", "wanted"),
    [
        ("2025-03-04", None, date(2025, 3, 4)),
        ("2025-03-04T10:00:00Z", None, date(2025, 3, 4)),
        ("2025/3/4", None, date(2025, 3, 4)),
        ("2025年3月4日", None, date(2025, 3, 4)),
        ("4 March 2025", None, date(2025, 3, 4)),
        ("March 4th, 2025", None, date(2025, 3, 4)),
        ("4. März 2025", None, date(2025, 3, 4)),
        ("4 de marzo de 2025", None, date(2025, 3, 4)),
        ("25/12/2025", None, date(2025, 12, 25)),
        ("12/25/2025", None, date(2025, 12, 25)),
        ("03/03/2025", None, date(2025, 3, 3)),
        ("03/04/2025", None, None),
        ("03/04/2025", "dmy", date(2025, 4, 3)),
        ("03/04/2025", "mdy", date(2025, 3, 4)),
        ("25/12/2025", "mdy", None),
        ("31/02/2025", "dmy", None),
        ("04.03.25", "dmy", None),
        ("tomorrow", None, None),
        ("2025-13-01", None, None),
        ("around 4 March 2025", None, None),
    ],
)
def test_dates_are_read_one_way_or_not_at_all(text, order, wanted):
    found, why = read_date(text, order)
    assert found == wanted
    assert (why is None) == (wanted is not None)


@given(st.integers(-(10**11), 10**11).map(lambda cents: Decimal(cents) / 100))
@settings(max_examples=200, deadline=None)
def test_a_number_written_in_a_locale_is_read_back(value):
    english = f"{value:,.2f}"
    swapped = english.translate(str.maketrans(",.", ".,"))
    for text, locale in (
        (english, "en"),
        (swapped, "de"),
        (english.replace(",", "\u202f").replace(".", ","), "fr"),
        (english.replace(",", "'"), "de-CH"),
    ):
        found = [number.value for number in numbers_in(f"x: {text} y", locale=locale)]
        assert found == [value]


def test_several_numbers_are_no_single_number():
    assert as_decimal("5 or 6") is None
    for value in (True, None, float("nan"), float("inf"), "1" * 1000, [5]):
        assert as_decimal(value) is None
    assert as_decimal("-3.50 €").value == Decimal("-3.5")
    assert as_decimal(0).value == 0


def test_plain_numbers_have_one_form():
    assert [plain(Decimal(text)) for text in ("18.0", "1e3", "-0.0", "0.50")] == [
        "18",
        "1000",
        "0",
        "0.5",
    ]


def test_closeness_takes_the_larger_tolerance():
    one, near = Decimal(100), Decimal(101)
    assert not close(near, one)
    assert close(near, one, absolute=Decimal(1))
    assert close(near, one, relative=Decimal("0.01"))
    assert not close(near, one, relative=Decimal("0.009"))


@given(st.text(max_size=40))
@settings(max_examples=300, deadline=None)
def test_normalising_twice_changes_nothing(text):
    assert normalised(normalised(text)) == normalised(text)


@given(st.text(alphabet="aÄ\u0308éﬁ①\uff21 İß한\u1112\u1161", max_size=12))
@settings(max_examples=300, deadline=None)
def test_folding_with_places_points_back_into_the_text(text):
    found = folded_with_places(text)
    for place in range(len(found.text)):
        start, end = found.span(place, place + 1)
        assert 0 <= start < end <= len(text)
        assert found.text[place] in folded(text[start:end])
