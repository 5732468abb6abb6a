"""A run that stops itself says whom it asks no more, after how many samples, and why."""

from __future__ import annotations

import re

from befit.config.load import load_project
from befit.pipeline.until_decided import run_until_decided
from befit.storage.workspace import Workspace
from decision_project import shares, write_project

N = 200


def ran(folder, right, *, policy):
    module = f"sim_{folder.name.replace('-', '_')}"
    prices = {name: 1 + place for place, name in enumerate(right)}
    path = write_project(folder, right, prices=prices, policy=policy, module=module)
    said = []
    with Workspace.open(folder / ".befit") as workspace:
        found = run_until_decided(load_project(path), workspace, say=said.append)
    return found, [line.strip() for line in said]


def test_who_is_asked_no_more_is_named_with_the_reason(tmp_path):
    right = {
        "wrong": {"s": shares(N, 0.2)},
        "open": {"s": shares(N, 0.7)},
        "good": {"s": [1] * N},
        "dear": {"s": [1] * N},
    }
    found, said = ran(tmp_path, right, policy="gates: [{metric: pass_rate, floor: 0.7}]")
    told = [line for line in said if "asked no more" in line]
    for who, why in (
        ("wrong", "it is shown to be below the 70 % asked"),
        ("dear", "good comes before it by cost and is shown to reach what is asked"),
    ):
        (line,) = (one for one in told if one.startswith(who))
        counted = re.fullmatch(rf"{who} was asked no more on s after (\d+) of 200 samples: {why}",
                               line)  # fmt: skip
        assert counted is not None, line
        assert f"{line}." in found.stopped.text
        (own,) = (one for one in found.decision.tiers[0].standings if one.candidate == who)
        assert own.quality.n_samples == int(counted[1])
    assert found.decision.stopped == found.stopped


def test_without_a_floor_who_was_beaten_is_told_by_whom(tmp_path):
    near = shares(N, 0.95)
    right = {"best": {"s": near}, "next": {"s": near[1:] + near[:1]}, "wrong": {"s": [0] * N}}
    _, said = ran(tmp_path, right, policy="margin: 0.02")
    (line,) = (one for one in said if "asked no more" in one)
    assert re.fullmatch(
        r"wrong was asked no more on s after \d+ of 200 samples: (best|next) is shown to be better",
        line,
    )
