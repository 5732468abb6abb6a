"""Ground for tests of the engine: jobs, workspaces with their run, a clock that flies."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from befit.core.candidate import Candidate, Sampling
from befit.core.completion import Completion, Request, Timing
from befit.core.price import Price, Usage
from befit.core.run import Manifest, ManifestCandidate, ManifestScenario, RunSettings
from befit.core.sample import Sample, ScorerSpec
from befit.core.scenario import Scenario, ScenarioSpec
from befit.engine.executor import Runtime
from befit.engine.job import Job
from befit.storage.workspace import Workspace

RUN = "r-test"


@dataclass(frozen=True)
class Samples:
    """A data set that makes its samples as it is read."""

    make: Callable[[], Iterable[Sample]]

    def load(self) -> Iterable[Sample]:
        return self.make()


def numbered(count: int, *, target: str = "42", text: str = "question {i}") -> Samples:
    return Samples(
        lambda: (
            Sample(id=f"s{i}", input=text.replace("{i}", str(i)), target=target)
            for i in range(count)
        )
    )


def fixed(*samples: Sample) -> Samples:
    return Samples(lambda: samples)


def scenario(samples: Samples, *, name: str = "facts", **spec: Any) -> Scenario:
    spec.setdefault("scorers", (ScorerSpec(name="match"),))
    spec.setdefault("repeats", 1)
    return Scenario(spec=ScenarioSpec(name=name, dimension="knowledge", **spec), samples=samples)


def candidate(name: str = "a", *, price: Price | None = None, **fields: Any) -> ManifestCandidate:
    fields.setdefault("target", "openai")
    fields.setdefault("sampling", Sampling(temperature=0, max_tokens=20))
    inner = Candidate(name=name, model=fields.pop("model", name), **fields)
    return ManifestCandidate(
        candidate=inner,
        fingerprint=inner.fingerprint,
        price=price,
        price_snapshot=None if price is None else price.fingerprint,
    )


def job(
    candidates: Iterable[ManifestCandidate],
    scenarios: Iterable[Scenario],
    *,
    run_id: str = RUN,
    n_slots: int | None = None,
    **settings: Any,
) -> Job:
    return Job(
        run_id=run_id,
        candidates=tuple(candidates),
        scenarios=tuple(scenarios),
        settings=RunSettings(**settings),
        n_slots=n_slots,
    )


def manifest(job: Job) -> Manifest:
    return Manifest(
        id=job.run_id,
        project="test",
        created_at="2026-01-01T00:00:00+00:00",
        befit_version="0",
        candidates=job.candidates,
        scenarios=tuple(
            ManifestScenario(spec=s.spec, set_version="v", n_samples=0) for s in job.scenarios
        ),
        settings=job.settings,
        plan_fingerprint="p",
    )


@contextmanager
def workspace(path: Path, *jobs: Job) -> Iterator[Workspace]:
    """Open the workspace at `path` with a run for each job that has none yet."""
    with Workspace.open(path / ".befit") as store:
        known = {found.id for found, _ in store.runs()}
        for one in jobs:
            if one.run_id not in known:
                store.create(manifest(one))
        yield store


class FlyingClock:
    """A clock whose waits pass at once, in the order in which they would end."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.waits: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def wall(self) -> float:
        return 1_700_000_000.0 + self.now

    async def wait(self, event: asyncio.Event, seconds: float, /) -> bool:
        until = self.now + seconds
        self.waits.append(seconds)
        await asyncio.sleep(0)
        self.now = max(self.now, until)
        return event.is_set()


def runtime(clock: FlyingClock | None = None) -> Runtime:
    rng = random.Random(1)  # noqa: S311 (jitter, no secret)
    return Runtime(rng=rng) if clock is None else Runtime(clock=clock, rng=rng)


class Answering:
    """A target in process: `answer` says what each request gets, or raises."""

    def __init__(self, answer: Callable[[Request], str | Completion] = lambda _: "42") -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self.delay = 0.0

    async def generate(self, request: Request, /) -> Completion:
        self.requests.append(request)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(self.delay)
            given = self.answer(request)
        finally:
            self.in_flight -= 1
        if isinstance(given, Completion):
            return given
        return completion(given)

    async def aclose(self) -> None:
        return None


def completion(text: str, *, tokens: tuple[int, int] = (10, 2)) -> Completion:
    return Completion(
        text=text,
        finish_reason="stop",
        usage=Usage(uncached_input=tokens[0], text_output=tokens[1]),
        timing=Timing(first_token=0.01, end=0.02),
    )
