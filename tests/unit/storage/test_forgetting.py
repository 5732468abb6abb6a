from __future__ import annotations

import zlib
from dataclasses import replace

import pytest

from befit.core.sample import Sample
from befit.storage.rescoring import Rescored
from befit.storage.trial_record import trial_body
from befit.testing.store import SCENARIO, landed, manifest

PERSON = "Jane Roe, 12 Elm Street"


@pytest.fixture
def told(workspace):
    workspace.put_samples("r-0001", SCENARIO, [Sample(id="s1", input=f"I am {PERSON}")])
    workspace.commit("r-0001", [landed("s1", text=PERSON), landed("s2")])
    return workspace


def test_content_goes_and_facts_stay(told):
    key = landed("s1").slot.key.id
    before = list(told.facts("r-0001"))
    assert told.forget([key, "f" * 32]) == 1
    assert told.trial(key) is None
    assert told.trials([key]) == {}
    assert told.score_details("r-0001", "alpha", SCENARIO, "s1", "", 0) == []
    assert list(told.facts("r-0001")) == [before[0]._replace(answer=None), before[1]]
    assert len(list(told.scores("r-0001"))) == 4
    assert told.filled("r-0001", [key]) == {key}
    assert told.forget([key]) == 0


def test_what_is_forgotten_is_not_stored_again(told):
    item = landed("s1", text=PERSON)
    key = item.slot.key.id
    told.forget([key])
    told.create(manifest("r-0002"))
    told.commit("r-0002", [item])
    told.commit("r-0001", [item])
    told.replace_scores("r-0001", [[Rescored(slot=item.slot, scores=item.scores)]])
    assert told.trial(key) is None
    for run_id in ("r-0001", "r-0002"):
        assert told.score_details(run_id, "alpha", SCENARIO, "s1", "", 0) == []
        fact = next(told.facts(run_id))
        assert (fact.passed, fact.answer) == (1.0, None)


def test_the_sample_goes_with_it_where_that_is_asked_for(told):
    key = landed("s1").slot.key.id
    told.forget([key])
    assert told.sample("r-0001", SCENARIO, "s1") is not None
    told.forget([key], with_samples=True)
    assert told.sample("r-0001", SCENARIO, "s1") is None
    assert list(told.samples("r-0001", SCENARIO)) == []


def test_an_answer_another_run_paid_for_is_forgotten_too(told):
    told.create(manifest("r-0002"))
    told.commit("r-0002", [landed("s1", text=f"again {PERSON}")])
    (fact,) = told.facts("r-0002")
    assert told.trial(fact.key_id).output == f"again {PERSON}"
    told.forget([landed("s1").slot.key.id])
    assert told.trial(fact.key_id) is None


@pytest.mark.parametrize("location", ["sqlite"], indirect=True)
@pytest.mark.parametrize("text", [PERSON, PERSON * 120], ids=["plain", "compressed"])
def test_not_a_byte_of_it_is_left_in_the_files(workspace, location, text):
    item = landed("s1", text=text)
    body = trial_body(item.trial)
    sign = body[-60:] if body[:1].isupper() else PERSON.encode()
    if body[:1].isupper():
        assert PERSON.encode() in zlib.decompress(body[1:])
    workspace.put_samples("r-0001", SCENARIO, [Sample(id="s1", input=PERSON)])
    workspace.commit("r-0001", [item, landed("s2")])
    assert any(sign in file.read_bytes() for file in location.glob("workspace.db*"))
    workspace.forget([item.slot.key.id], with_samples=True)
    for file in location.glob("workspace.db*"):
        content = file.read_bytes()
        assert sign not in content
        assert PERSON.encode() not in content


def test_two_runs_of_one_input_each_keep_the_answer_they_paid_for(workspace):
    workspace.create(manifest("r-0002"))
    first, second = landed("s1", text="Paris"), landed("s1", text="Lyon", passed=0.0)
    workspace.commit("r-0001", [first])
    workspace.commit("r-0002", [second, replace(second, slot=replace(second.slot, scenario="b"))])
    workspace.commit("r-0002", [second])
    assert [workspace.trial(f.key_id).output for f in workspace.facts("r-0001")] == ["Paris"]
    assert [workspace.trial(f.key_id).output for f in workspace.facts("r-0002")] == ["Lyon"] * 2
    assert workspace.trials([first.slot.key.id])[first.slot.key.id].output == "Paris"
