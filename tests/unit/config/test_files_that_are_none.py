"""What is named as a file and is none: it is refused, and nobody waits for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from befit.config.load import load_project
from befit.datasets.files import FileDataset
from befit.errors import ProjectError

PROJECT = """\
project: p
candidates: [{name: a, target: openai, model: m, base_url: "http://127.0.0.1:1/v1",
  prompt: {system: %s}, sampling: {temperature: 0}}]
scenarios: [{name: s, dimension: knowledge, samples: %s, scorers: [match]}]
"""


@pytest.mark.parametrize(
    ("system", "samples"), [("Brief.", "pipe.jsonl"), ("file:pipe.jsonl", "good.jsonl")]
)
def test_a_pipe_in_the_place_of_a_file_is_refused(
    tmp_path: Path, system: str, samples: str
) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "good.jsonl").write_text('{"id": "1", "input": "x", "target": "y"}\n')
    (tmp_path / "befit.yaml").write_text(PROJECT % (system, samples))
    with pytest.raises(ProjectError) as told:
        load_project(tmp_path, environment={})
    assert "pipe.jsonl' is no regular file" in str(told.value)


def test_a_pipe_is_no_sample_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(ProjectError, match="no regular file"):
        list(FileDataset(tmp_path / "pipe.jsonl").load())
