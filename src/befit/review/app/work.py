"""The work of a reviewer: the next item, its vote, drafts, going back, the last questions.

Every form is a plain form and every vote is answered by a redirection, so pages
work without JavaScript and a reload sends nothing twice; each form bears the
number of its request, so even a form that is sent twice counts once.
"""

from __future__ import annotations

import secrets

from aiohttp import web

from befit.core.record import Json
from befit.errors import UsageError
from befit.review.app.entry import halted, overview
from befit.review.app.forms import filled, kept_ballot, read_form, seen_of
from befit.review.app.ground import DESK, OWNER, me, off
from befit.review.app.text import markdown
from befit.review.app.view import LETTERS, VERDICT_WORDS, view_of, view_of_guess
from befit.review.pages import Halt, Saved, Seen, Shown
from befit.review.records import Reviewer
from befit.storage.review_work import OvertakenError
from befit.web.shell import page, required

_MEDIA = {"image/png", "image/jpeg"}
_REQUEST, _TOLD = 64, 300


def add_work(app: web.Application) -> None:
    """Add the routes."""
    app.router.add_get("/work", _work)
    app.router.add_get("/i/{item}", _item)
    app.router.add_post("/i/{item}", _vote)
    app.router.add_post("/i/{item}/draft", _draft)
    app.router.add_get("/i/{item}/told", _told)
    app.router.add_post("/undo", _undo)
    app.router.add_get("/history", _history)
    app.router.add_get("/guess", _guess)
    app.router.add_post("/guess/{question}", _guessed)
    app.router.add_get("/m/{item}/{picture}", _media)


async def _work(request: web.Request) -> web.Response:
    reviewer = await me(request)
    found = await off(request.app[DESK].next_item, reviewer)
    if isinstance(found, Halt):
        if found.stop == "guesses":
            raise web.HTTPSeeOther("/guess")
        return halted(request, reviewer, found)
    return await _form(request, reviewer, found)


async def _form(
    request: web.Request,
    reviewer: Reviewer,
    shown: Shown,
    *,
    sent: Json = None,
    error: str = "",
    request_id: str = "",
    seen: Seen | None = None,
) -> web.Response:
    welcome = await off(request.app[DESK].welcome, reviewer)
    whole = request.query.get("whole") == "1"
    saved = request.query.get("saved", "")
    view = await off(view_of, shown, whole=whole)
    response = page(
        request,
        "item.html",
        shown=shown,
        view=view,
        form=filled(kept_ballot(shown) if sent is None else sent),
        words=VERDICT_WORDS,
        letters=LETTERS,
        welcome=welcome,
        guidelines=markdown(welcome.guidelines),
        error=error,
        whole=whole,
        saved=saved if saved in {"1", "undone"} else "",
        seen_vote=shown.revision if seen is None else seen.revision,
        seen_draft=shown.draft_number if seen is None else seen.draft,
        request_id=request_id or secrets.token_hex(16),
    )
    if error:
        response.set_status(422)
    return response


async def _item(request: web.Request) -> web.Response:
    reviewer = await me(request)
    shown = await off(request.app[DESK].item, reviewer, request.match_info["item"])
    if shown.stage == "calibration" and shown.ballot is not None:
        raise web.HTTPSeeOther(f"/i/{shown.token}/told")
    return await _form(request, reviewer, shown)


async def _vote(request: web.Request) -> web.StreamResponse:
    reviewer = await me(request)
    desk = request.app[DESK]
    shown = await off(desk.item, reviewer, request.match_info["item"])
    form = await request.post()
    sent = read_form(form, shown)
    request_id = str(form.get("request_id", ""))[:_REQUEST] or secrets.token_hex(16)
    seen = seen_of(form)
    try:
        saved = await off(desk.vote, reviewer, shown.token, sent, request_id=request_id, seen=seen)
    except OvertakenError:
        now = await off(desk.item, reviewer, shown.token)
        words = overtaken(now)
        response = await _form(
            request, reviewer, now, sent=sent, error=words, request_id=request_id
        )
        response.set_status(409)
        return response
    except UsageError as error:
        words = error.what[:1].upper() + error.what[1:] + "."
        return await _form(
            request, reviewer, shown, sent=sent, error=words, request_id=request_id, seen=seen
        )
    if saved.feedback is not None:
        raise web.HTTPSeeOther(f"/i/{shown.token}/told")
    raise web.HTTPSeeOther("/history" if form.get("editing") else "/work?saved=1")


def overtaken(shown: Shown) -> str:
    """Return what to tell whoever sends a form that another device has overtaken."""
    rest = (
        "What you see here is this device's and is not saved yet: save it again to put it in the"
        " other's place, or leave the page to keep the other's."
    )
    held = kept_ballot(shown)
    words = VERDICT_WORDS.get(held.get("verdict") or "", "")
    comment = " ".join((held.get("comment") or "").split())[:_TOLD]
    told = "; ".join(part for part in (words, f"\u201c{comment}\u201d" if comment else "") if part)
    told = f" ({told})" if told else ""
    if shown.draft is not None:
        return f"Another device went on with this item meanwhile{told}. {rest}"
    if shown.ballot is None:
        return f"Another device took this vote back meanwhile. {rest}"
    return f"Another device voted on this item meanwhile{told}. {rest}"


async def _draft(request: web.Request) -> web.Response:
    reviewer = await me(request)
    desk = request.app[DESK]
    shown = await off(desk.item, reviewer, request.match_info["item"])
    form = await request.post()
    number = str(form.get("number", ""))
    if not (number.isascii() and number.isdigit() and len(number) < 10):  # noqa: PLR2004 - digits of a counter
        raise web.HTTPUnprocessableEntity(text="A draft has a number.")
    draft = {"ballot": read_form(form, shown)}
    try:
        kept = await off(
            desk.save_draft, reviewer, shown.token, draft, number=int(number), seen=seen_of(form)
        )
    except OvertakenError:
        now = await off(desk.item, reviewer, shown.token)
        told = {"kept": False, "vote": now.revision, "draft": now.draft_number}
        return web.json_response(told, status=409)
    return web.json_response({"kept": kept})


async def _told(request: web.Request) -> web.Response:
    """Show what a calibration item tells after its vote; sending it again stores nothing."""
    reviewer = await me(request)
    desk = request.app[DESK]
    shown = await off(desk.item, reviewer, request.match_info["item"])
    if shown.stage != "calibration" or shown.ballot is None:
        raise web.HTTPSeeOther(f"/i/{shown.token}")
    saved: Saved = await off(
        desk.vote, reviewer, shown.token, shown.ballot, request_id=secrets.token_hex(16)
    )
    return page(
        request,
        "told.html",
        shown=shown,
        view=await off(view_of, shown),
        words=VERDICT_WORDS,
        feedback=saved.feedback,
        progress=saved.progress,
    )


async def _undo(request: web.Request) -> web.StreamResponse:
    reviewer = await me(request)
    form = await request.post()
    request_id = str(form.get("request_id", ""))[:_REQUEST] or secrets.token_hex(16)
    shown = await off(request.app[DESK].undo, reviewer, request_id=request_id)
    raise web.HTTPSeeOther("/history" if shown is None else f"/i/{shown.token}?saved=undone")


async def _history(request: web.Request) -> web.Response:
    reviewer = await me(request)
    desk = request.app[DESK]
    done, welcome = await off(desk.history, reviewer), await off(desk.welcome, reviewer)
    return page(request, "history.html", done=done, words=VERDICT_WORDS, open=welcome.open)


async def _guess(request: web.Request) -> web.Response:
    reviewer = await me(request)
    desk = request.app[DESK]
    asked = await off(desk.next_guess, reviewer)
    if asked is None:
        found = await off(desk.next_item, reviewer)
        if isinstance(found, Halt):
            return halted(request, reviewer, found)
        raise web.HTTPSeeOther("/work")
    return page(
        request,
        "guess.html",
        asked=asked,
        view=await off(view_of_guess, asked, "plain"),
        letter=LETTERS[asked.side],
    )


async def _guessed(request: web.Request) -> web.StreamResponse:
    reviewer = await me(request)
    named = str((await request.post()).get("named", ""))
    await off(request.app[DESK].guess, reviewer, request.match_info["question"], named=named)
    raise web.HTTPSeeOther("/guess")


async def _media(request: web.Request) -> web.Response:
    reviewer = await me(request)
    found = await off(
        request.app[DESK].media,
        reviewer,
        request.match_info["item"],
        request.match_info["picture"],
    )
    if found.kind not in _MEDIA:
        raise web.HTTPNotFound(text="There is no such picture.")
    return web.Response(body=found.body, content_type=found.kind)


async def first_page(request: web.Request) -> web.StreamResponse:
    """Send everybody to their own first page."""
    session = required(request)
    if session.role == OWNER:
        raise web.HTTPSeeOther("/board")
    return await overview(request)
