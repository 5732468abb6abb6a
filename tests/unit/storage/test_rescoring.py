from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from befit.core.score import Score
from befit.errors import StoreError
from befit.storage.rescoring import Rescored
from befit.testing.store import SCENARIO, landed, manifest, missing


def rescored(item, value):
    scores = (
        Score(scorer="strict", version="2", name="strict", value=value, answer="new", rule="eq"),
        Score(scorer="befit", version="1", name="pass", value=value, answer="new"),
    )
    return Rescored(slot=item.slot, scores=scores)


def names(workspace):
    return {(row.sample_id, row.name, row.value) for row in workspace.scores("r-0001")}


def test_new_scores_take_the_place_of_all_old_ones(workspace):
    items = [landed("s1"), landed("s2")]
    workspace.commit("r-0001", items)
    workspace.replace_scores("r-0001", [[rescored(items[0], 0.0)], [rescored(items[1], 1.0)]])
    assert names(workspace) == {
        ("s1", "strict", 0.0),
        ("s1", "pass", 0.0),
        ("s2", "strict", 1.0),
        ("s2", "pass", 1.0),
    }
    first, second = workspace.facts("r-0001")
    assert (first.passed, second.passed) == (0.0, 1.0)
    assert first.answer == second.answer != landed().scores[1].answer
    details = workspace.score_details("r-0001", "alpha", SCENARIO, "s1", "", 0)
    assert [(score.name, score.rule) for score in details] == [("strict", "eq"), ("pass", None)]
    assert workspace.trial(items[0].slot.key.id) == items[0].trial


def test_a_slot_left_out_is_unscored_afterwards(workspace):
    items = [landed("s1"), landed("s2"), missing("s3")]
    workspace.commit("r-0001", items)
    workspace.replace_scores("r-0001", [[rescored(items[0], 1.0)]])
    assert [fact.passed for fact in workspace.facts("r-0001")] == [1.0, None, None]


def test_when_scoring_breaks_the_old_scores_stand(workspace):
    items = [landed("s1"), landed("s2")]
    workspace.commit("r-0001", items)
    before, facts = names(workspace), list(workspace.facts("r-0001"))

    def breaking():
        yield [rescored(items[0], 0.0)]
        raise ValueError("a scorer broke")

    with pytest.raises(ValueError, match="a scorer broke"):
        workspace.replace_scores("r-0001", breaking())
    assert names(workspace) == before
    assert list(workspace.facts("r-0001")) == facts
    workspace.replace_scores("r-0001", [[rescored(item, 1.0) for item in items]])
    assert len(names(workspace)) == 4


def test_readers_see_the_old_scores_until_the_new_ones_are_whole(workspace):
    items = [landed("s1"), landed("s2")]
    workspace.commit("r-0001", items)
    before = names(workspace)
    seen = []

    def watching():
        yield [rescored(items[0], 0.0)]
        seen.append(names(workspace))
        yield [rescored(items[1], 0.0)]

    workspace.replace_scores("r-0001", watching())
    assert seen == [before]


def test_another_run_keeps_its_scores(workspace):
    item = landed("s1")
    workspace.create(manifest("r-0002"))
    workspace.commit("r-0001", [item])
    workspace.commit("r-0002", [replace(item, reused=True)])
    workspace.replace_scores("r-0001", [[rescored(item, 0.0)]])
    assert [fact.passed for fact in workspace.facts("r-0002")] == [1.0]
    assert len(list(workspace.scores("r-0002"))) == 2


def test_trials_that_land_after_a_rescoring_are_scored_with_it(workspace):
    first, second = landed("s1"), landed("s2")
    workspace.commit("r-0001", [first])
    workspace.replace_scores("r-0001", [[rescored(first, 0.0)]])
    workspace.commit("r-0001", [second])
    assert ("s2", "match", 1.0) in names(workspace)


def test_an_unknown_run_cannot_be_rescored(workspace):
    with pytest.raises(StoreError, match="no run r-none"):
        workspace.replace_scores("r-none", [])


def test_the_length_of_the_answer_proper_follows_the_scores_that_point_at_it(workspace):
    items = [landed("s1"), landed("s2", text="It is Paris.")]
    workspace.commit("r-0001", items)
    assert [(f.output_chars, f.payload_chars) for f in workspace.facts("r-0001")] == [
        (5, 5),
        (12, 5),
    ]
    pointing = replace(rescored(items[0], 1.0).scores[0], span=(6, 11))
    silent = rescored(items[1], 1.0)
    new = Rescored(slot=items[0].slot, scores=(pointing, rescored(items[0], 1.0).scores[1]))
    workspace.replace_scores("r-0001", [[new, silent]])
    assert [fact.payload_chars for fact in workspace.facts("r-0001")] == [5, None]


def test_waiting_calls_and_the_cost_of_failed_tries_are_facts_of_a_slot(workspace):
    item = landed("s1")
    trial = replace(item.trial, waited=2.5, retry_cost=Decimal("0.25"))
    workspace.commit("r-0001", [replace(item, trial=trial), missing("s2")])
    first, second = workspace.facts("r-0001")
    assert (first.calls, first.waited, first.retry_cost) == (1, 2.5, 0.25)
    assert (second.calls, second.retry_cost) == (0, None)
    assert workspace.trial(item.slot.key.id) == trial
