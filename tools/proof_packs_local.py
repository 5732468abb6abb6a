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
import time
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
"""Items and knobs of each text pack: no prompt has 2,000 tokens; 20 long-context calls each."""
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


def scenario(name: str, n: int, knobs: dict[str, object]) -> str:
    """Return the scenario of one pack."""
    given = ", ".join(f'{key}: "{value}"' for key, value in knobs.items())
    return SCENARIO.format(name=name, dimension=DIMENSIONS[name], n=n, knobs=given)


def run(folder: Path, candidates: str, scenarios: str, label: str) -> tuple[Document, float]:
    """Run one project in `folder` and return its document and the seconds it took."""
    path = folder / "befit.yaml"
    path.write_text(
        f"project: {label}\nrun: {{concurrency: 1}}\n"
        f"candidates:\n{candidates}scenarios:\n{scenarios}",
        encoding="utf-8",
    )
    began = time.monotonic()
    with Workspace.open(folder / ".befit") as workspace:
        ran = run_project(load_project(path), workspace)
        return make_document(workspace, ran.manifest.id), time.monotonic() - began


def figures(workspace: Path) -> dict[tuple[str, str], tuple[int, int, int, int]]:
    """Return, by scenario and candidate: trials, calls, missing ones, tokens of the longest prompt.

    A conversation's tokens are counted over all of its calls, so they are divided by them.
    """
    found: dict[tuple[str, str], list[tuple[int, bool, int]]] = {}
    with Workspace.open(workspace) as store:
        newest = store.find_run()
        for fact in store.facts(newest.id):
            calls = fact.calls or 0
            tokens = (fact.input_tokens or 0) // max(1, calls)
            cell = found.setdefault((fact.scenario, fact.candidate), [])
            cell.append((calls, fact.status == "missing", tokens))
    return {
        key: (
            len(cell),
            sum(calls for calls, _, _ in cell),
            sum(missing for _, missing, _ in cell),
            max(tokens for _, _, tokens in cell),
        )
        for key, cell in found.items()
    }


def text_lines(document: Document, counts: dict[tuple[str, str], tuple[int, int, int, int]],
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
            " + ".join(str(trials) for trials, *_ in own),
            " + ".join(str(calls) for _, calls, *_ in own),
            f"{max(tokens for *_, tokens in own)} tokens",
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
        seconds = {}
        for last in range(1, len(names) + 1):
            # Models come one after the other, so that each has the machine for itself; what
            # was answered before is taken over.
            asked = "".join(CANDIDATE.format(name=name) for name in names[:last])
            document, seconds[names[last - 1]] = run(folder, asked, scenarios, "packs")
        counts = figures(folder / ".befit")
        missing = sum(gone for _, _, gone, _ in counts.values())
        text = [
            "# Every pack on real readers",
            "",
            "Written by `tools/proof_packs_local.py`: one call at a time, temperature 0, seed 1.",
            "",
            f"{sum(t for t, *_ in counts.values())} trials,"
            f" {sum(calls for _, calls, *_ in counts.values())} calls, {missing} missing. "
            + ", ".join(f"{name} took {took / 60:.1f} min" for name, took in seconds.items())
            + f" (load average {os.getloadavg()[2]:.1f} on {os.cpu_count()} cores).",
            "",
            *text_lines(document, counts, names),
            "",
        ]
        (folder / "packs.html").write_text(render(document), encoding="utf-8")
        if shutil.which("tesseract"):
            pictures = scenario("vision", 32, {})
            document, took = run(folder, READER, pictures, "pictures")
            text += [
                f"## An optical reader on the pictures (Tesseract, {took:.0f} s)",
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
