from __future__ import annotations

from kill_ground import kill_and_resume


def test_killed_runs_lose_nothing_stored_and_repay_only_what_was_in_flight(tmp_path):
    found = kill_and_resume(tmp_path, samples=200, repeats=3, concurrency=50, kills=5, seed=3)
    assert found.kills == 5
    assert found.status == "complete"
    assert found.finished == 600
    assert (found.lost, found.twice) == (0, 0)
    assert max(found.repaid) <= 50
    assert found.calls == 600 + sum(found.repaid)
    assert found.stored_at_kill[-1] > 0
