"""Why there is no next item for a reviewer."""

from __future__ import annotations

from befit.review import guessing
from befit.review.pages import Stop
from befit.review.pick import Asked, calibration_state, wanting
from befit.review.progress import progress_of
from befit.storage.review_work import Standing
from befit.storage.reviews import Reviews


def stop_of(reviews: Reviews, asked: Asked, standing: Standing) -> Stop:
    """Return the reason, the weightiest first: the study's state, then the reviewer's own."""
    study = asked.study
    states: dict[str, Stop] = {"draft": "not open", "paused": "paused"}
    if study.state != "open":
        return states.get(study.state, "closed")
    passed, _ = calibration_state(study, asked.pool, standing.mine)
    if passed is False and asked.disputed is None:
        return "calibration failed"
    if guessing.left(asked, standing, guessing.told(reviews, asked)):
        return "guesses"
    quota, per_day = study.settings.quota, study.settings.per_day
    progress = progress_of(asked, standing)
    if quota is not None and progress.done >= quota:
        return "done"
    if per_day is not None and progress.done_today >= per_day:
        return "enough for today"
    return "nothing now" if wanting(asked, standing) else "done"
