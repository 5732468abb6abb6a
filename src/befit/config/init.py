"""`befit init`: from a few answers to a commented project that loads and runs.

The scenarios lie in `templates/tasks/<name>/` as the very text that is written
(with `@@name@@` for what the answers decide), so that what is shipped can be
read and tested as it is.
"""

from __future__ import annotations

import re
from contextlib import suppress
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import orjson

from befit.config.init_answers import LANGUAGES, TASKS, TEMPLATES, Answers
from befit.config.json_schema import project_schema
from befit.errors import UsageError
from befit.plugins import nearest

SCHEMA_FILE = ".befit/project.schema.json"
"""Where the JSON Schema for editors is written, relative to the project."""

ENOUGH = 20
"""Samples from which on a floor of 0.7 can be shown: 20 of 20 right have a bound of 0.75."""
_MAX_TOKENS = {"documents": 160, "extraction": 120, "support-fields": 120, "support-reply": 160}
_MAX_TOKENS |= {"generation": 200, "instruction-following": 120, "reasoning": 200}


def write_project(folder: Path, answers: Answers) -> list[Path]:
    """Write a new project and return the files written, `befit.yaml` first.

    Raises:
        UsageError: an answer names an unknown task, or a file is already there
            (nothing is written then).
    """
    tasks = _tasks(answers)
    texts = {
        "befit.yaml": _project_file(answers, tasks),
        ".gitignore": _template("gitignore").read_text(encoding="utf-8"),
        ".env.example": _template("env.example").read_text(encoding="utf-8"),
        SCHEMA_FILE: orjson.dumps(project_schema(), option=orjson.OPT_INDENT_2).decode() + "\n",
    }
    for task in tasks:
        source = _samples(task)
        name = f"samples/{task}{Path(source.name).suffix}"
        texts[name] = _sample_text(source, task, answers)
    _refuse_existing(folder, texts)
    written: list[Path] = []
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


def refuse_taken(folder: Path) -> None:
    """Raise UsageError where a project lies in the folder already."""
    with suppress(OSError):  # writing tells what is wrong with the folder
        _refuse_existing(folder, {"befit.yaml": ""})


def _refuse_existing(folder: Path, texts: dict[str, str]) -> None:
    there = sorted(name for name in texts if name != SCHEMA_FILE and (folder / name).exists())
    if there:
        raise UsageError(
            f"'{folder / there[0]}' is already there",
            why="init writes new projects and never over a file",
            do="name an empty folder: befit init FOLDER",
        )


def _tasks(answers: Answers) -> list[str]:
    """Return the scenarios that follow from the answers."""
    tasks = list(TEMPLATES[answers.template]) or list(dict.fromkeys(answers.tasks))
    if not tasks:
        raise UsageError("no task is chosen", do=f"choose of: {', '.join(TASKS)}")
    if answers.template == "custom":
        for task in tasks:
            if task not in TASKS:
                guess = nearest(task, list(TASKS))
                raise UsageError(f"unknown task '{task}'", do=f"{guess}known: {', '.join(TASKS)}")
        foreign = [language for language in answers.languages if language != "en"]
        if foreign and "language" not in tasks:
            tasks.append("language")
    if answers.critical and answers.critical not in tasks:
        guess = nearest(answers.critical, tasks)
        raise UsageError(
            f"'{answers.critical}' is none of the tasks", do=f"{guess}known: {', '.join(tasks)}"
        )
    return tasks


def _template(name: str) -> Traversable:
    return files("befit.config") / "templates" / name


def _samples(task: str) -> Traversable:
    folder = _template("tasks") / task
    return next(entry for entry in folder.iterdir() if entry.name.startswith("samples."))


def _sample_text(source: Traversable, task: str, answers: Answers) -> str:
    text = source.read_text(encoding="utf-8")
    if task != "language":
        return text
    wanted = {language for language in answers.languages if language in LANGUAGES} or {"en"}
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if orjson.loads(line)["language"] in wanted)


def _project_file(answers: Answers, tasks: list[str]) -> str:
    scenarios = "\n".join(_scenario(task, answers) for task in tasks)
    lacking = sorted(set(answers.languages) - set(LANGUAGES))
    if lacking:
        note = f"  # No sample cases are shipped for: {', '.join(lacking)}. Please add your own.\n"
        scenarios = note + scenarios
    values = {
        "project": answers.project,
        "max_tokens": str(max(_MAX_TOKENS.get(task, 60) for task in tasks)),
        "scenarios": scenarios,
        "value": "0.02",
        "cost": f"{answers.cost_of_error:g}",
        "volume": str(answers.volume),
        "gates": _gates(answers),
    }
    return _filled(_template("befit.yaml").read_text(encoding="utf-8"), values)


def _scenario(task: str, answers: Answers) -> str:
    text = (_template("tasks") / task / "scenario.yaml").read_text(encoding="utf-8")
    latency = "" if answers.latency is None else f", latency: {answers.latency:g}"
    critical = "true" if task == answers.critical else "false"
    return _filled(text, {"latency": latency, "critical": critical})


def _gates(answers: Answers) -> str:
    if not answers.critical:
        example = "{scenario: NAME, metric: pass_rate, floor: 0.9}"
        return f"  gates: []              # for instance {example}"
    source = _samples(answers.critical)
    text = _sample_text(source, answers.critical, answers)
    n = len(re.findall(r"^(?:- id:|\{)", text, re.MULTILINE))
    return (
        f"  gates:\n    # What {n} samples can show; 0.9 takes 25 or more, so add yours.\n"
        f"    - {{scenario: {answers.critical}, metric: pass_rate, floor: {_floor(n)}}}"
    )


def _floor(n: int) -> float:
    """Return a floor that n samples, all right, show to be kept (joint bounds of two models)."""
    return 0.5 if n < ENOUGH else 0.7


def _filled(text: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f"@@{name}@@", value)
    return text
