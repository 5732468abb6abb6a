"""Record sheets beside every answer of an unblinded study: written, confirmed, revised, withdrawn.

While a study is blind nothing stands here: a record names its candidate. What
reviewers observed in the study becomes a record the first time the page is opened.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

from aiohttp import web

from befit.core.record import Json
from befit.errors import UsageError
from befit.review import states
from befit.review.app.ground import off
from befit.review.app.owner import REVIEWS, STUDY, now_of, owner
from befit.review.board import names_of
from befit.review.concluding import named
from befit.review.desk import load_pool
from befit.review.notes import add_note, change_note, notes, notes_of_study, overdue
from befit.review.records import Change, Held, RecordSheet, Sealed, Study
from befit.review.rows import read_rows
from befit.storage.reviews import Reviews
from befit.web.shell import page

PAGE = 20
SEVERITIES = ("cosmetic", "minor", "major", "blocking")
_STEPS: tuple[Literal["confirmed", "revised", "withdrawn"], ...] = (
    "confirmed",
    "revised",
    "withdrawn",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One answer of the study, with whose it is and what was noted of it."""

    answer: str
    candidate: str
    key: str
    held: Held
    notes: tuple[RecordSheet, ...]


def add_notes(app: web.Application) -> None:
    """Add the routes."""
    app.router.add_get("/notes", _notes)
    app.router.add_get("/trials", _trials)
    app.router.add_post("/trials/{answer}", _write)
    app.router.add_post("/notes/{note}", _change)


async def _opened(request: web.Request) -> tuple[Study, Sealed] | web.Response:
    """Return study and mapping, or the page that says it is sealed."""
    session = owner(request)
    reviews, study_id = request.app[REVIEWS], request.app[STUDY].study_id
    study = await off(states.study_of, reviews, study_id)
    if study.state != "unblinded":
        return page(request, "sealed.html", study=study, records=True)
    opened = partial(states.unblind, at=now_of(request), by=session.name)
    return await off(opened, reviews, study_id)


def _taken(reviews: Reviews, study: Study, mapping: Sealed, at: str) -> list[RecordSheet]:
    rows = named(read_rows(reviews, study.id, load_pool(reviews, study.id)), mapping)
    notes_of_study(reviews, study, rows, mapping, at=at)
    return notes(reviews)


async def _notes(request: web.Request) -> web.Response:
    opened = await _opened(request)
    if isinstance(opened, web.Response):
        return opened
    study, mapping = opened
    reviews, now = request.app[REVIEWS], now_of(request)
    found = await off(_taken, reviews, study, mapping, now)
    return page(
        request,
        "notes.html",
        notes=found[::-1],
        due={one.id for one in overdue(found, now=now)},
        authors=await off(names_of, reviews, study.id),
        severities=SEVERITIES,
    )


def _pages(reviews: Reviews, study: Study, mapping: Sealed, first: int) -> tuple[list[Trial], int]:
    known = notes(reviews)
    names = sorted(mapping.answers, key=lambda name: (mapping.answers[name].candidate, name))
    names = [name for name in names if mapping.answers[name].candidate]
    found = []
    for name in names[first : first + PAGE]:
        sealed = mapping.answers[name]
        held = Held.model_validate(reviews.part(study.id, "answer", name))
        key = sealed.key_ids[0] if sealed.key_ids else ""
        about = tuple(one for one in known if one.answer == name or (key and one.trial == key))
        found.append(
            Trial(answer=name, candidate=sealed.candidate, key=key, held=held, notes=about)
        )
    return found, len(names)


async def _trials(request: web.Request) -> web.Response:
    opened = await _opened(request)
    if isinstance(opened, web.Response):
        return opened
    study, mapping = opened
    number = request.query.get("page", "1")
    place = max(1, int(number)) if number.isascii() and number.isdigit() else 1
    trials, total = await off(
        _pages, request.app[REVIEWS], study, mapping, (min(place, 10_000) - 1) * PAGE
    )
    return page(
        request,
        "trials.html",
        trials=trials,
        total=total,
        place=place,
        last=max(1, -(-total // PAGE)),
        study=study,
        severities=SEVERITIES,
    )


def _text(form: Json, name: str, limit: int = 100) -> str:
    value = form.get(name, "")
    return value.strip()[:limit].replace("\x00", "") if isinstance(value, str) else ""


def _severity(form: Json) -> int | None:
    text = _text(form, "severity")
    return int(text) if text in {"1", "2", "3", "4"} else None


async def _write(request: web.Request) -> web.StreamResponse:
    opened = await _opened(request)
    if isinstance(opened, web.Response):
        raise web.HTTPForbidden(text="The study is still blind.")
    study, mapping = opened
    session, answer = owner(request), request.match_info["answer"]
    sealed = mapping.answers.get(answer)
    if sealed is None:
        raise web.HTTPNotFound(text="There is no such answer.")
    form = await request.post()
    if not _text(form, "seen"):
        raise UsageError("write down what was seen")
    given: dict[str, Json] = {
        "trial": sealed.key_ids[0] if sealed.key_ids else "",
        "candidate": sealed.candidate,
        "dimension": _text(form, "dimension"),
        "tag": _text(form, "tag"),
        "seen": _text(form, "seen", 4000),
        "severity": _severity(form) or 2,
        "study": study.id,
        "answer": answer,
    }
    await off(
        partial(add_note, at=now_of(request), by=session.name, days=study.settings.cycle_days),
        request.app[REVIEWS],
        given,
    )
    raise web.HTTPSeeOther(f"/trials?page={_text(form, 'page', 5) or '1'}#{answer}")


async def _change(request: web.Request) -> web.StreamResponse:
    opened = await _opened(request)
    if isinstance(opened, web.Response):
        raise web.HTTPForbidden(text="The study is still blind.")
    study, _ = opened
    form, session = await request.post(), owner(request)
    state = next((one for one in _STEPS if one == form.get("state")), None)
    if state is None:
        raise UsageError("confirm, revise or withdraw it")
    revised = state == "revised"
    step = Change(
        at=now_of(request),
        author=session.name,
        state=state,
        why=_text(form, "why", 500),
        severity=_severity(form) if revised else None,
        seen=_text(form, "seen", 4000) or None if revised else None,
    )
    await off(
        partial(change_note, days=study.settings.cycle_days),
        request.app[REVIEWS],
        request.match_info["note"],
        step,
    )
    raise web.HTTPSeeOther("/notes")
