from __future__ import annotations

from befit.core.candidate import Candidate
from befit.core.sample import Sample, ScorerSpec
from befit.core.scenario import Caps, SimulatedUser
from befit.core.world import World
from befit.engine.plan import plan
from engine_ground import candidate, fixed, job, numbered, scenario


def told(one):
    return {w.code: w.text for w in plan(one).warnings}


JUDGES = tuple(Candidate(name=name, target="openai", model=name) for name in ("j1", "j2"))


def test_questions_to_judges_are_counted_beside_the_calls():
    rubric = ScorerSpec(name="judge", options={"rubric": ["It is polite.", "It is short."]})
    one = job(
        [candidate("a"), candidate("b")],
        [scenario(numbered(5), scorers=(rubric,), judges=JUDGES, repeats=3)],
    )
    # 5 samples x 2 candidates x 3 repeats x 2 criteria, and 20 of them once more; x 2 judges.
    assert told(one)["judge_calls"].startswith("up to 160 questions")


def test_pairs_are_asked_in_both_orders():
    pairwise = ScorerSpec(name="judge", options={"mode": "pairwise"})
    sample = Sample(id="s", input="?", target="a reference")
    one = job(
        [candidate()], [scenario(fixed(sample), scorers=(pairwise,), judges=JUDGES[:1], repeats=1)]
    )
    # Both orders, and both once more for the judge's agreement with itself.
    assert told(one)["judge_calls"].startswith("up to 4 questions")


def test_a_pair_with_a_rivals_answer_is_asked_in_both_orders_too():
    pairwise = ScorerSpec(name="judge", options={"mode": "pairwise", "against": "a"})
    one = job(
        [candidate("a"), candidate("b")],
        [scenario(numbered(5), scorers=(pairwise,), judges=JUDGES[:1], repeats=1)],
    )
    # At most 5 samples x 2 candidates x 2 orders, and each once more; the rival itself is
    # asked about by nobody.
    assert told(one)["judge_calls"].startswith("up to 40 questions")


def test_questions_that_single_samples_bring_are_counted_sample_by_sample():
    rubric = ScorerSpec(name="judge", options={"rubric": ["It is polite.", "It is short."]})
    samples = [Sample(id="a", input="?"), Sample(id="b", input="??", checks=(rubric,))]
    one = job([candidate()], [scenario(fixed(*samples), scorers=(), judges=JUDGES[:1], repeats=4)])
    # 1 sample x 4 repeats x 2 criteria, each once more.
    assert told(one)["judge_calls"].startswith("up to 16 questions")


def test_without_judges_and_worlds_nothing_comes_on_top():
    assert not {"judge_calls", "tool_steps"} & set(
        told(job([candidate()], [scenario(numbered(2))]))
    )


def test_loops_of_tools_may_take_more_calls_than_one():
    one = job([candidate()], [scenario(numbered(2), world=World(state={"a": 1}))])
    assert told(one)["tool_steps"] == "a trial with tools takes up to 20 calls; one is counted"


def test_worlds_of_samples_and_simulated_users_take_more_calls_than_one_too():
    world = Sample(id="a", input="?", world=World(state={"a": 1}))
    own = scenario(fixed(world, Sample(id="b", input="??")), name="own")
    user = SimulatedUser(candidate=JUDGES[0])
    talk = scenario(numbered(2), name="talk", user=user, caps=Caps(turns=6))
    found = told(job([candidate()], [own, talk]))
    assert found["tool_steps"] == "a trial with tools takes up to 20 calls; one is counted"
    assert found["simulated_user"].startswith(
        "a conversation with a simulated user takes up to 6 turns, each a call to the candidate"
    )
