"""`befit review serve`: the application of one study, and serving it until it is told to stop.

    await run_app(workspace, study_id, host="127.0.0.1", port=8585, ready=print)

Everything is stored when it is pressed and nothing is kept in memory, so the
server may be killed and started again at any moment.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import urlsplit

from aiohttp import web

from befit.errors import UsageError
from befit.review.app.entry import ENDED, add_entry
from befit.review.app.ground import DESK, OWNER, off, pages, serve_own, with_words
from befit.review.app.notes import add_notes
from befit.review.app.owner import REVIEWS, STUDY, Place, add_owner
from befit.review.app.result import add_result
from befit.review.app.work import add_work, first_page
from befit.review.desk import Desk
from befit.review.people import SIGNED_IN, reviewers
from befit.review.states import study_of
from befit.storage.reviews import Reviews
from befit.storage.workspace import Workspace
from befit.web.serve import LOCAL, hosts_of, secret_of, serve
from befit.web.sessions import Sessions
from befit.web.shell import GREET, make_app


def make_review_app(
    workspace: Workspace,
    study_id: str,
    /,
    *,
    secret: bytes,
    address: str,
    hosts: frozenset[str],
    clock: Callable[[], float] = time.time,
    proxied: bool = False,
) -> tuple[web.Application, str]:
    """Return the application of a study and the owner's link.

    Args:
        workspace: open; used from several threads.
        study_id: of a study there is.
        secret: at least 32 bytes, the same from one start to the next.
        address: how browsers reach the server, for instance `https://review.example`.
        hosts: `host:port` (or `host`) as browsers may name it.
        clock: seconds since the epoch.
        proxied: a proxy stands before the server.
    """
    study = study_of(workspace.reviews, study_id)
    sessions = Sessions(secret)
    sessions.ended.update(workspace.reviews.parts(study_id, ENDED))
    app = make_app(
        sessions=sessions,
        pages=pages(),
        title=study.settings.title,
        hosts=hosts,
        clock=clock,
        secure=address.startswith("https://"),
        proxied=proxied,
    )
    app.middlewares.append(with_words)

    async def greet(name: str, role: str) -> str:
        return (
            await off(_greet, workspace.reviews, study_id, name, clock()) if role == OWNER else ""
        )

    app[GREET] = greet
    app[DESK] = Desk(workspace.reviews, study_id, clock=clock)
    app[REVIEWS] = workspace.reviews
    app[STUDY] = Place(study_id=study_id, address=address)
    app.router.add_get("/", first_page)
    app.router.add_get("/a/{tag}/{name}", serve_own)
    add_entry(app)
    add_work(app)
    add_owner(app)
    add_result(app)
    add_notes(app)
    return app, f"{address}/start/{sessions.link_token(OWNER)}"


def _greet(reviews: Reviews, study_id: str, name: str, now: float) -> str:
    """Write down who signs in as owner; return why not, for whoever reviews the study."""
    if any(one.name.casefold() == name.casefold() for one in reviewers(reviews, study_id).values()):
        return (
            f"{name} reviews this study. Whoever can learn which answer is whose cannot review it:"
            " sign in under your own name, or withdraw that invitation and invite somebody else."
        )
    at = datetime.fromtimestamp(now, UTC).isoformat(timespec="seconds")
    reviews.tell(study_id, SIGNED_IN, {}, at=at, actor=name)
    return ""


async def run_app(
    workspace: Workspace,
    study_id: str,
    /,
    *,
    host: str = LOCAL,
    port: int = 8585,
    public: str = "",
    ready: Callable[[str], None] | None = None,
) -> None:
    """Serve a study until cancelled; `ready` gets the owner's sign-in address.

    Args:
        workspace: open.
        study_id: of a study there is.
        host: address to bind; other than this machine's own only with `public`.
        port: to bind.
        public: the address browsers use, where a proxy with a certificate stands before the
            server, for instance `https://review.example`.
        ready: called once the server answers.

    Raises:
        UsageError: the address cannot be bound, or would be open to others without `public`.
    """
    if host not in {LOCAL, "localhost", "::1"} and not public:
        raise UsageError(
            f"to serve on {host} the address browsers use has to be told",
            why="links are made with it, and requests for any other address are refused",
            do="--public https://review.example, behind a proxy with a certificate",
        )
    hosts = hosts_of(host, port)
    if public:
        parts = urlsplit(public)
        if parts.scheme not in {"http", "https"} or not parts.netloc or parts.path.strip("/"):
            raise UsageError(f"'{public}' is no address", do="--public https://review.example")
        hosts |= {parts.netloc}
    app, link = make_review_app(
        workspace,
        study_id,
        secret=secret_of(workspace.folder),
        address=address_of(host, port, public),
        hosts=hosts,
        proxied=bool(public),
    )
    await serve(app, host=host, port=port, ready=None if ready is None else lambda: ready(link))


def address_of(host: str, port: int, public: str = "") -> str:
    """Return the beginning of every link to a server."""
    return public.rstrip("/") if public else f"http://{host}:{port}"
