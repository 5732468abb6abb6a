"""The shell as an aiohttp application: what is true of every page, whoever's it is.

Every answer forbids everything a page does not need (scripts and styles only
from here, no frames, no other place to send forms to), every request has to be
for the address that was bound (no rebinding of names), every POST carries the
session's form token, and no page is kept by a cache. Pages work without
JavaScript; the one script adds keys.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web
from jinja2 import Environment

from befit.web.pages import ASSETS, asset, render
from befit.web.sessions import COOKIE, Session, Sessions

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
SESSIONS = web.AppKey("sessions", Sessions)
PAGES = web.AppKey("pages", Environment)
HOSTS = web.AppKey("hosts", frozenset)
TITLE = web.AppKey("title", str)
CLOCK: web.AppKey[Callable[[], float]] = web.AppKey("clock")
MAX_BODY = 4_000_000
"""Bytes of one form."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # "no-referrer" would make the origin of forms unknown
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}


def make_app(
    *,
    sessions: Sessions,
    pages: Environment,
    title: str,
    hosts: frozenset[str],
    clock: Callable[[], float] = time.time,
) -> web.Application:
    """Return an application with sign-in, own files and every protection; add routes to it.

    Args:
        sessions: under the secret of this server.
        pages: `pages.environment(...)` with the templates of whoever adds routes.
        title: shown on every page.
        hosts: `host:port` as browsers may name it.
        clock: seconds since the epoch.
    """
    app = web.Application(middlewares=[_guard], client_max_size=MAX_BODY)
    app[SESSIONS], app[PAGES], app[TITLE] = sessions, pages, title
    app[HOSTS], app[CLOCK] = hosts, clock
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
    response.headers.update(HEADERS)
    return response


async def _guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
    if request.host not in request.app[HOSTS]:
        raise web.HTTPForbidden(text="This server answers under its own address only.")
    if request.method not in {"GET", "HEAD"}:
        origin = request.headers.get("Origin")
        if origin is not None and origin.partition("://")[2] not in request.app[HOSTS]:
            raise web.HTTPForbidden(text="This form was sent from another place.")
        form = await request.post()
        token = str(form.get("form_token", ""))
        if not request.app[SESSIONS].is_form_token(session_of(request), token):
            raise web.HTTPForbidden(
                text="This form is too old. Go back, reload, and send it again."
            )
    return await handler(request)


def _plain(request: web.Request, status: int, text: str) -> web.Response:
    body = render(
        request.app[PAGES],
        "message.html",
        title=request.app[TITLE],
        session=session_of(request),
        heading=f"{status}",
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
    role = request.app[SESSIONS].role_of(request.match_info["token"])
    if role is None:
        raise web.HTTPNotFound(text="This link is not known here.")
    return page(request, "start.html", role=role, keys=False, error="")


async def _sign_in(request: web.Request) -> web.StreamResponse:
    sessions = request.app[SESSIONS]
    role = sessions.role_of(request.match_info["token"])
    if role is None:
        raise web.HTTPNotFound(text="This link is not known here.")
    name = " ".join(str((await request.post()).get("name", "")).split())
    if not name or not name.isprintable():
        return page(request, "start.html", role=role, keys=False, error="Enter your name.")
    response = web.HTTPSeeOther("/")
    response.set_cookie(
        COOKIE,
        sessions.sign_in(name, role, now=request.app[CLOCK]()),
        max_age=sessions.seconds,
        httponly=True,
        samesite="Strict",
        secure=request.secure,
        path="/",
    )
    raise response


async def _asset(request: web.Request) -> web.Response:
    name = request.match_info["name"]
    kind = ASSETS.get(name)
    if kind is None:
        raise web.HTTPNotFound(text="There is no such file.")
    return web.Response(text=asset(name), content_type=kind, charset="utf-8")
