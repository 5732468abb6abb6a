"""Recorded tau-bench trials go through the engine again: user, tools, agent."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from befit.core.candidate import Candidate
from befit.core.sample import ScorerSpec
from befit.core.scenario import Caps, SimulatedUser
from befit.engine.executor import execute
from befit.engine.job import user_name
from befit.engine.opening import open_targets
from befit.engine.scoring import Scoring
from befit.interop.tau_bench import read_tau_bench, write_replay
from befit.stats.passk import pass_hat_k
from engine_ground import RUN, candidate, fixed, job, scenario, workspace
from shared_data import shared

REWARDS = {}


def recorded_reward(sample, trial):
    return REWARDS[sample.id][trial.key.repeat]


@pytest.fixture(scope="module")
def replayed(tmp_path_factory):
    """The facts of a replayed run by (sample, repeat), scored by calls and by reward."""
    path = tmp_path_factory.mktemp("tau")
    recorded = read_tau_bench(shared("tau_bench/gpt-4o-airline_tasks0-9.json"))
    REWARDS.update(recorded.rewards)
    write_replay(recorded.agent, path / "agent.jsonl")
    write_replay(recorded.user, path / "user.jsonl")
    agent = candidate("agent", target="replay", options={"path": str(path / "agent.jsonl")})
    name = user_name("airline")
    user = candidate(name, target="replay", options={"path": str(path / "user.jsonl")})
    player = SimulatedUser(candidate=Candidate(name="u", target="replay"))
    more = {"repeats": 4, "user": player, "caps": Caps(steps=100)}
    reward = ScorerSpec(name="python", options={"function": f"{__name__}:recorded_reward"})
    calls = ScorerSpec(name="tool_calls", options={})
    scenarios = [scenario(fixed(*recorded.samples), name="airline", scorers=(reward,), **more)]
    one = replace(job([agent], scenarios), users={"airline": user})

    async def go(store):
        async with open_targets([agent.candidate, user.candidate]) as targets:
            return await execute(one, store=store, targets=targets)

    with workspace(path, one) as store:
        outcome = asyncio.run(go(store))
        facts = {(f.sample_id, f.repeat): f for f in store.facts(RUN)}
        trials = {place: store.trial(f.key_id) for place, f in facts.items()}
    return recorded, outcome, facts, trials, calls


def test_all_forty_trajectories_are_replayed_whole(replayed):
    recorded, outcome, _, trials, _ = replayed
    assert (len(recorded.samples), len(trials), outcome.missing) == (10, 40, 0)
    trial = trials["task-6", 0]
    tools = [m for m in trial.transcript if m.role == "tool"]
    assert len(trial.transcript) == 23  # the recorded 24 without the user's stop
    assert "aarav_garcia_1177" in trial.transcript[3].text
    assert tools
    assert all(m.tool_call_id for m in tools)


def test_pass_hat_k_over_the_ten_tasks_follows_from_the_rewards(replayed):
    _, _, facts, _, _ = replayed
    passed = {}
    for (sample, _), fact in facts.items():
        passed[sample] = passed.get(sample, 0) + int(fact.passed)
    # Five tasks were solved in one of their four trials, the others never:
    # pass^1 = 5 x 1/4 / 10; two successes of one task never happened.
    assert sorted(passed.values()) == [0] * 5 + [1] * 5
    right = list(passed.values())
    found = [float(pass_hat_k(right, 4, k=k).mean()) for k in (1, 2, 3, 4)]
    assert found == [0.125, 0.0, 0.0, 0.0]


def test_the_calls_alone_agree_with_39_of_40_rewards(replayed):
    recorded, _, _, trials, calls = replayed
    (sample_by_id,) = [{s.id: s for s in recorded.samples}]
    spec = scenario(fixed(), name="airline", scorers=(calls,)).spec
    scoring = Scoring.of(spec)
    other = []
    for (sample, repeat), trial in trials.items():
        passed = scoring.score(sample_by_id[sample], trial)[-1].value
        if passed != recorded.rewards[sample][repeat]:
            other.append((sample, repeat))
    # There the agent gave the flights' airports besides, which its database ignored.
    assert other == [("task-5", 1)]
