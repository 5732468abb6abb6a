"""The load stage: one candidate on one scenario under one or more levels of load.

The same samples, targets and scorers as in a run; nothing is stored in it,
because answers under load are no trials: they are made without retries, and
their keys would collide. Caps come first, and stated limits are never passed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from urllib.parse import urlsplit

import orjson
from pydantic import ValidationError

from befit.analysis.load import LoadLevel, ServiceLevel, analyse_level, columns
from befit.analysis.load_naive import naive_closed_loop
from befit.analysis.load_result import LoadResult
from befit.analysis.load_search import Tried
from befit.analysis.load_timeline import Timeline, timeline
from befit.analysis.self_hosted import self_hosted
from befit.config.load import importable
from befit.config.project import Project
from befit.core.candidate import Candidate
from befit.core.record import Json
from befit.core.run import ManifestCandidate
from befit.core.sample import Sample
from befit.core.scenario import Scenario
from befit.core.written import many
from befit.engine.job import pair
from befit.engine.load_run import Caps, LevelRun, LoadGenerator, Purse, Watcher
from befit.engine.load_sender import TargetSender
from befit.engine.load_shape import Arrival, LoadShape
from befit.engine.opening import open_targets
from befit.engine.scoring import Scoring
from befit.errors import DataError, UsageError
from befit.pipeline.manifest import priced
from befit.pipeline.saturation import Saturation, SearchSettings, search

MOST_SAMPLES = 5_000
"""Samples kept ready; a larger set is sent from its beginning again."""
DEFAULT_CAPS = Caps(requests=100_000, tokens=20_000_000, usd=Decimal(5))


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadPlan:
    """What is to be measured: given levels, or a search."""

    candidate: str = ""
    """The first one if not given."""
    scenario: str = ""
    shapes: tuple[LoadShape, ...] = ()
    searching: SearchSettings | None = None
    promise: ServiceLevel = field(default_factory=ServiceLevel)
    caps: Caps = DEFAULT_CAPS
    trace: tuple[Arrival, ...] = ()
    hourly: Decimal | None = None
    """USD for an hour of the machine, where the model is self-hosted."""


@dataclass(slots=True)
class Talk:
    """How the measurement tells what goes on; every part may be left out."""

    watcher: Watcher | None = None
    level: Callable[[LoadLevel, Tried | None], None] | None = None
    begun: Callable[[LoadShape], None] | None = None
    generator: LoadGenerator | None = None
    """The one at work."""
    stopped: bool = False
    """Whether no further call is to be made."""

    def stop(self) -> None:
        """Make no more calls, in this level or a later one; those in flight are waited for."""
        self.stopped = True
        if self.generator is not None:
            self.generator.stop()


def measure_load(project: Project, plan: LoadPlan, *, talk: Talk | None = None) -> LoadResult:
    """Measure a candidate under load.

    Raises:
        UsageError: unknown candidate or scenario, a load beyond a stated limit, a spend cap
            that cannot hold because the price is unknown.
        DataError: the scenario has no samples.
    """
    talk = talk or Talk()
    candidate = _named(project.candidates, plan.candidate, "candidate")
    scenario = _named(project.scenarios, plan.scenario, "scenario")
    chosen = priced(candidate, now=datetime.now(tz=UTC))
    _check_limits(candidate, plan)
    if plan.searching is not None:
        plan = replace(plan, searching=limited_search(plan.searching, candidate))
    purse = Purse(caps=_caps(chosen, plan.caps))
    with importable(project.folder):
        samples = list(islice(scenario.samples.load(), MOST_SAMPLES))
        if not samples:
            raise DataError(f"scenario '{scenario.name}' has no samples")
        work = _Work(plan, talk, purse)
        asyncio.run(work.run(project, chosen, scenario, samples))
    return work.result(project, chosen, scenario)


class _Work:
    """One measurement as it goes."""

    def __init__(self, plan: LoadPlan, talk: Talk, purse: Purse) -> None:
        self._plan, self._talk, self._purse = plan, talk, purse
        self._levels: list[LoadLevel] = []
        self._timelines: list[Timeline | None] = []
        self._notes: list[str] = []
        self._found: Saturation | None = None
        self._first = 0

    async def run(
        self,
        project: Project,
        chosen: ManifestCandidate,
        scenario: Scenario,
        samples: list[Sample],
    ) -> None:
        async with open_targets([chosen.candidate]) as targets:
            seed = project.settings.seed
            sender = TargetSender(
                targets[chosen.candidate.name],
                pair(chosen, scenario.spec, project.settings),
                samples,
                scoring=Scoring.of(scenario.spec),
                trace=self._plan.trace,
                seed=seed if isinstance(seed, int) else 0,
            )
            await self._all(sender)

    async def _all(self, sender: TargetSender) -> None:
        plan, talk = self._plan, self._talk

        async def one(shape: LoadShape) -> LevelRun:
            if talk.begun is not None:
                talk.begun(shape)
            generator = talk.generator = self._generator(sender, shape)
            run = await generator.run()
            self._first = generator.next_index
            return run

        def seen(run: LevelRun, level: LoadLevel, tried: Tried | None) -> None:
            self._levels.append(level)
            self._timelines.append(timeline(run) if run.log.n else None)
            self._note(run)
            if talk.level is not None:
                talk.level(level, tried)

        if plan.searching is not None:
            self._found = await search(one, plan.promise, plan.searching, seen=seen)
            return
        for shape in plan.shapes:
            if talk.stopped:
                self._notes.append("stopped: interrupted")
                return
            run = await one(shape)
            seen(run, analyse_level(run, plan.promise), None)
            if run.stopped == "overrun":
                self._notes.append(
                    f"{shape.name}: given up with {many(shape.most_waiting, 'call')} "
                    f"waiting on our "
                    "side; it bears no such load"
                )
            elif run.stopped:
                self._notes.append(f"stopped: {run.stopped}")
                return

    def _generator(self, sender: TargetSender, shape: LoadShape) -> LoadGenerator:
        generator = LoadGenerator(
            sender,
            shape,
            purse=self._purse,
            trace=self._plan.trace,
            watcher=self._talk.watcher,
            first=0 if shape.kind == "replay" else self._first,
        )
        if self._talk.stopped:  # between two levels
            generator.stop()
        return generator

    def _note(self, run: LevelRun) -> None:
        if run.shape.kind == "closed" or not run.log.n:
            return
        told = naive_closed_loop(columns(run.log, run.shape.window)).note
        if told:
            self._notes.append(f"{run.shape.name}: {told}")

    def result(self, project: Project, chosen: ManifestCandidate, scenario: Scenario) -> LoadResult:
        plan, found, candidate = self._plan, self._found, chosen.candidate
        hosted = None
        if plan.hourly is not None and self._levels:
            usable = [level for level in self._levels if not level.invalid] or self._levels
            best = max(usable, key=lambda level: level.goodput.value or 0.0)
            hosted = self_hosted(plan.hourly, best)
        return LoadResult(
            project=project.name,
            candidate=candidate.name,
            fingerprint=chosen.fingerprint,
            execution=scenario.spec.execution_fingerprint(candidate.prompt),
            scenario=scenario.name,
            endpoint=urlsplit(candidate.base_url or "").netloc or candidate.target,
            created_at=datetime.now(tz=UTC).isoformat(timespec="seconds"),
            befit_version=version("befit"),
            promise=plan.promise,
            levels=tuple(self._levels),
            timelines=tuple(self._timelines),
            notes=tuple(self._notes),
            tried=found.tried if found else (),
            bearable=found.bearable if found else None,
            ended_by=found.ended_by if found else "",
            requests=self._purse.requests,
            tokens=self._purse.tokens,
            spent=self._purse.usd if chosen.price is not None else None,
            hosted=hosted,
        )


def _named(things: Iterable[Candidate] | Iterable[Scenario], name: str, what: str) -> Json:
    known = {thing.name: thing for thing in things}
    if not name:
        return next(iter(known.values()))
    if name not in known:
        raise UsageError(f"no {what} '{name}'", why=f"known: {', '.join(known)}")
    return known[name]


def _caps(chosen: ManifestCandidate, caps: Caps) -> Caps:
    """Return the caps that can hold: without a price there is no spend to count."""
    if chosen.price is not None:
        return caps
    if caps.requests is None and caps.tokens is None:
        raise UsageError(
            f"the price of '{chosen.candidate.name}' is unknown, so that no spend cap can hold",
            do="set a cap of requests or tokens, or state the price in the project file",
        )
    return Caps(requests=caps.requests, tokens=caps.tokens)


def _check_limits(candidate: Candidate, plan: LoadPlan) -> None:
    """Refuse a load beyond the limits that the candidate states."""
    limits = candidate.limits
    per_minute = limits.requests_per_minute
    for shape in plan.shapes:
        rate = max(shape.rate or 0.0, shape.rate_to or 0.0)
        if per_minute is not None and shape.kind != "closed" and rate * 60 > per_minute:
            raise UsageError(
                f"{shape.name} is more than the stated limit of {per_minute} requests a minute",
                where=f"candidate '{candidate.name}' limits.requests_per_minute",
                do="lower the rate, or correct the limit",
            )
        if limits.concurrency is not None and (shape.concurrency or 0) > limits.concurrency:
            raise UsageError(
                f"{shape.name} is more than the stated limit of {limits.concurrency} in flight",
                where=f"candidate '{candidate.name}' limits.concurrency",
                do="lower the concurrency, or correct the limit",
            )


def limited_search(settings: SearchSettings, candidate: Candidate) -> SearchSettings:
    """Return the search, kept below what the candidate states."""
    limits = candidate.limits
    if settings.axis == "rate" and limits.requests_per_minute is not None:
        most = min(settings.most, limits.requests_per_minute / 60)
        return settings.model_copy(update={"most": most})
    if settings.axis == "concurrency" and limits.concurrency is not None:
        return settings.model_copy(update={"most": min(settings.most, float(limits.concurrency))})
    return settings


def read_trace(path: Path) -> tuple[Arrival, ...]:
    """Return the arrivals of a JSONL trace, from its first moment on.

    A line holds `at` (seconds, or `timestamp` in seconds since the epoch) and,
    where known, `input_tokens` and `output_tokens`.

    Raises:
        DataError: no such file, or a line that is no arrival.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise DataError("the trace cannot be read", where=str(path), why=str(error)) from None
    found: list[Arrival] = []
    start: float | None = None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = dict(orjson.loads(line))
            at = float(row.pop("timestamp")) if "timestamp" in row else float(row.pop("at"))
            start = at if start is None else start
            found.append(Arrival.model_validate({"at": at - start, **row}))
        except (ValueError, TypeError, KeyError, ValidationError) as error:
            raise DataError(
                "this is no arrival",
                where=f"{path}:{number}",
                why=str(error).splitlines()[0][:200],
                do='one line is {"at": 0.0, "input_tokens": 10, "output_tokens": 20}',
            ) from None
    if not found:
        raise DataError("the trace has no arrivals", where=str(path))
    return tuple(sorted(found, key=lambda arrival: arrival.at))
