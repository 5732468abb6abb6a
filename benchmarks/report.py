"""How long a decision and its report take on a big stored run: CPU and wall seconds, page size.

    python benchmarks/report.py 84      # 12 candidates x 1,000 samples x 5 repeats, 12 dimensions
    python benchmarks/report.py 1000    # ... with 1,000 samples in each dimension: 720,000 trials
    python benchmarks/report.py 1000 /tmp/big    # keeps the run there, and takes it the next time

Writes a run of simulated trials into a folder first (not counted). The report is that of
`befit report` in a process of its own, start and imports counted.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from befit.core.completion import Completion, Timing  # noqa: E402  # found only after the path above
from befit.core.failure import Failure  # noqa: E402  # the same
from befit.core.landed import Fact, Landed  # noqa: E402  # the same
from befit.core.message import Message  # noqa: E402  # the same
from befit.core.price import Usage  # noqa: E402  # the same
from befit.core.sample import Sample  # noqa: E402  # the same
from befit.core.score import Score  # noqa: E402  # the same
from befit.core.trial import Slot, Trial, TrialKey  # noqa: E402  # the same
from befit.pipeline.deciding import decide_run, keep_decision, latest_decision  # noqa: E402  # the same
from befit.storage.workspace import Workspace  # noqa: E402  # the same
from report_documents import Shape, rows_of  # noqa: E402  # the same

CANDIDATES, DIMENSIONS, REPEATS = 12, 12, 5
BATCH = 500


def landed(fact: Fact) -> Landed:
    """Return the whole trial behind a simulated row."""
    key = TrialKey(fact.candidate, fact.scenario, fact.sample_id, "", fact.repeat)
    slot = Slot(
        candidate=fact.candidate,
        scenario=fact.scenario,
        sample_id=fact.sample_id,
        variant="",
        repeat=fact.repeat,
        key=key,
    )
    if fact.status == "missing":
        lost = Trial(
            key=key,
            transcript=(Message(role="user", content=f"Task {fact.sample_id}"),),
            failure=Failure(kind="timeout_total", message="no answer in time"),
            started_at=fact.started_at,
            seed=7,
        )
        return Landed(slot=slot, trial=lost, scores=())
    right = bool(fact.passed)
    text = fact.answer or "nothing"
    completion = Completion(
        text=text,
        finish_reason="stop",
        usage=Usage(uncached_input=fact.input_tokens or 0, text_output=fact.output_tokens or 0),
        timing=Timing(sent=0.0, first_token=fact.first_token, end=fact.latency or 1.0),
        served_model=fact.served_model,
    )
    trial = Trial(
        key=key,
        transcript=(Message(role="user", content=f"Task {fact.sample_id}"),),
        completions=(completion,),
        cost=None if fact.cost is None else Decimal(str(round(fact.cost, 9))),
        price_snapshot=None,
        started_at=fact.started_at,
        seed=7,
    )
    value = float(right)
    return Landed(
        slot=slot,
        trial=trial,
        scores=(
            Score(scorer="match", version="1", name="match", value=value, answer=text),
            Score(scorer="befit", version="1", name="pass", value=value, answer=text),
        ),
    )


def write(workspace: Workspace, samples: int) -> str:
    """Write the run; return its id."""
    names = tuple(f"model-{i:02d}" for i in range(CANDIDATES))
    shape = Shape(names=names, dimensions=DIMENSIONS, samples=samples, repeats=REPEATS)
    manifest, facts = rows_of(shape)
    workspace.create(manifest)
    for entry in manifest.scenarios:
        made = [
            Sample(id=shape.sample_ids.format(i), input=f"Task {i}", target="x")
            for i in range(samples)
        ]
        workspace.put_samples(manifest.id, entry.spec.name, made)
    for part in _parts(facts):
        workspace.commit(manifest.id, [landed(fact) for fact in part])
    workspace.finish(manifest.id, "complete")
    return manifest.id


def _parts(facts: list[Fact]) -> Iterator[list[Fact]]:
    for start in range(0, len(facts), BATCH):
        yield facts[start : start + BATCH]


def timed(words: list[str], folder: str) -> str:
    """Run `befit` in a process of its own; return what it took, imports included."""
    before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", "from befit.cli.main import main; main()", *words],
        check=True,
        cwd=folder,
        env={**os.environ, "BEFIT_WORKSPACE": folder},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - wall
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return f"{cpu:.1f} s CPU, {wall:.1f} s wall"


def main() -> None:
    """Write the run (or take that of a folder given), then decide and report, timed."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 84
    with tempfile.TemporaryDirectory() as place:
        folder = sys.argv[2] if len(sys.argv) > 2 else place  # noqa: PLR2004 - a second argument
        with Workspace.open(folder) as workspace:
            found = [manifest.id for manifest, _ in workspace.runs()]
            run = found[0] if found else write(workspace, samples)
            workspace.pack(run)  # one that was kept may be of before runs were packed at their end
            started = time.process_time()
            decision = decide_run(workspace, run)
            sys.stdout.write(f"decide: {time.process_time() - started:.1f} s CPU\n")
            if latest_decision(workspace, run) is None:
                keep_decision(workspace, decision, by="the benchmark", now=datetime.now(UTC))
        page = Path(place) / "report.html"
        took = timed(["report", run, "-f", "html", "-o", str(page)], folder)
        sys.stdout.write(f"report: {took}, page {page.stat().st_size / 1e6:.2f} MB\n")


if __name__ == "__main__":
    main()
