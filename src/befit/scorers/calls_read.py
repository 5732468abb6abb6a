"""The calls an answer makes: the protocol's own, or written in its text.

Models without tool support write their calls as JSON or as Python calls; both
are read, never run; `calls_marked` knows by what they are set apart. An argument text that
is no JSON object stays a finding (`arguments` is None): nothing is repaired.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

from befit.core.fingerprint import canonical_json
from befit.core.record import Json
from befit.core.trial import Trial
from befit.scorers.calls_marked import TAG, last_word, marked, tagged, without_thoughts
from befit.scorers.evidence import Span
from befit.scorers.parsing import json_values, parse_json, payloads

Read = Literal["auto", "calls", "text"]
MAX_CALLS = 200
"""Calls of one trial that are looked at; more are counted as one finding."""
_MAX_CODE = 20_000
_MAX_NESTING = 60
_LINE = re.compile(r"^[ \t]*+(?:(?:[-*+]|\d{1,3}[.)])[ \t]*+)?(\S.*)$", re.MULTILINE)
"""A line without the mark of a list."""
_CALL = re.compile(r"`?\[?[\w.]+\(.*\)\]?`?[;,]?\s*")
_UNNAMED = "arguments without names"
_GIVEN = frozenset(("arguments", "parameters", "args"))
_BESIDE = frozenset(("name", "function", "id", "call_id", "type", "index"))
"""What a call without arguments may hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """One call as it was made; `arguments` is None where they are no JSON object."""

    name: str
    arguments: dict[str, Json] | None
    why: str | None = None
    """Why the arguments could not be read."""

    @property
    def identity(self) -> str:
        """Equal for calls of the same function with the same arguments."""
        try:
            return canonical_json([self.name, self.arguments])
        except (ValueError, TypeError):
            return f"{self.name}|{self.arguments!r}"


_Placed = tuple[Span, list[Made]]
"""Where calls stand in a text."""


def calls_of(trial: Trial, *, read: Read = "auto") -> tuple[list[Made], int]:
    """Return the calls of all answers of a trial in order, and how many there were in all."""
    native = [call for completion in trial.completions for call in completion.tool_calls]
    if read != "text" and (native or read == "calls"):
        return [made_of(call.name, call.arguments) for call in native[:MAX_CALLS]], len(native)
    written = [made for completion in trial.completions for made in written_calls(completion.text)]
    return written[:MAX_CALLS], len(written)


def refused_calls(trial: Trial) -> list[bool]:
    """Return for each of the protocol's own calls whether its tool answered `{"error": ...}`.

    False where the transcript holds no answer to it.
    """
    spoken = [at for at, message in enumerate(trial.transcript) if message.role == "assistant"]
    count = len(trial.completions)
    places: list[int | None] = [*spoken[-count:]] if len(spoken) >= count else [None] * count
    refused: list[bool] = []
    for completion, place in zip(trial.completions, places, strict=True):
        after = () if place is None else trial.transcript[place + 1 :]
        answers = list(takewhile(lambda message: message.role == "tool", after))
        for call in completion.tool_calls:
            own = next((one for one in answers if one.tool_call_id == call.id), None)
            if own is not None:
                answers.remove(own)  # ids may come twice
            refused.append(own is not None and _is_error(own.text))
    return refused


def _is_error(answer: str) -> bool:
    value, _ = parse_json(answer.strip())
    return isinstance(value, dict) and bool(value.get("error"))


def has_native_calls(trial: Trial) -> bool:
    """Tell whether any call was made by the protocol, and so reached its tool."""
    return any(completion.tool_calls for completion in trial.completions)


def made_of(name: str, arguments: str) -> Made:
    """Return one call whose arguments are a text, as the protocol has them, with these read."""
    if not arguments.strip():
        return Made(name=name, arguments={})
    value, error = parse_json(arguments)
    if error is None and isinstance(value, dict):
        return Made(name=name, arguments=value)
    return Made(name=name, arguments=None, why=error or "the arguments are no JSON object")


def written_calls(text: str) -> list[Made]:
    """Return the calls written in a text, in their order: marked ones, JSON, Python calls.

    All of them count, one behind the other, each in a fence or a tag of its own, or with prose
    between; where fenced blocks or tags hold calls the prose around them is not read. What
    stands inside of a call, or in a thought, is no call, and a plan written out once more below
    is made once. Where there are calls as JSON, Python calls besides are not read.
    """
    value, error = parse_json(text.strip())
    if error is None:
        return _from_json(value) or []
    said = without_thoughts(text)
    fenced = [place.span for place in payloads(said) if place.form != "bare"]
    found = (
        [(one.span, [made_of(one.name, one.arguments)]) for one in marked(said)]
        or _in_pieces(said, fenced)
        or _in_pieces(said, tagged(said))
        or _in_pieces(said, [(0, len(said))])
    )
    calls = [(span, made) for span, those in found for made in those]
    first = last_word(said, [(span, made.identity) for span, made in calls])
    return [made for _, made in calls[first:]]


def _in_pieces(text: str, pieces: Sequence[Span]) -> list[_Placed]:
    as_json: list[_Placed] = []
    as_python: list[_Placed] = []
    for first, end in pieces:
        plain = TAG.sub(lambda tag: "\n" * len(tag.group()), text[first:end])
        python = _python_calls(plain)
        as_python += [((first + span[0], first + span[1]), calls) for span, calls in python]
        for span, value in json_values(plain, most=MAX_CALLS):
            inside = any(start <= span[0] < stop for (start, stop), _ in python)
            calls = None if inside else _from_json(value)
            if calls:
                as_json.append(((first + span[0], first + span[1]), calls))
    return as_json or as_python


def _python_calls(text: str) -> list[_Placed]:
    """Return the Python calls that are all of the text, else those that fill a line of it."""
    whole = _from_python(text)
    if whole:
        return [((0, len(text)), whole)]
    found: list[_Placed] = []
    for line in _LINE.finditer(text[:_MAX_CODE]):
        calls = _from_python(line.group(1)) if _CALL.fullmatch(line.group(1)) else []
        # "Note (see below)" reads as a call, too: among prose, arguments have names.
        if calls and not any(call.why == _UNNAMED for call in calls) and len(found) < MAX_CALLS:
            found.append((line.span(1), calls))
    return found


def _from_json(value: Json) -> list[Made] | None:
    entries = value if isinstance(value, list) else [value]
    if isinstance(value, dict) and isinstance(value.get("tool_calls"), list):
        entries = value["tool_calls"]
    made: list[Made] = []
    for entry in entries:
        inner = entry.get("function", entry) if isinstance(entry, dict) else None
        if isinstance(inner, str):
            inner = {**entry, "name": inner}
        if not isinstance(inner, dict) or not isinstance(inner.get("name"), str):
            return None
        given: Json = next((inner[key] for key in _GIVEN if key in inner), {})
        if not inner.keys() & _GIVEN and inner.keys() - _BESIDE:
            return None  # some other thing that has a name
        if isinstance(given, str):
            made.append(made_of(inner["name"], given))
        elif isinstance(given, dict):
            made.append(Made(name=inner["name"], arguments=given))
        else:
            made.append(Made(name=inner["name"], arguments=None, why="no JSON object"))
    return made or None


def _from_python(code: str) -> list[Made]:
    """Read `[f(a=1), g(b="x")]`, `f(a=1)` or one call below the other; else there is no call."""
    plain = code.strip().strip("`;,")
    if len(plain) > _MAX_CODE or "(" not in plain or _nesting(plain) > _MAX_NESTING:
        return []
    try:
        lines = ast.parse(plain).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    nodes: list[ast.expr] = []
    for line in lines:
        if not isinstance(line, ast.Expr):
            return []
        value = line.value
        nodes += value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
    made: list[Made] = []
    for node in nodes:
        if not isinstance(node, ast.Call):
            return []
        name = _dotted(node.func)
        if name is None:
            return []
        try:
            given = {str(k.arg): _literal(k.value) for k in node.keywords if k.arg is not None}
        except (ValueError, TypeError, RecursionError, MemoryError):
            made.append(Made(name=name, arguments=None, why="an argument is no plain value"))
            continue
        why = _UNNAMED if node.args else None
        made.append(Made(name=name, arguments=None if node.args else given, why=why))
    return made


def _nesting(code: str) -> int:
    depth = deepest = 0
    for char in code:
        if char in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in ")]}":
            depth -= 1
    return deepest


def _dotted(node: ast.expr) -> str | None:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def _literal(node: ast.expr) -> Json:
    if isinstance(node, ast.Name) and node.id in {"true", "false", "null"}:
        return {"true": True, "false": False, "null": None}[node.id]
    return _json_like(ast.literal_eval(node))


def _json_like(value: Json) -> Json:
    if isinstance(value, tuple | list):
        return [_json_like(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _json_like(item) for key, item in value.items()}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ValueError("no JSON value")


def repeated(made: Sequence[Made]) -> set[int]:
    """Return the places of calls that were made before with the same arguments."""
    seen: set[str] = set()
    again: set[int] = set()
    for place, call in enumerate(made):
        if call.identity in seen:
            again.add(place)
        seen.add(call.identity)
    return again
