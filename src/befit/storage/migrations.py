"""The versions of the tables: an ordered list of small steps, each from one version to the next.

The number of steps taken stands in `meta`. A step is never edited once
released; a change to the tables is a new step at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import Connection, insert, inspect, select, text, update

from befit.errors import StoreError
from befit.storage.database import Database
from befit.storage.schema import (
    contents,
    evidence,
    holds,
    meta,
    metadata,
    runs,
    sample_history,
    samples,
    score_columns,
    scores,
    slot_columns,
    slots,
    trials,
)
from befit.storage.schema_costs import untold_costs
from befit.storage.schema_data import DATA_TABLES
from befit.storage.schema_records import records
from befit.storage.schema_reviews import REVIEW_TABLES

Step = Callable[[Connection], None]
_NAME = "schema_version"


def _runs_and_trials(connection: Connection) -> None:
    metadata.create_all(
        connection,
        tables=[runs, contents, samples, trials, slots, scores, evidence, holds],
        checkfirst=False,
    )
    if connection.dialect.name == "postgresql":
        # SQLite's table is that index already. In words, because an `Index` that only one
        # database knows makes every command load that database's dialect.
        connection.execute(
            text(
                "CREATE INDEX scores_covering ON scores"
                " (run_id, scoring, scenario, name, candidate) INCLUDE (scorer, part, value)"
            )
        )


def _written_once(connection: Connection) -> None:
    metadata.create_all(connection, tables=[records], checkfirst=False)


def _logs_and_sets(connection: Connection) -> None:
    metadata.create_all(connection, tables=DATA_TABLES, checkfirst=False)


def _time_per_token(connection: Connection) -> None:
    """Slots got a column; a workspace made by a later befit already has it."""
    _add(connection, "slots", per_token=_double(connection))


def _scored_again(connection: Connection) -> None:
    metadata.create_all(connection, tables=[sample_history], checkfirst=False)


def _blind_review(connection: Connection) -> None:
    metadata.create_all(connection, tables=REVIEW_TABLES, checkfirst=False)


def _waits_and_payload(connection: Connection) -> None:
    """Slots tell calls, waiting, the cost of failed tries and the length of the answer proper."""
    double = _double(connection)
    _add(connection, "slots", calls="BIGINT", waited=double, retry_cost=double)
    _add(connection, "slots", payload_chars="BIGINT")
    _add(connection, "evidence", payload_chars="BIGINT")


def _slots_by_place(connection: Connection) -> None:
    """Slots are found by their place; an index of their keys cost more than all else of a slot."""
    connection.execute(text("DROP INDEX IF EXISTS slots_by_key"))


def _routes(connection: Connection) -> None:
    """Slots tell by which way the answer came."""
    _add(connection, "slots", route="VARCHAR")


def _packed_slots(connection: Connection) -> None:
    """Slots of a run that has ended stand a second time as packed columns."""
    metadata.create_all(connection, tables=[slot_columns], checkfirst=False)


def _packed_scores(connection: Connection) -> None:
    """So do the scores that a report reads of every trial."""
    metadata.create_all(connection, tables=[score_columns], checkfirst=False)


def _untold_costs(connection: Connection) -> None:
    """What calls cost that no slot tells is kept over the sittings of a run."""
    metadata.create_all(connection, tables=[untold_costs], checkfirst=False)


def _untold_tries(connection: Connection) -> None:
    """Slots tell how many failed tries may have been billed at a cost that nobody told."""
    _add(connection, "slots", untold_tries="BIGINT")


def _double(connection: Connection) -> str:
    return "DOUBLE PRECISION" if connection.dialect.name == "postgresql" else "DOUBLE"


def _add(connection: Connection, table: str, **columns: str) -> None:
    """Add columns that are not there: a workspace made by a later befit already has them."""
    known = {column["name"] for column in inspect(connection).get_columns(table)}
    for name, kind in columns.items():
        if name not in known:
            connection.execute(text(f"ALTER TABLE {table} ADD COLUMN {name} {kind}"))


STEPS: tuple[Step, ...] = (
    _runs_and_trials,
    _written_once,
    _logs_and_sets,
    _time_per_token,
    _scored_again,
    _waits_and_payload,
    _blind_review,
    _slots_by_place,
    _routes,
    _packed_slots,
    _packed_scores,
    _untold_costs,
    _untold_tries,
)


def migrate(database: Database, *, steps: Sequence[Step] = STEPS) -> int:
    """Bring the tables up to date in one transaction and return the version found.

    Raises:
        StoreError: when the workspace is of a later befit; it is left untouched.
    """
    with database.read() as connection:
        found = _version(connection)
    if found < len(steps):
        with database.write() as connection:
            found = _version(connection)  # another process may have been quicker
            if found < len(steps):
                _advance(connection, steps, found)
    if found > len(steps):
        raise StoreError(
            f"the workspace has schema version {found}, this befit knows up to {len(steps)}",
            where=database.name,
            why="it was written by a later befit",
            do="pip install --upgrade befit",
        )
    return found


def _version(connection: Connection) -> int:
    if not inspect(connection).has_table(meta.name):
        return 0
    value = connection.scalar(select(meta.c.value).where(meta.c.name == _NAME))
    return 0 if value is None else int(value)


def _advance(connection: Connection, steps: Sequence[Step], found: int) -> None:
    metadata.create_all(connection, tables=[meta])
    for step in steps[found:]:
        step(connection)
    if connection.scalar(select(meta.c.value).where(meta.c.name == _NAME)) is None:
        connection.execute(insert(meta).values(name=_NAME, value=str(len(steps))))
    else:
        connection.execute(update(meta).where(meta.c.name == _NAME).values(value=str(len(steps))))
