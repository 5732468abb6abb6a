"""How far a reviewer is, and when a break is due."""

from __future__ import annotations

from statistics import median

from befit.review.pages import Progress
from befit.review.pick import (
    CYCLE_GOLD,
    CYCLE_OWN,
    Asked,
    calibration_size,
    calibration_state,
    counted,
    work_left,
)
from befit.review.records import Stage
from befit.storage.review_work import Assigned, Standing

_DAY = 86_400.0
_PAUSE = 600.0
"""Seconds without a vote that count as a break."""
_FEW = 3


def progress_of(asked: Asked, standing: Standing) -> Progress:
    """Return how far a reviewer is in the stage that is on."""
    study, mine = asked.study, standing.mine
    passed, attempts = calibration_state(study, asked.pool, mine)
    if asked.disputed is not None:
        passed = True  # an adjudicator needs no calibration
    done = [one for one in mine if one.state == "done"]
    work = [one for one in counted(mine) if one.state == "done"]
    stage: Stage
    if study.cycle_open and study.state != "open":
        rated = [one for one in done if one.purpose == "cycle" and one.cycle == study.cycle]
        known = min(CYCLE_GOLD, len(asked.pool.gold) + len(asked.pool.calibration))
        own = sum(one.purpose == "work" for one in done)
        stage, count, total = "cycle", len(rated), known + min(CYCLE_OWN, own)
    elif passed is not True:
        size = calibration_size(study, asked.pool)
        judged = sum(one.purpose == "calibration" for one in done)
        stage, count, total = (
            "calibration",
            judged - (attempts if passed is None else 1) * size,
            size,
        )
    else:
        waiting = sum(one.state == "leased" for one in counted(mine))
        stage, count = "work", len(work)
        left = work_left(asked, standing) + waiting
        if study.settings.quota is not None:
            left = min(left, max(waiting, study.settings.quota - len(work)))
        total = len(work) + left
    today = [one for one in work if (one.voted_at or 0.0) > asked.now - _DAY]
    return Progress(
        stage=stage,
        done=max(0, count),
        total=total,
        minutes_left=_minutes(done, left=total - count),
        break_due=_sitting(done, now=asked.now) >= study.settings.break_after,
        done_today=len(today),
    )


def _minutes(done: list[Assigned], *, left: int) -> int | None:
    spent = [
        one.voted_at - one.shown_at
        for one in done
        if one.voted_at is not None and one.shown_at is not None
    ]
    if len(spent) < _FEW:
        return None
    return max(0, round(median(spent) * left / 60))


def _sitting(done: list[Assigned], *, now: float) -> float:
    """Return seconds since the last break."""
    begin = now
    for at in sorted((one.voted_at or 0.0 for one in done), reverse=True):
        if begin - at > _PAUSE:
            break
        begin = at
    return now - begin
