"""What has happened so far in a run, counted as it lands."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field

from befit.core.failure import Failure, FailureKind
from befit.core.trial import Trial

_RECENT_CALLS = 512
_SLIPS = 5


@dataclass(slots=True)
class Tally:
    """Mutable counts; `Progress` and `RunOutcome` are its frozen pictures."""

    ok: int = 0
    candidate_failures: int = 0
    missing: int = 0
    reused: int = 0
    """Landed without a call: measured by an earlier run. Included in the three above."""
    already: int = 0
    """Filled by an earlier sitting of this run."""
    calls: int = 0
    """Trials ended by calling in this sitting."""
    failures: Counter[FailureKind] = field(default_factory=Counter)
    not_run: Counter[str] = field(default_factory=Counter)
    """By candidate: slots passed over because the candidate was stopped early."""
    slips: dict[str, None] = field(default_factory=dict)
    """What the project itself, its own code mostly, has got wrong: each said once."""
    first_tokens: deque[float] = field(default_factory=lambda: deque(maxlen=_RECENT_CALLS))

    @property
    def landed(self) -> int:
        """Slots filled or tried in this sitting."""
        return self.ok + self.candidate_failures + self.missing

    def end(self, trial: Trial) -> None:
        """Count a trial that was made by calling and is committed."""
        self.calls += 1
        if trial.failure is None:
            self.ok += 1
        else:
            self._count(trial.failure)
        for completion in trial.completions:
            if completion.timing.first_token is not None:
                self.first_tokens.append(completion.timing.first_token)

    def reuse(self, trial: Trial) -> None:
        """Count a trial that an earlier run has measured."""
        self.reused += 1
        if trial.failure is None:
            self.ok += 1
        else:
            self._count(trial.failure)

    def skip(self, candidate: str) -> None:
        """Count a slot of a candidate that was stopped early."""
        self.not_run[candidate] += 1

    def _count(self, failure: Failure) -> None:
        self.failures[failure.kind] += 1
        if failure.kind == "scripted_turn" and len(self.slips) < _SLIPS:
            said = f"a mistake of the project, of no candidate: {failure.message}"
            self.slips[said] = None
        if failure.blame == "candidate":
            self.candidate_failures += 1
        else:
            self.missing += 1
