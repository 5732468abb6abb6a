"""Every pack of probes on real readers: two small local models, and an optical reader for pictures.

    nice -n 10 python tools/proof_packs_local.py [--models NAME,NAME] [--folder FOLDER]

Needs the extra `local` with its models (`befit models fetch`), and `tesseract`
for the pictures. One process, one call at a time. Each pack is a scenario of one
project, so what is run is what `befit run` and `befit report` do. In a folder that
is named, answers and reports stay, and the same call goes on where it was. Writes
`docs/proof/packs_local.md`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from befit.charts.numbers import estimate_text
from befit.config.load import load_project
from befit.pipeline.reporting import make_document
from befit.pipeline.running import run_project
from befit.report.dose_view import picture_findings
from befit.report.html import render
from befit.storage.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from befit.report.document import Document

ROOT = Path(__file__).resolve().parents[1]
EVALS_DATA = ROOT.parent / "shared" / "data" / "openai_evals"
"""Public files that are no part of this repository."""
MODELS = ("smollm2-135m", "gemma-270m")
PACKS = {
    "long-context": (5, {"tokens": "300,1200", "depth": "0.1,0.9", "facts": 1, "absent": 1}),
    "contamination": (4, {"doses": "0 2 4 8"}),
    "spread": (4, {}),
    "recovery": (4, {}),
    "chains": (3, {"steps": 3}),
    "tools": (6, {}),
    "reasoning": (8, {"irrelevant": 1}),
    "instructions": (8, {"constraints": "1,2,3"}),
    "extraction": (6, {}),
    "conversion": (6, {"rows": 2}),
    "multilingual": (2, {}),
}
"""Items and knobs of each text pack: no prompt has 2,000 tokens; 10 long-context calls each."""
CANDIDATE = """\
  - name: {name}
    target: local
    model: {name}
    options: {{context: 2048}}
    sampling: {{temperature: 0, top_p: 1, max_tokens: 96}}
    price: {{input: 0, output: 0}}
    timeouts: {{connect: 10, first_token: 300, idle: 120, total: 400}}
"""
READER = """\
  - name: optical reader
    target: function
    model: "reader:answer"
    sampling: {temperature: 0, top_p: 1, max_tokens: 1}
    price: {input: 0, output: 0}
"""
SCENARIO = """\
  - name: {name}
    dimension: {dimension}
    repeats: 1
    success: What the pack asks is given.
    failure_modes: [{{name: other, pattern: "."}}]
    samples: {{probe: {name}, n: {n}, seed: 1, knobs: {{{knobs}}}}}
"""
READER_SOURCE = '''\
"""Answers from what Tesseract reads; it sees letters and no structure."""

import sys

sys.path.insert(0, {folder!r})
from ocr_reader import answer
'''
EVALS_SOURCE = '''\
"""Some samples of public files of openai/evals that are short enough."""

from pathlib import Path

from befit.interop.openai_evals import read_openai_evals


def _some(file):
    found = [
        one
        for one in read_openai_evals(Path({folder!r}) / file)
        if len(str(one.input)) < {most}
    ]
    return found[:: max(1, len(found) // {each})][:{each}]


def recovery():
    return _some("error_recovery__medium.jsonl")


def unsolvable():
    return _some("unsolvable_questions__samples.jsonl.gz")


def products():
    return _some("product-ie__zeroshot__product_ie_zero_shot_samples.jsonl")


def injection():
    return _some("prompt-injection__samples.jsonl")


def naughty():
    return _some("naughty_strings__samples.jsonl")
'''
EVALS = {
    "error recovery": ("recovery", "error-recovery"),
    "unsolvable questions": ("unsolvable", "honesty"),
    "product extraction": ("products", "honesty"),
    "prompt injection": ("injection", "instruction-following"),
    "naughty strings": ("naughty", "instruction-following"),
}
"""Name -> function above, and dimension."""
EACH, MOST_CHARS = 8, 4_000
EVALS_SCENARIO = """\
  - name: {name}
    dimension: {dimension}
    repeats: 1
    success: What the file says is right.
    failure_modes: [{{name: other, pattern: "."}}]
    samples: {{python: "evals:{function}"}}
"""
DIMENSIONS = {
    "long-context": "long-context",
    "contamination": "multi-turn",
    "spread": "multi-turn",
    "recovery": "error-recovery",
    "chains": "task-chain",
    "tools": "tool-calling",
    "reasoning": "reasoning",
    "instructions": "instruction-following",
    "extraction": "extraction",
    "conversion": "conversion",
    "multilingual": "language",
    "vision": "vision",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """What was done of one pack by one model."""

    trials: int
    calls: int
    missing: int
    longest: int
    """Tokens of the longest prompt."""
    seconds: float


Counts = dict[tuple[str, str], Count]


def scenario(name: str, n: int, knobs: dict[str, object]) -> str:
    """Return the scenario of one pack."""
    given = ", ".join(f'{key}: "{value}"' for key, value in knobs.items())
    return SCENARIO.format(name=name, dimension=DIMENSIONS[name], n=n, knobs=given)


def run(folder: Path, candidates: str, scenarios: str, label: str) -> Document:
    """Run one project in `folder` and return its document."""
    path = folder / "befit.yaml"
    path.write_text(
        f"project: {label}\nrun: {{concurrency: 1}}\n"
        f"candidates:\n{candidates}scenarios:\n{scenarios}",
        encoding="utf-8",
    )
    with Workspace.open(folder / ".befit") as workspace:
        ran = run_project(load_project(path), workspace)
        return make_document(workspace, ran.manifest.id)


def figures(workspace: Path, run_id: str) -> Counts:
    """Return the counts of a run, by scenario and candidate.

    A conversation's tokens are counted over all of its calls, so they are divided by them.
    """
    found: dict[tuple[str, str], list[Count]] = {}
    with Workspace.open(workspace) as store:
        for fact in store.facts(run_id):
            calls = fact.calls or 0
            one = Count(
                trials=1,
                calls=calls,
                missing=int(fact.status == "missing"),
                longest=(fact.input_tokens or 0) // max(1, calls),
                seconds=fact.latency or 0.0,
            )
            found.setdefault((fact.scenario, fact.candidate), []).append(one)
    return {
        key: Count(
            trials=len(cell),
            calls=sum(one.calls for one in cell),
            missing=sum(one.missing for one in cell),
            longest=max(one.longest for one in cell),
            seconds=sum(one.seconds for one in cell),
        )
        for key, cell in found.items()
    }


def text_lines(document: Document, counts: Counts,
               names: Sequence[str]) -> list[str]:  # fmt: skip
    """Return the table of the text packs."""
    head = ["pack", *(f"{name}: passed" for name in names), "trials", "calls", "longest prompt"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for row in document.analysis.scenario_rows:
        pack = row.scenarios[0]
        own = [counts[pack, name] for name in names]
        passed = {cell.candidate: estimate_text(cell.estimate, "percent") for cell in row.cells}
        cells = [
            pack,
            *(passed[name] for name in names),
            " + ".join(str(one.trials) for one in own),
            " + ".join(str(one.calls) for one in own),
            f"{max(one.longest for one in own)} tokens",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def picture_lines(document: Document) -> list[str]:
    """Return what the report says of the optical reader."""
    head = ("content", "reasoning-style", "retrieval-style", "gap, paired")
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for cell in document.analysis.doses.pictures:
        values = [estimate_text(one, "percent") for one in (cell.reasoning, cell.retrieval)]
        lines.append(
            f"| {' | '.join([cell.content, *values, estimate_text(cell.gap, 'points')])} |"
        )
    return [*lines, "", *(f"- {line}" for line in picture_findings(document.analysis))]


def evals_lines(folder: Path, names: Sequence[str]) -> list[str]:
    """Run the models through public files, and return the table."""
    (folder / "evals.py").write_text(
        EVALS_SOURCE.format(folder=str(EVALS_DATA), each=EACH, most=MOST_CHARS)
    )
    scenarios = "".join(
        EVALS_SCENARIO.format(name=name, function=function, dimension=dimension)
        for name, (function, dimension) in EVALS.items()
    )
    asked = "".join(CANDIDATE.format(name=name) for name in names)
    document = run(folder, asked, scenarios, "evals")
    counts = figures(folder / ".befit", document.provenance.run_id)
    return [
        "## Public files of openai/evals",
        "",
        f"{EACH} samples of each, spread over the file, with fewer than {MOST_CHARS:,} characters.",
        "",
        *text_lines(document, counts, names),
        "",
    ]


def main() -> int:
    """Run, print, write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--folder", type=Path, default=None, help="Keep answers and reports here.")
    arguments = parser.parse_args()
    names = arguments.models.split(",")
    scenarios = "".join(scenario(name, n, knobs) for name, (n, knobs) in PACKS.items())
    with tempfile.TemporaryDirectory() as place:
        folder = arguments.folder or Path(place)
        folder.mkdir(exist_ok=True)
        (folder / "reader.py").write_text(READER_SOURCE.format(folder=str(ROOT / "tests")))
        for last in range(1, len(names) + 1):
            # Models come one after the other, so that each has the machine for itself; what
            # was answered before is taken over.
            asked = "".join(CANDIDATE.format(name=name) for name in names[:last])
            document = run(folder, asked, scenarios, "packs")
        counts = figures(folder / ".befit", document.provenance.run_id)
        missing = sum(one.missing for one in counts.values())
        took = {
            name: sum(one.seconds for (_, who), one in counts.items() if who == name) / 60
            for name in names
        }
        done = (
            f"{sum(one.trials for one in counts.values())} trials,"
            f" {sum(one.calls for one in counts.values())} calls, {missing} missing; minutes of"
            f" answering: {', '.join(f'{name} {spent:.0f}' for name, spent in took.items())}"
            f" ({os.cpu_count()} cores, shared with other work)."
        )
        text = [
            "# Every pack on real readers",
            "",
            "Written by `tools/proof_packs_local.py`: one call at a time, temperature 0, seed 1.",
            "",
            done,
            "",
            *text_lines(document, counts, names),
            "",
        ]
        (folder / "packs.html").write_text(render(document), encoding="utf-8")
        if EVALS_DATA.is_dir():
            text += evals_lines(folder, names)
        if shutil.which("tesseract"):
            pictures = scenario("vision", 32, {})
            document = run(folder, READER, pictures, "pictures")
            text += [
                "## An optical reader on the pictures (Tesseract)",
                "",
                *picture_lines(document),
                "",
            ]
            (folder / "pictures.html").write_text(render(document), encoding="utf-8")
    print("\n".join(text))
    (ROOT / "docs" / "proof" / "packs_local.md").write_text("\n".join(text), encoding="utf-8")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
