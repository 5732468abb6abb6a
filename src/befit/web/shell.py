"""The shell as an aiohttp application: what is true of every page, whoever's it is.

Every answer forbids everything a page does not need (scripts and styles only
from here, no frames, no other place to send forms to), every request has to be
for the address that was bound (no rebinding of names), every POST carries the
session's form token and comes from a page of ours, and no page is kept by a
cache. Links cannot be guessed at will, forms not be sent in floods. Pages work
without JavaScript; scripts only add keys and comfort.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from jinja2 import Environment

from befit.web.limits import Limit
from befit.web.pages import ASSETS, asset, render
from befit.web.sessions import COOKIE, Session, Sessions

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
SESSIONS = web.AppKey("sessions", Sessions)
PAGES = web.AppKey("pages", Environment)
HOSTS = web.AppKey("hosts", frozenset)
TITLE = web.AppKey("title", str)
CLOCK: web.AppKey[Callable[[], float]] = web.AppKey("clock")
GUESSES = web.AppKey("guesses", Limit)
FORMS = web.AppKey("forms", Limit)
SECURE = web.AppKey("secure", bool)
PROXIED = web.AppKey("proxied", bool)
GREET: web.AppKey[Callable[[str, str], Awaitable[str]]] = web.AppKey("greet")
"""Asked with name and role before somebody is signed in by a link; says why not, or nothing."""
MAX_BODY = 4_000_000
"""Bytes of one form."""

_LOG = logging.getLogger(__name__)
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # "no-referrer" would make the origin of forms unknown
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
    "Server": "befit",
}


def make_app(
    *,
    sessions: Sessions,
    pages: Environment,
    title: str,
    hosts: frozenset[str],
    clock: Callable[[], float] = time.time,
    secure: bool = False,
    proxied: bool = False,
) -> web.Application:
    """Return an application with sign-in, own files and every protection; add routes to it.

    Args:
        sessions: under the secret of this server.
        pages: `pages.environment(...)` with the templates of whoever adds routes.
        title: shown on every page.
        hosts: `host:port` as browsers may name it.
        clock: seconds since the epoch.
        secure: browsers reach this server by https, so the cookie is for https only.
        proxied: a proxy stands before it, which adds whom it speaks for to `X-Forwarded-For`.
    """
    app = web.Application(middlewares=[_guard], client_max_size=MAX_BODY)
    app[SESSIONS], app[PAGES], app[TITLE] = sessions, pages, title
    app[HOSTS], app[CLOCK], app[SECURE], app[PROXIED] = hosts, clock, secure, proxied
    app[GUESSES] = Limit(most=30, seconds=600, clock=time.monotonic)
    app[FORMS] = Limit(most=300, seconds=60, clock=time.monotonic)
    app.router.add_get("/healthz", _health)
    app.router.add_get("/start/{token}", _start)
    app.router.add_post("/start/{token}", _sign_in)
    app.router.add_get("/own/{name}", _asset)
    return app


@web.middleware
async def _guard(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        response = await _guarded(request, handler)
    except web.HTTPException as error:
        if error.status in {301, 302, 303, 307, 308}:
            error.headers.update(HEADERS)
            raise
        response = _plain(request, error.status, error.text or error.reason)
        if "Retry-After" in error.headers:
            response.headers["Retry-After"] = error.headers["Retry-After"]
    except Exception:  # noqa: BLE001 - a fault must not cost the page its protection
        _LOG.exception("a page could not be made")
        response = _plain(request, 500, "Something went wrong here. What you sent before is kept.")
    kept = response.headers.get("Cache-Control", HEADERS["Cache-Control"])
    response.headers.update({**HEADERS, "Cache-Control": kept})
    return response


async def _guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
    if request.host not in request.app[HOSTS]:
        raise web.HTTPForbidden(text="This server answers under its own address only.")
    if request.method not in {"GET", "HEAD"}:
        origin = request.headers.get("Origin")
        site = request.headers.get("Sec-Fetch-Site", "same-origin")
        ours = origin is None or origin.partition("://")[2] in request.app[HOSTS]
        if not ours or site not in {"same-origin", "none"}:
            raise web.HTTPForbidden(text="This form was sent from another place.")
        _slow_down(request)
        token = await _form_token(request)
        if not request.app[SESSIONS].is_form_token(session_of(request), token):
            raise web.HTTPForbidden(
                text="This form is too old. Go back, reload, and send it again."
            )
    return await handler(request)


async def _form_token(request: web.Request) -> str:
    """Return the token of the form that was sent; it is read here, once, for whoever asks later.

    Raises:
        HTTPUnsupportedMediaType: it is no plain form: nothing here takes files, and a reader of
            many parts is slow.
        HTTPBadRequest: it cannot be read.
    """
    if request.content_type != "application/x-www-form-urlencoded":
        raise web.HTTPUnsupportedMediaType(text="Only plain forms are taken here.")
    try:
        form = await request.post()
    except (ValueError, LookupError, HttpProcessingError):
        raise web.HTTPBadRequest(text="This form cannot be read.") from None
    return str(form.get("form_token", ""))


def _from(request: web.Request) -> str:
    """Return the address a request comes from: behind a proxy the one it adds itself, the last."""
    told = request.headers.get("X-Forwarded-For", "") if request.app[PROXIED] else ""
    return told.rpartition(",")[2].strip()[:64] or str(request.remote)


def _slow_down(request: web.Request) -> None:
    session = session_of(request)
    who = f"address {_from(request)}" if session is None else f"session {session.nonce}"
    limit = request.app[FORMS]
    if not limit.take(who):
        raise _too_many(limit.wait(who), "That was very fast. Wait a moment, then send it again.")


def _too_many(seconds: int, text: str) -> web.HTTPException:
    return web.HTTPTooManyRequests(text=text, headers={"Retry-After": str(seconds)})


def unknown_link(request: web.Request) -> web.HTTPException:
    """Count a link nobody was given, and return what to raise."""
    request.app[GUESSES].take(_from(request))
    return web.HTTPNotFound(
        text="This link does not (or no longer) open anything: it may have run out or been "
        "withdrawn. Whoever invited you can send a new one."
    )


def check_guesses(request: web.Request) -> None:
    """Refuse an address that has tried too many unknown links, whatever it tries now.

    Raises:
        HTTPTooManyRequests: it has.
    """
    limit, who = request.app[GUESSES], _from(request)
    if limit.spent(who):
        raise _too_many(limit.wait(who), "Too many links were tried from here. Try again later.")


def sign_in(request: web.Request, response: web.StreamResponse, name: str, role: str) -> None:
    """Give a response the cookie of a new session; whatever cookie there was is replaced."""
    sessions = request.app[SESSIONS]
    response.set_cookie(
        COOKIE,
        sessions.sign_in(name, role, now=request.app[CLOCK]()),
        max_age=sessions.seconds,
        httponly=True,
        samesite="Strict",
        secure=request.secure or request.app[SECURE],
        path="/",
    )


def _plain(request: web.Request, status: int, text: str) -> web.Response:
    body = render(
        request.app[PAGES],
        "message.html",
        title=request.app[TITLE],
        session=session_of(request),
        heading=f"{status} {HTTPStatus(status).phrase}",
        text=text,
        keys=False,
    )
    return web.Response(text=body, status=status, content_type="text/html")


def session_of(request: web.Request) -> Session | None:
    """Return the session of a request, or None."""
    cookie = request.cookies.get(COOKIE, "")
    return request.app[SESSIONS].read(cookie, now=request.app[CLOCK]())


def required(request: web.Request, *roles: str) -> Session:
    """Return the session of a request, which has to have one of these roles (or any).

    Raises:
        HTTPForbidden: nobody is signed in, or somebody else.
    """
    session = session_of(request)
    if session is None:
        raise web.HTTPForbidden(text="Open the link you were given, then press Start.")
    if roles and session.role not in roles:
        raise web.HTTPForbidden(text="This page is for somebody else.")
    return session


def page(request: web.Request, template: str, /, **values: Any) -> web.Response:
    """Return a page of this application; templates get the session and its form token."""
    session = session_of(request)
    body = render(
        request.app[PAGES],
        template,
        **{
            "title": request.app[TITLE],
            "session": session,
            "form_token": request.app[SESSIONS].form_token(session),
            "keys": True,
            **values,
        },
    )
    return web.Response(text=body, content_type="text/html")


async def _health(_request: web.Request) -> web.Response:
    return web.Response(text="ok\n")


async def _start(request: web.Request) -> web.Response:
    return page(request, "start.html", role=_role(request), keys=False, error="")


def _role(request: web.Request) -> str:
    check_guesses(request)
    role = request.app[SESSIONS].role_of(request.match_info["token"])
    if role is None:
        raise unknown_link(request)
    return role


async def _sign_in(request: web.Request) -> web.StreamResponse:
    role = _role(request)
    name = " ".join(str((await request.post()).get("name", "")).split())
    if not name or not name.isprintable():
        return page(request, "start.html", role=role, keys=False, error="Enter your name.")
    if GREET in request.app and (why := await request.app[GREET](name, role)):
        return page(request, "start.html", role=role, keys=False, error=why)
    response = web.HTTPSeeOther("/")
    sign_in(request, response, name, role)
    raise response


async def _asset(request: web.Request) -> web.Response:
    name = request.match_info["name"]
    kind = ASSETS.get(name)
    if kind is None:
        raise web.HTTPNotFound(text="There is no such file.")
    return web.Response(text=asset(name), content_type=kind, charset="utf-8")
