"""Assignments, votes and drafts of blind review, as they are pressed.

A choice of what to show next is made inside the one writing transaction, so two
reviewers never take the same last place, and a vote is stored in one transaction
with what it changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, Row, and_, case, delete, func, insert, or_, select, update

from befit.core.record import Json
from befit.errors import ForbiddenError, UsageError
from befit.storage.codec import pack, plain, unpack
from befit.storage.database import Database
from befit.storage.schema_reviews import (
    review_assignments,
    review_drafts,
    review_studies,
    review_votes,
)

_A, _V, _D = review_assignments.c, review_votes.c, review_drafts.c


class Assigned(NamedTuple):
    """One item on one reviewer's list; the columns of `review_assignments`."""

    id: str
    study: str
    reviewer: str
    ordinal: int
    item: str
    purpose: str
    cell: str
    cycle: int
    mirror_of: str | None
    flipped: int
    state: str
    leased_until: float
    created_at: float
    shown_at: float | None
    voted_at: float | None
    outcome: str | None


class StoredVote(NamedTuple):
    """One revision of one vote."""

    assignment: str
    revision: int
    reviewer: str
    voted_at: float
    withdrawn: bool
    body: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What the choice of the next item is made from."""

    mine: tuple[Assigned, ...]
    """All assignments of this reviewer, in order."""
    taken: dict[str, int]
    """Item of work -> votes and live leases on it."""
    voted: dict[str, int]
    """Item of work -> votes on it."""
    cells: dict[tuple[str, str], int]
    """(cell, outcome) -> votes of work."""


Choose = Callable[[Standing], Assigned | None]
Fits = Callable[[int, tuple[int, Json] | None], bool]
"""Asked with the newest revision (0: none) and the draft; whether what comes may stand on them."""


class OvertakenError(UsageError):
    """Somebody else at the same link went on with the item meanwhile; nothing was stored."""

    def __init__(self) -> None:
        super().__init__("another device went on with this item meanwhile")


class ReviewWork:
    """Writer and reader of the work of reviewers; a part of `Reviews`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def assign(
        self, study: str, reviewer: str, choose: Choose, /, *, now: float
    ) -> Assigned | None:
        """Store and return what `choose` picks from how things stand; None where it picks none.

        Raises:
            ForbiddenError: the study is not open.
        """
        with self._database.write() as connection:
            picked = choose(_standing(connection, study, reviewer, now))
            if picked is None:
                return None
            _must_be_open(connection, study, picked.purpose)
            known = connection.scalar(select(_A.id).where(_A.id == picked.id))
            if known is None:
                connection.execute(insert(review_assignments).values(**picked._asdict()))
            else:
                connection.execute(
                    update(review_assignments)
                    .where(_A.id == picked.id)
                    .values(leased_until=picked.leased_until)
                )
        return picked

    def assigned(self, assignment: str, /) -> Assigned | None:
        """Return an assignment, or None."""
        with self._database.read() as connection:
            return _one(connection, assignment)

    def of(self, study: str, reviewer: str | None = None, /) -> list[Assigned]:
        """Return the assignments of a study (of one reviewer), in order."""
        with self._database.read() as connection:
            return _assignments(connection, study, reviewer)

    def standing(self, study: str, reviewer: str, /, *, now: float) -> Standing:
        """Return how things stand for a reviewer."""
        with self._database.read() as connection:
            return _standing(connection, study, reviewer, now)

    def show(self, assignment: str, /, *, now: float, until: float) -> None:
        """Note when an item was first shown, and extend its lease."""
        with self._database.write() as connection:
            row = update(review_assignments).where(_A.id == assignment)
            connection.execute(
                row.values(leased_until=until, shown_at=func.coalesce(_A.shown_at, now))
            )

    def vote(
        self,
        assignment: str,
        body: Json,
        /,
        *,
        request_id: str,
        outcome: str | None,
        now: float,
        withdrawn: bool = False,
        fits: Fits | None = None,
    ) -> StoredVote:
        """Store a revision of a vote and return it; a request id that was seen stores nothing.

        Raises:
            ForbiddenError: the study is not open.
            OvertakenError: it does not fit what stands there.
        """
        request = plain(request_id)
        with self._database.write() as connection:
            held = _one(connection, assignment)
            if held is None:
                raise ForbiddenError("there is no such item")
            seen = select(review_votes).where(
                _V.study == held.study,
                _V.reviewer == held.reviewer,
                _V.request_id == request,
            )
            row = connection.execute(seen).first()
            if row is not None:
                return _vote(row)
            _must_be_open(connection, held.study, held.purpose)
            newest = _newest(connection, assignment)
            if fits is not None and not fits(newest, _draft(connection, assignment)):
                raise OvertakenError
            stored = StoredVote(
                assignment=assignment,
                revision=newest + 1,
                reviewer=held.reviewer,
                voted_at=now,
                withdrawn=withdrawn,
                body=body,
            )
            whole = {**stored._asdict(), "study": held.study, "request_id": request,
                   "withdrawn": int(withdrawn), "body": pack(body)}  # fmt: skip
            connection.execute(insert(review_votes).values(**whole))
            place = update(review_assignments).where(_A.id == assignment)
            done = {"state": "done", "voted_at": now, "outcome": outcome}
            again = {"state": "leased", "voted_at": None, "outcome": None}
            connection.execute(place.values(**(again if withdrawn else done)))
            if not withdrawn:
                connection.execute(delete(review_drafts).where(_D.assignment == assignment))
        return stored

    def bring(self, study: str, brought: Sequence[tuple[Assigned, Json, str]], /) -> int:
        """Store votes made elsewhere, all or nothing, and return how many were new.

        Args:
            study: open.
            brought: assignment (done), ballot, request id; a known request id is left alone.

        Raises:
            ForbiddenError: the study is not open.
        """
        with self._database.write() as connection:
            for purpose in {assigned.purpose for assigned, _, _ in brought}:
                _must_be_open(connection, study, purpose)
            told = select(_V.reviewer, _V.request_id).where(_V.study == study)
            known = {tuple(row) for row in connection.execute(told)}
            new = [
                (assigned, body, plain(request))
                for assigned, body, request in brought
                if (assigned.reviewer, plain(request)) not in known
            ]
            if not new:
                return 0
            rows = [assigned._asdict() for assigned, _, _ in new]
            connection.execute(insert(review_assignments), rows)
            votes = [
                {
                    "assignment": assigned.id,
                    "revision": 1,
                    "study": study,
                    "reviewer": assigned.reviewer,
                    "request_id": request,
                    "voted_at": assigned.voted_at or 0.0,
                    "withdrawn": 0,
                    "body": pack(body),
                }
                for assigned, body, request in new
            ]
            connection.execute(insert(review_votes), votes)
        return len(new)

    def votes(self, study: str, /, *, every_revision: bool = False) -> list[StoredVote]:
        """Return the newest revision of each vote (or every revision), in order of time.

        A vote whose newest revision withdraws it is left out, unless all are asked for.
        """
        statement = (
            select(review_votes)
            .where(_V.study == study)
            .order_by(_V.voted_at, _V.assignment, _V.revision)
        )
        rows = [_vote(row) for row in self._rows(statement)]
        if every_revision:
            return rows
        newest = {
            row.assignment: row for row in sorted(rows, key=lambda row: (row.assignment, row[1]))
        }
        return [row for row in rows if newest[row.assignment] == row and not row.withdrawn]

    def vote_on(self, assignment: str, /) -> StoredVote | None:
        """Return the newest revision of the vote on an assignment, unless it was withdrawn."""
        statement = (
            select(review_votes)
            .where(_V.assignment == assignment)
            .order_by(_V.revision.desc())
            .limit(1)
        )
        with self._database.read() as connection:
            row = connection.execute(statement).first()
        found = None if row is None else _vote(row)
        return None if found is None or found.withdrawn else found

    def save_draft(
        self, assignment: str, body: Json, /, *, number: int, now: float, fits: Fits | None = None
    ) -> bool:
        """Store a draft unless a later one (a higher number) stands there; return whether it was.

        Raises:
            ForbiddenError: the study is not open.
            OvertakenError: it does not fit what stands there.
        """
        with self._database.write() as connection:
            held = _one(connection, assignment)
            if held is None:
                raise ForbiddenError("there is no such item")
            _must_be_open(connection, held.study, held.purpose)
            known = _draft(connection, assignment)
            if fits is not None and not fits(_newest(connection, assignment), known):
                raise OvertakenError
            if known is not None and known[0] > number:
                return False
            connection.execute(delete(review_drafts).where(_D.assignment == assignment))
            connection.execute(
                insert(review_drafts).values(
                    assignment=assignment,
                    study=held.study,
                    number=number,
                    saved_at=now,
                    body=pack(body),
                )
            )
        return True

    def draft(self, assignment: str, /) -> tuple[int, Json] | None:
        """Return number and body of a draft, or None."""
        with self._database.read() as connection:
            return _draft(connection, assignment)

    def revision(self, assignment: str, /) -> int:
        """Return the newest revision of a vote, also one that withdraws it; 0 for none."""
        with self._database.read() as connection:
            return _newest(connection, assignment)

    def _rows(self, statement: Json) -> Iterator[Row[Json]]:
        for rows in self._database.stream(statement):
            yield from rows


def _must_be_open(connection: Connection, study: str, purpose: str) -> None:
    found = select(review_studies.c.state).where(review_studies.c.id == study)
    state = connection.scalar(found)
    if state != "open" and (state, purpose) != ("cycle", "cycle"):
        raise ForbiddenError(
            f"the study is {state or 'unknown'}", why="votes are taken while it is open"
        )


def _one(connection: Connection, assignment: str) -> Assigned | None:
    row = connection.execute(select(review_assignments).where(_A.id == plain(assignment))).first()
    return None if row is None else Assigned(*row)


def _draft(connection: Connection, assignment: str) -> tuple[int, Json] | None:
    row = connection.execute(select(review_drafts).where(_D.assignment == assignment)).first()
    return None if row is None else (row.number, unpack(row.body))


def _newest(connection: Connection, assignment: str) -> int:
    newest = select(func.max(_V.revision)).where(_V.assignment == assignment)
    return connection.scalar(newest) or 0


def _assignments(connection: Connection, study: str, reviewer: str | None) -> list[Assigned]:
    statement = select(review_assignments).where(_A.study == study)
    if reviewer is not None:
        statement = statement.where(_A.reviewer == reviewer)
    statement = statement.order_by(_A.reviewer, _A.ordinal)
    return [Assigned(*row) for row in connection.execute(statement)]


def _standing(connection: Connection, study: str, reviewer: str, now: float) -> Standing:
    work = and_(_A.study == study, _A.purpose == "work")
    alive = or_(_A.state == "done", _A.leased_until > now)
    done = func.sum(case((_A.state == "done", 1), else_=0))
    taken = select(_A.item, func.count(), done).where(work, alive).group_by(_A.item)
    cells = (
        select(_A.cell, _A.outcome, func.count())
        .where(work, _A.state == "done", _A.outcome.is_not(None))
        .group_by(_A.cell, _A.outcome)
    )
    items = connection.execute(taken).all()
    return Standing(
        mine=tuple(_assignments(connection, study, reviewer)),
        taken={row[0]: row[1] for row in items},
        voted={row[0]: row[2] for row in items},
        cells={(row[0], row[1]): row[2] for row in connection.execute(cells)},
    )


def _vote(row: Row[Json]) -> StoredVote:
    return StoredVote(
        assignment=row.assignment,
        revision=row.revision,
        reviewer=row.reviewer,
        voted_at=row.voted_at,
        withdrawn=bool(row.withdrawn),
        body=unpack(row.body),
    )
