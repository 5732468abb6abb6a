"""What earlier runs measured of the same candidates: for the spread between runs.

Only a few runs back and a bounded number of slots each, the first in the order
of the samples, so that runs are compared on the same samples.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import select

from befit.core.run import Manifest
from befit.storage.codec import plain
from befit.storage.database import Database
from befit.storage.schema import runs, slots

FEW_RUNS = 5
FEW_SLOTS = 500


class Measured(NamedTuple):
    """One answer measured in a run; None where unknown."""

    latency: float | None
    output_tokens: int | None
    cost: float | None


class Times:
    """Reader of what other runs measured; one part of a `Workspace`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def others(self, manifest: Manifest, /) -> Iterator[Manifest]:
        """Yield the newest other runs of the same project, those of judges left out."""
        statement = (
            select(runs.c.manifest)
            .where(
                runs.c.project == plain(manifest.project),
                runs.c.id != manifest.id,
                runs.c.status != "running",
            )
            .order_by(runs.c.number.desc())
            .limit(FEW_RUNS)
        )
        with self._database.read() as connection:
            texts: Sequence[str] = connection.scalars(statement).all()
        for text in texts:
            other = Manifest.model_validate(json.loads(text))
            if other.judges_run is None:
                yield other

    def measured(self, run_id: str, candidate: str, scenario: str, /) -> list[Measured]:
        """Return what a run measured itself of a candidate on a scenario, reused answers apart."""
        c = slots.c
        statement = (
            select(c.latency, c.output_tokens, c.cost)
            .where(
                c.run_id == run_id,
                c.scenario == plain(scenario),
                c.candidate == plain(candidate),
                c.reused == 0,
                c.status != "missing",
                c.variant == "",
            )
            .order_by(c.sample_id, c.variant, c.repeat)
            .limit(FEW_SLOTS)
        )
        with self._database.read() as connection:
            rows: Sequence[Any] = connection.execute(statement).all()
        return [Measured(*row) for row in rows]
