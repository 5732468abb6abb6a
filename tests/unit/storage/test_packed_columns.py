from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import text

import befit.storage
from befit.analysis.frame import build_frame_of_columns
from befit.core.completion import Completion, Timing
from befit.core.failure import Failure
from befit.core.landed import Coded, ScoreRow
from befit.core.run import ManifestScenario
from befit.core.scenario import ScenarioSpec
from befit.core.score import Score
from befit.pipeline.analysing import load_frame
from befit.storage import database, packed
from befit.storage.packed import SCORES, SLOTS, decode, encode
from befit.storage.packing import Packing
from befit.storage.rescoring import Rescored
from befit.testing.store import SCENARIO, landed, manifest, missing, with_scores

RUN = "r-0001"
NAMES = SLOTS.names


def everything():
    """Slots of two cells: unknown numbers, failures, a way told, odd names, large counts."""
    refused = landed("s3", passed=0.0)
    failure = Failure(kind="content_filter", message="refused")
    refused = replace(refused, trial=replace(refused.trial, failure=failure))
    bare = landed("s4", passed=None)
    silent = (Completion(text="x", finish_reason="length", timing=Timing(sent=0.0, end=0.25)),)
    bare = replace(bare, trial=replace(bare.trial, completions=silent, cost=None))
    told = landed("s5", text="Rome")
    routed = replace(told.trial.completions[0], headers={"x-provider": "beta"}, served_model=None)
    told = replace(told, trial=replace(told.trial, completions=(routed,), waited=0.5), reused=True)
    other = landed("s\u2028é")
    other = replace(other, slot=replace(other.slot, candidate="beta", repeat=70_000))
    return [landed("s1"), landed("s2", text="Rome"), missing("s6"), refused, bare, other, told]


@pytest.fixture
def filled(workspace):
    first = landed("s5", text="Rome")
    workspace.create(manifest("r-0000"))
    workspace.commit("r-0000", [first])  # what a reused trial is of
    workspace.commit(RUN, everything())
    return workspace


def number(value):
    return None if isinstance(value, float) and math.isnan(value) else value


def read(workspace, run_id=RUN):
    """Every slot as its columns tell it, and whether each cell was packed."""
    rows, whether = [], []
    for piece in workspace.pieces(run_id):
        whether.append(isinstance(piece.columns["answer"], Coded))
        columns = [piece.columns[name] for name in NAMES]
        rows += [
            (piece.scenario, piece.candidate, *map(number, row))
            for row in zip(*columns, strict=True)
        ]
    return rows, whether


def rows_of(workspace, run_id=RUN):
    """Every slot as its own row tells it."""
    return [
        (fact.scenario, fact.candidate, *(getattr(fact, name) for name in NAMES))
        for fact in workspace.facts(run_id)
    ]


def test_packed_columns_say_what_the_rows_say(filled):
    assert read(filled) == (rows_of(filled), [False, False])
    filled.pack(RUN, least=1)
    assert read(filled) == (rows_of(filled), [True, True])
    assert len(rows_of(filled)) == 7


def test_a_frame_is_the_same_of_packed_columns(filled):
    def frame():
        return build_frame_of_columns(manifest(), (), filled.pieces(RUN), ())

    plain = frame()
    filled.pack(RUN, least=1)
    other = frame()
    for name in ("candidate", "sample", "repeat", "status", "failure", "answer", "finish"):
        assert np.array_equal(getattr(plain, name), getattr(other, name)), name
    for name in ("reused", "attempts", "served", "instance", "passed"):
        assert np.array_equal(getattr(plain, name), getattr(other, name), equal_nan=True), name
    for name, column in plain.numbers.items():
        assert np.array_equal(column, other.numbers[name], equal_nan=True), name
    assert plain.instances == other.instances
    assert plain.samples == other.samples
    assert plain.served_models == other.served_models


SCORED = "r-0002"


@pytest.fixture
def scored(workspace):
    """A run whose scenario has a headline among its scores, some of parts, some unscored."""
    spec = ScenarioSpec(name=SCENARIO, dimension="reasoning", tier="core")
    entry = ManifestScenario(spec=spec, set_version="v" * 24, n_samples=3)
    whole = manifest(SCORED, plan="plan-2").model_copy(update={"scenarios": (entry,)})
    workspace.create(whole)
    part = Score(scorer="match", version="1", name="match", value=0.5, part="field")
    second = Score(scorer="other", version="1", name="match", value=0.25, label="close")
    one = landed("s1")
    batch = [
        with_scores(one, (*one.scores, part, second)),
        landed("s2", passed=None),
        missing("s3"),
    ]
    workspace.commit(SCORED, [*batch, landed("s4", passed=0.0)])
    return workspace


def scores_of(workspace):
    """The headline scores as columns tell them, and whether they were packed."""
    rows, whether = [], []
    for columns in workspace.score_columns(SCORED, SCENARIO, ["match", "never given"]):
        whether.append(isinstance(columns["candidate"], Coded))
        taken = zip(*(columns[name] for name in ScoreRow._fields), strict=True)
        rows += [ScoreRow(*map(number, row)) for row in taken]
    return rows, whether


def test_packed_scores_say_what_the_rows_say(scored):
    rows = list(scored.scores(SCORED, names=["match"], whole_only=True))
    assert len(rows) == 4
    assert scores_of(scored) == (rows, [False])
    scored.pack(SCORED, least=1)
    assert scores_of(scored) == (rows, [True])
    frames = [load_frame(scored, SCORED)]
    scored.commit(SCORED, [landed("s9")])
    rows = list(scored.scores(SCORED, names=["match"], whole_only=True))
    assert scores_of(scored) == (rows, [False])
    assert len(rows) == 5
    assert frames[0].metrics.keys() == {(0, "match")}


def test_a_frame_has_the_same_scores_of_packed_ones(scored):
    before = load_frame(scored, SCORED).metrics[0, "match"]
    scored.pack(SCORED, least=1)
    after = load_frame(scored, SCORED).metrics[0, "match"]
    assert before.row.tolist() == after.row.tolist() == [0, 1, 3]
    assert np.array_equal(before.value, after.value, equal_nan=True)
    assert np.array_equal(after.value, [1.0, math.nan, 0.0], equal_nan=True)


def rescored(item):
    return Rescored(slot=item.slot, scores=landed(passed=0.0, text="new").scores)


CHANGES = {
    "a new trial": lambda store: store.commit(RUN, [landed("s9")]),
    "one that was missing": lambda store: store.commit(RUN, [landed("s6")]),
    "late scores": lambda store: store.add_scores(RUN, [landed("s7")]),
    "a new pass of scoring": lambda store: store.replace_scores(RUN, [[rescored(landed("s1"))]]),
    "forgetting": lambda store: store.forget([landed("s1").slot.key.id]),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_whatever_changes_a_run_drops_what_was_packed(filled, change):
    filled.commit(RUN, [with_scores(landed("s7"), ())])
    filled.pack(RUN, least=1)
    before = read(filled)
    change(filled)
    after = read(filled)
    assert after == (rows_of(filled), [False, False])
    assert after[0] != before[0]
    filled.pack(RUN, least=1)
    assert read(filled) == (rows_of(filled), [True, True])


def test_what_is_written_again_unchanged_changes_nothing(filled):
    filled.pack(RUN, least=1)
    filled.commit(RUN, everything())
    assert read(filled)[0] == rows_of(filled)


def test_another_run_stays_packed(filled):
    filled.pack("r-0000", least=1)
    filled.commit(RUN, [landed("s9")])
    assert read(filled, "r-0000") == (rows_of(filled, "r-0000"), [True])


def test_a_small_run_is_not_packed_when_it_ends(filled):
    filled.finish(RUN, "complete")
    assert read(filled)[1] == [False, False]


def test_a_large_run_is_packed_when_it_ends(filled, monkeypatch):
    monkeypatch.setitem(Packing.pack.__kwdefaults__, "least", 7)
    filled.finish(RUN, "running")
    assert read(filled)[1] == [False, False]
    filled.finish(RUN, "interrupted")
    assert read(filled) == (rows_of(filled), [True, True])


def test_a_large_cell_is_packed_in_pieces(filled, monkeypatch):
    filled.commit(RUN, [landed(f"t{n}", text=f"{n}") for n in range(20)])
    monkeypatch.setattr(database, "FETCH", 2)
    monkeypatch.setattr(packed, "ROWS", 5)
    filled.pack(RUN, least=1)
    rows, whether = read(filled)
    assert rows == rows_of(filled)
    assert whether == [True] * 8  # alpha's 26 slots by 4, beta's one


def test_a_form_that_is_not_known_is_not_read(filled):
    filled.pack(RUN, least=1)
    told = b'[1,[["something",1,"B",null]]]'
    body = len(told).to_bytes(4, "little") + told + b"\x00"
    assert decode(body) is None
    with filled._database.write() as connection:
        connection.execute(text("UPDATE slot_columns SET body = :body"), {"body": body})
    assert read(filled) == (rows_of(filled), [False, False])


def test_scores_come_back_as_they_were():
    columns = {name: ["a", "b", "a"] for name in SCORES.texts} | {"part": [None] * 3}
    columns |= {"repeat": [0, 1, 0], "value": [0.5, 1.0, 0.0]}
    found = decode(encode(columns, SCORES), SCORES)
    assert found is not None
    assert {name: list(found[name]) for name in SCORES.names} == columns
    assert decode(encode(columns, SCORES)) is None  # in the form of slots


def test_columns_come_back_as_they_were():
    columns = {name: [None, "a", "b", "a"] for name in NAMES}
    columns |= {name: [0, 300, 7, 1 << 40] for name in ("repeat", "reused", "attempts")}
    numbers = [0.1, 1e-300, -0.0, 5e15 + 1]
    columns |= dict.fromkeys(NAMES[NAMES.index("first_token") :], numbers)
    found = decode(encode(columns))
    assert found is not None
    assert {name: list(found[name]) for name in NAMES} == columns


def test_whoever_writes_slots_drops_what_is_packed():
    folder = Path(befit.storage.__file__).parent
    writing = re.compile(r"\b(?:insert|update|delete)\(\s*(?:schema\.)?slots\)")
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.py")}
    writers = {name for name, source in texts.items() if writing.search(source)}
    assert writers == {"landing.py", "late_scores.py", "rescoring.py", "forgetting.py"}
    assert all(re.search(r"\bdrop\(connection, run_id\)", texts[name]) for name in writers)
