"""`befit export --out -` writes the trials to standard output, and no file named "-"."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli_ground import befit

PROJECT = """\
project: told
candidates:
  - {name: a, target: function, model: "answers_told:answer", sampling: {max_tokens: 5}}
scenarios:
  - name: s
    dimension: reasoning
    samples: [{id: a, input: x, target: x}, {id: b, input: y, target: y}]
    repeats: 1
    success: right
    scorers: [match]
"""


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "answers_told.py").write_text("def answer(prompt):\n    return prompt\n")
    (tmp_path / "befit.yaml").write_text(PROJECT)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert befit("run", "-y").code == 0


def test_a_dash_is_standard_output() -> None:
    told = befit("export", "--out", "-")
    assert told.code == 0
    assert [json.loads(line)["output"] for line in told.out.splitlines()] == ["x", "y"]
    assert not Path("-").exists()


def test_trials_and_the_envelope_do_not_share_standard_output() -> None:
    told = befit("export", "--out", "-", "--json")
    assert told.code == 2
    assert not told.envelope["ok"]
