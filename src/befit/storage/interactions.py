"""Production logs as imported: written in batches, visible as a whole or not at all."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pydantic_core import PydanticSerializationError
from sqlalchemy import Connection, Select, and_, bindparam, delete, func, insert, select, update

from befit.core.interaction import Interaction, Outcome
from befit.core.record import Json
from befit.storage.codec import pack, pack_json, plain, plain_or_none, unpack
from befit.storage.database import Database
from befit.storage.schema_data import imports, interactions, outcomes

_IDS = 500
_INSERT = insert(interactions)
_INSERT_OUTCOME = insert(outcomes)
_COLUMNS = tuple(column.name for column in interactions.columns)
_REPLACED = tuple(name for name in _COLUMNS if name not in {"id", "import_id", "ordinal"})
_HOST = (
    update(interactions)
    .where(interactions.c.id == bindparam("host"))
    .values({name: bindparam(name) for name in _REPLACED})
)
_SPENT = (
    update(interactions)
    .where(interactions.c.id == bindparam("gone"))
    .values(state="merged", body=None, join_key=None)
)
_WAITING = func.coalesce(interactions.c.state, "").in_(("half", "bare"))
"""As an expression, so that a database walks along the keys: by the index of states each page
would read all halves again."""
_DONE = select(imports.c.id).where(imports.c.done_at.is_not(None))


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRow:
    """One interaction on its way into the store, with what strata are made of.

    `state` is `whole`, `bare` (no content) or `half`; halves have a `join` and a `side`.
    """

    interaction: Interaction
    ordinal: int
    state: str = "whole"
    join: str | None = None
    side: str | None = None
    intent: str | None = None
    language: str | None = None
    length: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFacts:
    """The narrow columns of one stored interaction."""

    id: str
    ts: str
    route: str | None
    channel: str | None
    model: str | None
    conversation: str | None
    intent: str | None
    language: str | None
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which interactions are meant; None means any. `since` and `until` are ISO 8601, UTC."""

    route: str | None = None
    channel: str | None = None
    model: str | None = None
    since: str | None = None
    until: str | None = None


EVERYTHING = Filter()


class Interactions:
    """Writer and reader of imported logs; one part of a `Workspace`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self) -> str:
        """Enter a new import and return its id; what a broken one left behind is erased.

        Call it while holding `import`: an import that is not done is taken for broken.
        """
        made = f"i-{secrets.token_hex(4)}"
        broken = select(imports.c.id).where(imports.c.done_at.is_(None))
        with self._database.write(erasing=True) as connection:
            left = connection.scalars(broken).all()
            for import_id in left:
                _erase(connection, import_id)
            number = connection.scalar(select(func.coalesce(func.max(imports.c.number), 0)))
            now = datetime.now(UTC).isoformat(timespec="seconds")
            values = {"id": made, "number": (number or 0) + 1, "created_at": now, "report": "{}"}
            connection.execute(insert(imports).values(**values))
        if left:
            self._database.fold()
        return made

    def abandon(self, import_id: str, /) -> None:
        """Erase everything of an import that failed."""
        with self._database.write(erasing=True) as connection:
            _erase(connection, import_id)
        self._database.fold()

    def put(
        self, import_id: str, rows: Sequence[LogRow], found: Sequence[tuple[int, Outcome]], /
    ) -> int:
        """Store a batch (in one transaction) and return how many ids were known already."""
        known = 0
        with self._database.write() as connection:
            fresh: dict[str, LogRow] = {}
            for row in rows:
                known += plain(row.interaction.id) in fresh
                fresh.setdefault(plain(row.interaction.id), row)
            ids = list(fresh)
            for start in range(0, len(ids), _IDS):
                held = interactions.c.id.in_(ids[start : start + _IDS])
                for one in connection.scalars(select(interactions.c.id).where(held)).all():
                    fresh.pop(one)
                    known += 1
            values = [_values(import_id, key, row) for key, row in fresh.items()]
            self._database.insert(connection, _INSERT, values)
            told = [
                (plain(outcome.ref), import_id, ordinal, part, outcome.ts, outcome.event,
                 outcome.value, pack(outcome.model_dump(mode="json")))
                for part, (ordinal, outcome) in enumerate(found)
            ]  # fmt: skip
            self._database.insert(connection, _INSERT_OUTCOME, told)
        return known

    def pairs(self, *, limit: int = 500) -> Iterator[list[tuple[str, str, Interaction]]]:
        """Yield the halves of each exchange of which two or more sides wait, by arrival.

        Each entry is (id, side, interaction). What is yielded should be merged or
        it is not looked at again in this call.
        """
        last = ""
        while True:
            keys = waiting_keys(last, limit=limit)
            with self._database.read() as connection:
                found = [str(key) for key in connection.scalars(keys)]
                if not found:
                    return
                held = and_(_WAITING, interactions.c.join_key.in_(found))
                columns = interactions.c
                rows = connection.execute(
                    select(columns.join_key, columns.id, columns.side, columns.body)
                    .where(held)
                    .order_by(columns.join_key, columns.import_id, columns.ordinal)
                ).all()
            grouped: dict[str, list[tuple[str, str, Interaction]]] = {}
            for join, one, side, body in rows:
                grouped.setdefault(join, []).append((one, side, read_interaction(body)))
            yield from grouped.values()
            last = found[-1]

    def finish(
        self, import_id: str, report: Json, merged: Iterator[tuple[Sequence[str], LogRow]], /
    ) -> int:
        """Join halves and make the import visible, in one transaction; return the joins.

        Each of `merged` is the ids of the halves and the whole exchange; it takes
        the place of the first half, the others keep their ids without content, so
        that the same file can be imported again.
        """
        joins = 0
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._database.write() as connection:
            hosts: list[dict[str, object]] = []
            spent: list[dict[str, object]] = []
            for ids, row in merged:
                joins += 1
                values = dict(zip(_COLUMNS, _values(import_id, ids[0], row), strict=True))
                hosts.append({"host": ids[0], **{name: values[name] for name in _REPLACED}})
                spent += [{"gone": one} for one in ids[1:]]
                if len(hosts) >= _IDS:
                    _join(connection, hosts, spent)
            _join(connection, hosts, spent)
            text = json.dumps(report, ensure_ascii=True)
            done = update(imports).where(imports.c.id == import_id)
            connection.execute(done.values(done_at=now, report=text))
        return joins

    def reports(self) -> list[tuple[str, str, Any]]:
        """Return (id, time, report) of every import that is done, newest first."""
        statement = (
            select(imports.c.id, imports.c.done_at, imports.c.report)
            .where(imports.c.done_at.is_not(None))
            .order_by(imports.c.number.desc())
        )
        with self._database.read() as connection:
            return [(one, at, json.loads(text)) for one, at, text in connection.execute(statement)]

    def count(self, chosen: Filter = EVERYTHING, /) -> int:
        """Return how many whole interactions there are."""
        statement = select(func.count()).select_from(interactions).where(*_where(chosen))
        with self._database.read() as connection:
            return int(connection.scalar(statement) or 0)

    def facts(self, chosen: Filter = EVERYTHING, /) -> Iterator[LogFacts]:
        """Stream the narrow columns of whole interactions, in the order they came."""
        c = interactions.c
        names = (c.id, c.ts, c.route, c.channel, c.model, c.conversation, c.intent, c.language,
                 c.length)  # fmt: skip
        fields = tuple(LogFacts.__dataclass_fields__)
        for rows in self._database.stream(_ordered(select(*names), chosen)):
            for row in rows:
                yield LogFacts(**dict(zip(fields, row, strict=True)))

    def bodies(self, chosen: Filter = EVERYTHING, /) -> Iterator[tuple[LogFacts, Interaction]]:
        """Stream whole interactions with their columns, in the order they came."""
        c = interactions.c
        names = (c.id, c.ts, c.route, c.channel, c.model, c.conversation, c.intent, c.language,
                 c.length, c.body)  # fmt: skip
        fields = tuple(LogFacts.__dataclass_fields__)
        for rows in self._database.stream(_ordered(select(*names), chosen)):
            for *narrow, body in rows:
                facts = LogFacts(**dict(zip(fields, narrow, strict=True)))
                yield facts, read_interaction(body)

    def get(self, ids: Sequence[str], /) -> dict[str, Interaction]:
        """Return the interactions of these ids that are there."""
        found: dict[str, Interaction] = {}
        with self._database.read() as connection:
            for start in range(0, len(ids), _IDS):
                held = interactions.c.id.in_([plain(one) for one in ids[start : start + _IDS]])
                statement = select(interactions.c.id, interactions.c.body).where(
                    held, interactions.c.body.is_not(None), interactions.c.import_id.in_(_DONE)
                )
                for one, body in connection.execute(statement):
                    found[one] = read_interaction(body)
        return found

    def outcomes(self, ref: str | None = None, /) -> Iterator[Outcome]:
        """Stream what happened after interactions (or after one)."""
        statement = select(outcomes.c.body).where(outcomes.c.import_id.in_(_DONE))
        if ref is not None:
            statement = statement.where(outcomes.c.ref == plain(ref))
        for rows in self._database.stream(statement.order_by(outcomes.c.ts)):
            for (body,) in rows:
                yield Outcome.model_validate(unpack(body))

    def forget(self, ids: Sequence[str], /) -> int:
        """Drop the content of these interactions for good; their ids stay, so they stay gone."""
        known = 0
        with self._database.write(erasing=True) as connection:
            for start in range(0, len(ids), _IDS):
                part = [plain(one) for one in ids[start : start + _IDS]]
                held = update(interactions).where(interactions.c.id.in_(part))
                known += connection.execute(held.values(state="forgotten", body=None)).rowcount
                connection.execute(delete(outcomes).where(outcomes.c.ref.in_(part)))
        self._database.fold()
        return known


def waiting_keys(last: str, *, limit: int) -> Select[str | None]:
    """Return the query for the next keys behind `last` under which two sides wait."""
    key, sides = interactions.c.join_key, func.count(interactions.c.side.distinct())
    return (
        select(key)
        .where(_WAITING, key > last)
        .group_by(key)
        .having(sides > 1)
        .order_by(key)
        .limit(limit)
    )


def _join(
    connection: Connection, hosts: list[dict[str, object]], spent: list[dict[str, object]]
) -> None:
    """Write a batch of joined exchanges over their first halves, and empty the other ones."""
    if hosts:
        connection.execute(_HOST, hosts)
    if spent:
        connection.execute(_SPENT, spent)
    hosts.clear()
    spent.clear()


def _where(chosen: Filter) -> list[Any]:
    c = interactions.c
    found: list[Any] = [c.state == "whole", c.import_id.in_(_DONE)]
    for name in ("route", "channel", "model"):
        value = getattr(chosen, name)
        if value is not None:
            found.append(c[name] == value)
    if chosen.since is not None:
        found.append(c.ts >= chosen.since)
    if chosen.until is not None:
        found.append(c.ts < chosen.until)
    return found


def _ordered(statement: Any, chosen: Filter) -> Any:
    return statement.where(*_where(chosen)).order_by(
        interactions.c.import_id, interactions.c.ordinal, interactions.c.id
    )


def _erase(connection: Connection, import_id: str) -> None:
    connection.execute(delete(interactions).where(interactions.c.import_id == import_id))
    connection.execute(delete(outcomes).where(outcomes.c.import_id == import_id))
    connection.execute(delete(imports).where(imports.c.id == import_id))


def _values(import_id: str, key: str, row: LogRow) -> tuple[object, ...]:
    held = row.interaction
    return (
        key,
        import_id,
        row.ordinal,
        row.state,
        plain_or_none(row.join),
        row.side,
        held.ts,
        plain_or_none(held.route),
        plain_or_none(held.channel),
        plain_or_none(held.served_model or held.requested_model),
        plain_or_none(held.conversation_id),
        plain_or_none(row.intent),
        row.language,
        row.length,
        _body(held),
    )


def _body(held: Interaction) -> bytes:
    try:
        return pack_json(held.model_dump_json(exclude_defaults=True).encode())
    except PydanticSerializationError:  # lone surrogates
        return pack(held.model_dump(mode="json", exclude_defaults=True))


def read_interaction(body: bytes) -> Interaction:
    """Return the interaction of a stored body."""
    return Interaction.model_validate(unpack(body))
