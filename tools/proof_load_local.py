"""The load figures on a real server: llama.cpp with four places, on this machine.

    nice -n 10 python tools/proof_load_local.py [--page PAGE.html]

Needs the extra `local` and the small model (`befit models fetch smollm2-135m`).
The server runs in a process of its own with one thread, so that it and the
generator do not wait for each other. Writes `docs/proof/load_local.md`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from befit.analysis.load import ServiceLevel
from befit.charts.numbers import estimate_text
from befit.config.load import load_project
from befit.engine.load_run import Caps
from befit.engine.load_shape import LoadShape
from befit.pipeline.loading import LoadPlan, measure_load
from befit.report.load_charts import says
from befit.report.load_html import render_load
from befit.targets.models import known, model_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from befit.analysis.load_result import LoadResult
    from befit.config.project import Project
    from befit.targets.catalogue import LocalModel

ROOT = Path(__file__).resolve().parents[1]
MODEL = "smollm2-135m"
PLACES = 4
RATES = (0.3, 0.6, 0.9, 1.3, 2.0)
SERVER = """
import sys, time, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.model_alias = sys.argv[1], {"smollm2"}
params.n_ctx, params.n_parallel, params.n_gpu_layers, params.port = 2048, int(sys.argv[2]), 0, 0
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
params.ui, params.warmup, params.cache_ram_mib, params.verbosity = False, True, 0, -1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""
PROJECT = """\
project: local-curve
candidates:
  - name: smollm2
    target: openai
    model: smollm2
    base_url: {url}/v1
    sampling: {{temperature: 0, top_p: 1, max_tokens: 24}}
    price: {{input: 0, output: 0}}
    timeouts: {{connect: 5, first_token: 120, idle: 60, total: 180}}
scenarios:
  - name: capitals
    dimension: reasoning
    template: "In one sentence: what is the capital of {{input}}?"
    samples:
      - {{id: fr, input: France, target: Paris}}
      - {{id: it, input: Italy, target: Rome}}
      - {{id: es, input: Spain, target: Madrid}}
      - {{id: jp, input: Japan, target: Tokyo}}
      - {{id: eg, input: Egypt, target: Cairo}}
      - {{id: pt, input: Portugal, target: Lisbon}}
    scorers: [{{match: {{where: whole, contains: true}}}}]
    success: Names the capital.
    failure_modes: [{{name: other, pattern: "."}}]
"""
HEADER = (
    "level", "calls", "answers/s", "tokens/s", "latency p50", "p95", "first token p50",
    "per token p50", "promise kept", "passed",
)  # fmt: skip
PROMISE = ServiceLevel(latency=8.0, share=0.9)
CAPS = Caps(requests=5_000, tokens=2_000_000)


def _model() -> LocalModel:
    found = known(MODEL)
    if found is None:
        raise SystemExit(f"the catalogue has no {MODEL}")
    return found


@contextmanager
def served() -> Iterator[str]:
    """Run the server; yield its address."""
    command = [sys.executable, "-c", SERVER, str(model_path(_model())), str(PLACES)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            yield process.stdout.readline().strip() if process.stdout else ""
        finally:
            process.kill()


def measured(project: Project) -> tuple[LoadResult, LoadResult]:
    """Measure both: calls in flight for the capacity, arrivals for what users would see."""
    closed = tuple(
        LoadShape(kind="closed", concurrency=n, duration=24, warm_up=4) for n in (1, 2, 4, 8, 16)
    )
    capacity = measure_load(project, LoadPlan(shapes=closed, promise=PROMISE, caps=CAPS))
    opened = tuple(
        LoadShape(kind="poisson", rate=rate, duration=40, warm_up=5, seed=7) for rate in RATES
    )
    plan = LoadPlan(shapes=opened, promise=PROMISE, caps=CAPS)
    return capacity, measure_load(project, plan)


def table(result: LoadResult) -> list[str]:
    """Return the levels of a result as lines of Markdown."""
    lines = [
        f"| {' | '.join(HEADER)} |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for level in result.levels:
        times = level.times
        cells = [
            level.shape.short + (" (not to be used)" if level.invalid else ""),
            f"{level.calls}",
            estimate_text(level.requests_per_second, "number"),
            estimate_text(level.tokens_per_second, "number"),
            estimate_text(times["latency"].p50, "seconds"),
            estimate_text(times["latency"].p95, "seconds"),
            estimate_text(times["first_token"].p50, "seconds"),
            estimate_text(times["per_token"].p50, "seconds"),
            estimate_text(level.attainment, "percent"),
            estimate_text(level.passed, "percent"),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, "", *(f"- {line}" for line in says(result)), ""]


def main() -> int:
    """Measure, print, write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--page", type=Path, default=None, help="Write the HTML page here, too.")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, served() as url:
        path = Path(folder) / "befit.yaml"
        path.write_text(PROJECT.format(url=url), encoding="utf-8")
        capacity, arrivals = measured(load_project(path))
    text = "\n".join(
        [
            "# The load figures on a real server",
            "",
            "Written by `tools/proof_load_local.py`.",
            "",
            f"SmolLM2-135M in llama.cpp: {PLACES} places, one thread, at most 24 tokens an answer.",
            f"Load average {os.getloadavg()[2]:.1f} on {os.cpu_count()} cores slows it down.",
            "",
            "## Calls in flight (closed loop): the capacity",
            "",
            *table(capacity),
            f"## Arrivals (open loop): promised {PROMISE.latency:g} s",
            "",
            *table(arrivals),
        ]
    )
    print(text)
    (ROOT / "docs" / "proof" / "load_local.md").write_text(text, encoding="utf-8")
    if arguments.page is not None:
        arguments.page.write_text(render_load(capacity), encoding="utf-8")
        arguments.page.with_stem(f"{arguments.page.stem}_arrivals").write_text(
            render_load(arrivals), encoding="utf-8"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
