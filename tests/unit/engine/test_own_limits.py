"""How many calls at a time: what a candidate states, what its target knows, what the run says."""

from __future__ import annotations

import pytest

from befit.core.candidate import Limits
from befit.core.run import RunSettings
from befit.engine.limits import calls_in_flight, joint_limits
from engine_ground import candidate, job, manifest


@pytest.mark.parametrize(
    ("target", "stated", "expected"),
    [("openai", None, 20), ("local", None, 1), ("local", 4, 4), ("openai", 3, 3)],
)
def test_a_model_in_this_process_answers_one_call_at_a_time_unless_told_otherwise(
    target, stated, expected
):
    group = [candidate(target=target, limits=Limits(concurrency=stated))]
    assert joint_limits(group, RunSettings(concurrency=20)).concurrency == expected


def test_what_a_run_began_with_is_told_by_candidate_as_its_endpoint_was_driven():
    hosts = ("https://a.example/v1", "https://b.example/v1")
    candidates = (
        candidate("slow", base_url=hosts[0], limits=Limits(concurrency=1)),
        candidate("same host", base_url=hosts[0]),
        candidate("other", base_url=hosts[1]),
    )
    run = manifest(job(candidates, (), concurrency=20))
    assert calls_in_flight(run) == {"slow": 1, "same host": 1, "other": 20}
