"""What `befit init` asks, and what it knows once it was answered."""

from __future__ import annotations

import re
from math import isfinite
from typing import Literal

from pydantic import Field

from befit.core.record import Record
from befit.plugins import nearest

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

_CODES = """
aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de
dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia
id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo
lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl
ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk
tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
"""
CODES = frozenset(_CODES.split())
"""Two-letter codes of languages (ISO 639-1)."""

Template = Literal["extraction", "minimal", "support", "custom"]


_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"


class Answers(Record):
    """The answers to `questions()`; every one has a default."""

    template: Template = "custom"
    project: str = Field(default="my-project", pattern=_NAME)
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


def fault(question: Question, words: str) -> str:
    """Return what is wrong with an answer, in words for the person; "" if it fits."""
    if question.kind == "number":
        return _number_fault(question.key, words)
    if question.key == "project":
        good = re.match(_NAME, words)
        return "" if good else "a name is letters, digits, '.', '_' or '-', at most 100 of them"
    given = [part.strip() for part in words.split(",")] if question.kind == "many" else [words]
    known = [*CODES] if question.key == "languages" else list(question.choices)
    for one in given:
        if one not in known and (one or question.kind != "many"):
            if question.key == "languages":
                return f"'{one}' is no two-letter code of a language (en, de, ja ...)"
            listed = ", ".join(choice or "none" for choice in question.choices)
            return f"{nearest(one, known)}'{one}' is none of: {listed}"
    return "" if any(given) or question.kind != "many" else "name at least one"


def _number_fault(key: str, words: str) -> str:
    if not words and key == "latency":
        return ""
    try:
        value = float(words)
    except ValueError:
        return f"'{words}' is no number"
    if not isfinite(value):
        return f"'{words}' is no amount"
    if value < 0 or (key == "latency" and value == 0):
        return "it has to be more than 0" if key == "latency" else "it cannot be negative"
    if key == "volume" and value != int(value):
        return "it has to be a whole number"
    return ""
