from __future__ import annotations

import pytest

from befit.core.sample import Attachment, Message, Provenance, Sample
from befit.probes.guided import BEGINNING, GUIDED, UNGUIDED, continuation, cut, guided

TEXT = (
    "Anna keeps nine hens on a small farm. Each of them lays four eggs a week."
    " How many eggs does she have after two weeks?"
)


def item(text=TEXT, **more):
    return Sample(id="i1", input=text, target="72", **more)


def only(sample, source="Egg Sums, test split"):
    (asked,) = guided([sample], source=source)
    return asked


def test_an_item_is_asked_for_once_with_its_source_and_once_without():
    told, not_told = only(item(tags=("maths",), language="en")).samples
    assert (told.id, not_told.id) == ("i1~guided", "i1~unguided")
    assert "Egg Sums, test split" in told.input
    assert "Egg Sums" not in not_told.input
    assert GUIDED in told.tags
    assert UNGUIDED in not_told.tags
    for made in (told, not_told):
        assert made.input.endswith("\n\n" + made.vars[BEGINNING])
        assert f"{made.vars[BEGINNING]} {made.target}" == TEXT
        assert (made.provenance.parent_id, made.cluster, made.language) == ("i1", "i1", "en")
        assert "maths" in made.tags


def test_the_cut_is_at_the_end_of_a_sentence_near_the_middle_else_in_the_middle():
    # 25 words: the first sentence ends after 8 (32 %), the second after 16 (64 %)
    assert cut(TEXT)[1] == "How many eggs does she have after two weeks?"
    assert cut("a b c d e f") == ("a b c", "d e f")


def test_the_source_of_the_item_is_taken_where_none_is_named():
    known = item(provenance=Provenance(source="public {set}"))
    assert "item of public {set} begins" in only(known, source="").samples[0].input


@pytest.mark.parametrize(
    ("sample", "source", "why"),
    [
        (item("What is 40 + 85?"), "s", "fewer than 12 words"),
        (item(), "", "source is not known"),
        (item((Message(role="user", content=TEXT),)), "s", "only single texts"),
        (item(attachments=(Attachment(name="a", url="data:,x"),)), "s", "attachments"),
        (item().model_copy(update={"id": "x" * 200}), "s", "id is too long"),
    ],
)
def test_what_cannot_be_asked_is_left_out_with_the_reason(sample, source, why):
    asked = only(sample, source)
    assert asked.samples == ()
    assert why in asked.why


def test_a_beginning_that_is_repeated_is_no_part_of_the_continuation():
    assert continuation(" One two. three four\n", "One two.") == "three four"
    assert continuation("three four", "One two.") == "three four"
