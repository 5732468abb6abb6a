"""Twenty reviewers at once and a server that is killed: no vote lost, none counted twice."""

from __future__ import annotations

import pytest

from review_load import vote_and_kill


@pytest.mark.slow
def test_no_vote_is_lost_or_counted_twice_when_the_server_is_killed_under_twenty_reviewers(
    tmp_path,
):
    found = vote_and_kill(tmp_path, reviewers=20, votes=8, kills=2, seconds=180)
    assert found.faults == []
    assert (found.kills, found.confirmed) == (2, 160)
    assert (found.lost, found.twice) == (0, 0)
    assert found.stored == 160
    assert found.sent_twice > 0
