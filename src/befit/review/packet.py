"""A reviewer's work as one file: read and answered without a server, sent back as a file.

The page holds the items, a form for each and a script that keeps drafts in the
browser and writes the answers into a file; without scripts the answers can be
typed into the form and printed, but not sent. What comes back is checked item
by item: whose it is, that it fits, that it was not taken in already.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources

import orjson
from markupsafe import Markup

from befit.core.record import Json
from befit.errors import DataError, ForbiddenError, UsageError
from befit.review.app.text import markdown, plain
from befit.review.app.view import CUT
from befit.review.app.view import VERDICT_WORDS as _WORDS
from befit.review.ballots import read_ballot
from befit.review.desk import Desk
from befit.review.pages import Shown
from befit.review.people import reviewers
from befit.review.pick import pick
from befit.review.records import Reviewer
from befit.review.states import study_of
from befit.storage.reviews import Reviews
from befit.web.pages import environment, render

FORMAT = "befit/review-answers/1"
_MOST = 400
_FAR = 60 * 86_400.0
"""Seconds for which the items of a packet are held for its reviewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What came of a returned file."""

    reviewer: str
    new: int
    known: int
    """Taken in before, left alone."""
    problems: tuple[str, ...]
    """Answers that could not be taken, and why."""


def make_packet(
    reviews: Reviews, study_id: str, reviewer: Reviewer, /, *, items: int,
    clock: Callable[[], float] = time.time,
) -> str:  # fmt: skip
    """Return a page with `items` items of work for a reviewer.

    Calibration needs feedback, so a packet has none: gold and attention items
    are strewn in as on the server.

    Raises:
        UsageError: the study is not open, the reviewer was withdrawn, or there is no work for them.
    """
    if reviewer.revoked:
        raise UsageError(f"the link of '{reviewer.name}' was withdrawn: their answers would be"
                         " refused", do="befit review invite NAME")  # fmt: skip
    study = study_of(reviews, study_id)
    if study.state != "open":
        raise UsageError(f"study {study_id} is {study.state}", do="befit review open")
    desk = Desk(reviews, study_id, clock=clock)
    shown: list[Shown] = []
    for _ in range(min(items, _MOST)):
        given = _next(reviews, desk, reviewer, clock())
        if given is None:
            break
        shown.append(given)
    if not shown:
        # A packet that was lost is made again out of what it held and nobody has answered.
        open_items = [one for one in reviews.work.of(study_id, reviewer.id) if one.state != "done"]
        shown = [desk.item(reviewer, one.id) for one in open_items[:items]]
    if not shown:
        raise UsageError("there is no work for this reviewer")
    seal = packet_seal(reviews, study_id, reviewer, [one.token for one in shown])
    return _page(desk, reviewer, shown, study_id, seal)


def _next(reviews: Reviews, desk: Desk, reviewer: Reviewer, now: float) -> Shown | None:
    asked = desk.asked(reviewer)
    bare = asked.study.model_copy(
        update={
            "settings": asked.study.settings.model_copy(
                update={"calibration": 0, "lease_seconds": int(_FAR)}
            )
        }
    )
    wanted = asked.__class__(
        study=bare, pool=asked.pool, reviewer=asked.reviewer, now=now, disputed=asked.disputed
    )
    held = {one.id for one in reviews.work.of(asked.study.id, reviewer.id)}
    found = reviews.work.assign(
        asked.study.id,
        reviewer.id,
        lambda standing: pick(
            wanted, standing.__class__(
                mine=tuple(one._replace(state="done") for one in standing.mine),
                taken=standing.taken, voted=standing.voted, cells=standing.cells,
            )
        ),
        now=now,
    )  # fmt: skip
    return None if found is None or found.id in held else desk.item(reviewer, found.id)


def packet_seal(reviews: Reviews, study_id: str, reviewer: Reviewer, tokens: list[str]) -> str:
    """Return the mark by which a returned file is known to belong to a packet of ours."""
    secret = bytes.fromhex(reviews.part(study_id, "secret", "order") or "")
    told = "\0".join((study_id, reviewer.id, *tokens))
    return hmac.new(secret, told.encode(), hashlib.sha256).hexdigest()


def _asset(name: str) -> str:
    return resources.files("befit.review").joinpath("templates", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def _picture(desk: Desk, reviewer: Reviewer, item: str, picture: str) -> str:
    """Return a picture as part of the page; empty where it cannot be shown safely."""
    try:
        media = desk.media(reviewer, item, picture)
    except ForbiddenError:
        return ""
    return f"data:{media.kind};base64,{base64.b64encode(media.body).decode()}"


def _page(desk: Desk, reviewer: Reviewer, shown: list[Shown], study_id: str, seal: str) -> str:
    style, script = _asset("packet.css").strip(), _asset("packet.js").strip()
    policy = (
        f"default-src 'none'; img-src data:; style-src {_hash(style)}; "
        f"script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )
    pictures = {
        picture.token: url
        for one in shown
        for side in (one.left, one.right)
        for turn in (side.turns if side else ())
        for picture in (*turn.pictures, *turn.drawn)
        if (url := _picture(desk, reviewer, one.token, picture.token))
    }
    pages = environment("befit.review")
    pages.finalize = plain
    welcome = desk.welcome(reviewer)
    head = {"format": FORMAT, "study": study_id, "reviewer": reviewer.id, "seal": seal,
            "items": [one.token for one in shown], "kind": shown[0].kind}  # fmt: skip
    return render(
        pages,
        "packet.html",
        policy=Markup(policy),  # noqa: S704 - made of our own text
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        welcome=welcome,
        guidelines=markdown(welcome.guidelines),
        words=_WORDS,
        cut=CUT,
        items=shown,
        pictures=pictures,
        head=Markup(orjson.dumps(head).decode()),  # noqa: S704 - random names only
    )


def take_packet(
    reviews: Reviews, returned: Json, /, *, replace: bool = False,
    clock: Callable[[], float] = time.time,
) -> Taken:  # fmt: skip
    """Take the answers of a returned file in; what was taken before is left alone.

    Args:
        reviews: the store.
        returned: the file.
        replace: let another answer to an item take the place of the one that stands, also one that
            was replaced before; without it that is a problem, since nobody knows which file is
            the newer one.
        clock: seconds since 1970.

    Raises:
        DataError: it is no such file, was altered in what befit wrote, or is of another study.
        ForbiddenError: the study takes no votes.
    """
    study_id, reviewer, tokens = _whose(reviews, returned)
    desk = Desk(reviews, study_id, clock=clock)
    answers = returned.get("answers")
    if not isinstance(answers, dict):
        raise DataError("there are no answers in it")
    new, known, problems = 0, 0, []
    strange = len(answers.keys() - set(tokens))
    if strange:
        problems.append(f"{strange} answer{'s are' if strange > 1 else ' is'} not of this packet")
    for token in tokens:
        if token not in answers:
            continue
        answer = answers[token]
        told = dict(answer) if isinstance(answer, dict) else {}
        before = reviews.work.vote_on(token)
        try:
            if before is not None and before.body == read_ballot(told).model_dump(mode="json"):
                known += 1
                continue
            if before is not None:
                _must_be_allowed(replace=replace)
            request = _request(token, told)
            if replace:  # also what was taken in once, and replaced since, becomes current again
                request = f"{request} after {reviews.work.revision(token)}"
            saved = desk.vote(reviewer, token, told, request_id=request)
        except UsageError as error:
            problems.append(f"item {tokens.index(token) + 1}: {error.what}")
            continue
        same = before is not None and before.revision >= saved.revision
        new, known = new + (not same), known + same
    return Taken(reviewer=reviewer.name, new=new, known=known, problems=tuple(problems))


def _must_be_allowed(*, replace: bool) -> None:
    if not replace:
        raise UsageError("another answer was taken in before; --replace takes this one")


def _request(token: str, told: dict[str, Json]) -> str:
    """Return what tells an answer from another one to the same item."""
    try:
        text = orjson.dumps(told, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        raise UsageError("the answer is nested too deep") from None
    return f"packet {token} {hashlib.sha256(text).hexdigest()[:16]}"


def _whose(reviews: Reviews, returned: Json) -> tuple[str, Reviewer, list[str]]:
    if not isinstance(returned, dict) or returned.get("format") != FORMAT:
        raise DataError("this is no file of answers", do="take the file the packet's page has made")
    study_id, tokens = str(returned.get("study", "")), returned.get("items")
    if not isinstance(tokens, list) or not all(isinstance(one, str) for one in tokens):
        raise DataError("the list of items is missing")
    found = reviewers(reviews, study_id).get(str(returned.get("reviewer", "")))
    if found is None or found.revoked:
        raise DataError("it is of no reviewer of this study")
    wanted = packet_seal(reviews, study_id, found, tokens)
    if not hmac.compare_digest(wanted.encode(), str(returned.get("seal", "")).encode()):
        raise DataError("it was altered: its seal does not fit")
    return study_id, found, tokens
