"""The tutorial does what it says, by replay: answers of known quality stand in for the two models.

One stand-in reads every document perfectly; the other does too, but fills what is absent with a
guess. So the figures the tutorial explains are known beforehand.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

import befit
from befit.core.completion import Completion, Timing
from befit.core.price import Usage
from befit.targets.recording import Identity, ReplayWriter
from page_blocks import Page
from shared_data import ROOT

REPEATS = 3
_CANDIDATE = re.compile(r"(- name: (?P<name>smollm2|gemma)\n)    target: local\n")


def _answer(target: dict[str, Any], *, absent: str) -> str:
    return "\n".join(
        f"{name}: {absent if value is None else value}" for name, value in target.items()
    )


def _record(walk: Path) -> None:
    samples = YAML(typ="safe", pure=True).load((walk / "samples" / "documents.yaml").read_text())
    for name, absent in (("gemma", "not found"), ("smollm2", "42")):
        with ReplayWriter(walk / f"{name}.jsonl") as writer:
            for sample in samples:
                for repeat in range(REPEATS):
                    said = Completion(
                        text=_answer(sample["target"], absent=absent),
                        usage=Usage(uncached_input=100, text_output=50),
                        timing=Timing(first_token=0.1, end=0.5),
                    )
                    of = Identity(scenario="documents", sample_id=sample["id"], repeat=repeat)
                    writer.write(said, of=of)


def stand_in(folder: Path) -> None:
    """Once the project is written, let recorded answers stand in for the local models."""
    project = folder / "walk" / "befit.yaml"
    if not project.is_file():
        return
    text = project.read_text(encoding="utf-8")
    changed = _CANDIDATE.sub(r"\1    target: replay\n    options: {path: \g<name>.jsonl}\n", text)
    if changed != text:
        _record(project.parent)
        project.write_text(changed, encoding="utf-8")


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tutorial")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "200")
        patch.delenv("BEFIT_WORKSPACE", raising=False)
        page = Page(name="docs/tutorial.md", folder=folder, after=stand_in)
        count = page.read((ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8"))
    assert count >= 7
    return folder / "walk"


def test_the_walkthrough_shows_what_is_known_of_the_answers(walked: Path):
    run = befit.open_run("latest", workspace=walked / ".befit")

    cells = {c.candidate: c for c in run.analysis.fields if c.field is None}
    complete = {
        row["candidate"]: row["value"]
        for row in run.estimates()
        if row["metric"] == "Document completeness"
    }
    assert cells["gemma"].accuracy.value == 1.0
    assert cells["gemma"].marked_not_found.value == 1.0
    assert cells["smollm2"].invented.value == 1.0
    assert cells["smollm2"].missed.value == 0.0
    assert complete["gemma"] == 1.0
    assert complete["smollm2"] < 1.0
    assert all(c.agreement.value == 1.0 for c in run.analysis.stability)


def test_every_metric_of_the_walkthrough_is_found_by_its_name_in_the_report(walked: Path):
    page = (walked / "report.html").read_text(encoding="utf-8").casefold()

    for words in (
        *("field accuracy", "document completeness", "value right", "format right", "miss rate"),
        *('marked "not found"', "omitted", "hallucination rate", "consisten", "pass^3"),
    ):
        assert words in page, words
