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
from befit.core.record import Json
from befit.datasets import redact_national, redact_patterns, redact_phones
from befit.datasets.redact_names import PARTICLES, NameRecogniser, find_names
from befit.datasets.redact_options import Redaction

Finder = Callable[[str], Iterable[tuple[int, int]]]
_DIGITS = re.compile(r"\d(?:[^\d\n]{0,3}\d){6,}")
_FEWER_DIGITS = re.compile(r"\d(?:[^\d\n]{0,3}\d){5,}")
"""Digits close together: without them no number of a person can be there. Britain's has six."""
_LEFT, _RIGHT = 60, 6
"""Characters around such digits in which numbers are looked for."""
_WORD = re.compile(r"[^\W\d_][\w'’]*(?:-\w+)*|[\u4e00-\u9fff]+")
_PSEUDONYM = re.compile(r"\[[A-Z][A-Z0-9_]*-[A-Z2-7]{5}\]")
_SHORT, _FIRST_HAN = 2, "\u4e00"
_CLEAN = 20_000
"""Texts remembered to hold nothing: system prompts come again with every line."""


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
        self._tools: dict[tuple[Tool, ...] | int, tuple[Tool, ...]] = {}

    def spans(self, text: str) -> list[tuple[int, int, str]]:
        """Return what is found in a text: (start, end, class), without overlaps, in order."""
        taken: list[tuple[int, int, str]] = []
        windows = [
            (max(0, match.start() - _LEFT), match.end() + _RIGHT)
            for match in self._digits.finditer(text)
        ]
        for name, finder, needs_digits in self._finders:
            if not needs_digits:
                found = list(finder(text))
            else:
                found = [
                    (start + left, end + left)
                    for left, right in windows
                    for start, end in finder(text[left:right])
                ]
            for start, end in found:
                if all(end <= first or start >= last for first, last, _ in taken):
                    taken.append((start, end, name))
        if taken and "[" in text:
            marks = [match.span() for match in _PSEUDONYM.finditer(text)]
            taken = [one for one in taken if not any(a < one[1] and one[0] < b for a, b in marks)]
        return sorted(taken)

    def text(self, text: str, *, scope: str) -> str:
        """Return one text with what is found replaced; `scope` is its conversation."""
        return _Scope(self, scope).text(text)

    def interaction(self, held: Interaction, *, scope: str = "") -> Interaction:
        """Return an interaction without personal data.

        Args:
            held: as it was read.
            scope: the conversation; its own id by default.
        """
        before = self.counts.total()
        scope = scope or held.conversation_id or held.id
        with_names = _Scope(self, scope)
        with_names.learn(_texts(held))
        made = held.model_copy(
            update={
                "id": self._identifier(held.id, scope),
                "conversation_id": None
                if held.conversation_id is None
                else self._identifier(held.conversation_id, scope),
                "messages": tuple(self._message(one, with_names) for one in held.messages),
                "output": None if held.output is None else with_names.text(held.output),
                "tool_calls": tuple(_call(one, with_names) for one in held.tool_calls),
                "tools": self._offered(held.tools),
                "tags": {key: with_names.text(value) for key, value in held.tags.items()},
                "route": None if held.route is None else with_names.text(held.route),
                "parameters": with_names.json(held.parameters),
            }
        )
        self.touched += self.counts.total() > before
        return made

    def outcome(self, held: Outcome) -> Outcome:
        """Return an outcome without personal data; who acted is a pseudonym."""
        scope = _Scope(self, held.ref)
        roles = {None, "human", "human_agent", "user", "system"}
        actor = held.actor if held.actor in roles else self.pseudonym("ACTOR", held.actor or "", "")
        comment = None if held.comment is None else scope.text(held.comment)
        label = None if held.label is None else scope.text(held.label)
        ref = self._identifier(held.ref, held.ref)
        return held.model_copy(
            update={"ref": ref, "comment": comment, "label": label, "actor": actor}
        )

    def pseudonym(self, name: str, value: str, scope: str) -> str:
        """Return the pseudonym of a value of a class in a conversation."""
        told = f"{scope}\0{name}\0{value}".encode("utf-8", "surrogatepass")
        mark = base64.b32encode(hmac.digest(self._key, told, hashlib.sha256)[:5]).decode()[:5]
        return f"[{name}-{mark}]"

    def _identifier(self, text: str, scope: str) -> str:
        """Replace an id that is itself somebody's address or number, whole."""
        for name, finder, _ in self._finders:
            if name in {"EMAIL", "IBAN", "CARD", "NATIONAL_ID"} and any(True for _ in finder(text)):
                self.counts[name] += 1
                return self.pseudonym(name, text, "").strip("[]")
        del scope
        return text

    def _message(self, held: Message, scope: _Scope) -> Message:
        if isinstance(held.content, str):
            content: object = scope.text(held.content)
        else:
            self.pictures += sum(isinstance(part, ImagePart) for part in held.content)
            content = tuple(
                TextPart(text=scope.text(part.text)) if isinstance(part, TextPart) else part
                for part in held.content
            )
        name = None if held.name is None or held.role == "tool" else scope.text(held.name)
        return held.model_copy(
            update={
                "content": content,
                "tool_calls": tuple(_call(one, scope) for one in held.tool_calls),
                "name": held.name if held.role == "tool" else name,
            }
        )

    def _offered(self, tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
        if not tools:
            return ()
        key = hash(json.dumps([tool.model_dump() for tool in tools], default=str))
        found = self._tools.get(key)
        if found is None:
            scope = _Scope(self, "tools")
            found = tuple(
                Tool(
                    name=tool.name,
                    description=scope.text(tool.description),
                    parameters=scope.json(tool.parameters),
                )
                for tool in tools
            )
            if len(self._tools) < _CLEAN:
                self._tools[key] = found
        return found

    def looked(self, text: str) -> list[tuple[int, int, str]]:
        """Return `spans`, remembering texts without any."""
        mark = hash(text)
        if mark in self._clean:
            return []
        found = self.spans(text)
        if not found:
            if len(self._clean) >= _CLEAN:
                self._clean.clear()
            self._clean.add(mark)
        return found


class _Scope:
    """One conversation's replacements: its name words are replaced wherever they stand again."""

    def __init__(self, redactor: Redactor, scope: str) -> None:
        self._redactor = redactor
        self._scope = scope
        self._again: re.Pattern[str] | None = None
        self._seen: dict[str, list[tuple[int, int, str]]] = {}

    def _looked(self, text: str) -> list[tuple[int, int, str]]:
        found = self._seen.get(text)
        if found is None:
            found = self._seen[text] = self._redactor.looked(text)
        return found

    def learn(self, texts: Iterator[str]) -> None:
        words: set[str] = set()
        for text in texts:
            for start, end, name in self._looked(text):
                if name == "NAME":
                    words.update(word for word in _WORD.findall(text[start:end]) if _tells(word))
        if words:
            ordered = sorted(map(re.escape, words), key=lambda word: (-len(word), word))
            self._again = re.compile(rf"(?<![A-Za-zÀ-ɏ-])(?:{'|'.join(ordered)})(?![A-Za-zÀ-ɏ])")

    def text(self, text: str) -> str:
        if not text:
            return text
        found = self._looked(text)
        if self._again is not None:
            more = [(*match.span(), "NAME") for match in self._again.finditer(text)]
            marks = [(a, b) for a, b, _ in found]
            marks += [match.span() for match in _PSEUDONYM.finditer(text)]
            found = sorted(
                [*found, *(one for one in more
                           if all(one[1] <= a or one[0] >= b for a, b in marks))]
            )  # fmt: skip
        if not found:
            return text
        parts, at = [], 0
        for start, end, name in found:
            parts += [text[at:start], self._replace(name, text[start:end])]
            at = end
        return "".join([*parts, text[at:]])

    def _replace(self, name: str, value: str) -> str:
        redactor = self._redactor
        if name == "NAME":
            # Word by word, so that a family name alone has the pseudonym it had in the whole.
            redactor.counts[name] += 1
            return _WORD.sub(
                lambda word: (
                    word.group()
                    if word.group().lower() in PARTICLES
                    else redactor.pseudonym(name, word.group().casefold(), self._scope)
                ),
                value,
            )
        redactor.counts[name] += 1
        plain = value.casefold() if name == "EMAIL" else re.sub(r"[\s.()/-]", "", value).casefold()
        return redactor.pseudonym(name, plain, self._scope)

    def json(self, value: Json) -> Json:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list | tuple):
            return [self.json(item) for item in value]
        if isinstance(value, dict):
            return {self.text(key): self.json(item) for key, item in value.items()}
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 10**8:
            shown = self.text(str(value))
            return value if shown == str(value) else shown
        return value


def _tells(word: str) -> bool:
    """Whether a word of a name names somebody by itself: no particle, no initial."""
    return word.lower() not in PARTICLES and (len(word) > _SHORT or word[0] >= _FIRST_HAN)


def _call(held: ToolCall, scope: _Scope) -> ToolCall:
    """Redact inside the JSON of a call, where escapes could hide a name; else as text."""
    try:
        value = json.loads(held.arguments)
    except ValueError:
        return held.model_copy(update={"arguments": scope.text(held.arguments)})
    made = scope.json(value)
    if made == value:
        return held
    return held.model_copy(update={"arguments": json.dumps(made, ensure_ascii=False)})


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
        (name.upper(), partial(_own, re.compile(pattern)), False)
        for name, pattern in options.patterns.items()
    ]
    built += [
        ("KEY", redact_patterns.keys, False),
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


def _own(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in pattern.finditer(text) if match.group())
