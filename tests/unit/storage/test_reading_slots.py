from __future__ import annotations

from dataclasses import replace

from befit.core.failure import Failure
from befit.core.landed import Fact
from befit.core.sample import Sample
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
    other = landed("s2")
    other = replace(other, slot=replace(other.slot, candidate="beta", scenario="aside"))
    workspace.commit("r-0001", [*(landed(f"s{n}") for n in range(5)), other])
    told = [
        {"candidate": piece.candidate, "scenario": piece.scenario}
        | dict(zip(piece.columns, row, strict=True))
        for piece in workspace.pieces("r-0001")
        for row in zip(*piece.columns.values(), strict=True)
    ]
    facts = [fact._asdict() for fact in workspace.facts("r-0001")]
    assert len(told) == 6
    assert {"latency", "passed", "answer", "route"} <= told[0].keys() <= set(Fact._fields)
    assert told == [{name: fact[name] for name in told[0]} for fact in facts]
    assert list(workspace.pieces("r-0009")) == []


def test_samples_tell_their_traits_once(workspace):
    samples = [
        Sample(id="s1", input="a", cluster="doc", language="fr", weight=2.0, kind="edge"),
        Sample(id="s2", input="b"),
    ]
    workspace.put_samples("r-0001", SCENARIO, samples)
    assert sorted(workspace.sample_traits("r-0001")) == [
        (SCENARIO, "s1", "doc", "edge", "fr", 2.0),
        (SCENARIO, "s2", None, "typical", None, 1.0),
    ]


def test_trial_ids_are_found_by_place(workspace):
    items = [landed("s1"), landed("s1", repeat=1), landed("s2")]
    workspace.commit("r-0001", items)
    places = [
        ("alpha", SCENARIO, "s2", "", 0),
        ("alpha", SCENARIO, "s1", "", 1),
        ("alpha", SCENARIO, "s9", "", 0),
    ]
    ids = [items[2].slot.key.id, items[1].slot.key.id]
    assert workspace.trial_ids("r-0001", places) == [*ids, None]
    assert set(workspace.all_trial_ids("r-0001")) == {item.slot.key.id for item in items}


def test_scores_with_a_label_are_those_that_did_not_pass(workspace):
    def told(label, value):
        return Score(scorer="match", version="1", name="match", value=value, label=label)

    batch = [
        with_scores(landed("s1"), (told("late", 0.0),)),
        with_scores(landed("s2"), (told("late", 1.0),)),
        with_scores(landed("s3"), (told("odd", None),)),
        with_scores(landed("s4"), (told("other", 0.0), told(None, 0.0))),
    ]
    workspace.commit("r-0001", batch)
    rows = workspace.labelled("r-0001", SCENARIO, ["late", "odd"])
    assert [(row.sample_id, row.label) for row in rows] == [("s1", "late"), ("s3", "odd")]


def test_the_names_of_whole_trial_scores_are_those_that_are_not_of_parts_alone(workspace):
    def score(name, part=None):
        return Score(scorer="m", version="1", name=name, value=1.0, part=part)

    given = (score("both", "turn 1"), score("both"), score("part", "x"), score("whole"))
    workspace.commit("r-0001", [with_scores(landed(s), given) for s in ("s1", "s2")])
    assert workspace.score_names("r-0001", SCENARIO) == ["both", "whole"]
    assert workspace.score_names("r-0001", "another") == []
