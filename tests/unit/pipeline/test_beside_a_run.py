"""What stands beside a run's own columns: failed tries, earlier measurements of the same."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from befit.analysis.frame import Frame
from befit.core.failure import Failure
from befit.engine.executor import execute
from befit.errors import TargetError
from befit.pipeline.analysing import analyse_run, load_frame
from befit.pipeline.beside import earlier_measurements, failed_tries
from befit.storage.workspace import Workspace
from engine_ground import Answering, FlyingClock, candidate, job, numbered, runtime, scenario
from engine_ground import workspace as opened

LIMITED = Failure(kind="rate_limited", message="429", status=429)
SERVER = Failure(kind="server", message="500", status=500)


def run(store: Workspace, one: object, failures: list[Failure]) -> Frame:
    left = list(failures)

    def answer(_: object) -> str:
        if left:
            raise TargetError(left.pop(0))
        return "42"

    work = execute(
        one, store=store, targets={"a": Answering(answer)}, runtime=runtime(FlyingClock())
    )
    asyncio.run(work)
    store.finish(one.run_id, "complete")
    return load_frame(store, one.run_id)


def test_failed_tries_are_told_by_kind_and_a_run_without_any_tells_none(tmp_path: Path) -> None:
    first = job([candidate()], [scenario(numbered(4))], retries=5, concurrency=1)
    again = job([candidate()], [scenario(numbered(4))], run_id="r-0002", label="again")
    with opened(tmp_path, first, again) as store:
        (found,) = failed_tries(store, run(store, first, [LIMITED, SERVER, LIMITED]))
        assert found.kinds == {"rate_limited": 2, "server": 1}
        assert (found.tasks, found.read) == (1, 1)
        assert failed_tries(store, run(store, again, [])) == ()
        # Answers that were reused had no try in this run.
        reused = job([candidate()], [scenario(numbered(4))], run_id="r-0003")
        store.create(store.manifest("r-0002").model_copy(update={"id": "r-0003"}))
        assert failed_tries(store, run(store, reused, [])) == ()
        assert analyse_run(store, first.run_id).analysis.failed_tries == (found,)


def test_only_the_same_candidate_with_the_same_prompt_is_compared_between_runs(
    tmp_path: Path,
) -> None:
    first = job([candidate()], [scenario(numbered(12))])
    same = job([candidate()], [scenario(numbered(12))], run_id="r-0002", label="again")
    other = job([candidate()], [scenario(numbered(12), template="Now: {input}")], run_id="r-0003")
    with opened(tmp_path, first, same, other) as store:
        for one in (first, same, other):
            run(store, one, [])
        found = earlier_measurements(store, store.manifest(first.run_id))
        assert list(found) == [("a", "facts")]
        ((measured,)) = found["a", "facts"]
        assert measured.shape == (12, 3)
        assert measured[:, 0] == pytest.approx(0.02)
