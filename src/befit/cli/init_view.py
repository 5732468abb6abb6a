"""Asking the questions of `befit init`, or taking their answers from flags."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, get_args

from befit.config.init_answers import Answers, Question, Template, fault, questions
from befit.errors import UsageError
from befit.plugins import nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from befit.cli.shell import Shell

TEMPLATES = tuple(get_args(Template))


def ask(
    shell: Shell, folder: Path, *, template: str, given: Sequence[str], defaults: bool
) -> Answers:
    """Return the answers: from flags, from the person, or the defaults.

    Raises:
        UsageError: an unknown template or key, a value of a flag that does not fit,
            or nobody there to ask and no flags. A person is asked again.
    """
    chosen = _template(shell, template, defaults=defaults)
    asked = questions(chosen)
    values = _given(given, asked)
    person = shell.interactive and not defaults
    if not person and not defaults and not values and not template:
        names = ", ".join(f"--set {question.key}=..." for question in asked)
        raise UsageError(
            "nobody is here to answer the questions",
            why="stdin is no terminal and no answer was given",
            do=f"befit init --yes, or name them: --template NAME, {names}",
        )
    for question in asked:
        if question.key in values:
            words = values[question.key] or _default(question, folder)
            if why := fault(question, words):
                raise UsageError(
                    f"'--set {question.key}={values[question.key]}' does not fit",
                    why=why,
                    do="give another value",
                )
        else:
            one = _of_the_chosen(question, values)
            values[question.key] = _ask(shell, one, folder) if person else ""
    found: dict[str, object] = {"template": chosen}
    for question in asked:
        words = values[question.key] or _default(question, folder)
        found[question.key] = _parse(question, words)
    return Answers.model_validate(found)


def _of_the_chosen(question: Question, values: dict[str, str]) -> Question:
    """Return the question for the critical task with the chosen tasks as its choices."""
    if question.key != "critical" or not values.get("tasks"):
        return question
    chosen = [task.strip() for task in values["tasks"].split(",")]
    return question.model_copy(update={"choices": ("", *chosen)})


def _template(shell: Shell, template: str, *, defaults: bool) -> Template:
    if template in TEMPLATES:
        return template  # type: ignore[return-value]  # it is one of the literals
    if template:
        raise UsageError(
            f"unknown template '{template}'",
            why=f"{nearest(template, list(TEMPLATES))}known: {', '.join(TEMPLATES)}",
            do="befit init --template extraction",
        )
    if shell.interactive and not defaults:
        asked = f"Template ({', '.join(TEMPLATES)}) [custom]: "
        while (words := _read(shell, asked) or "custom") not in TEMPLATES:
            guess = nearest(words, list(TEMPLATES))
            shell.say(f"  {guess}'{words}' is no template; please answer again")
        return _template(shell, words, defaults=True)
    return "minimal" if defaults else "custom"


def _given(given: Sequence[str], asked: Sequence[Question]) -> dict[str, str]:
    keys = [question.key for question in asked]
    values: dict[str, str] = {}
    for words in given:
        key, found, value = words.partition("=")
        if not found or key not in keys:
            raise UsageError(
                f"'--set {words}' is not an answer",
                why=f"{nearest(key, keys)}known: {', '.join(keys)}",
                do="write --set key=value",
            )
        values[key] = value
    return values


def _ask(shell: Shell, question: Question, folder: Path) -> str:
    if question.help:
        shell.say(f"  {question.help}")
    choices = f" ({', '.join(c or 'none' for c in question.choices)})" if question.choices else ""
    default = _default(question, folder)
    while True:
        words = _read(shell, f"{question.text}{choices} [{default or 'none'}]: ")
        words = "" if words == "none" else words
        why = fault(question, words or default)
        if not why:
            return words
        shell.say(f"  {why}; please answer again")


def _read(shell: Shell, text: str) -> str:
    shell.err.write(text)
    shell.err.flush()
    return input().strip()


def _default(question: Question, folder: Path) -> str:
    if question.key == "project" and folder.resolve().name:
        name = "".join(c if c.isalnum() or c in "._-" else "-" for c in folder.resolve().name)
        return name.strip("-._") or question.default
    return question.default


def _parse(question: Question, words: str) -> object:
    if question.kind == "many":
        return tuple(part.strip() for part in words.split(",") if part.strip())
    if question.kind != "number":
        return words
    if question.key == "volume":
        return int(float(words))
    return float(words) if words else None


def next_steps(folder: Path) -> list[str]:
    """Return the next commands."""
    where = "" if folder == Path() else f" {folder}"
    steps = ["befit models fetch smollm2-135m && befit models fetch gemma-270m"]
    steps += [f"befit plan{where}", f"befit run{where}"]
    steps.append(f"befit report{' --project' + where if where else ''} --format html")
    return steps
