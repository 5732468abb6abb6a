from __future__ import annotations

from befit.core.failure import Failure
from befit.engine.early_stop import FIRST, LATER, EarlyStop

AUTH = Failure(kind="auth", message="401")
BAD = Failure(kind="bad_request", message="400")
SERVER = Failure(kind="server", message="500")


def test_it_stops_when_the_first_calls_all_fail_for_a_wrong_setting():
    watch = EarlyStop()
    for i in range(FIRST - 1):
        watch.note(AUTH, sample_id=str(i))
    assert watch.cause is None
    watch.note(AUTH, sample_id="x")
    assert watch.cause == AUTH


def test_one_answer_shows_that_the_setting_is_right():
    watch = EarlyStop()
    watch.note(None, sample_id="a")
    for i in range(FIRST * 2):
        watch.note(BAD, sample_id=str(i))
    assert watch.cause is None


def test_a_key_withdrawn_later_stops_after_more():
    watch = EarlyStop()
    watch.note(None, sample_id="a")
    for i in range(LATER):
        assert watch.cause is None
        watch.note(AUTH, sample_id=str(i))
    assert watch.cause == AUTH


def test_a_struggling_server_is_no_wrong_setting():
    watch = EarlyStop()
    for i in range(200):
        watch.note(SERVER, sample_id=str(i))
    assert watch.cause is None


def test_one_bad_sample_refused_in_each_repeat_stops_nobody():
    watch = EarlyStop()
    for _ in range(20):
        watch.note(BAD, sample_id="the same")
    assert watch.cause is None
    for i in range(FIRST):
        watch.note(BAD, sample_id=str(i))
    assert watch.cause == BAD
