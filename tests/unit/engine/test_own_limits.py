"""How many calls at a time: what a candidate states, what its target knows, what the run says."""

from __future__ import annotations

import pytest

from befit.core.candidate import Limits
from befit.core.run import RunSettings
from befit.engine.limits import joint_limits
from engine_ground import candidate


@pytest.mark.parametrize(
    ("target", "stated", "expected"),
    [("openai", None, 20), ("local", None, 1), ("local", 4, 4), ("openai", 3, 3)],
)
def test_a_model_in_this_process_answers_one_call_at_a_time_unless_told_otherwise(
    target, stated, expected
):
    group = [candidate(target=target, limits=Limits(concurrency=stated))]
    assert joint_limits(group, RunSettings(concurrency=20)).concurrency == expected
