"""`befit init` asks again where an answer does not fit, and writes a project without warnings."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from befit.cli.init_view import ask
from befit.cli.shell import Shell
from befit.config.init import write_project
from befit.config.init_answers import TASKS, Answers, fault, questions
from befit.config.load import load_project
from befit.errors import UsageError


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_person_is_asked_again_at_the_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = [
        "extractoin", "custom", "my desk", "desk", "clasification", "classification,reasoning",
        "maybe", "reasoning", "y", "nan", "-1", "2.5", "many", "500", "0", "3", "xx", "en,de",
    ]  # fmt: skip
    monkeypatch.setattr("sys.stdin", _Terminal("".join(f"{line}\n" for line in typed)))
    err = _Terminal()
    answers = ask(Shell(err=err), tmp_path, template="", given=(), defaults=False)
    assert answers == Answers(
        template="custom",
        project="desk",
        tasks=("classification", "reasoning"),
        critical="reasoning",
        cost_of_error=2.5,
        volume=500,
        latency=3,
        languages=("en", "de"),
    )
    assert err.getvalue().count("please answer again") == 10


@pytest.mark.parametrize(
    ("key", "words", "why"),
    [
        ("languages", "xx", "'xx' is no two-letter code of a language (en, de, ja ...)"),
        ("cost_of_error", "nan", "'nan' is no amount"),
        ("cost_of_error", "-1", "it cannot be negative"),
        ("latency", "0", "it has to be more than 0"),
        ("volume", "1.5", "it has to be a whole number"),
        ("project", "my desk", "a name is letters"),
    ],
)
def test_a_flag_that_does_not_fit_says_so_in_plain_words(key: str, words: str, why: str) -> None:
    shell = Shell(err=io.StringIO())
    with pytest.raises(UsageError) as refused:
        ask(shell, Path("x"), template="", given=[f"{key}={words}"], defaults=True)
    assert why in refused.value.why


def test_every_default_fits_its_question() -> None:
    assert [q.key for q in questions() if fault(q, q.default)] == []


@pytest.mark.parametrize("task", TASKS)
def test_a_fresh_project_with_a_critical_task_warns_of_nothing(task: str, tmp_path: Path) -> None:
    write_project(tmp_path, Answers(tasks=(task,), critical=task))
    project = load_project(tmp_path, environment={})
    assert list(project.warnings) == []
    assert project.policy.gates[0].scenario == task
    assert all(one.price not in {None, "auto"} for one in project.candidates)
    assert all(one.sampling.top_p == 1 for one in project.candidates)
