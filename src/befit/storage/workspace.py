"""The workspace: one folder (SQLite) or one PostgreSQL database with all that befit knows.

It is put together from small parts, one per kind of record, and answers for
all of them: `RunWriter`, `RunStore`, `FactReader`, `SampleReader`,
`TrialReader` of `befit.core.protocols`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Connection

from befit.core.landed import Fact, Landed, Piece, SampleTraits, ScoreRow
from befit.core.run import Manifest, RunStatus
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Slot, Trial
from befit.core.untold import Untold
from befit.storage.database import Database
from befit.storage.facts import Facts, ScoreTotal
from befit.storage.forgetting import Forgetting
from befit.storage.holding import Holder, Holding
from befit.storage.interactions import Interactions
from befit.storage.labels import Labels
from befit.storage.landing import Landing
from befit.storage.late_scores import LateScores
from befit.storage.migrations import migrate
from befit.storage.packing import LEAST, Packing
from befit.storage.records import Records
from befit.storage.rescoring import Rescored, Rescoring
from befit.storage.reviews import Reviews
from befit.storage.runs import Runs
from befit.storage.samples import Samples
from befit.storage.sets import Sets
from befit.storage.slot_columns import SlotColumns
from befit.storage.times import Times
from befit.storage.trials import SlotPlace, Trials
from befit.storage.untold import UntoldCosts


def _to_nobody(_: str) -> None:
    pass


class Workspace:
    """All records of a project. Open with `Workspace.open`, close or use as a context manager.

    Safe to use from several threads and several processes at once.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.project: str | None = None
        """The project whose newest run `latest` means; None: whichever is newest."""
        self.own_project: str | None = None
        """Where that is None: the project whose newest run `latest` means if it has any."""
        self.tell: Callable[[str], None] = _to_nobody
        """Is told where a run of another project is newer, or is taken."""
        self._runs = Runs(database)
        self._samples = Samples(database)
        self._landing = Landing(database)
        self._late = LateScores(database)
        self._trials = Trials(database)
        self._rescoring = Rescoring(database)
        self._forgetting = Forgetting(database)
        self._holding = Holding(database)
        self._facts = Facts(database)
        self._columns = SlotColumns(database)
        self._packing = Packing(database)
        self._untold = UntoldCosts(database)
        self.interactions = Interactions(database)
        """Production logs as imported."""
        self.sets = Sets(database)
        """Frozen versions of sample sets, and how they were drawn."""
        self.labels = Labels(database)
        """Labels of samples, as they were given."""
        self.records = Records(database)
        self.times = Times(database)
        """What other runs measured, for the spread between runs."""
        self.reviews = Reviews(database)
        """Blind review: studies, votes, the sealed mapping."""

    @classmethod
    def open(cls, location: Path | str, /, *, create: bool = True) -> Workspace:
        """Open, and make or bring up to date where needed.

        Args:
            location: a folder (usually `.befit`), or a `postgresql+psycopg://` URL.
            create: make the folder where there is none; commands that only read say no.

        Raises:
            StoreError: when it cannot be used, or was written by a later befit.
        """
        database = Database.open(location, create=create)
        try:
            migrate(database)
        except BaseException:
            database.close()
            raise
        return cls(database)

    @property
    def location(self) -> str:
        """Where the workspace is, fit to be shown: a path, or a URL without its password."""
        return self._database.name

    @property
    def folder(self) -> Path | None:
        """The folder of the workspace's file; None on a server."""
        return self._database.folder

    def close(self) -> None:
        """Close all connections."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None:
        self.close()

    # RunStore

    def new_run_id(self) -> str:
        """Return a run id no run of this workspace has."""
        return self._runs.new_id()

    def create(self, manifest: Manifest, /) -> None:
        """Enter a run with status `running`; StoreError when its id is taken."""
        self._runs.create(manifest)

    def finish(self, run_id: str, status: RunStatus, /) -> None:
        """Set the status of a run (`running` again when it is resumed); one that ends is packed."""
        self._runs.finish(run_id, status)
        if status != "running":
            self._packing.pack(run_id)

    def pack(self, run_id: str, /, *, least: int = LEAST) -> None:
        """Let reports read a run quickly, if it has `least` filled slots; nothing is lost or new.

        What ends, scores again or forgets calls it; until the run changes again.
        """
        self._packing.pack(run_id, least=least)

    def manifest(self, run_id: str, /) -> Manifest:
        """Return the manifest of a run; StoreError for an unknown one."""
        return self._runs.manifest(run_id)

    def status(self, run_id: str, /) -> RunStatus:
        """Return the status of a run; StoreError for an unknown one."""
        return self._runs.status(run_id)

    def has_trials(self, run_id: str, /) -> bool:
        """Tell whether a run holds any trial."""
        return self._runs.has_trials(run_id)

    def runs(self) -> list[tuple[Manifest, RunStatus]]:
        """Return all runs, newest first."""
        return self._runs.runs()

    def find_run(self, words: str = "latest", /) -> Manifest:
        """Return the run meant by `latest`, an id or its unique beginning; else UsageError."""
        if self.project is not None or self.own_project is None:
            return self._runs.find(words, project=self.project)
        found, note = self._runs.find_own(words, project=self.own_project)
        if note:
            self.tell(note)
        return found

    def find_resumable(self, plan_fingerprint: str, /) -> Manifest | None:
        """Return the newest run of this plan if it is not complete, else None."""
        return self._runs.find_resumable(plan_fingerprint)

    # RunWriter

    def put_samples(self, run_id: str, scenario: str, samples: Sequence[Sample], /) -> None:
        """Store samples of a run in this order; ids it has already are left alone."""
        self._samples.put(run_id, scenario, samples)

    def filled(self, run_id: str, key_ids: Sequence[str], /) -> set[str]:
        """Return those of `key_ids` whose slot in this run holds a finished trial."""
        return self._trials.filled(run_id, key_ids)

    def unfilled(self, run_id: str, slots: Sequence[Slot], /) -> list[Slot]:
        """Return those of `slots` that hold no finished trial in this run, in their order."""
        return self._trials.unfilled(run_id, slots)

    def commit(self, run_id: str, batch: Sequence[Landed], /) -> None:
        """Store a batch in one transaction, idempotent; finished trials are never overwritten."""
        self._landing.commit(run_id, batch)

    def add_scores(self, run_id: str, batch: Sequence[Landed], /) -> None:
        """Add the scores of slots that were committed without any; others are left alone."""
        self._late.add(run_id, batch)

    def add_untold(self, run_id: str, costs: Mapping[str, Untold], /) -> None:
        """Add what calls of a run have cost that no slot tells, by who was asked."""
        self._untold.add(run_id, costs)

    def untold(self, run_id: str, /) -> dict[str, Untold]:
        """Return what calls of a run have cost that no slot tells, by who was asked."""
        return self._untold.of(run_id)

    def unscored(self, run_id: str, /) -> int:
        """Return how many answers of a run are stored and were never scored."""
        return self._late.unscored(run_id)

    def replace_scores(
        self,
        run_id: str,
        batches: Iterable[Sequence[Rescored]],
        /,
        *,
        changed: Mapping[str, Sequence[Sample]] | None = None,
        restate: Callable[[int], Manifest] | None = None,
    ) -> None:
        """Replace all scores of a run, all or nothing; call it while holding the run.

        Args:
            run_id: the run.
            batches: the new scores.
            changed: scenario -> samples that take the place of the run's own; what those
                were is kept (`earlier_samples`).
            restate: given the pass of scoring that ends, returns the manifest which says
                what the run is judged by from now on.
        """

        def amend(connection: Connection, scoring: int) -> None:
            for scenario, samples in (changed or {}).items():
                self._samples.amend(connection, run_id, scenario, samples, scoring=scoring)
            if restate is not None:
                self._runs.amend(connection, restate(scoring))

        self._rescoring.replace_scores(run_id, batches, amend=amend)

    def hold(self, name: str, /) -> AbstractContextManager[None]:
        """Hold a plan (by its fingerprint) until the block or the process ends.

        Raises:
            StoreError: on entering, when another process holds it, saying which.
        """
        return self._holding.hold(name)

    def holder(self, name: str, /) -> Holder | None:
        """Return the living process that holds `name`, or None."""
        return self._holding.holder(name)

    def brief(self) -> Workspace | None:
        """Return this workspace for callers that must not be held up; None on a server.

        There a write raises `StoreBusyError` at once where another process or thread is writing.
        It shares the connections of this one, and ends with it.
        """
        return Workspace(self._database.brief()) if self._database.is_sqlite else None

    # TrialReader, SampleReader

    def trial(self, key_id: str, /) -> Trial | None:
        """Return the trial of a key, a missing one too; None if unknown or forgotten."""
        return self._trials.trial(key_id)

    def trials(self, key_ids: Sequence[str], /) -> dict[str, Trial]:
        """Return the finished trials among `key_ids`, from whatever run, by key id."""
        return self._trials.trials(key_ids)

    def trial_ids(self, run_id: str, places: Sequence[SlotPlace], /) -> list[str | None]:
        """Return the id of the trial in each place of a run; None where the place is empty."""
        return self._trials.ids(run_id, places)

    def all_trial_ids(self, run_id: str, /) -> Iterator[str]:
        """Stream the ids of the trials in a run's slots, in no order that means anything."""
        return self._trials.all_ids(run_id)

    def samples(self, run_id: str, scenario: str, /) -> Iterator[Sample]:
        """Stream the samples of a run in the order they came."""
        return self._samples.samples(run_id, scenario)

    def sample(self, run_id: str, scenario: str, sample_id: str, /) -> Sample | None:
        """Return one sample as it stood in a run, or None."""
        return self._samples.sample(run_id, scenario, sample_id)

    def earlier_samples(
        self, run_id: str, scenario: str, sample_id: str, /
    ) -> list[tuple[int, Sample]]:
        """Return what a sample was before, each with the last pass it was judged in."""
        return self._samples.earlier(run_id, scenario, sample_id)

    def forget(self, key_ids: Sequence[str], /, *, with_samples: bool = False) -> int:
        """Drop all content of these trials for good (privacy); narrow facts stay."""
        return self._forgetting.forget(key_ids, with_samples=with_samples)

    # FactReader

    def facts(self, run_id: str, /) -> Iterator[Fact]:
        """Stream every filled slot of a run as a narrow row."""
        return self._facts.facts(run_id)

    def pieces(self, run_id: str, /) -> Iterator[Piece]:
        """Stream every filled slot of a run as columns, cell by cell, in the order of `facts`."""
        return self._columns.pieces(run_id)

    def sample_traits(self, run_id: str, /) -> Iterator[SampleTraits]:
        """Stream what the samples of a run say of themselves: cluster, kind, language, weight."""
        return self._columns.traits(run_id)

    def scores(
        self,
        run_id: str,
        /,
        *,
        scenario: str | None = None,
        names: Sequence[str] | None = None,
        whole_only: bool = False,
    ) -> Iterator[ScoreRow]:
        """Stream the scores of a run as narrow rows."""
        return self._facts.scores(run_id, scenario=scenario, names=names, whole_only=whole_only)

    def labelled(self, run_id: str, scenario: str, labels: Sequence[str], /) -> Iterator[ScoreRow]:
        """Stream the scores of a scenario that carry one of some labels and did not pass."""
        return self._facts.labelled(run_id, scenario, labels)

    def score_columns(
        self, run_id: str, scenario: str, names: Sequence[str], /
    ) -> Iterator[dict[str, Sequence[Any]]]:
        """Stream whole-trial scores of a scenario as columns by the names of `ScoreRow`."""
        return self._packing.score_columns(run_id, scenario, names)

    def score_totals(self, run_id: str, /) -> list[ScoreTotal]:
        """Return counts and sums per scenario, candidate and metric."""
        return self._facts.score_totals(run_id)

    def score_names(self, run_id: str, scenario: str, /) -> list[str]:
        """Return the names of the whole-trial scores of a scenario."""
        return self._facts.score_names(run_id, scenario)

    def score_details(
        self,
        run_id: str,
        candidate: str,
        scenario: str,
        sample_id: str,
        variant: str,
        repeat: int,
        /,
    ) -> list[Score]:
        """Return the whole scores of one slot, evidence included."""
        return self._facts.score_details(run_id, candidate, scenario, sample_id, variant, repeat)

    def failing(
        self,
        run_id: str,
        /,
        *,
        candidate: str | None = None,
        scenario: str | None = None,
        limit: int = 100,
    ) -> list[Fact]:
        """Return the first `limit` slots which did not pass."""
        return self._facts.failing(run_id, candidate=candidate, scenario=scenario, limit=limit)

    def missing(
        self, run_id: str, /, *, candidate: str | None = None, scenario: str | None = None
    ) -> dict[str, int]:
        """Return how many trials are missing, by kind of failure, the most frequent first."""
        return self._facts.missing(run_id, candidate=candidate, scenario=scenario)

    def slots(self, run_id: str, scenario: str, sample_id: str, /) -> list[Fact]:
        """Return all filled slots of one sample."""
        return self._facts.slots(run_id, scenario, sample_id)
