"""A run: its settings and the manifest that every result is tied to."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from befit.core.candidate import Candidate, Timeouts
from befit.core.dimension import headline_scores
from befit.core.policy import Policy
from befit.core.price import Price
from befit.core.record import Record
from befit.core.scenario import ScenarioSpec
from befit.core.screening import Screening
from befit.core.tier import Tier

RunStatus = Literal["running", "complete", "partial", "interrupted", "capped"]


class RunSettings(Record):
    """How a run is executed. None of this changes what a trial means, except `seed: fixed`."""

    concurrency: int = Field(default=20, gt=0, le=2000)
    """Calls in flight at the start, per endpoint; it adapts down."""
    retries: int = Field(default=5, ge=0, le=50)
    """Further tries after the first, per call."""
    seed: int | Literal["fixed"] = 0
    max_cost: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """USD for all sittings of a run and its judges together; each call counts at its most."""
    allow_unknown_cost: bool = True
    timeouts: Timeouts = Timeouts()
    label: str = ""


class ManifestScenario(Record):
    """A scenario as it stood in a run, with the version of its sample set."""

    spec: ScenarioSpec
    set_version: str
    """Hash of the live samples' content."""
    n_samples: int
    heaviest: float | None = None
    """Weight of the heaviest cluster (or sample that stands alone), of a run that stops itself."""


class ManifestCandidate(Record):
    """A candidate as it stood in a run, with its fingerprint and the price it was billed at."""

    candidate: Candidate
    fingerprint: str
    price: Price | None
    price_snapshot: str | None
    source: str | None = None
    """Hash of the file a function target is in, as it was when the run began."""


class Amendment(Record):
    """What a run was judged by until it was scored again: the past of `Manifest.scenarios`."""

    at: str
    """ISO 8601, UTC: when the scores of this yardstick were replaced."""
    befit_version: str
    """Of the befit that scored again."""
    scoring: int
    """The pass of scoring that ended then."""
    scenarios: tuple[ManifestScenario, ...]
    """As they stood until then; only those that changed."""
    samples_changed: dict[str, int] = Field(default_factory=dict)
    """Scenario -> samples with another target, other checks or tags since then."""


class Manifest(Record):
    """Everything a run was made of, without secrets and without the samples themselves."""

    id: str
    project: str
    created_at: str
    """ISO 8601, UTC."""
    label: str = ""
    befit_version: str
    schema_version: int = 1
    candidates: tuple[ManifestCandidate, ...]
    scenarios: tuple[ManifestScenario, ...]
    tiers: tuple[Tier, ...] = ()
    policy: Policy = Policy()
    settings: RunSettings
    screening: Screening | None = None
    """What public benchmarks said when the run began; it is in no fingerprint."""
    plan_fingerprint: str
    """Hash of candidates, scenarios, set versions and label: the same command resumes by it."""
    judges_run: str | None = None
    """Id of the run whose answers the candidates of this run judge; None for ordinary runs."""
    amendments: tuple[Amendment, ...] = ()
    """How `scenarios` stood before the run was scored again, oldest first."""


def scores_read(scenario: ScenarioSpec, policy: Policy) -> list[str]:
    """Return the score names that a report or a decision reads of every trial of a scenario.

    The headlines of its dimension, and what its acceptance and the policy's gates ask for
    (`pass` stands in the facts).
    """
    gated = {gate.metric for gate in policy.gates if gate.scenario in {None, scenario.name}}
    names = {*headline_scores(scenario.dimension), *scenario.accept.metrics, *gated}
    return sorted(names - {"pass"})
