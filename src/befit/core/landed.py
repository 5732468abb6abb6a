"""What the engine hands to the store, and the narrow rows the store hands to the analysis."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

from befit.core.score import Score
from befit.core.slim import slim
from befit.core.trial import Slot, Status, Trial


@slim(frozen=True, slots=True, kw_only=True)
class Landed:
    """A slot of a run that has been filled: the trial, its scores, and whether it was reused.

    A reused trial was measured by an earlier run (same key): it costs nothing
    and its latency is not a measurement of this run.
    """

    slot: Slot
    trial: Trial
    scores: tuple[Score, ...]
    reused: bool = False


class Fact(NamedTuple):
    """One filled slot as narrow columns: everything a report counts, nothing it quotes.

    Times in seconds, cost in USD; None means unknown or not visible.
    """

    candidate: str
    scenario: str
    sample_id: str
    cluster: str | None
    kind: str
    language: str | None
    weight: float
    variant: str
    repeat: int
    key_id: str
    status: Status
    failure: str | None
    """Failure kind of the final failure."""
    reused: bool
    attempts: int
    """Failed tries before the final one."""
    first_token: float | None
    first_output_token: float | None
    latency: float | None
    input_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    cost: float | None
    finish_reason: str | None
    served_model: str | None
    system_fingerprint: str | None
    started_at: float
    output_chars: int
    passed: float | None
    """Value of the derived score `pass`: 1 when every primary score is 1; None: unscored."""
    answer: str | None
    """Hash of the canonical answer; equal answers have equal hashes."""
    per_token: float | None = None
    """Seconds per output token after the first; None where a token or its count was not seen."""
    calls: int | None = None
    """Calls to the model that answered; None in runs of an earlier befit, as the next two."""
    waited: float | None = None
    """Seconds from when calls were due to the tries that ended them; `latency` is without it."""
    retry_cost: float | None = None
    """What failed tries have cost where the provider said so; part of `cost`."""
    payload_chars: int | None = None
    """Characters of the answer proper within the output, where a scorer pointed at it."""
    route: str | None = None
    """Provider, region and session as `core.route` writes them; None where none was told."""
    untold_tries: int | None = None
    """Failed tries that may have been billed, at what cost nobody told; None in earlier runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coded(Sequence[str | None]):
    """A column of texts of which each different one is told once."""

    names: tuple[str | None, ...]
    """In the order in which they come first."""
    codes: array[int]
    """Place among the names, one per row."""

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, at: int, /) -> str | None: ...

    @overload
    def __getitem__(self, at: slice, /) -> Sequence[str | None]: ...

    def __getitem__(self, at: int | slice, /) -> str | Sequence[str | None] | None:
        if isinstance(at, slice):
            return [self.names[code] for code in self.codes[at]]
        return self.names[self.codes[at]]


class Piece(NamedTuple):
    """Some filled slots of one candidate on one scenario, column by column."""

    candidate: str
    scenario: str
    columns: Mapping[str, Sequence[Any]]
    """By names of `Fact`, all of one length and not empty; `reused` may be 0 and 1.

    Where the store has them packed, texts are `Coded` and numbers arrays, nan for None."""


class SampleTraits(NamedTuple):
    """What a sample says of itself for counting; the same in every slot of it."""

    scenario: str
    sample_id: str
    cluster: str | None
    kind: str
    language: str | None
    weight: float


class ScoreRow(NamedTuple):
    """One score as narrow columns."""

    candidate: str
    scenario: str
    sample_id: str
    variant: str
    repeat: int
    scorer: str
    name: str
    part: str | None
    value: float | None
    label: str | None
