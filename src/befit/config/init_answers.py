"""What `befit init` asks, and what it knows once it was answered."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from befit.core.record import Record

TASKS: dict[str, str] = {
    "classification": "sort texts into classes",
    "extraction": "read fields out of texts",
    "structured-output": "answer in JSON of a given shape",
    "instruction-following": "keep to format and length",
    "knowledge": "answer questions of fact",
    "reasoning": "solve small problems",
    "language": "work in several languages",
    "generation": "write texts",
}
"""Task types, each a scenario in the dimension of the same name."""

TEMPLATES: dict[str, tuple[str, ...]] = {
    "extraction": ("documents",),
    "minimal": ("classification",),
    "support": ("support-routing", "support-fields", "support-reply"),
    "custom": (),
}
"""Template -> its scenarios; `custom` takes them from the answers."""

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "ja", "zh")
"""Languages with sample cases of their own."""

Template = Literal["extraction", "minimal", "support", "custom"]


class Answers(Record):
    """The answers to `questions()`; every one has a default."""

    template: Template = "custom"
    project: str = Field(default="my-project", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")
    tasks: tuple[str, ...] = ("classification", "extraction")
    """Task types, for template `custom`."""
    critical: str = ""
    """The task that must not fail; "" is none."""
    cost_of_error: float = Field(default=1.0, ge=0)
    """USD for one wrong answer."""
    volume: int = Field(default=10_000, ge=0)
    """Tasks per month."""
    latency: float | None = Field(default=None, gt=0)
    """Seconds after which an answer is of no use; None is no limit."""
    languages: tuple[str, ...] = ("en",)


class Question(Record):
    """One question, with the name of its answer (and of its flag)."""

    key: str
    text: str
    kind: Literal["choice", "many", "number", "text"]
    default: str
    choices: tuple[str, ...] = ()
    help: str = ""


def questions(template: Template = "custom") -> tuple[Question, ...]:
    """Return what to ask, in order; a template other than `custom` knows its tasks."""
    tasks = TEMPLATES[template] or tuple(TASKS)
    asked = [
        Question(key="project", text="Name of the project", kind="text", default="my-project"),
        Question(
            key="tasks",
            text="Which tasks should the models do?",
            kind="many",
            default="classification,extraction",
            choices=tuple(TASKS),
            help="; ".join(f"{name}: {what}" for name, what in TASKS.items()),
        ),
        Question(
            key="critical",
            text="Which of them is on the critical path (must not fail)?",
            kind="choice",
            default="",
            choices=("", *tasks),
            help="It gets a gate: a model that misses it is out, however good its average.",
        ),
        Question(
            key="cost_of_error",
            text="What does one wrong answer cost, in USD?",
            kind="number",
            default="1",
        ),
        Question(key="volume", text="How many tasks per month?", kind="number", default="10000"),
        Question(
            key="latency",
            text="After how many seconds is an answer too late?",
            kind="number",
            default="",
            help="Empty is no limit; a later answer counts as wrong.",
        ),
        Question(
            key="languages",
            text="In which languages do the texts come?",
            kind="many",
            default="en",
            choices=LANGUAGES,
        ),
    ]
    return tuple(q for q in asked if q.key != "tasks" or template == "custom")
