"""What calls are wanted: the grammar of a `tool_calls` target, read into plain objects.

    target:
      calls:
        - name: get_weather
          arguments:
            city: {accepted: [Paris, "Paris, France"]}
            unit: {accepted: [C], optional: true}
            note: {any: true, optional: true}
      order: listed          # else in any order
      allowed: [search]      # calls that may be made besides, as often as one likes
      state: {orders: {o1: {status: cancelled}}}   # the world at the end, this much of it
      says: ["120"]          # texts that an answer must hold, in whatever turn

A bare list is the list of calls, `[]` means that none is due. `ask: [city]` means that
nothing is to be called and the user is to be asked for the parameter that is missing;
`ask: [{name: city, words: [Stadt, Ort]}]` gives words by which it may be asked for, and
`ask: true` takes any request.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from befit.core.record import Json

_MARKS = frozenset({"accepted", "optional", "any"})
_KEYS = frozenset({"calls", "order", "allowed", "ask", "state", "says"})


class TargetError(ValueError):
    """A target that cannot be read; the text says what is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """The values that are right; each a plain value or, for objects, `Keys`."""

    values: tuple[Json | Keys, ...]
    optional: bool = False
    any: bool = False
    """Whatever value is right: free words of the model's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """An object: what is right under each key, and no other key."""

    keys: dict[str, Accepted]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One call that is due."""

    name: str
    arguments: dict[str, Accepted]


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A parameter that the user has to be asked for, and further words for it."""

    name: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """Everything a target asks of the calls of a trial."""

    calls: tuple[Wanted, ...] = ()
    order: Literal["any", "listed"] = "any"
    allowed: frozenset[str] = field(default_factory=frozenset)
    ask: bool = False
    missing: tuple[Missing, ...] = ()
    """What has to be asked for; empty: anything."""
    state: dict[str, Json] | None = None
    says: tuple[str, ...] = ()


def read_target(target: Json) -> Expected:
    """Return what `target` asks.

    Raises:
        TargetError: it has none of the known forms.
    """
    if isinstance(target, list | tuple):
        return Expected(calls=tuple(_call(entry) for entry in target))
    if not isinstance(target, Mapping):
        raise TargetError("a target is a list of calls, or a mapping with 'calls'")
    unknown = [str(key) for key in target if key not in _KEYS]
    if unknown:
        raise TargetError(f"unknown key '{unknown[0]}'; known: {', '.join(sorted(_KEYS))}")
    order = target.get("order", "any")
    if order not in {"any", "listed"}:
        raise TargetError("'order' is 'any' or 'listed'")
    calls = target.get("calls") or []
    state = target.get("state")
    if not isinstance(calls, list | tuple) or not (state is None or isinstance(state, Mapping)):
        raise TargetError("'calls' is a list and 'state' a mapping")
    ask = bool(target.get("ask"))
    if ask and calls:
        raise TargetError("'ask' means that nothing is to be called; remove 'calls'")
    says = target.get("says") or ()
    return Expected(
        calls=tuple(_call(entry) for entry in calls),
        order=order,
        allowed=frozenset(str(name) for name in target.get("allowed") or ()),
        ask=ask,
        missing=_missing(target.get("ask")),
        state=None if state is None else dict(state),
        says=(says,) if isinstance(says, str) else tuple(str(text) for text in says),
    )


def _missing(ask: Json) -> tuple[Missing, ...]:
    found: list[Missing] = []
    entries = ask if isinstance(ask, list | tuple) else [ask]
    for entry in () if isinstance(ask, bool) or ask is None else entries:
        given = entry if isinstance(entry, Mapping) else {"name": entry}
        name, words = given.get("name"), given.get("words") or ()
        if not isinstance(name, str) or not isinstance(words, list | tuple):
            raise TargetError("'ask' is true, or a list of parameters or of {name, words}")
        found.append(Missing(name=name, words=tuple(str(word) for word in words)))
    return tuple(found)


def _call(entry: Json) -> Wanted:
    if not isinstance(entry, Mapping):
        raise TargetError("a call is a mapping with 'name' and 'arguments'")
    if "name" not in entry and len(entry) == 1:
        name, arguments = next(iter(entry.items()))
    else:
        name, arguments = entry.get("name"), entry.get("arguments", {})
    if not isinstance(name, str) or not isinstance(arguments, Mapping):
        raise TargetError("a call is a mapping with 'name' and 'arguments'")
    return Wanted(name=name, arguments={str(k): accepted(v) for k, v in arguments.items()})


def accepted(node: Json) -> Accepted:
    """Return a node of a target as what it accepts; a plain value accepts itself."""
    if isinstance(node, Mapping) and "accepted" in node and set(node) <= _MARKS:
        values = node["accepted"]
        if not isinstance(values, list | tuple):
            raise TargetError("'accepted' is a list of values")
        return Accepted(
            values=tuple(_value(value) for value in values), optional=bool(node.get("optional"))
        )
    if isinstance(node, Mapping) and node.get("any") is True and set(node) <= _MARKS:
        return Accepted(values=(), optional=bool(node.get("optional")), any=True)
    return Accepted(values=(_value(node),))


def _value(value: Json) -> Json | Keys:
    if isinstance(value, Mapping):
        return Keys(keys={str(key): accepted(item) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return [_value(item) for item in value]
    return value
