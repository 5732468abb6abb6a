from __future__ import annotations

import asyncio

import pytest

from befit.engine.executor import execute
from befit.errors import DataError
from befit.interop.mt_bench import read_mt_bench
from engine_ground import RUN, Answering, candidate, fixed, job, scenario, workspace
from shared_data import shared


def samples():
    return list(
        read_mt_bench(
            shared("mt_bench/question.jsonl"), shared("mt_bench/reference_answer/gpt-4.jsonl")
        )
    )


def test_all_questions_load_as_two_turns_with_their_references():
    found = samples()
    assert len(found) == 80
    assert {len(one.turns) for one in found} == {2}
    assert len({one.tags for one in found}) == 8
    # References are given for reasoning, mathematics and code.
    assert sum(one.target is not None for one in found) == 30
    with_target = {one.tags[0] for one in found if one.target is not None}
    assert with_target == {"category:reasoning", "category:math", "category:coding"}


def test_they_run_turn_by_turn(tmp_path):
    target = Answering(lambda request: f"answer {len(request.messages)}")
    one = job([candidate()], [scenario(fixed(*samples()[:5]), scorers=())])
    with workspace(tmp_path, one) as store:
        outcome = asyncio.run(execute(one, store=store, targets={"a": target}))
        trial = store.trial(next(iter(store.facts(RUN))).key_id)
    assert outcome.ok == 5
    assert [done.text for done in trial.completions] == ["answer 1", "answer 3"]


@pytest.mark.parametrize(
    ("text", "said"),
    [('{"turns": ["a"]}', "question ? is not"), ("[1]", "no object"), ("{", "no JSON")],
)
def test_other_files_are_refused_in_a_line(tmp_path, text, said):
    (tmp_path / "q.jsonl").write_text(text)
    with pytest.raises(DataError) as caught:
        list(read_mt_bench(tmp_path / "q.jsonl"))
    assert said in str(caught.value)
