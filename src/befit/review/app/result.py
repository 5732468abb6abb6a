"""The result pages: nothing before the study is unblinded, then who is preferred and why."""

from __future__ import annotations

from functools import partial

from aiohttp import web

from befit.review import states
from befit.review.app.ground import off
from befit.review.app.owner import GROUP_WORDS, REVIEWS, STUDY, now_of, owner
from befit.review.board import unblinded_result
from befit.review.result import Result
from befit.storage.reviews import Reviews
from befit.web.shell import page


def add_result(app: web.Application) -> None:
    """Add the route."""
    app.router.add_get("/result", _result)


async def _result(request: web.Request) -> web.Response:
    session = owner(request)
    reviews, study_id = request.app[REVIEWS], request.app[STUDY].study_id
    study = await off(states.study_of, reviews, study_id)
    if study.state != "unblinded":
        return page(request, "sealed.html", study=study, records=False)
    found = await off(partial(_found, at=now_of(request), by=session.name), reviews, study_id)
    return page(
        request,
        "result.html",
        study=found.study,
        result=found,
        groups=GROUP_WORDS,
        cells={
            (cell.row, cell.column): cell.rate
            for cell in (found.preference.wins if found.preference else ())
        },
    )


def _found(reviews: Reviews, study_id: str, /, *, at: str, by: str) -> Result:
    study, mapping = states.unblind(reviews, study_id, at=at, by=by)
    return unblinded_result(reviews, study, mapping)
