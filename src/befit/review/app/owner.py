"""The owner's pages: progress, reviewers, the states of the study, the audit trail.

Nothing here tells anything of a candidate while the study is blind; the board
is made of reviewers and items only. Unblinding asks the same as everywhere: a
closed study and its key.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from aiohttp import web

from befit.errors import UsageError
from befit.review import states
from befit.review.app.ground import OWNER, off
from befit.review.board import board
from befit.review.people import invite, renew, reviewers, revoke
from befit.review.settings import GROUPS, Group
from befit.storage.reviews import Reviews
from befit.web.sessions import Session
from befit.web.shell import CLOCK, page, required

REVIEWS = web.AppKey("reviews", Reviews)
GROUP_WORDS: dict[Group, str] = {
    "real_user": "real user",
    "domain_expert": "domain expert",
    "own_team": "own team",
}
_EVENTS = 500
LINK_DAYS = 30
"""How long a reviewer's link is good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Which study, and under which address."""

    study_id: str
    address: str


STUDY = web.AppKey("study", Place)


def add_owner(app: web.Application) -> None:
    """Add the routes."""
    app.router.add_get("/board", _board)
    app.router.add_get("/people", _people)
    app.router.add_post("/people", _invite)
    app.router.add_post("/people/{person}/revoke", _revoke)
    app.router.add_post("/people/{person}/link", _renew)
    app.router.add_post("/state/{step}", _step)
    app.router.add_get("/trail", _trail)


def owner(request: web.Request) -> Session:
    """Return the owner's session; everybody else is refused."""
    return required(request, OWNER)


def now_of(request: web.Request) -> str:
    """Return the time as it is stored."""
    return datetime.fromtimestamp(request.app[CLOCK](), UTC).isoformat(timespec="seconds")


async def _board(request: web.Request) -> web.Response:
    owner(request)
    reviews, study = request.app[REVIEWS], request.app[STUDY].study_id
    made = await off(board, reviews, study, now=request.app[CLOCK]())
    return page(
        request,
        "board.html",
        board=made,
        study=made.study,
        groups=GROUP_WORDS,
        when=_when,
        now=request.app[CLOCK](),
    )


def _in_days(request: web.Request, days: int) -> str:
    seconds = request.app[CLOCK]() + days * 86_400
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _when(seconds: float | None) -> str:
    if seconds is None:
        return "—"
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


async def _people(
    request: web.Request,
    *,
    link: str = "",
    invited: str = "",
    error: str = "",
    name: str = "",
    anew: bool = False,
) -> web.Response:
    owner(request)
    reviews, study = request.app[REVIEWS], request.app[STUDY].study_id
    response = page(
        request,
        "people.html",
        people=await off(reviewers, reviews, study),
        study=await off(states.study_of, reviews, study),
        groups=GROUP_WORDS,
        link=link,
        days=LINK_DAYS,
        invited=invited,
        anew=anew,
        error=error,
        given=name,
    )
    if error:
        response.set_status(422)
    return response


async def _invite(request: web.Request) -> web.Response:
    owner(request)
    reviews, place = request.app[REVIEWS], request.app[STUDY]
    form = await request.post()
    name, given = str(form.get("name", ""))[:60], str(form.get("group", ""))
    group = next((one for one in GROUPS if one == given), None)
    if group is None:
        return await _people(request, error="Choose a group.", name=name)
    try:
        made, token = await off(
            partial(
                invite,
                name=name,
                group=group,
                at=now_of(request),
                expires_at=_in_days(request, LINK_DAYS),
                adjudicator=form.get("adjudicator") == "1",
            ),
            reviews,
            place.study_id,
        )
    except UsageError as error:
        return await _people(request, error=f"{error.what[:1].upper()}{error.what[1:]}.", name=name)
    return await _people(request, link=f"{place.address}/r/{token}", invited=made.name)


async def _renew(request: web.Request) -> web.Response:
    session = owner(request)
    if (await request.post()).get("sure") != "1":
        raise web.HTTPUnprocessableEntity(text="The old link ends: press it once more.")
    place = request.app[STUDY]
    made, token = await off(
        partial(
            renew, at=now_of(request), by=session.name, expires_at=_in_days(request, LINK_DAYS)
        ),
        request.app[REVIEWS],
        place.study_id,
        request.match_info["person"],
    )
    link = f"{place.address}/r/{token}"
    return await _people(request, link=link, invited=made.name, anew=True)


async def _revoke(request: web.Request) -> web.StreamResponse:
    session = owner(request)
    if (await request.post()).get("sure") != "1":
        raise web.HTTPUnprocessableEntity(text="There is no way back: press it once more.")
    await off(
        partial(revoke, at=now_of(request), by=session.name),
        request.app[REVIEWS],
        request.app[STUDY].study_id,
        request.match_info["person"],
    )
    raise web.HTTPSeeOther("/people")


async def _step(request: web.Request) -> web.StreamResponse:
    session = owner(request)
    steps: dict[str, Callable[..., object]] = {
        "open": states.open_study,
        "pause": states.pause,
        "close": states.close,
        "unblind": states.unblind,
        "begin-cycle": states.begin_cycle,
        "end-cycle": states.end_cycle,
    }
    wanted = request.match_info["step"]
    step = steps.get(wanted)
    if step is None:
        raise web.HTTPNotFound(text="There is no such step.")
    final = wanted in {"close", "unblind"}
    if final and (await request.post()).get("sure") != "1":
        raise web.HTTPUnprocessableEntity(text="There is no way back: tick the box first.")
    await off(
        partial(step, at=now_of(request), by=session.name),
        request.app[REVIEWS],
        request.app[STUDY].study_id,
    )
    raise web.HTTPSeeOther("/result" if wanted == "unblind" else "/board")


async def _trail(request: web.Request) -> web.Response:
    owner(request)
    reviews, study = request.app[REVIEWS], request.app[STUDY].study_id
    events = await off(reviews.events, study)
    return page(
        request,
        "trail.html",
        events=events[::-1][:_EVENTS],
        total=len(events),
        people=await off(reviewers, reviews, study),
        groups=GROUP_WORDS,
    )
