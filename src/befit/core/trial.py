"""A trial: one candidate answering one sample once, whatever came of it."""

from __future__ import annotations

import hashlib
from decimal import Decimal
from functools import lru_cache
from typing import Literal, NamedTuple

from befit.core.completion import Attempt, Completion
from befit.core.failure import Failure
from befit.core.message import Message
from befit.core.record import Json
from befit.core.slim import slim

Status = Literal["ok", "candidate_failure", "missing"]


class TrialKey(NamedTuple):
    """What a trial measures; two trials with the same key are the same measurement.

    Targets, checks, tags, scorers, names and the set's version are not in it.
    """

    candidate: str
    """Candidate fingerprint."""
    execution: str
    """The scenario's execution fingerprint."""
    input: str
    """The sample's input fingerprint."""
    variant: str
    """Prompt variant, and label of a repeated measurement; "" is the canonical one."""
    repeat: int
    """0-based."""

    @property
    def id(self) -> str:
        """32 hexadecimal digits: the unique key in the store."""
        return _id(self)


@lru_cache(maxsize=4096)
def _id(key: TrialKey) -> str:
    """Asked for several times while a trial is on its way to the store."""
    text = "\x1f".join((*key[:4], str(key.repeat)))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


@slim(frozen=True, slots=True, kw_only=True)
class Slot:
    """A planned trial by its names: the place in a run which a trial fills."""

    candidate: str
    scenario: str
    sample_id: str
    variant: str
    repeat: int
    key: TrialKey


@slim(frozen=True, slots=True, kw_only=True)
class Trial:
    """The whole record of one trial.

    `transcript` holds the rendered request messages and every answer in order;
    `completions` one entry per call to the model. `failure` is the final one,
    `attempts` the failed tries before success or giving up.
    """

    key: TrialKey
    transcript: tuple[Message, ...]
    completions: tuple[Completion, ...] = ()
    failure: Failure | None = None
    attempts: tuple[Attempt, ...] = ()
    cost: Decimal | None = None
    price_snapshot: str | None = None
    started_at: float = 0.0
    """Seconds since the epoch, UTC."""
    seed: int | None = None
    state: Json = None
    """The world of the tools as it stood at the end; None where there was none."""
    user_cost: Decimal | None = None
    """What a simulated user has cost (never part of `cost`); None where there was none."""
    waited: float = 0.0
    """Seconds that its calls were due before the try that ended them began: rate limits, failed
    tries, pauses. Not part of `latency`."""
    retry_cost: Decimal | None = None
    """What failed tries have cost where the provider said so; part of `cost`."""
    untold_tries: int = 0
    """Failed tries, the final one among them, that may have been billed without our knowing."""

    @property
    def status(self) -> Status:
        """`ok`, the candidate's own failure (scores 0), or missing (never scored)."""
        if self.failure is None:
            return "ok"
        return "candidate_failure" if self.failure.blame == "candidate" else "missing"

    @property
    def output(self) -> str:
        """The last answer's untouched text; "" where there is none."""
        return self.completions[-1].text if self.completions else ""

    @property
    def turn_ends(self) -> tuple[int, ...]:
        """The completions that end a turn: those after which the user speaks, and the last.

        A completion that asks for tools and is answered by them ends no turn.
        """
        spoken = [i for i, m in enumerate(self.transcript) if m.role == "assistant"]
        count = len(self.completions)
        if len(spoken) < count:
            return tuple(range(count))
        ends: list[int] = []
        for number, place in enumerate(spoken[len(spoken) - count :]):
            after = self.transcript[place + 1 : place + 2]
            if not after or after[0].role == "user":
                ends.append(number)
        return tuple(ends)

    @property
    def latency(self) -> float | None:
        """Seconds from sending to the end, summed over calls; None if none ended.

        From the moment a call was due it is `waited` longer.
        """
        if len(self.completions) == 1:
            return self.completions[0].timing.end
        return sum(c.timing.end for c in self.completions) if self.completions else None
