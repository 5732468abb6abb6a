"""The way in and out: invitation links, the first page, instructions, keys, signing out.

Opening a link does nothing but show a button (mail scanners open links);
pressing it exchanges the link for a cookie. Whoever is signed in as the owner
can open the mapping, and therefore cannot become a reviewer.
"""

from __future__ import annotations

from aiohttp import web

from befit.review.app.ground import DESK, OWNER, REVIEWER, me, off, session_name
from befit.review.app.keys import ACTIONS
from befit.review.app.owner import REVIEWS, STUDY
from befit.review.app.text import markdown
from befit.review.pages import Halt
from befit.review.records import Reviewer
from befit.storage.reviews import Part
from befit.web.sessions import COOKIE
from befit.web.shell import SESSIONS, check_guesses, page, session_of, sign_in, unknown_link

ENDED = "ended session"
"""The kind under which the nonces of signed-out sessions are stored."""


def add_entry(app: web.Application) -> None:
    """Add the routes."""
    app.router.add_get("/r/{token}", _link)
    app.router.add_post("/r/{token}", _enter)
    app.router.add_get("/guide", _guide)
    app.router.add_get("/keys", _keys)
    app.router.add_post("/leave", _leave)


async def _invited(request: web.Request) -> Reviewer:
    check_guesses(request)
    found = await off(request.app[DESK].enter, request.match_info["token"])
    if found is None:
        raise unknown_link(request)
    return found


async def _link(request: web.Request) -> web.Response:
    reviewer = await _invited(request)
    welcome = await off(request.app[DESK].welcome, reviewer)
    return page(request, "invited.html", welcome=welcome)


async def _enter(request: web.Request) -> web.StreamResponse:
    reviewer = await _invited(request)
    session = session_of(request)
    if session is not None and session.role == OWNER:
        raise web.HTTPForbidden(
            text="You are signed in as the owner of this study. Whoever can learn which answer is"
            " whose cannot review it. Sign out first, or open the link in another browser."
        )
    response = web.HTTPSeeOther("/")
    sign_in(request, response, session_name(reviewer), REVIEWER)
    raise response


async def overview(request: web.Request) -> web.Response:
    """Show a reviewer where they stand, and the way on."""
    reviewer = await me(request)
    desk = request.app[DESK]
    welcome = await off(desk.welcome, reviewer)
    progress = await off(desk.progress, reviewer)
    done = await off(desk.history, reviewer)
    return page(
        request,
        "overview.html",
        welcome=welcome,
        guidelines=markdown(welcome.guidelines),
        progress=progress,
        begun=bool(done),
        decides=reviewer.adjudicator,
    )


async def _guide(request: web.Request) -> web.Response:
    reviewer = await me(request)
    welcome = await off(request.app[DESK].welcome, reviewer)
    return page(request, "guide.html", welcome=welcome, guidelines=markdown(welcome.guidelines))


async def _keys(request: web.Request) -> web.Response:
    await me(request)
    return page(request, "keys.html", actions=ACTIONS)


async def _leave(request: web.Request) -> web.StreamResponse:
    session = session_of(request)
    if session is not None:
        request.app[SESSIONS].ended.add(session.nonce)
        place = request.app[STUDY].study_id
        await off(request.app[REVIEWS].put, place, ENDED, [Part(session.nonce, None)])
    response = page(request, "left.html", session=None, was=session and session.role)
    response.del_cookie(COOKIE, path="/")
    return response


def halted(request: web.Request, reviewer: Reviewer, halt: Halt) -> web.Response:
    """Show why there is no next item."""
    return page(request, "halt.html", halt=halt, decides=reviewer.adjudicator)
