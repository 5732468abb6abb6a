"""A small project over the fake provider, and the command line called in this process."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from befit.cli.main import run
from befit.testing.exchange import Ask
from befit.testing.provider import FakeProvider
from befit.testing.script import Script

SECRET = "sk-test-9c1f4e2ab7d35560"  # noqa: S105 - a made-up key that must never be shown
HOSTILE = "\x1b[31mred\x1b[0m \u202etxt\u202c <script>alert(1)</script>\u200b\x07"

PROJECT = """\
project: desk
candidates:
  - name: good
    target: openai
    model: m-good
    base_url: ${BASE_URL}
    api_key: ${API_KEY}
    sampling: {temperature: 0, top_p: 1, max_tokens: 20}
    price: {input: 0.15, output: 0.60}
  - name: bad
    target: openai
    model: m-bad
    base_url: ${BASE_URL}
    api_key: ${API_KEY}
    prompt: {system: Be brief.}
    sampling: {temperature: 0.8, top_p: 1, max_tokens: 20}
    price: {input: 0.15, output: 0.60}
scenarios:
  - name: total
    dimension: reasoning
    samples: samples.jsonl
    template: "Total of this invoice?\\n{input}"
    success: The total as a number.
    scorers: [{match: {numeric: true}}]
    failure_modes:
      - {name: hostile, pattern: script}
      - {name: no number, label: no_answer}
    repeats: 2
    accept: {pass_rate: 0.6}
    critical: true
  - name: fields
    dimension: extraction
    samples: documents.jsonl
    success: Both fields.
    scorers: [{fields: {fields: {total: {type: number}, vat: {type: text}}}}]
    failure_modes: [{name: guess, label: invented}]
    repeats: 1
run: {concurrency: 8, retries: 1, seed: 7}
"""


def answer(ask: Ask) -> str:
    """`m-good` is right; `m-bad` is right in every third invoice, hostile otherwise."""
    found = re.search(r"Total (\d+)", ask.prompt)
    number = found.group(1) if found else "0"
    good = ask.model == "m-good"
    if "Document" in ask.prompt:
        vat = "not found" if good else "DE1"
        return json.dumps({"total": int(number), "vat": vat})
    return number if good or int(number) % 3 == 0 else HOSTILE


def write_project(folder: Path, *, text: str = PROJECT, n: int = 6) -> Path:
    """Write the project and its samples; return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "befit.yaml").write_text(text, encoding="utf-8")
    invoices = [
        {"id": f"i{i}", "input": f"Invoice {i}. Total {i + 10} EUR", "target": i + 10}
        for i in range(n)
    ]
    documents = [
        {"id": f"d{i}", "input": f"Document. Total {i}", "target": {"total": i, "vat": None}}
        for i in range(4)
    ]
    for name, rows in (("samples", invoices), ("documents", documents)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How one call of the command line ended."""

    code: int
    out: str
    err: str

    @property
    def envelope(self) -> dict[str, Any]:
        """The one JSON document on stdout."""
        found: dict[str, Any] = json.loads(self.out)
        assert set(found) == {"schema", "ok", "data", "warnings", "error"}
        assert found["schema"] == "befit/cli/1"
        return found

    @property
    def data(self) -> Any:
        return self.envelope["data"]


def befit(*words: str) -> Ended:
    """Call the command line in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run([str(word) for word in words])
    ended = Ended(code=code, out=out.getvalue(), err=err.getvalue())
    assert "Traceback" not in ended.err + ended.out
    assert SECRET not in ended.err + ended.out
    return ended


@contextmanager
def provided(folder: Path, script: Script | None = None, **given: Any) -> Iterator[FakeProvider]:
    """A provider, with the project's variables set and its folder as the working directory."""
    before, kept = Path.cwd(), dict(os.environ)
    with FakeProvider(
        script, answer=given.get("answer", answer), port=given.get("port", 0)
    ) as provider:
        os.environ.update(BASE_URL=provider.base_url, API_KEY=SECRET)
        os.chdir(folder)
        try:
            yield provider
        finally:
            os.chdir(before)
            os.environ.clear()
            os.environ.update(kept)


def environment(base_url: str, **more: str) -> Mapping[str, str]:
    """The variables for a call in a process of its own."""
    return dict(os.environ, BASE_URL=base_url, API_KEY=SECRET, **more)
