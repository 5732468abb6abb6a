"""Changing a set: freeze a version, add, retire, and a proposed change set with its approval."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

import orjson
from pydantic import Field, ValidationError

from befit.config.project import Project
from befit.core.record import Record
from befit.core.sample import Sample
from befit.core.written import many
from befit.datasets.from_log import to_samples
from befit.datasets.lint import text_of
from befit.datasets.near import NearDuplicates
from befit.datasets.sample import draw
from befit.datasets.write import read_samples
from befit.errors import DataError, UsageError
from befit.pipeline.data_mix import newest_days
from befit.pipeline.data_sample import Rows, log_of
from befit.pipeline.data_sets import SetFile
from befit.pipeline.data_status import Status, version_of
from befit.storage.sets import SetVersion
from befit.storage.whole_file import write_whole
from befit.storage.workspace import Workspace

_NAME = re.compile(r"[^\W_][\w.-]{0,99}", re.ASCII)
_MORE = 4
"""Lines drawn for each sample that is to be added, before those of other strata are dropped."""


class Leaving(Record):
    """A sample that is to be retired, and why."""

    id: str
    why: str = ""


class ChangeSet(Record):
    """A proposal: what to retire and what to add. It changes nothing until it is approved."""

    scenario: str
    version: str
    """The set it was made for; another one refuses it."""
    made_at: str
    retire: tuple[Leaving, ...] = ()
    add: tuple[Sample, ...] = Field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """What a change did."""

    added: int
    retired: int
    live: int


def freeze_set(
    workspace: Workspace,
    held: SetFile,
    project: Project | None,
    *,
    name: str,
    author: str,
    changelog: str,
) -> SetVersion:
    """Store the live samples as a named version.

    Raises:
        UsageError: the name is taken, or none.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"'{name}' is no name of a version",
            do="use letters, digits, '.', '_' and '-', a letter or digit first; at most 100",
        )
    samples = [one for one in held.read() if one.retired_on is None]
    made = SetVersion(
        number=0,
        scenario=held.scenario,
        version=version_of(held, project),
        name=name,
        author=author,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        changelog=changelog or _changes(workspace, held.scenario, samples),
        n_samples=len(samples),
    )
    return workspace.sets.freeze(made, samples)


def _changes(workspace: Workspace, scenario: str, samples: Sequence[Sample]) -> str:
    """Say what differs from the version before."""
    versions = workspace.sets.versions(scenario)
    if not versions:
        return f"first version, {many(len(samples), 'sample')}"
    before = {one.id: one for one in workspace.sets.samples(versions[0].number)}
    now = {one.id: one for one in samples}
    changed = sum(before[key] != now[key] for key in before.keys() & now.keys())
    added, gone = len(now.keys() - before.keys()), len(before.keys() - now.keys())
    return f"since '{versions[0].name}': {added} added, {gone} retired, {changed} changed"


def add_samples(held: SetFile, path: Path, *, today: date) -> Changed:
    """Add the samples of another file to a set.

    Raises:
        ProjectError: rows that are no samples.
        DataError: an id the set has already, retired ones too.
    """
    samples = held.read()
    known = {one.id for one in samples}
    fresh = read_samples(path)
    taken = [one.id for one in fresh if one.id in known]
    if taken:
        raise DataError(
            f"{len(taken)} ids are in the set already, such as '{taken[0]}'",
            where=str(path),
            do="give them ids of their own; retired samples keep theirs",
        )
    dated = [
        one if one.added_on is not None else one.model_copy(update={"added_on": today})
        for one in fresh
    ]
    after = [*samples, *dated]
    held.write(after)
    return Changed(added=len(fresh), retired=0, live=_live(after))


def retire_samples(held: SetFile, ids: Sequence[str], *, today: date) -> Changed:
    """Retire samples; they stay in the file and keep their results.

    Raises:
        UsageError: an id the set does not have.
    """
    samples = held.read()
    live = {one.id for one in samples if one.retired_on is None}
    unknown = [one for one in ids if one not in live]
    if unknown:
        raise UsageError(f"there is no live sample '{unknown[0]}'", where=str(held.path))
    after = _retired(samples, set(ids), today)
    held.write(after)
    return Changed(added=0, retired=len(set(ids)), live=_live(after))


def _retired(samples: Sequence[Sample], ids: set[str], today: date) -> list[Sample]:
    return [
        one.model_copy(update={"retired_on": today})
        if one.id in ids and one.retired_on is None
        else one
        for one in samples
    ]


def _live(samples: Sequence[Sample]) -> int:
    return sum(one.retired_on is None for one in samples)


def propose(
    workspace: Workspace, held: SetFile, status: Status, *, days: int, seed: int, today: date
) -> ChangeSet:
    """Return the change set a status suggests: retirements, and new samples of what grew.

    New samples come from the newest days of the logs, from the strata that are
    missing; none that is nearly a sample the set has, retired ones too. They are
    unlabelled: approving them does not put them into a run.
    """
    wanted = dict(status.add)
    added: list[Sample] = []
    sampling = workspace.sets.sampling(held.scenario)
    if wanted and sampling is not None:
        body = sampling[2]
        window = newest_days(workspace, body, days=days)
        fields = [name if name != "cluster" else "intent" for name in body["margins"]]
        drawing = draw(
            log_of(workspace, window),
            Rows(workspace, window).fetch,
            n=_MORE * sum(wanted.values()),
            seed=seed,
            fields=fields,
        )
        made, _ = to_samples(
            drawing.drawn, prefix=held.scenario, fields=drawing.fields, added_on=today
        )
        added = _fitting(held.read(), made, wanted)
    return ChangeSet(
        scenario=held.scenario,
        version=status.version,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        retire=tuple(Leaving(id=one.sample_id, why=one.why) for one in status.retire),
        add=tuple(added),
    )


def _fitting(
    samples: Sequence[Sample], made: Sequence[Sample], wanted: dict[str, int]
) -> list[Sample]:
    near = NearDuplicates()
    for one in samples:
        near.keep(near.signature(text_of(one)))
    ids = {one.id for one in samples}
    left = dict(wanted)
    kept: list[Sample] = []
    for one in made:
        tags = {*one.tags, f"language:{one.language}"}
        needed = [tag for tag in left if left[tag] > 0 and tag in tags]
        if not needed or one.id in ids:
            continue
        at, signature = near.find(text_of(one))
        if at is not None:
            continue
        near.keep(signature)
        for tag in needed:
            left[tag] -= 1
        kept.append(one)
    return kept


def write_changes(path: Path, changes: ChangeSet) -> None:
    """Write a change set for people to read and cut.

    Raises:
        DataError: it cannot be written.
    """
    text = orjson.dumps(
        changes.model_dump(mode="json", exclude_defaults=True), option=orjson.OPT_INDENT_2
    )
    try:
        write_whole(path, text + b"\n")
    except OSError as error:
        raise DataError("cannot be written", where=str(path), why=error.strerror or "") from None


def approve(held: SetFile, path: Path, *, version: str, today: date) -> Changed:
    """Apply a change set somebody approved, all of it or nothing.

    Raises:
        DataError: it is none, or was made for another state of the set.
    """
    try:
        changes = ChangeSet.model_validate(orjson.loads(path.read_bytes()))
    except OSError as error:
        raise DataError("cannot be read", where=str(path), why=error.strerror or "") from None
    except (orjson.JSONDecodeError, ValidationError) as error:
        first = str(error).partition("\n")[0][:200]
        raise DataError("this is no change set", where=str(path), why=first) from None
    if changes.scenario != held.scenario or changes.version != version:
        raise DataError(
            "the change set was made for another state of the set",
            where=str(path),
            do=f"befit data refresh {held.words or held.scenario}",
        )
    samples = held.read()
    known = {one.id for one in samples}
    leaving = {one.id for one in changes.retire}
    if not leaving <= known:
        raise DataError(f"there is no sample '{min(leaving - known)}'", where=str(path))
    fresh = [one for one in changes.add if one.id not in known]
    after = [*_retired(samples, leaving, today), *fresh]
    held.write(after)
    return Changed(added=len(fresh), retired=len(leaving), live=_live(after))
