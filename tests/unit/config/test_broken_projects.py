"""Project files that are wrong: one clear message each, with file, line, key path and advice."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

import pytest

from befit.config.load import load_project
from befit.errors import ProjectError
from broken_projects import BROKEN, SAMPLES, SOUND
from broken_samples_of_projects import BROKEN_SAMPLES

if TYPE_CHECKING:
    from pathlib import Path

CASES = BROKEN | BROKEN_SAMPLES


@pytest.mark.parametrize("name", CASES)
def test_a_broken_project_gives_one_clear_message(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = CASES[name]
    assert case.old in SOUND
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.jsonl").write_text(SAMPLES)
    (tmp_path / "befit.yaml").write_text(SOUND.replace(case.old, case.new, 1))
    for file, content in case.files:
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    with pytest.raises(ProjectError) as caught:
        load_project("befit.yaml", environment={})
    problems = caught.value.problems
    text = str(caught.value)
    wheres = [problem.where for problem in problems]
    assert wheres == [case.where], text
    assert case.words in text
    assert caught.value.exit_code == case.exit_code
    assert str(tmp_path) not in text
    with contextlib.suppress(KeyError):
        del sys.modules["broken_samples"]


def test_the_sound_project_loads(tmp_path: Path) -> None:
    (tmp_path / "befit.yaml").write_text(SOUND)
    (tmp_path / "s.jsonl").write_text(SAMPLES)
    assert load_project(tmp_path, environment={}).warnings == ()


def test_all_mistakes_are_told_at_once_in_the_order_of_lines(tmp_path: Path) -> None:
    broken = SOUND
    for case in ("unknown target", "unknown dimension", "unknown scorer option", "unset variable"):
        broken = broken.replace(CASES[case].old, CASES[case].new, 1)
    (tmp_path / "befit.yaml").write_text(broken)
    (tmp_path / "s.jsonl").write_text("{\n{\n")
    with pytest.raises(ProjectError) as caught:
        load_project(tmp_path, environment={})
    lines = [int(p.where.split(":")[1].split()[0]) for p in caught.value.problems]
    assert lines == [4, 5, 9, 11]
    assert caught.value.exit_code == 2


def test_mistakes_in_sample_files_come_with_those_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "befit.yaml").write_text(SOUND.replace("openai", "openia"))
    (tmp_path / "s.jsonl").write_text("{\n")
    with pytest.raises(ProjectError) as caught:
        load_project(tmp_path, environment={})
    assert [type(p).__name__ for p in caught.value.problems] == ["ConfigError", "DataError"]
    assert caught.value.exit_code == 2


def test_a_missing_project_says_how_to_begin(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="there is no project file"):
        load_project(tmp_path)


def test_what_came_from_the_environment_is_never_shown(tmp_path: Path) -> None:
    shown = "sk-very-private"
    text = SOUND.replace("openai", "${S}").replace("extraction", "${S}")
    text = text.replace("temperature: 0", "temperature: '${S}'").replace("s.jsonl", "${S}.jsonl")
    text += "tiers: {big: {complexity: '${S}'}}\nrun: {seed: '${S}'}\n"
    (tmp_path / "befit.yaml").write_text(text)
    with pytest.raises(ProjectError) as caught:
        load_project(tmp_path, environment={"S": shown})
    assert len(caught.value.problems) == 6
    assert shown not in str(caught.value)
