"""The seams of befit: what a plug-in implements and what a reader of the store may ask.

One method each where possible. The contract of every protocol is a test suite
in `befit.testing`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from befit.core.completion import Completion, Request
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Slot, Trial

if TYPE_CHECKING:
    # Annotations only; scenario.py needs Dataset from here at class level.
    from befit.core.landed import Fact, Landed, ScoreRow
    from befit.core.run import Manifest, RunStatus
    from befit.core.signal import Alert
    from befit.core.untold import Untold


@runtime_checkable
class Target(Protocol):
    """Something that answers a request.

    `generate` makes one attempt and never retries (the engine owns retries). It
    raises `befit.errors.TargetError` carrying a classified `Failure`.
    """

    async def generate(self, request: Request, /) -> Completion: ...

    async def aclose(self) -> None: ...


@runtime_checkable
class Scorer(Protocol):
    """A pure, synchronous judgement of one trial."""

    name: str
    version: str
    """Changes whenever the same trial could get another score."""
    primary: str
    """The score name which says whether the trial passes this scorer (value 1.0)."""
    needs_target: bool
    """False for scorers that can also judge production answers, which have no target."""

    def score(self, sample: Sample, trial: Trial, /) -> Sequence[Score]: ...


@runtime_checkable
class Reaching(Protocol):
    """A scorer that can say how far a trial got in which the candidate itself failed.

    It returns parts only and calls no code of users; the whole-trial score is 0 by the engine.
    """

    def reached(self, sample: Sample, trial: Trial, /) -> Sequence[Score]: ...


@runtime_checkable
class Judge(Protocol):
    """A scorer that asks a model: the engine runs its requests as trials of their own."""

    name: str
    version: str

    def ask(self, sample: Sample, trial: Trial, /) -> Sequence[Request]: ...

    def read(
        self, sample: Sample, trial: Trial, completions: Sequence[Completion], /
    ) -> Sequence[Score]: ...


@runtime_checkable
class Dataset(Protocol):
    """Samples that can be streamed any number of times, always in the same order."""

    def load(self) -> Iterable[Sample]: ...


@runtime_checkable
class Similarity(Protocol):
    """How alike two texts are, 0..1; 1.0 means the same for this notion of sameness."""

    def compare(self, a: str, b: str, /) -> float: ...


@runtime_checkable
class Notifier(Protocol):
    """Tells somebody of an alert."""

    def notify(self, alert: Alert, /) -> None: ...


class TrialReader(Protocol):
    """Whole trials by their key id."""

    def trial(self, key_id: str, /) -> Trial | None: ...

    def trials(self, key_ids: Sequence[str], /) -> dict[str, Trial]:
        """Return the finished trials among `key_ids` (missing ones are not finished)."""
        ...


class SampleReader(Protocol):
    """The samples a run was made of, as they stood in it."""

    def samples(self, run_id: str, scenario: str, /) -> Iterator[Sample]: ...


class RunWriter(Protocol):
    """What the engine needs of the store while a run is going on."""

    def put_samples(self, run_id: str, scenario: str, samples: Sequence[Sample], /) -> None: ...

    def has_trials(self, run_id: str, /) -> bool:
        """Tell whether any slot of this run is filled."""
        ...

    def filled(self, run_id: str, key_ids: Sequence[str], /) -> set[str]:
        """Return those of `key_ids` whose slot in this run holds a finished trial."""
        ...

    def unfilled(self, run_id: str, slots: Sequence[Slot], /) -> list[Slot]:
        """Return those of `slots` that hold no finished trial in this run, in their order.

        Two slots may share a key (the same input twice, or in two scenarios), so
        the keys alone do not tell.
        """
        ...

    def commit(self, run_id: str, batch: Sequence[Landed], /) -> None:
        """Store a batch in one transaction: trials, transcripts, slots, scores. Idempotent.

        A trial that is missing is replaced when the same key lands again; a
        finished one is never overwritten. What the missing one has cost is
        untold from then on.
        """
        ...

    def add_untold(self, run_id: str, costs: Mapping[str, Untold], /) -> None:
        """Add what calls of a run have cost that no slot tells, by who was asked."""
        ...

    def untold(self, run_id: str, /) -> Mapping[str, Untold]:
        """Return what calls of a run have cost that no slot tells, by who was asked."""
        ...

    def add_scores(self, run_id: str, batch: Sequence[Landed], /) -> None:
        """Add the scores of slots that were committed without any; others are left alone."""
        ...


class FactReader(Protocol):
    """The narrow rows of a run, streamed."""

    def facts(self, run_id: str, /) -> Iterator[Fact]: ...

    def scores(
        self,
        run_id: str,
        /,
        *,
        scenario: str | None = None,
        names: Sequence[str] | None = None,
        whole_only: bool = False,
    ) -> Iterator[ScoreRow]: ...


class RunStore(Protocol):
    """The runs of a workspace and their manifests."""

    def create(self, manifest: Manifest, /) -> None: ...

    def finish(self, run_id: str, status: RunStatus, /) -> None: ...

    def manifest(self, run_id: str, /) -> Manifest: ...

    def runs(self) -> list[tuple[Manifest, RunStatus]]:
        """Return all runs, newest first."""
        ...
