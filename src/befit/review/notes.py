"""Record sheets: what was seen on one trial, kept as a record with a history.

A record is open until somebody confirms, revises or withdraws it; every step
stays. It is due again after the study's cycle, and overdue ones are told wherever
a result is told. Records made in a blind study get their trial and candidate when
the study is unblinded.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from pydantic import ValidationError

from befit.core.record import Json
from befit.errors import UsageError
from befit.review.records import Ballot, Change, RecordSheet, Sealed, Study
from befit.review.rows import Row
from befit.storage.reviews import Part, Reviews

ALL = "notes"
"""The name under which record sheets stand in the store: they outlive any study."""
DAYS = 90


def add_note(
    reviews: Reviews, given: Mapping[str, Json], /, *, at: str, by: str, days: int = DAYS
) -> RecordSheet:
    """Write a record sheet and return it.

    Args:
        reviews: where.
        given: trial, candidate, seen, and what else is known of `RecordSheet`.
        at: ISO 8601, UTC.
        by: the author.
        days: until it is due again.

    Raises:
        UsageError: it is no record sheet, and why.
    """
    own = {
        "id": f"n-{secrets.token_hex(5)}",
        "author": by,
        "created_at": at,
        "due_at": later(at, days),
    }
    try:
        made = RecordSheet.model_validate({**given, **own})
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    reviews.put(ALL, "note", [_part(made)])
    return made


def later(at: str, days: int) -> str:
    """Return the time so many days after a time."""
    return (datetime.fromisoformat(at) + timedelta(days=days)).isoformat(timespec="seconds")


def notes(reviews: Reviews, /) -> list[RecordSheet]:
    """Return all record sheets, in the order they were made."""
    return [RecordSheet.model_validate(body) for body in reviews.parts(ALL, "note").values()]


def sealed_notes(reviews: Reviews, /) -> int:
    """Return how many observations of reviewers wait for their study to be unblinded."""
    return sum(
        len(Ballot.model_validate(vote.body).observations)
        for body in reviews.studies()
        if (study := Study.model_validate(body)).state != "unblinded"
        for vote in reviews.work.votes(study.id)
    )


def change_note(
    reviews: Reviews, note_id: str, step: Change, /, *, days: int = DAYS
) -> RecordSheet:
    """Confirm, revise or withdraw a record sheet; what stood before stays in its history.

    Args:
        reviews: where.
        note_id: the record's id or its beginning.
        step: what is done; `seen` and `severity` are the new ones of a revision.
        days: until it is due again.

    Raises:
        UsageError: there is none, it was withdrawn, or a revision changes nothing.
    """
    found = [one for one in notes(reviews) if one.id.startswith(note_id)]
    if len(found) != 1:
        raise UsageError(
            f"'{note_id}' is the beginning of {len(found)} record sheets", do="befit note --list"
        )
    old = found[0]
    if old.state == "withdrawn":
        raise UsageError(f"{old.id} was withdrawn", do="write a new one")
    if step.state == "revised" and step.seen is None and step.severity is None:
        raise UsageError("a revision says what was seen, or how severe it is")
    before = step.model_copy(update={"severity": old.severity, "seen": old.seen})
    made = old.model_copy(
        update={
            "state": step.state,
            "seen": old.seen if step.seen is None else step.seen,
            "severity": old.severity if step.severity is None else step.severity,
            "due_at": later(step.at, days),
            "cycle": old.cycle + 1,
            "history": (*old.history, before),
        }
    )
    reviews.put(ALL, "note", [_part(RecordSheet.model_validate(made.model_dump()))])
    return made


def overdue(sheets: Sequence[RecordSheet], *, now: str) -> list[RecordSheet]:
    """Return the records that should have been looked at again by now."""
    at = datetime.fromisoformat(now)
    return [
        one
        for one in sheets
        if one.state != "withdrawn" and datetime.fromisoformat(one.due_at) < at
    ]


def notes_of_study(
    reviews: Reviews, study: Study, rows: Sequence[Row], mapping: Sealed, /, *, at: str
) -> list[RecordSheet]:
    """Write the observations of a study's votes down as record sheets, once; return the new ones.

    `rows` have candidates by name.
    """
    known = {(one.study, one.answer, one.author, one.seen) for one in notes(reviews)}
    made: list[RecordSheet] = []
    for row in rows:
        for one in row.ballot.observations:
            candidate, answer = _behind(row, one.side, reviews, study)
            key = (study.id, answer, row.reviewer, one.seen)
            if key in known:
                continue
            known.add(key)
            keys = mapping.answers[answer].key_ids if answer in mapping.answers else ()
            made.append(
                RecordSheet(
                    id=f"n-{secrets.token_hex(5)}",
                    trial=keys[0] if keys else "",
                    candidate=candidate,
                    scenario=row.scenario,
                    sample=row.sample,
                    dimension=one.dimension,
                    tag=one.tag,
                    seen=one.seen,
                    severity=one.severity,
                    author=row.reviewer,
                    created_at=at,
                    due_at=later(at, study.settings.cycle_days),
                    study=study.id,
                    answer=answer,
                )
            )
    if made:
        reviews.put(ALL, "note", [_part(one) for one in made])
    return made


def _behind(row: Row, side: str, reviews: Reviews, study: Study) -> tuple[str, str]:
    """Return candidate and answer id behind a side as it was shown."""
    body = reviews.part(study.id, "item work", row.item) or {}
    first = (side == "left") != (row.flipped and bool(row.y))
    return (row.x, body.get("x", "")) if first else (row.y, body.get("y", ""))


def _part(sheet: RecordSheet) -> Part:
    return Part(sheet.id, sheet.model_dump(mode="json"), sheet.trial or None)
