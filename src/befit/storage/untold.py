"""The costs of calls that no slot tells: kept with the run, added up over its sittings."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from sqlalchemy import Connection, bindparam, insert, select, update

from befit.core.untold import Untold
from befit.storage.codec import plain
from befit.storage.database import Database
from befit.storage.schema_costs import untold_costs

_C = untold_costs.c
_ADD = (
    update(untold_costs)
    .where(_C.run_id == bindparam("run"), _C.candidate == bindparam("name"))
    .values(spent=_C.spent + bindparam("more"), uncertain=_C.uncertain + bindparam("doubt"))
)
_OF_RUN = select(_C.candidate, _C.spent, _C.uncertain).where(_C.run_id == bindparam("run"))


class UntoldCosts:
    """Writer and reader of these costs; one part of a `Workspace`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, run_id: str, costs: Mapping[str, Untold], /) -> None:
        """Add to what stands, candidate by candidate, in one transaction."""
        with self._database.write() as connection:
            for name, cost in costs.items():
                add_untold(connection, run_id, name, cost)

    def of(self, run_id: str, /) -> dict[str, Untold]:
        """Return the costs of a run by candidate; empty where every call is told by a slot."""
        with self._database.read() as connection:
            rows = connection.execute(_OF_RUN, {"run": run_id}).all()
        return {
            name: Untold(spent=Decimal(repr(spent)), uncertain=Decimal(repr(uncertain)))
            for name, spent, uncertain in rows
        }


def add_untold(connection: Connection, run_id: str, candidate: str, cost: Untold) -> None:
    """Add to the costs of a candidate in a run, inside a write transaction."""
    more, doubt = float(cost.spent), float(cost.uncertain)
    name = plain(candidate)
    found = connection.execute(_ADD, {"run": run_id, "name": name, "more": more, "doubt": doubt})
    if not found.rowcount:
        connection.execute(
            insert(untold_costs).values(run_id=run_id, candidate=name, spent=more, uncertain=doubt)
        )
