"""The runs of a workspace: manifests, status, and finding one by the words a user has."""

from __future__ import annotations

import json
import secrets

from sqlalchemy import Connection, exists, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from befit.core.run import Manifest, RunStatus
from befit.errors import StoreError, UsageError
from befit.storage.codec import plain
from befit.storage.database import Database
from befit.storage.schema import runs, slots

_DIGITS = 4
"""Hexadecimal digits of a run id at first; more when those are taken."""
_SHOWN = 5

JUDGES = "j-"
"""How the ids of runs begin whose candidates are judges of another run; never the latest."""


class Runs:
    """Writer and reader of manifests; one part of a `Workspace`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def new_id(self) -> str:
        """Return a run id no run of this workspace has: `r-` and 4 or more hex digits."""
        with self._database.read() as connection:
            for attempt in range(64):
                run_id = f"r-{secrets.token_hex(8)[: _DIGITS + attempt // 8]}"
                taken = connection.scalar(select(runs.c.id).where(runs.c.id == run_id))
                if taken is None:
                    return run_id
        return f"r-{secrets.token_hex(8)}"

    def create(self, manifest: Manifest, /) -> None:
        """Enter a run with status `running`.

        Raises:
            StoreError: when a run of this id exists.
        """
        with self._database.write() as connection:
            number = connection.scalar(select(func.coalesce(func.max(runs.c.number), 0)))
            try:
                connection.execute(
                    insert(runs).values(
                        id=manifest.id,
                        number=(number or 0) + 1,
                        project=plain(manifest.project),
                        created_at=plain(manifest.created_at),
                        status="running",
                        plan_fingerprint=plain(manifest.plan_fingerprint),
                        label=plain(manifest.label),
                        scoring=1,
                        manifest=_manifest_text(manifest),
                    )
                )
            except IntegrityError:
                raise StoreError(
                    f"run {manifest.id} exists already", where=self._database.name
                ) from None

    def finish(self, run_id: str, status: RunStatus, /) -> None:
        """Set the status of a run (`running` again when it is resumed).

        Raises:
            StoreError: for an unknown run.
        """
        statement = update(runs).where(runs.c.id == run_id).values(status=status)
        with self._database.write() as connection:
            if connection.execute(statement).rowcount != 1:
                raise self._unknown(run_id)

    def manifest(self, run_id: str, /) -> Manifest:
        """Return the manifest of a run.

        Raises:
            StoreError: for an unknown run.
        """
        with self._database.read() as connection:
            text = connection.scalar(select(runs.c.manifest).where(runs.c.id == run_id))
        if text is None:
            raise self._unknown(run_id)
        return _read_manifest(text)

    def amend(self, connection: Connection, manifest: Manifest, /) -> None:
        """Put `manifest` in the place of the stored one of its id, inside a write transaction."""
        connection.execute(
            update(runs)
            .where(runs.c.id == manifest.id)
            .values(
                plan_fingerprint=plain(manifest.plan_fingerprint),
                manifest=_manifest_text(manifest),
            )
        )

    def status(self, run_id: str, /) -> RunStatus:
        """Return the status of a run.

        Raises:
            StoreError: for an unknown run.
        """
        with self._database.read() as connection:
            status: RunStatus | None = connection.scalar(
                select(runs.c.status).where(runs.c.id == run_id)
            )
        if status is None:
            raise self._unknown(run_id)
        return status

    def has_trials(self, run_id: str, /) -> bool:
        """Tell whether any place of a run is filled."""
        statement = select(slots.c.run_id).where(slots.c.run_id == run_id).limit(1)
        with self._database.read() as connection:
            return connection.scalar(statement) is not None

    def runs(self) -> list[tuple[Manifest, RunStatus]]:
        """Return all runs, newest first."""
        statement = select(runs.c.manifest, runs.c.status).order_by(runs.c.number.desc())
        with self._database.read() as connection:
            rows = connection.execute(statement).all()
        return [(_read_manifest(text), status) for text, status in rows]

    def find_resumable(self, plan_fingerprint: str, /) -> Manifest | None:
        """Return the newest run of this plan that is not complete, or None."""
        statement = (
            select(runs.c.manifest, runs.c.status)
            .where(runs.c.plan_fingerprint == plan_fingerprint)
            .order_by(runs.c.number.desc())
            .limit(1)
        )
        with self._database.read() as connection:
            row = connection.execute(statement).first()
        return None if row is None or row.status == "complete" else _read_manifest(row.manifest)

    def find(self, words: str = "latest", /, *, project: str | None = None) -> Manifest:
        """Return the run that `words` mean: `latest`, an id, or its beginning if unique.

        `latest` is the newest run that holds a trial, and the newest where none does; only
        those of `project` where it is given.

        Raises:
            UsageError: when none or several are meant.
        """
        wanted = words.strip().lower()
        newest = select(runs.c.id).order_by(runs.c.number.desc())
        with self._database.read() as connection:
            if wanted == "latest":
                own = newest.where(~runs.c.id.startswith(JUDGES))
                if project is not None:
                    own = own.where(runs.c.project == project)
                # A run that never came to a trial hides no other one.
                filled = own.where(exists().where(slots.c.run_id == runs.c.id))
                found = list(connection.scalars(filled.limit(1)))
                found = found or list(connection.scalars(own.limit(1)))
            elif wanted.startswith(JUDGES):
                found = list(
                    connection.scalars(newest.where(runs.c.id.startswith(wanted, autoescape=True)))
                )
            else:
                beginning = wanted if wanted.startswith("r-") else f"r-{wanted}"
                exact = list(connection.scalars(newest.where(runs.c.id.in_([words, beginning]))))
                found = exact or list(
                    connection.scalars(
                        newest.where(runs.c.id.startswith(beginning, autoescape=True))
                    )
                )
            recent = list(connection.scalars(newest.limit(_SHOWN)))
        if len(found) == 1:
            return self.manifest(found[0])
        if len(found) > 1:
            raise UsageError(
                f"'{words}' is the beginning of {len(found)} runs",
                do=f"give more of the id: {', '.join(found[:_SHOWN])}",
            )
        if wanted == "latest" and recent and project is not None:
            raise UsageError(
                f"project '{project}' has no run yet",
                where=self._database.name,
                why=f"the runs here are of other projects: {', '.join(recent)}",
                do="befit run with this project file, or give the id of a run",
            )
        raise UsageError(
            f"there is no run '{words}'" if recent else "there is no run yet",
            where=self._database.name,
            do=f"one of: {', '.join(recent)}" if recent else "start one with `befit run`",
        )

    def find_own(self, words: str, /, *, project: str) -> tuple[Manifest, str]:
        """Return what `find` does, but as `latest` a run of `project` if there is one.

        The text beside it says where the newest run of all is another project's; else "".
        """
        newest = self.find(words)
        if words.strip().lower() != "latest" or newest.project == project:
            return newest, ""
        other = f"{newest.id} is a run of project '{newest.project}'"
        try:
            own = self.find(words, project=project)
        except UsageError:
            return newest, f"{other}: project '{project}' has none here yet"
        return own, f"{other} and newer than {own.id}, the newest of '{project}', which is taken"

    def _unknown(self, run_id: str) -> StoreError:
        return StoreError(f"there is no run {run_id} in the workspace", where=self._database.name)


def _manifest_text(manifest: Manifest) -> str:
    # Pure ASCII: a database takes every prompt, whatever is in it.
    return json.dumps(manifest.model_dump(mode="json"), separators=(",", ":"))


def _read_manifest(text: str) -> Manifest:
    return Manifest.model_validate(json.loads(text))
