"""What is to be executed, and its slots one after the other.

A `Job` is made once from the project by the pipeline. Its slots are a stream,
never a list: the order is scenario, sample, repeat, candidate, so that all
candidates of an endpoint go through the same samples at the same time and drift
of the endpoint hits them alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from befit.core.candidate import Candidate, Timeouts
from befit.core.fingerprint import fingerprint
from befit.core.message import Tool
from befit.core.price import Price
from befit.core.protocols import RunWriter, TrialReader
from befit.core.record import Json
from befit.core.run import ManifestCandidate, RunSettings
from befit.core.sample import Sample
from befit.core.scenario import Scenario, ScenarioSpec
from befit.core.trial import Slot, TrialKey
from befit.engine.bill import NO_BILL, Bill
from befit.engine.prompt_variants import shown_as, variant_key
from befit.engine.render import Renderer
from befit.engine.tokens import static_size


class EngineStore(RunWriter, TrialReader, Protocol):
    """What the engine needs of a store."""

    def brief(self) -> EngineStore | None:
        """Return the same store for callers that must not be held up; None where there is none.

        What would have to wait for another process raises `StoreBusyError` there, and nothing
        of it is stored.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One run to execute. `candidates` carry the price they are billed at."""

    run_id: str
    candidates: tuple[ManifestCandidate, ...]
    scenarios: tuple[Scenario, ...]
    settings: RunSettings = field(default_factory=RunSettings)
    n_slots: int | None = None
    """Number of slots, where a plan has counted them; for progress and what was not run."""
    before: Bill = NO_BILL
    """What earlier sittings of this run have cost; the cap counts it."""
    beside: Bill = NO_BILL
    """What other runs have cost that the cap is for, too: the judges' runs, or the judged one."""
    users: Mapping[str, ManifestCandidate] = field(default_factory=dict)
    """Scenario name -> the simulated user of its conversations; targets know it by `user_name`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """One candidate on one scenario: all that is the same for each of its slots."""

    candidate: Candidate
    candidate_fingerprint: str
    price: Price | None
    price_snapshot: str | None
    spec: ScenarioSpec
    execution: str
    renderer: Renderer
    tools: tuple[Tool, ...]
    response_schema: dict[str, Json] | None
    timeouts: Timeouts
    static_bytes: int
    key_variant: str
    repeats: int
    variant: str = ""
    """Name of the prompt's variant; "" is the prompt as it is."""

    def slot(self, sample: Sample, *, input_fingerprint: str, repeat: int) -> Slot:
        """Return the slot of `sample` in this pairing."""
        if self.spec.stop_at_failed_turn:
            # There the checks decide what is said next, so they belong to the key.
            judged = [
                [
                    [check.model_dump() for check in turn.checks],
                    {name: check.model_dump() for name, check in turn.constraints.items()},
                    list(turn.lifts),
                ]
                for turn in sample.turns
            ]
            input_fingerprint = fingerprint([input_fingerprint, judged])
        return Slot(
            candidate=self.candidate.name,
            scenario=self.spec.name,
            sample_id=sample.id,
            variant=self.variant,
            repeat=repeat,
            key=TrialKey(
                self.candidate_fingerprint,
                self.execution,
                input_fingerprint,
                self.key_variant,
                repeat,
            ),
        )

    def tools_for(self, sample: Sample) -> tuple[Tool, ...]:
        """Return the tools offered; the sample's own replace those of the same name."""
        return merge_tools(self.tools, sample.tools) if sample.tools else self.tools


def pair(candidate: ManifestCandidate, spec: ScenarioSpec, settings: RunSettings) -> Pairing:
    """Return what all slots of `candidate` on `spec` share."""
    inner = candidate.candidate
    tools = merge_tools(inner.tools, spec.tools)
    schema = spec.response_schema if spec.response_schema is not None else inner.response_schema
    own_timeouts = "timeouts" in inner.model_fields_set
    return Pairing(
        candidate=inner,
        candidate_fingerprint=candidate.fingerprint,
        price=candidate.price,
        price_snapshot=candidate.price_snapshot,
        spec=spec,
        execution=spec.execution_fingerprint(inner.prompt),
        renderer=Renderer(spec, inner),
        tools=tools,
        response_schema=schema,
        timeouts=inner.timeouts if own_timeouts else settings.timeouts,
        static_bytes=static_size(tools, schema),
        key_variant=key_variant(settings),
        repeats=spec.repeats_of(inner),
    )


def pairings(
    candidate: ManifestCandidate, spec: ScenarioSpec, settings: RunSettings
) -> tuple[Pairing, ...]:
    """Return the pairing of the prompt as it is, then one for each of its variants."""
    first = pair(candidate, spec, settings)
    made = [first]
    for variant in spec.variants:
        key = variant_key(spec, candidate.candidate, variant)
        made.append(
            replace(
                first,
                renderer=Renderer(*shown_as(spec, candidate.candidate, variant)),
                key_variant="|".join(part for part in (first.key_variant, key) if part),
                variant=variant.name,
            )
        )
    return tuple(made)


def user_name(scenario: str) -> str:
    """Return the name of a scenario's simulated user among the targets of a run."""
    return f"user of {scenario}"


def key_variant(settings: RunSettings) -> str:
    """Return the variant part of the trial keys: what sets repeated measurements apart.

    A run with a label of its own measures anew. With a fixed seed all repeats
    are one call, which must never stand in for measurements with derived seeds.
    """
    parts = [settings.label, "seed=fixed" if settings.seed == "fixed" else ""]
    return "|".join(part for part in parts if part)


def merge_tools(first: Sequence[Tool], second: Sequence[Tool]) -> tuple[Tool, ...]:
    """Return both lists as one; where names collide, the second wins."""
    return tuple({tool.name: tool for tool in (*first, *second)}.values())


def endpoints(candidates: Sequence[ManifestCandidate]) -> dict[str, list[ManifestCandidate]]:
    """Return the candidates by rate-limit domain, in the order given."""
    found: dict[str, list[ManifestCandidate]] = {}
    for candidate in candidates:
        found.setdefault(candidate.candidate.endpoint, []).append(candidate)
    return found


@dataclass(slots=True)
class Place:
    """A slot on its way: with its sample and pairing. `position` is the sample's in the set."""

    slot: Slot
    sample: Sample
    pairing: Pairing
    position: int
    key_id: str
    twin: bool = False
    """Another slot with the same key came shortly before: look for its answer first."""


def slots(job: Job, candidates: Sequence[ManifestCandidate]) -> Iterator[Place]:
    """Yield the places of `candidates` in order, holding one sample at a time."""
    for scenario in job.scenarios:
        pairs = [
            pairing
            for candidate in candidates
            for pairing in pairings(candidate, scenario.spec, job.settings)
        ]
        for position, sample in enumerate(scenario.samples.load()):
            shown = sample.input_fingerprint
            for repeat in range(scenario.spec.repeats):
                for pairing in pairs:
                    if repeat >= pairing.repeats:
                        continue
                    slot = pairing.slot(sample, input_fingerprint=shown, repeat=repeat)
                    yield Place(slot, sample, pairing, position, slot.key.id)
