"""How long a decision and its report take on a big stored run: CPU and wall seconds, page size.

    python benchmarks/report.py 84      # 12 candidates x 1,000 samples x 5 repeats, 12 dimensions
    python benchmarks/report.py 1000    # ... with 1,000 samples in each dimension: 720,000 trials

Writes a run of simulated trials into a folder of its own first (not counted).
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from befit.core.completion import Completion, Timing  # noqa: E402  # found only after the path above
from befit.core.landed import Fact, Landed  # noqa: E402  # the same
from befit.core.message import Message  # noqa: E402  # the same
from befit.core.price import Usage  # noqa: E402  # the same
from befit.core.sample import Sample  # noqa: E402  # the same
from befit.core.score import Score  # noqa: E402  # the same
from befit.core.trial import Slot, Trial, TrialKey  # noqa: E402  # the same
from befit.pipeline.deciding import decide_run  # noqa: E402  # the same
from befit.pipeline.reporting import make_document  # noqa: E402  # the same
from befit.report.html import render  # noqa: E402  # the same
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


def main() -> None:
    """Write the run, then decide and report, timed."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 84
    with tempfile.TemporaryDirectory() as folder, Workspace.open(folder) as workspace:
        run = write(workspace, samples)
        for what, work in (
            ("decide", lambda: decide_run(workspace, run)),
            ("report", lambda: render(make_document(workspace, run))),
        ):
            cpu, wall = time.process_time(), time.perf_counter()
            made = work()
            size = f", {len(made.encode()) / 1e6:.2f} MB" if isinstance(made, str) else ""
            sys.stdout.write(
                f"{what}: {time.process_time() - cpu:.1f} s CPU, "
                f"{time.perf_counter() - wall:.1f} s wall{size}\n"
            )


if __name__ == "__main__":
    main()
