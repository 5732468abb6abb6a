"""One measurement in a process of its own: `python benchmarks/measured.py befit 1000 URL`.

Prints one JSON line: how many answers were right, and the seconds from the first
call to the last answer. CPU, memory and time are taken by the parent from the
finished process, so that imports and start-up count too.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

CONCURRENCY = 100


def raw(count: int, base_url: str, folder: Path) -> tuple[int, float]:
    """Do the least that does the work: aiohttp, a list of numbers, one JSONL file."""
    import aiohttp  # noqa: PLC0415  # imports are part of what is measured

    right = 0
    began = ended = 0.0

    async def go() -> None:
        nonlocal right, began, ended
        items = iter(range(count))
        connector = aiohttp.TCPConnector(limit=CONCURRENCY)
        with (folder / "raw.jsonl").open("w", encoding="utf-8") as out:
            async with aiohttp.ClientSession(connector=connector) as session:

                async def work() -> None:
                    nonlocal right
                    for number in items:
                        body = {
                            "model": "m",
                            "messages": [{"role": "user", "content": f"question {number}"}],
                            "temperature": 0,
                            "max_tokens": 20,
                        }
                        async with session.post(f"{base_url}/chat/completions", json=body) as got:
                            answer = await got.json()
                        text = answer["choices"][0]["message"]["content"]
                        right += text.strip() == "42"
                        out.write(json.dumps({"n": number, "text": text}) + "\n")

                began = time.monotonic()
                await asyncio.gather(*(work() for _ in range(CONCURRENCY)))
                ended = time.monotonic()

    asyncio.run(go())
    return right, ended - began


def befit(count: int, base_url: str, folder: Path, *, stream: bool = False) -> tuple[int, float]:
    """Plan, call, score, and store durably, as `befit run` does."""
    from befit.core.candidate import Candidate, Sampling  # noqa: PLC0415  # as above
    from befit.core.run import Manifest, ManifestCandidate, ManifestScenario, RunSettings  # noqa: PLC0415  # as above
    from befit.core.sample import Sample, ScorerSpec  # noqa: PLC0415  # as above
    from befit.core.scenario import Scenario, ScenarioSpec  # noqa: PLC0415  # as above
    from befit.engine.executor import execute  # noqa: PLC0415  # as above
    from befit.engine.job import Job  # noqa: PLC0415  # as above
    from befit.engine.looping import run_to_end  # noqa: PLC0415  # as above
    from befit.engine.opening import open_targets  # noqa: PLC0415  # as above
    from befit.engine.plan import plan  # noqa: PLC0415  # as above
    from befit.storage.workspace import Workspace  # noqa: PLC0415  # as above

    class Numbers:
        def load(self) -> Iterator[Sample]:
            for number in range(count):
                yield Sample(id=f"s{number}", input=f"question {number}", target="42")

    candidate = Candidate(
        name="fast",
        target="openai",
        model="m",
        base_url=base_url,
        stream=stream,
        sampling=Sampling(temperature=0, max_tokens=20),
    )
    spec = ScenarioSpec(
        name="numbers", dimension="knowledge", repeats=1, scorers=(ScorerSpec(name="match"),)
    )
    entry = ManifestCandidate(
        candidate=candidate, fingerprint=candidate.fingerprint, price=None, price_snapshot=None
    )
    settings = RunSettings(concurrency=CONCURRENCY)
    manifest = Manifest(
        id="r-bench",
        project="bench",
        created_at="2026-01-01T00:00:00+00:00",
        befit_version="0",
        candidates=(entry,),
        scenarios=(ManifestScenario(spec=spec, set_version="", n_samples=count),),
        settings=settings,
        plan_fingerprint="bench",
    )
    job = Job(
        run_id=manifest.id,
        candidates=(entry,),
        scenarios=(Scenario(spec=spec, samples=Numbers()),),
        settings=settings,
    )
    with Workspace.open(folder / ".befit") as store:
        store.create(manifest)
        planned = plan(job)

        async def go() -> int:
            async with open_targets([candidate]) as targets:
                outcome = await execute(job, store=store, targets=targets)
            return outcome.ok

        ok = run_to_end(go())
        store.finish(manifest.id, "complete")
        right, began, ended = 0, float("inf"), 0.0
        for fact in store.facts(manifest.id):
            right += fact.passed == 1.0
            began = min(began, fact.started_at)
            ended = max(ended, fact.started_at + (fact.latency or 0.0))
    if ok != planned.n_slots:
        sys.exit(f"{ok} of {planned.n_slots} landed")
    return right, ended - began


def main() -> None:
    """Run one measurement."""
    kind, count, base_url = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    with tempfile.TemporaryDirectory() as folder:
        if kind == "raw":
            right, seconds = raw(count, base_url, Path(folder))
        else:
            right, seconds = befit(count, base_url, Path(folder), stream=kind == "befit-streamed")
    print(json.dumps({"right": right, "seconds": seconds}))


if __name__ == "__main__":
    main()
