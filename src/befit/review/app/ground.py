"""What the pages of a review have in common: who asks, own files, words for errors."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import ParamSpec, TypeVar

from aiohttp import web
from jinja2 import Environment

from befit.errors import BefitError, ForbiddenError, StoreError, UsageError
from befit.review.app.text import plain
from befit.review.desk import Desk
from befit.review.records import Reviewer
from befit.web.pages import environment, read_all
from befit.web.shell import Handler, required

REVIEWER, OWNER = "reviewer", "owner"
DESK = web.AppKey("desk", Desk)
_KINDS = {
    "icon.svg": "image/svg+xml",
    "review.css": "text/css",
    "review.js": "text/javascript",
    "htmx.min.js": "text/javascript",
}
_P = ParamSpec("_P")
_T = TypeVar("_T")


async def off(act: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Do what waits for the store in a thread, so that nobody else's page waits for it."""
    return await asyncio.to_thread(act, *args, **kwargs)


@cache
def own_file(name: str) -> tuple[str, str]:
    """Return text and address of an own file; the address changes with the text."""
    text = resources.files("befit.review.app").joinpath("templates", name).read_text("utf-8")
    return text, f"/a/{hashlib.sha256(text.encode()).hexdigest()[:16]}/{name}"


@cache
def pages() -> Environment:
    """Return the templates, read once; all they print passes through `text.plain`."""
    made = environment("befit.review.app")
    made.finalize = plain
    made.globals["own"] = lambda name: own_file(name)[1]
    return read_all(made)


async def serve_own(request: web.Request) -> web.Response:
    """Send an own file. It is the same for everybody and never changes under its address."""
    name = request.match_info["name"]
    kind = _KINDS.get(name)
    if kind is None or own_file(name)[1] != request.path:
        raise web.HTTPNotFound(text="There is no such file.")
    return web.Response(
        text=own_file(name)[0],
        content_type=kind,
        charset="utf-8",
        headers={"Cache-Control": "public, max-age=31536000, immutable"},
    )


async def me(request: web.Request) -> Reviewer:
    """Return the reviewer who asks.

    Raises:
        HTTPForbidden: nobody, somebody else, or no longer invited.
    """
    session = required(request, REVIEWER)
    who, _, link = session.name.partition(".")
    found = await off(request.app[DESK].reviewer, who)
    if found is None or session_name(found) != f"{who}.{link}":
        raise web.HTTPForbidden(text="Your invitation is no longer valid. Ask for a new link.")
    return found


def session_name(reviewer: Reviewer) -> str:
    """Return the name a reviewer's session goes by: it ends with the link that opened it."""
    return f"{reviewer.id}.{reviewer.token_sha256[:16]}"


@web.middleware
async def with_words(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turn befit's errors into answers with their words."""
    try:
        return await handler(request)
    except ForbiddenError as error:
        raise web.HTTPForbidden(text=_words(error)) from None
    except UsageError as error:
        raise web.HTTPUnprocessableEntity(text=_words(error)) from None
    except StoreError as error:
        raise web.HTTPServiceUnavailable(
            text=f"{_words(error)} What you sent before is kept."
        ) from None


def _words(error: BefitError) -> str:
    what = error.what[:1].upper() + error.what[1:]
    return f"{what}: {error.why}." if error.why else f"{what}."
