"""Planted truth: the system finds the right routes, says when it cannot, and seldom errs.

The long form (1,000 worlds each) is part of the proof; here the same code with
fewer worlds and a Monte Carlo band to match.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

import planted_worlds as planted
from befit.config.load import load_project
from befit.core.tier import Tier
from befit.decide.record import decide
from befit.pipeline.deciding import decide_run, keep_decision, read_decision
from befit.pipeline.running import run_project
from befit.storage.workspace import Workspace
from decision_worlds import evidence_of, scenario_of

SEED = 7
WORLDS = 20
N = 130
PER_TOKEN = 1e-6
STEADY = np.full(planted.CANDIDATES, 0.99)
SURE = np.full((planted.TIERS, planted.CANDIDATES), 0.95)

MODULE = '''
"""Simulated candidates: right or wrong, tokens and seconds stand in a file beside this one."""
import itertools, json
from collections import defaultdict
from pathlib import Path

from befit.core.completion import Completion, Timing
from befit.core.price import Usage

TABLE = json.loads((Path(__file__).parent / "world.json").read_text())


class Sim:
    def __init__(self, name):
        self.calls = defaultdict(itertools.count)
        self.name = name

    async def __call__(self, prompt):
        right, tokens, seconds = TABLE[self.name][prompt]
        ok = right[next(self.calls[prompt]) % len(right)]
        return Completion(text="yes" if ok else "no", finish_reason="stop",
                          timing=Timing(end=seconds), usage=Usage(text_output=tokens))


'''


def write_world(folder, world, right, tokens, seconds):
    """Write a world as a project of functions."""
    folder.mkdir()
    names = [f"m{m}" for m in range(planted.CANDIDATES)]
    table = {
        name: {
            f"s{t} {i}": [
                [int(x) for x in right[t, m, i]],
                int(tokens[t, m, i]),
                float(seconds[t, m, i]),
            ]
            for t in range(planted.TIERS)
            for i in range(N)
        }
        for m, name in enumerate(names)
    }
    (folder / "world.json").write_text(json.dumps(table))
    module = f"planted_{folder.name}"
    (folder / f"{module}.py").write_text(MODULE + "\n".join(f"{n} = Sim({n!r})" for n in names))
    policy = world.policy().model_dump(mode="json", exclude_defaults=True)
    project = {
        "project": folder.name,
        "candidates": [
            {
                "name": name,
                "target": "function",
                "model": f"{module}:{name}",
                "price": {"input": 0, "output": 1},
            }
            for name in names
        ],
        "scenarios": [
            {
                "name": f"s{t}",
                "dimension": "classification",
                "tier": f"t{t}",
                "repeats": planted.REPEATS,
                "scorers": ["match"],
                "samples": [
                    {"id": f"{i:04d}", "input": f"s{t} {i}", "target": "yes"} for i in range(N)
                ],
            }
            for t in range(planted.TIERS)
        ],
        "tiers": {
            f"t{t}": {"volume_per_month": int(world.volumes[t])} for t in range(planted.TIERS)
        },
        "policy": policy,
    }
    path = folder / "befit.yaml"
    path.write_text(json.dumps(project))
    return path


def as_arrays(world, right, tokens, seconds):
    """The evidence of the same world without any run."""
    scenarios = [
        scenario_of(
            f"s{t}",
            f"t{t}",
            right[t].mean(axis=2),
            cost=tokens[t] * PER_TOKEN,
            latency=[np.repeat(seconds[t, m], planted.REPEATS) for m in range(planted.CANDIDATES)],
            latency_item=np.repeat(np.arange(N), planted.REPEATS),
            repeats=planted.REPEATS,
            passes=list(right[t]),
        )
        for t in range(planted.TIERS)
    ]
    tiers = [
        Tier(name=f"t{t}", volume_per_month=int(world.volumes[t])) for t in range(planted.TIERS)
    ]
    return evidence_of([f"m{m}" for m in range(planted.CANDIDATES)], scenarios, tiers)


def outline(decision):
    """What was decided, without the numbers."""
    return [
        (t.tier, t.outcome, t.candidate, t.fallback, t.contenders, [s.verdict for s in t.standings])
        for t in decision.tiers
    ]


@pytest.mark.slow
def test_twenty_worlds_decide_the_same_end_to_end_as_from_arrays(tmp_path):
    rng = np.random.default_rng(SEED)
    outcomes = set()
    with Workspace.open(tmp_path / ".befit") as workspace:
        for at in range(WORLDS):
            world = planted.planted(rng)
            if at % 2:  # with floors this low even so few samples decide
                world = replace(world, floors=world.floors - 0.4, steadiness=STEADY, stability=SURE)
            right = planted.answers(world, rng, n=N)
            shape = (planted.TIERS, planted.CANDIDATES, N)
            noise = rng.lognormal(0, 0.3, shape)
            tokens = np.round(world.price[None, :, None] / PER_TOKEN * noise).astype(int) + 1
            scale = world.p95 / np.exp(0.4 * 1.6449)
            seconds = scale[None, :, None] * rng.lognormal(0, 0.4, shape)
            project = load_project(write_world(tmp_path / f"w{at}", world, right, tokens, seconds))
            run = run_project(project, workspace).manifest.id
            found = decide_run(workspace, run)
            wanted = decide(as_arrays(world, right, tokens, seconds), world.policy())
            assert outline(found) == outline(wanted)
            signed, kept = keep_decision(
                workspace, found, by="somebody", now=datetime(2026, 1, 1, tzinfo=UTC)
            )
            assert read_decision(workspace.records.read(kept.id)) == signed
            outcomes |= {t.outcome for t in found.tiers}
    assert {"decided", "not_decided"} <= outcomes


@pytest.mark.slow
def test_in_clear_worlds_the_true_best_routes_are_chosen():
    found = list(planted.play(100, np.random.default_rng(SEED), clear=True))
    assert sum(v.optimal and v.decided for v in found) >= 90
    assert not any(v.fails_badly for v in found)


@pytest.mark.slow
def test_in_any_world_a_truly_failing_candidate_is_seldom_routed_and_never_a_bad_one():
    found = list(planted.play(100, np.random.default_rng(SEED)))
    assert sum(v.fails for v in found) <= 12  # 5 % of 100 and its 99.9 % band
    assert not any(v.fails_badly for v in found)
    assert all(v.optimal or not v.decided or v.fails for v in found)


@pytest.mark.slow
def test_intervals_of_savings_cover():
    assert planted.cover_savings(200, np.random.default_rng(SEED)) >= 0.90


def test_equal_candidates_are_seldom_called_different():
    assert planted.false_differences(60, np.random.default_rng(SEED)) <= 0.15
