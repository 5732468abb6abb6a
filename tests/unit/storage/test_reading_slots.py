from __future__ import annotations

from dataclasses import replace

from befit.core.failure import Failure
from befit.core.landed import Fact
from befit.core.score import Score
from befit.storage.facts import ScoreTotal
from befit.testing.store import SCENARIO, landed, missing, with_scores


def refused(sample_id):
    item = landed(sample_id, passed=0.0)
    failure = Failure(kind="content_filter", message="refused")
    return replace(item, trial=replace(item.trial, failure=failure))


def test_failing_slots_are_those_that_did_not_pass(workspace):
    batch = [landed("s1"), landed("s2", passed=0.0), landed("s3", passed=None), missing("s4")]
    workspace.commit("r-0001", [*batch, refused("s5")])
    assert [fact.sample_id for fact in workspace.failing("r-0001")] == ["s2", "s5"]
    assert [fact.sample_id for fact in workspace.failing("r-0001", limit=1)] == ["s2"]
    assert workspace.failing("r-0001", scenario="another") == []
    assert workspace.failing("r-0001", candidate="beta") == []
    assert len(workspace.failing("r-0001", candidate="alpha", scenario=SCENARIO)) == 2


def test_the_slots_of_a_sample_are_all_its_repeats(workspace):
    workspace.commit("r-0001", [landed("s1"), landed("s1", repeat=1), landed("s2")])
    slots = workspace.slots("r-0001", SCENARIO, "s1")
    assert [(fact.sample_id, fact.repeat) for fact in slots] == [("s1", 0), ("s1", 1)]


def test_scores_come_back_whole_in_the_order_the_scorers_gave_them(workspace):
    scores = (
        Score(scorer="b", version="2", name="z", value=0.25, label="wrong", part="total"),
        Score(
            scorer="b",
            version="2",
            name="a",
            value=None,
            answer={"x": [1, None, "\ud800"], "big": 10**30},
            span=(3, 9),
            rule="last \0 number",
            explanation="because",
        ),
    )
    workspace.commit("r-0001", [with_scores(landed(), scores)])
    details = workspace.score_details("r-0001", "alpha", SCENARIO, "s1", "", 0)
    assert tuple(details) == scores
    assert workspace.score_details("r-0001", "alpha", SCENARIO, "s9", "", 0) == []


def test_totals_count_the_unscored_apart_and_parts_apart(workspace):
    part = Score(scorer="match", version="1", name="match", value=0.5, part="field")
    workspace.commit(
        "r-0001",
        [
            landed("s1"),
            landed("s2", passed=None),
            with_scores(landed("s3"), (*landed("s3", passed=0.0).scores, part)),
        ],
    )
    assert workspace.score_totals("r-0001") == [
        ScoreTotal(SCENARIO, "alpha", "match", part=False, n=3, n_scored=2, total=1.0),
        ScoreTotal(SCENARIO, "alpha", "match", part=True, n=1, n_scored=1, total=0.5),
        ScoreTotal(SCENARIO, "alpha", "pass", part=False, n=3, n_scored=2, total=1.0),
    ]


def test_names_no_column_can_hold_still_find_their_slot(workspace):
    odd = "a\0b\ud800"
    item = replace(landed(), slot=replace(landed().slot, sample_id=odd))
    workspace.commit("r-0001", [item])
    workspace.commit("r-0001", [item])
    assert workspace.unfilled("r-0001", [item.slot]) == []
    assert len(workspace.slots("r-0001", SCENARIO, odd)) == 1
    assert len(workspace.score_details("r-0001", "alpha", SCENARIO, odd, "", 0)) == 2
    assert workspace.trial(item.slot.key.id) == item.trial


def test_keys_are_looked_up_in_any_number(workspace):
    items = [landed(f"s{n:04d}") for n in range(1200)]
    workspace.commit("r-0001", items)
    keys = [item.slot.key.id for item in items]
    assert workspace.filled("r-0001", keys) == set(keys)
    assert len(workspace.trials(keys)) == 1200
    assert workspace.unfilled("r-0001", [item.slot for item in items]) == []


def test_facts_come_as_columns_too(workspace):
    workspace.commit("r-0001", [landed(f"s{n}") for n in range(5)])
    columns = list(workspace.fact_columns("r-0001"))
    told = [Fact(*row) for piece in columns for row in zip(*piece.values(), strict=True)]
    assert [tuple(piece) for piece in columns] == [Fact._fields] * len(columns)
    assert told == list(workspace.facts("r-0001"))
