"""Simulated readers of the probe packs, of known ability, run through the whole engine."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace

from befit.core.completion import Completion, Request
from befit.core.scenario import Caps
from befit.engine.executor import execute
from befit.probes.pack import generate
from befit.probes.packs import pack
from engine_ground import RUN, Answering, candidate, fixed, job, scenario, workspace
from probe_solvers import SOLVERS

FLAWED = "I would rather talk about the weather, said Answer: none of these."
"""An answer that is wrong in every pack."""


def chance(text):
    """A number in 0..1 that stays with the text."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=6).digest(), "big") / 2**48


@dataclass(frozen=True)
class Reader:
    """Right on a drawn share of the samples: its ability."""

    name: str
    ability: float

    def __call__(self, request):
        if chance(f"{self.ability} {request.metadata['sample']}") < self.ability:
            return SOLVERS[self.name](request)
        return FLAWED


@dataclass(frozen=True)
class Worker:
    """Errs at each unit of work with the same chance; its luck is the same at every difficulty."""

    name: str
    skill: float
    units: Callable[[Request], int]

    def __call__(self, request):
        item = request.metadata["sample"]
        if self.name == "contamination":
            item = item.rpartition("-")[0]  # one item at every dose
        if chance(item) < self.skill ** self.units(request):
            return SOLVERS[self.name](request)
        return FLAWED


def samples_of(name, *, n=60, seed=7, **knobs):
    return list(generate(pack(name), seed=seed, n=n, knobs=knobs))


def passed(tmp_path, samples, answer):
    """Sample id -> whether it passed, through engine and scorers."""
    spec = {"scorers": (), "caps": Caps(steps=30), "name": "probe"}
    one = job([candidate()], [scenario(fixed(*samples), **spec)], concurrency=16)
    with workspace(tmp_path, one) as store:
        outcome = asyncio.run(execute(one, store=store, targets={"a": Answering(_as(answer))}))
        assert (outcome.ok, outcome.missing) == (len(samples), 0)
        return {fact.sample_id: fact.passed for fact in store.facts(RUN)}


def _as(answer):
    def given(request):
        made = answer(request)
        if isinstance(made, Completion):
            return made
        return Completion(text=made, finish_reason="stop")

    return given


def windowed(name, chars):
    """A reader that sees only the first so many characters of each message."""

    def answer(request):
        cut = tuple(
            message.model_copy(update={"content": _cut(message.text, chars)})
            for message in request.messages
        )
        return SOLVERS[name](replace(request, messages=cut))

    return answer


def _cut(text, chars):
    body, mark, question = text.rpartition("\n\n")
    return f"{body[:chars]}{mark}{question}"
