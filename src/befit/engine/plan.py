"""What a run will do, before it does anything: calls, tokens, money, time, and what is odd.

The samples are streamed, so a plan of a million slots takes no more memory than
one of ten. The smallest difference the plan can detect is added by the stage
above, which may import statistics; the run path does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from befit.core.price import MILLION, Price
from befit.core.run import ManifestCandidate, RunSettings
from befit.core.sample import Sample
from befit.core.scenario import Scenario
from befit.engine.collecting import fewer_collections
from befit.engine.job import Job, Pairing, endpoints, pairings
from befit.engine.limits import joint_limits
from befit.engine.plan_beyond import beyond
from befit.engine.plan_warnings import PlanWarning, candidate_warnings, scenario_warnings
from befit.engine.tokens import input_range, text_range

Stored = Callable[[Sequence[str]], "set[str] | Mapping[str, object]"]
"""Key ids -> those whose trial is finished in the store (of whatever run)."""
TimeLimit = Literal["requests_per_minute", "tokens_per_minute", "latency", "no rate is stated"]
_NO_RATE: TimeLimit = "no rate is stated"
_CHUNK = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A range of a planned quantity; None where it has no bound that is known."""

    low: float
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CellPlan:
    """One candidate on one scenario.

    `n_calls` are the calls still to be made, `n_stored` the slots whose answer
    the store holds. Tokens and cost (USD) are those of the calls to be made;
    cost is None where the price is unknown.
    """

    scenario: str
    candidate: str
    n_samples: int
    repeats: int
    n_slots: int
    n_stored: int
    n_calls: int
    input_tokens: Span
    output_tokens: Span
    cost: Span | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointPlan:
    """One endpoint: its calls, and the least time its stated rates allow, in seconds.

    `seconds` is None where no rate is stated and no latency is known.
    """

    endpoint: str
    candidates: tuple[str, ...]
    concurrency: int
    n_calls: int
    seconds: float | None
    why: TimeLimit


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The whole plan. `cost` is None when no candidate has a known price."""

    cells: tuple[CellPlan, ...]
    endpoints: tuple[EndpointPlan, ...]
    n_slots: int
    n_stored: int
    n_calls: int
    cost: Span | None
    unpriced: tuple[str, ...]
    """Candidates whose price is unknown: their cost comes on top of `cost`."""
    seconds: float | None
    """The slowest endpoint's; endpoints run side by side."""
    warnings: tuple[PlanWarning, ...]


@dataclass(slots=True)
class _Sum:
    pairings: tuple[Pairing, ...]
    """The prompt as it is, then its variants."""
    repeats: int
    n_samples: int = 0
    n_slots: int = 0
    n_stored: int = 0
    n_calls: int = 0
    low: float = 0.0
    high: float = 0.0
    waiting: list[_Waiting] = field(default_factory=list)
    n_unchecked: int = 0
    """Samples without checks of their own."""
    n_worlds: int = 0
    """Samples with a world of their own."""
    n_beyond: int = 0
    """Samples that are longer than the context the candidate is said to take."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A slot whose key is to be looked up, and what it takes if it is not stored."""

    key_id: str
    size: _Size


@dataclass(frozen=True, slots=True)
class _Size:
    """Calls and probable input tokens of one slot."""

    calls: int
    low: float
    high: float


def plan(
    job: Job, *, stored: Stored | None = None, latencies: Mapping[str, float] | None = None
) -> Plan:
    """Return what executing `job` takes.

    Args:
        job: what would be run.
        stored: asks the store which trials are finished; None plans from nothing.
        latencies: candidate name -> seconds per call, where an earlier run knows them.

    Raises:
        DataError: a sample that cannot be shown to a model.
    """
    cells: list[CellPlan] = []
    warnings: list[PlanWarning] = []
    for entry in job.candidates:
        warnings += candidate_warnings(entry, job.settings)
    for scenario in job.scenarios:
        with fewer_collections():
            sums = _scan(job, scenario, stored)
        cells += [_cell(total) for total in sums]
        warnings += [
            PlanWarning(
                code="beyond_context",
                subject=total.pairings[0].candidate.name,
                text=f"{total.n_beyond} of {total.n_samples} samples of {scenario.name} are longer"
                " than the context it is said to take",
            )
            for total in sums
            if total.n_beyond
        ]
        first = sums[0] if sums else _Sum((), 0)
        counts = {"n_samples": first.n_samples, "n_unchecked": first.n_unchecked}
        warnings += scenario_warnings(scenario.spec, job.settings, **counts)
        n_trials = sum(total.n_slots for total in sums)
        warnings += [
            PlanWarning(code=code, subject=scenario.name, text=text)
            for code, text in beyond(scenario, n_trials=n_trials, n_worlds=first.n_worlds)
        ]
    ends = tuple(
        _endpoint(name, group, cells, job.settings, latencies or {})
        for name, group in endpoints(job.candidates).items()
    )
    priced = [cell.cost for cell in cells if cell.cost is not None]
    times = [end.seconds for end in ends]
    known = [seconds for seconds in times if seconds is not None]
    return Plan(
        cells=tuple(cells),
        endpoints=ends,
        n_slots=sum(cell.n_slots for cell in cells),
        n_stored=sum(cell.n_stored for cell in cells),
        n_calls=sum(cell.n_calls for cell in cells),
        cost=_added(priced) if priced else None,
        unpriced=tuple(c.candidate.name for c in job.candidates if c.price is None),
        seconds=max(known) if known and len(known) == len(times) else None,
        warnings=tuple(warnings),
    )


def _scan(job: Job, scenario: Scenario, stored: Stored | None) -> list[_Sum]:
    sums = []
    for entry in job.candidates:
        asked = pairings(entry, scenario.spec, job.settings)
        sums.append(_Sum(asked, asked[0].repeats))
    for sample in scenario.samples.load():
        shown = sample.input_fingerprint if stored is not None else ""
        for total in sums:
            total.n_samples += 1
            total.n_slots += total.repeats * len(total.pairings)
            total.n_unchecked += not sample.has_checks
            total.n_worlds += sample.world is not None
            total.n_beyond += _is_beyond(total.pairings[0], sample)
            for pairing in total.pairings:
                size = _size(pairing, sample)
                if stored is None:
                    _count(total, size, times=total.repeats)
                    continue
                for repeat in range(total.repeats):
                    slot = pairing.slot(sample, input_fingerprint=shown, repeat=repeat)
                    total.waiting.append(_Waiting(slot.key.id, size))
            if stored is not None and len(total.waiting) >= _CHUNK:
                _look_up(total, stored)
    if stored is not None:
        for total in sums:
            _look_up(total, stored)
    return sums


def _is_beyond(pairing: Pairing, sample: Sample) -> bool:
    """Tell whether a sample is surely too long for the context that is stated of a candidate."""
    stated = pairing.candidate.traits.context_tokens
    if stated is None:
        return False
    size = _size(pairing, sample)
    return size.low / size.calls > stated


def _size(pairing: Pairing, sample: Sample) -> _Size:
    size = pairing.renderer.size(sample)
    if size is None:
        messages = pairing.renderer.render(sample)
        low, high = input_range(messages, static=pairing.static_bytes)
    else:
        low, high = text_range(size[0] + pairing.static_bytes, messages=size[1])
    calls = max(1, len(sample.turns))
    if calls > 1:
        # Each turn sends all before it again: its own words, and the answers to them.
        said = sum(len(turn.user.encode()) for turn in sample.turns[1:])
        answer = pairing.candidate.sampling.max_tokens or 0
        low, high = low * calls, (high + said / 2) * calls + answer * calls * (calls - 1) / 2
    return _Size(calls, low, high)


def _count(total: _Sum, size: _Size, *, times: int) -> None:
    total.n_calls += size.calls * times
    total.low += size.low * times
    total.high += size.high * times


def _look_up(total: _Sum, stored: Stored) -> None:
    waiting, total.waiting = total.waiting, []
    if not waiting:
        return
    finished = stored([one.key_id for one in waiting])
    for one in waiting:
        if one.key_id in finished:
            total.n_stored += 1
        else:
            _count(total, one.size, times=1)


def _cell(total: _Sum) -> CellPlan:
    pairing = total.pairings[0]
    calls, allowed = total.n_calls, pairing.candidate.sampling.max_tokens
    shown = Span(low=total.low, high=total.high)
    said = Span(low=float(calls), high=None if allowed is None else float(calls * allowed))
    return CellPlan(
        scenario=pairing.spec.name,
        candidate=pairing.candidate.name,
        n_samples=total.n_samples,
        repeats=total.repeats,
        n_slots=total.n_slots,
        n_stored=total.n_stored,
        n_calls=calls,
        input_tokens=shown,
        output_tokens=said,
        cost=_cost(pairing.price, calls, shown, said),
    )


def _cost(price: Price | None, calls: int, shown: Span, said: Span) -> Span | None:
    if price is None:
        return None

    def at(input_tokens: float, output_tokens: float) -> float:
        tokens = Decimal(input_tokens) * price.input + Decimal(output_tokens) * price.output
        return float(tokens / MILLION + calls * price.per_request)

    high = None
    if shown.high is not None and said.high is not None:
        high = at(shown.high, said.high)
    elif calls == 0:
        high = 0.0
    return Span(low=at(shown.low, said.low), high=high)


def _added(spans: Sequence[Span]) -> Span:
    highs = [span.high for span in spans]
    bounded = [high for high in highs if high is not None]
    return Span(
        low=sum(span.low for span in spans),
        high=sum(bounded) if len(bounded) == len(highs) else None,
    )


def _endpoint(
    name: str,
    group: Sequence[ManifestCandidate],
    cells: Sequence[CellPlan],
    settings: RunSettings,
    latencies: Mapping[str, float],
) -> EndpointPlan:
    names = tuple(entry.candidate.name for entry in group)
    own = [cell for cell in cells if cell.candidate in names]
    calls = sum(cell.n_calls for cell in own)
    limits = joint_limits(group, settings)
    concurrency = limits.concurrency or settings.concurrency
    times: list[tuple[float, TimeLimit]] = []
    if limits.requests_per_minute is not None:
        times.append((60.0 * calls / limits.requests_per_minute, "requests_per_minute"))
    if limits.tokens_per_minute is not None:
        tokens = sum(cell.input_tokens.low + cell.output_tokens.low for cell in own)
        times.append((60.0 * tokens / limits.tokens_per_minute, "tokens_per_minute"))
    if all(cell.candidate in latencies for cell in own):
        busy = sum(cell.n_calls * latencies[cell.candidate] for cell in own)
        times.append((busy / concurrency, "latency"))
    seconds, why = max(times) if times else (None, _NO_RATE)
    return EndpointPlan(
        endpoint=name,
        candidates=names,
        concurrency=concurrency,
        n_calls=calls,
        seconds=seconds,
        why=why,
    )
