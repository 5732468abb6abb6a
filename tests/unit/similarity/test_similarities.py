"""Golden values: Levenshtein by hand (distance / longer length), and the failures of zip."""

from __future__ import annotations

import logging
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from befit.errors import PluginError
from befit.similarity import embedding
from befit.similarity.edit import Edit
from befit.similarity.embedding import Embedding
from befit.similarity.exact import Exact
from befit.similarity.normalised import Normalised, canonical


def test_exact_tells_case_and_space_apart():
    assert Exact().compare("a b", "a b") == 1.0
    assert Exact().compare("a b", "A b") == 0.0
    assert Exact().compare("a b", "a  b") == 0.0


@pytest.mark.parametrize(
    ("a", "b", "value"),
    [
        ("abcdefghij", "Xabcdefghij", 1 - 1 / 11),  # zip says 0.0
        ("The total is 42.", "Total: 42.", 0.5625),  # zip says 0.0625
        ("kitten", "sitting", 1 - 3 / 7),
        ("approved for 100 EUR", "approved for 900 EUR", 1 - 1 / 20),
        ("", "", 1.0),  # zip divides by zero
        ("", "abc", 0.0),
    ],
)
def test_edit_similarity_is_one_minus_distance_over_the_longer_length(a, b, value):
    assert Edit().compare(a, b) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Yes.", " yes. \n"),
        ("a\u00a0b\tc", "A B C"),
        ("ﬁne", "FINE"),  # a ligature, by NFKC
        ("naïve", "nai\u0308ve"),
        ("Straße", "STRASSE"),
        ('{"a":1,"b":2}', '{ "b": 2,\n "a": 1 }'),  # zip says 0.75
        ('{"total": 42.0}', '{"total": 42}'),
        ('[{"x": {"b": 1, "a": null}}]', '[{"x": {"a": null, "b": 1}}]'),
        ("", "  \n"),
    ],
)
def test_normalised_looks_past_what_does_not_matter(a, b):
    assert Normalised().compare(a, b) == 1.0


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("approved for 100 EUR", "approved for 900 EUR"),
        ('{"a": 1}', '{"a": "1"}'),
        ("[1, 2]", "[2, 1]"),
        ('{"a": NaN}', '{"a": null}'),
        ('{"a": 1}', '{"a": 1'),
        ("42", "42.5"),
        ("not approved", "approved"),
    ],
)
def test_normalised_keeps_apart_what_matters(a, b):
    assert Normalised().compare(a, b) == 0.0


def test_deeply_nested_json_is_compared_as_text_and_does_not_crash():
    deep = "[" * 100_000
    assert Normalised().compare(deep, deep + " ") == 1.0


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_the_normal_form_of_a_normal_form_is_itself(text):
    assert canonical(canonical(text)) == canonical(text)


def test_embedding_ranks_a_paraphrase_above_an_unrelated_text():
    judge = Embedding()
    near = judge.compare("The cat sat on the mat.", "A cat was sitting on a mat.")
    far = judge.compare("The cat sat on the mat.", "Quarterly revenue fell by 3 percent.")
    assert near > 0.7
    assert far < 0.4


def test_an_empty_text_is_like_nothing_but_another_empty_text():
    judge = Embedding()
    assert judge.compare("", " ") == 1.0
    assert judge.compare("", "word") == 0.0


def test_loading_the_word_vectors_leaves_the_root_logger_alone(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "wordllama"]:
        monkeypatch.delitem(sys.modules, name)
    root = logging.getLogger()
    before = (list(root.handlers), root.level)
    Embedding().compare("one text", "another text")
    assert (list(root.handlers), root.level) == before


def test_without_the_extra_the_error_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "wordllama", None)
    embedding._model.cache_clear()  # another test in this process may have loaded it
    with pytest.raises(PluginError, match=r"needs an extra") as caught:
        Embedding().compare("one text", "another text")
    assert "befit[semantic]" in caught.value.do
