"""Redaction at the door: personal data out of interactions before anything is stored.

Found values become pseudonyms such as `[EMAIL-K7QZ3]`: the same value has the
same pseudonym everywhere in a conversation and another one elsewhere, so that a
task stays solvable and people cannot be followed across conversations. They are
made with a key (HMAC), never stored beside what they stand for.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from befit.core.interaction import Interaction, Outcome
from befit.core.message import ImagePart, Message, TextPart, Tool, ToolCall
from befit.datasets import redact_keys, redact_national, redact_patterns, redact_phones
from befit.datasets.redact_names import NameRecogniser, find_names
from befit.datasets.redact_options import Redaction
from befit.datasets.redact_scope import PSEUDONYM, Scope
from befit.datasets.redact_spans import Named, Taken
from befit.datasets.redact_veil import encoded, unveiled
from befit.errors import DataError
from befit.scorers.patterns import Pattern, SlowPatternError

Finder = Callable[[str], Iterable[tuple[int, int]]]
_DIGITS = re.compile(r"\d(?:[^\d\n]{0,3}\d){6,}")
_FEWER_DIGITS = re.compile(r"\d(?:[^\d\n]{0,3}\d){5,}")
"""Digits close together: without them no number of a person can be there. Britain's has six."""
_LEFT, _RIGHT = 60, 40
"""Characters around such digits in which numbers are looked for."""
_SUSPECT = re.compile(r"@|%40|[A-Za-z]{2}\d\d|(?:\d\D?){7}|[A-Za-z0-9_-]{20}|://")
"""What an id must hold so that it can be somebody's address or number."""
_CLEAN = 20_000
"""Texts remembered to hold nothing: system prompts come again with every line."""
_NAMING = ("channel", "config_id", "provider", "requested_model", "served_model", "finish_reason")
"""Fields that are names of things, not of people: only looked at for addresses and numbers."""


class Redactor:
    """Finds and replaces personal data; counts what it replaced, never what it was.

    Args:
        options: what to keep, locales, own patterns.
        key: secret for the pseudonyms; the same key gives the same pseudonyms.
        names: another recogniser of names.
    """

    def __init__(
        self, options: Redaction, *, key: bytes, names: NameRecogniser = find_names
    ) -> None:
        self.counts: Counter[str] = Counter()
        """Class -> values replaced."""
        self.touched = 0
        """Interactions in which something was replaced."""
        self.pictures = 0
        """Pictures that were kept: nobody looked into them."""
        self._key = key
        self._finders = _finders(options, names)
        self._digits = _FEWER_DIGITS if {"gb", "uk", "en"} & set(options.locales) else _DIGITS
        self._clean: set[int] = set()
        self._tools: dict[int, tuple[Tool, ...]] = {}

    def spans(self, text: str) -> list[Named]:
        """Return what is found in a text: (start, end, class), without overlaps, in order."""
        view = unveiled(text)
        return [(*view.back(start, end), name) for start, end, name in self._spans(view.text)]

    def _spans(self, text: str) -> list[Named]:
        taken = self._direct(text)
        for start, end, said in encoded(text):
            inside = self._direct(unveiled(said).text).spans
            if inside:
                taken.take(start, end, inside[0][2])
        if not taken.spans or "[" not in text:
            return taken.spans
        marks = Taken((*match.span(), "") for match in PSEUDONYM.finditer(text))
        return [one for one in taken.spans if marks.free(one[0], one[1])]

    def _direct(self, text: str) -> Taken:
        taken = Taken()
        windows = [
            (max(0, match.start() - _LEFT), match.end() + _RIGHT)
            for match in self._digits.finditer(text)
        ]
        for name, finder, needs_digits in self._finders:
            if not needs_digits:
                for start, end in finder(text):
                    taken.take(start, end, name)
                continue
            for left, right in windows:
                for start, end in finder(text[left:right]):
                    taken.take(start + left, end + left, name)
        return taken

    def text(self, text: str, *, scope: str) -> str:
        """Return one text with what is found replaced; `scope` is its conversation."""
        return Scope(self, scope).text(text)

    def interaction(self, held: Interaction, *, scope: str = "") -> Interaction:
        """Return an interaction without personal data.

        Args:
            held: as it was read.
            scope: the conversation; its own id by default.
        """
        before = self.counts.total()
        inside = Scope(self, scope or held.conversation_id or held.id)
        inside.learn(_texts(held))
        made: dict[str, object] = {
            name: self.identifier(value)
            for name in _NAMING
            if (value := getattr(held, name)) is not None
        }
        made["id"] = self.identifier(held.id)
        if held.conversation_id is not None:
            made["conversation_id"] = self.identifier(held.conversation_id)
        made["messages"] = tuple(self._message(one, inside) for one in held.messages)
        for name in ("output", "route", "error_class"):
            value = getattr(held, name)
            if value is not None:
                made[name] = inside.text(value)
        if held.tool_calls:
            made["tool_calls"] = tuple(self._call(one, inside) for one in held.tool_calls)
        if held.tools:
            made["tools"] = self._offered(held.tools)
        if held.tags:
            made["tags"] = inside.json(held.tags)
        if held.parameters:
            made["parameters"] = inside.json(held.parameters)
        self.touched += self.counts.total() > before
        return held.model_copy(update=made)

    def outcome(self, held: Outcome) -> Outcome:
        """Return an outcome without personal data; who acted is a pseudonym."""
        scope = Scope(self, held.ref)
        roles = {None, "human", "human_agent", "user", "system"}
        actor = held.actor if held.actor in roles else self.replaced("ACTOR", held.actor or "", "")
        comment = None if held.comment is None else scope.text(held.comment)
        label = None if held.label is None else scope.text(held.label)
        ref = self.identifier(held.ref)
        return held.model_copy(
            update={"ref": ref, "comment": comment, "label": label, "actor": actor}
        )

    def replaced(self, name: str, value: str, scope: str, /) -> str:
        """Return the pseudonym of a value of a class in a conversation."""
        told = f"{scope}\0{name}\0{value}".encode("utf-8", "surrogatepass")
        mark = base64.b32encode(hmac.digest(self._key, told, hashlib.sha256)[:5]).decode()[:5]
        return f"[{name}-{mark}]"

    def count(self, name: str, /) -> None:
        """Count one value that was replaced."""
        self.counts[name] += 1

    def identifier(self, text: str) -> str:
        """Replace an id that holds an address, number or key, whole; the same everywhere."""
        if _SUSPECT.search(text) is None:
            return text
        shown = unveiled(text).text
        for name, finder, _ in self._finders:
            if name not in {"NAME", "IP"} and any(True for _ in finder(shown)):
                self.counts[name] += 1
                return self.replaced(name, text, "").strip("[]")
        return text

    def _message(self, held: Message, scope: Scope) -> Message:
        made: dict[str, object] = {}
        if isinstance(held.content, str):
            said = scope.text(held.content)
            if said is not held.content:
                made["content"] = said
        else:
            self.pictures += sum(isinstance(part, ImagePart) for part in held.content)
            made["content"] = tuple(
                TextPart(text=scope.text(part.text)) if isinstance(part, TextPart) else part
                for part in held.content
            )
        if held.tool_calls:
            made["tool_calls"] = tuple(self._call(one, scope) for one in held.tool_calls)
        if held.name is not None:
            tool = held.role == "tool"
            made["name"] = self.identifier(held.name) if tool else scope.text(held.name)
        if held.tool_call_id is not None:
            made["tool_call_id"] = self.identifier(held.tool_call_id)
        return held.model_copy(update=made) if made else held

    def _call(self, held: ToolCall, scope: Scope) -> ToolCall:
        named = {"id": self.identifier(held.id), "name": self.identifier(held.name)}
        return scope.call(held.model_copy(update=named))

    def _offered(self, tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
        key = hash(json.dumps([tool.model_dump() for tool in tools], default=str))
        found = self._tools.get(key)
        if found is None:
            scope = Scope(self, "tools")
            found = tuple(
                Tool(
                    name=self.identifier(tool.name),
                    description=scope.text(tool.description),
                    parameters=scope.json(tool.parameters),
                )
                for tool in tools
            )
            if len(self._tools) < _CLEAN:
                self._tools[key] = found
        return found

    def looked(self, text: str, /) -> list[Named]:
        """Return what is found in a text as it is read, remembering texts without any."""
        mark = hash(text)
        if mark in self._clean:
            return []
        found = self._spans(text)
        if not found:
            if len(self._clean) >= _CLEAN:
                self._clean.clear()
            self._clean.add(mark)
        return found


def _texts(held: Interaction) -> Iterator[str]:
    for message in held.messages:
        yield message.text
        yield from (call.arguments for call in message.tool_calls)
    if held.output:
        yield held.output
    yield from (call.arguments for call in held.tool_calls)


def _finders(options: Redaction, names: NameRecogniser) -> Sequence[tuple[str, Finder, bool]]:
    """Return (class, finder, needs digits), the surest first: what is taken is not taken again."""
    numbers = redact_national.numbers_of(options.locales)
    regions = redact_phones.regions_of(options.locales)
    built: list[tuple[str, Finder, bool]] = [
        (name.upper(), partial(_own, Pattern(pattern)), False)
        for name, pattern in options.patterns.items()
    ]
    built += [
        ("KEY", redact_keys.keys, False),
        ("EMAIL", redact_patterns.emails, False),
        ("IBAN", redact_patterns.ibans, False),
        ("CARD", redact_patterns.cards, True),
        ("NATIONAL_ID", partial(redact_national.find, numbers=numbers), True),
        ("IP", redact_patterns.addresses, False),
        ("PHONE", partial(redact_phones.find, regions=regions), True),
        ("NAME", names, False),
    ]
    kept = {name.upper() for name in options.keep}
    return [one for one in built if one[0] not in kept]


def _own(pattern: Pattern, text: str) -> Iterator[tuple[int, int]]:
    try:
        yield from (match.span() for match in pattern.finditer(text) if match.group())
    except SlowPatternError as error:
        # What was not looked through must not be stored: the import stops here.
        raise DataError(
            "a pattern of the section 'redaction' takes too long",
            where="redaction.patterns",
            why=str(error),
            do="mend the pattern; nothing of this line was stored",
        ) from None
