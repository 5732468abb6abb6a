"""What is asked of the fake provider and what it answers, whatever the wire format.

`openai_wire` and `anthropic_wire` translate to and from these two classes.
Markers inside a prompt script the answer: `[[say:text]]` answers that text,
`[[tool:name {"a": 1}]]` calls that tool. Tokens are words with the space before.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import orjson

from befit.core.record import Json

MARKER = re.compile(r"\[\[(fault|say|tool):(.*?)\]\]", re.DOTALL)
_TOKEN = re.compile(r"\s*\S+|\s+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call of an answer; `arguments` is JSON text."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One request in neutral words. `prompt` is the last user message, `count` its 0-based turn.

    `count` says how often this same prompt came before, so that an answer
    function can vary by repeat and stay deterministic.
    """

    prompt: str
    model: str
    body: dict[str, Json]
    texts: tuple[str, ...] = ()
    """The text of every message, the system prompt included."""
    stream: bool = False
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    tools: tuple[dict[str, Json], ...] = ()
    """Each with `name` and `parameters`."""
    must_call: str | None = None
    """A tool that has to be called ("*" for any)."""
    after_tool: bool = False
    """True when the last message is a tool's result."""
    schema: dict[str, Json] | None = None
    seed: int | None = None
    user: str | None = None
    count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer in neutral words."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    finish: str = "stop"
    """`stop`, `length`, `tool_calls` or `content_filter` (OpenAI's words)."""
    reasoning: str = ""
    tokens: tuple[str, ...] = field(default=())
    """`text` in pieces as they are streamed; filled by `finished`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """A streamed answer: events before the tokens, one for each token, and the closing ones."""

    head: list[bytes]
    tokens: list[bytes]
    finish: list[bytes]
    usage: list[bytes]
    done: list[bytes]


AnswerFunction: TypeAlias = Callable[[Ask], "Answer | str"]


def tokens(text: str) -> tuple[str, ...]:
    """Return `text` cut into words with their leading space; joined they give `text` again."""
    return tuple(_TOKEN.findall(text))


def count_tokens(ask: Ask) -> int:
    """Return the input tokens of `ask`: its words, and four for each message."""
    return sum(len(text.split()) + 4 for text in ask.texts)


def plain(prompt: str) -> str:
    """Return `prompt` without its markers."""
    return MARKER.sub("", prompt).strip()


def instance_of(schema: Json) -> Json:
    """Return a small value that satisfies the common parts of a JSON Schema."""
    if not isinstance(schema, dict):
        return None
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object" or "properties" in schema:
        wanted = schema.get("required", list(schema.get("properties", {})))
        return {name: instance_of(schema["properties"][name]) for name in wanted}
    if kind == "array":
        return [instance_of(schema.get("items", {}))] * int(schema.get("minItems", 0))
    samples: dict[str, Json] = {
        "string": "x" * int(schema.get("minLength", 1)),
        "integer": schema.get("minimum", 1),
        "number": schema.get("minimum", 1.5),
        "boolean": True,
    }
    return samples.get(str(kind))


def scripted(ask: Ask, *, answers: dict[str, str], otherwise: str | None) -> Answer:
    """Answer by the markers in the prompt, else by the table, else `otherwise`, else by echo."""
    marks = MARKER.findall(ask.prompt)
    calls = [_call(value) for kind, value in marks if kind == "tool"]
    if ask.tools and not ask.after_tool:
        if ask.must_call and not calls:
            named = [tool for tool in ask.tools if ask.must_call in {"*", tool["name"]}]
            calls = [_minimal_call(tool) for tool in named[:1]]
        if calls:
            return Answer(calls=tuple(calls), finish="tool_calls")
    for kind, value in marks:
        if kind == "say":
            return Answer(text=value)
    shown = plain(ask.prompt)
    if shown in answers:
        return Answer(text=answers[shown])
    inside = [key for key in answers if key and key in shown]
    if inside:
        return Answer(text=answers[max(inside, key=len)])
    if ask.schema is not None:
        return Answer(text=orjson.dumps(instance_of(ask.schema)).decode())
    return Answer(text=shown if otherwise is None else otherwise)


def finished(answer: Answer | str, ask: Ask) -> Answer:
    """Return `answer` with stop strings and the token limit applied, and cut into tokens."""
    whole = Answer(text=answer) if isinstance(answer, str) else answer
    text = whole.text
    for stop in ask.stop:
        text = text.partition(stop)[0]
    pieces, finish = tokens(text), whole.finish
    if ask.max_tokens is not None and len(pieces) > ask.max_tokens:
        pieces, finish = pieces[: ask.max_tokens], "length"
    if whole.calls and finish == "stop":
        finish = "tool_calls"
    return replace(whole, text="".join(pieces), tokens=pieces, finish=finish)


def _call(marker: str) -> Call:
    name, _, arguments = marker.strip().partition(" ")
    return Call(name=name, arguments=arguments or "{}")


def _minimal_call(tool: dict[str, Json]) -> Call:
    arguments = instance_of(tool.get("parameters") or {"type": "object"})
    return Call(name=str(tool["name"]), arguments=orjson.dumps(arguments or {}).decode())
