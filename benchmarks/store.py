"""What storing costs: CPU per trial, reading a million facts, peak memory.

    python benchmarks/store.py [TRIALS] [COPIES] [LOCATION]

TRIALS are stored as a run stores them; then their narrow rows are copied COPIES
times inside the database, so that reading is timed on TRIALS * COPIES of them.

CPU seconds on a shared machine swing with its neighbours' load, so a plain
loop is timed beside: the ratio to it can be compared between machines.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections import deque
from dataclasses import replace
from decimal import Decimal

from sqlalchemy import insert, literal, select

from befit.core.completion import Completion, Timing
from befit.core.landed import Landed
from befit.core.message import Message
from befit.core.price import Usage
from befit.core.run import Manifest, RunSettings
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Slot, Trial, TrialKey
from befit.storage import schema
from befit.storage.workspace import Workspace

BATCH = 50
SCENARIO = "support-triage"
CANDIDATES = 5


def item(n: int) -> Landed:
    """Return a trial of ordinary size: about 1.7 kB of prompt and answer."""
    sample, which = divmod(n, CANDIDATES)
    candidate = f"candidate-{which}"
    key = TrialKey(f"{which:024x}", "e" * 24, f"{sample:024x}", "", 0)
    answer = " ".join(f"word{(n * 7919) % (j + 3)}" for j in range(110))
    asked = Message(role="user", content=f"Customer {sample} writes: " + "please help me " * 25)
    trial = Trial(
        key=key,
        transcript=(
            Message(role="system", content="Sort the request into one class. " * 6),
            asked,
            Message(role="assistant", content=answer),
        ),
        completions=(
            Completion(
                text=answer,
                finish_reason="stop",
                usage=Usage(uncached_input=200 + sample % 50, text_output=150),
                timing=Timing(sent=0.1, first_byte=0.2, first_token=0.3, end=1.25),
                served_model="model-2026-01",
                request_id=f"req-{n}",
            ),
        ),
        cost=Decimal("0.000123"),
        price_snapshot="p" * 24,
        started_at=1.77e9 + n,
        seed=n,
    )
    value = float(n % 3 > 0)
    match = Score(scorer="match", version="1", name="match", value=value, answer="b", span=(4, 10))
    return Landed(
        slot=Slot(
            candidate=candidate,
            scenario=SCENARIO,
            sample_id=f"sample-{sample:07d}",
            variant="",
            repeat=0,
            key=key,
        ),
        trial=trial,
        scores=(match, replace(match, scorer="befit", name="pass", span=None)),
    )


def spin() -> float:
    """Return CPU seconds of a million turns of an empty loop."""
    start = time.process_time()
    for _ in range(1_000_000):
        pass
    return time.process_time() - start


def peak() -> int:
    """Return the peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def fill(workspace: Workspace, run_id: str, trials: int) -> None:
    """Store the trials and print what it cost."""
    stored: list[float] = []
    sampled = loop = 0.0
    for start in range(0, trials, BATCH):
        batch = [item(n) for n in range(start, min(start + BATCH, trials))]
        samples = [
            Sample(id=name, input=f"please help me {name} " * 12, target="b")
            for name in dict.fromkeys(landed.slot.sample_id for landed in batch)
        ]
        clock = time.process_time()
        workspace.put_samples(run_id, SCENARIO, samples)
        sampled += time.process_time() - clock
        clock = time.process_time()
        workspace.commit(run_id, batch)
        stored.append((time.process_time() - clock) / len(batch))
        if start % (BATCH * 200) == 0:
            loop += spin() / len(range(0, trials, BATCH * 200))
    stored.sort()
    mean, quiet = sum(stored) / len(stored), stored[len(stored) // 10]
    print(f"commit       {mean * 1e6:8.1f} us CPU/trial, batches of {BATCH}")
    print(f"  undisturbed{quiet * 1e6:8.1f} us CPU/trial (a tenth of the batches took less)")
    print(f"samples      {sampled / trials * 1e6:8.1f} us CPU/trial, {CANDIDATES} trials each")
    print(f"empty loop   {loop * 1e3:8.1f} ns/turn (30 on an idle machine)")
    print(f"peak         {peak():8d} MB after storing {trials} trials")


def multiply(workspace: Workspace, run_id: str, copies: int) -> None:
    """Copy the narrow rows of a run to other sample ids, inside the database."""
    for table in (schema.samples, schema.slots, schema.scores):
        for copy in range(1, copies):
            columns = [
                literal(f"copy-{copy:03d}-") + column if column.name == "sample_id" else column
                for column in table.columns
            ]
            chosen = select(*columns).where(
                table.c.run_id == run_id, table.c.sample_id.startswith("sample-")
            )
            with workspace._database.write() as connection:  # noqa: SLF001 - looks inside
                connection.execute(insert(table).from_select(list(table.columns), chosen))


def read(workspace: Workspace, run_id: str) -> None:
    """Read the run back in every way a report does and print what it cost."""
    keys = [item(n).slot.key.id for n in range(5_000)]
    ways = {
        "facts": lambda: deque(workspace.facts(run_id), maxlen=1),
        "pass scores": lambda: deque(workspace.scores(run_id, names=["pass"]), maxlen=1),
        "score totals": lambda: workspace.score_totals(run_id),
        "failing": lambda: workspace.failing(run_id, limit=100),
        "5000 filled": lambda: workspace.filled(run_id, keys),
        "5000 trials": lambda: workspace.trials(keys),
    }
    for name, way in ways.items():
        cpu, wall = time.process_time(), time.perf_counter()
        way()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        print(f"{name:12} {cpu:8.2f} s CPU {wall:8.2f} s wall   peak {peak()} MB")


def main() -> None:
    """Store, read back, print."""
    words = [*sys.argv[1:], *("20000", "50", "")[len(sys.argv) - 1 :]]
    trials, copies = int(words[0]), int(words[1])
    with tempfile.TemporaryDirectory() as folder:
        location = words[2] or folder
        with Workspace.open(location) as workspace:
            run_id = workspace.new_run_id()
            workspace.create(
                Manifest(
                    id=run_id,
                    project="benchmark",
                    created_at="2026-01-01T00:00:00+00:00",
                    befit_version="0",
                    candidates=(),
                    scenarios=(),
                    settings=RunSettings(),
                    plan_fingerprint="benchmark",
                )
            )
            fill(workspace, run_id, trials)
            multiply(workspace, run_id, copies)
            print(f"reading      {trials * copies:8d} slots, twice as many scores")
            read(workspace, run_id)


if __name__ == "__main__":
    main()
