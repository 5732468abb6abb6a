"""One conversation's replacements: the same value has the same pseudonym all through it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Protocol

from befit.core.message import ToolCall
from befit.core.record import Json
from befit.datasets.redact_names import PARTICLES
from befit.datasets.redact_spans import Named, Taken
from befit.datasets.redact_veil import View, unveiled

_WORD = re.compile(r"[^\W\d_][\w'’]*(?:-\w+)*|[\u4e00-\u9fff]+")
PSEUDONYM = re.compile(r"\[[A-Z][A-Z0-9_]*-[A-Z2-7]{5}\]")
_SHORT, _FIRST_HAN = 2, "\u4e00"
_NUMBER = 10**6
"""Integers from which somebody's number may be meant."""
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_TELLING = re.compile(
    r"name|nom\b|nombre|apellido|phone|tel|mobil|fax|whats|sms|handy|pass|secret|token|key|pwd|"
    r"kennwort|auth|sig|cred|session|cookie|pin|cv[cv]|otp|code|姓名|电话|手机|密码",
    re.IGNORECASE,
)
"""Keys of records by which a value is told to be personal, where its look alone does not."""


class Finding(Protocol):
    """What a scope asks of the redactor."""

    def looked(self, text: str, /) -> list[Named]:
        """Return what is found in a text as it is read."""
        ...

    def replaced(self, name: str, value: str, scope: str, /) -> str:
        """Return the pseudonym of a value."""
        ...

    def count(self, name: str, /) -> None:
        """Count one value that was replaced."""
        ...


class Scope:
    """Replaces in the texts of one conversation.

    Words of a name that was found are replaced wherever they stand again.
    """

    def __init__(self, redactor: Finding, name: str) -> None:
        self._redactor = redactor
        self._name = name
        self._again: re.Pattern[str] | None = None
        self._seen: dict[str, list[Named]] = {}

    def _looked(self, text: str) -> list[Named]:
        found = self._seen.get(text)
        if found is None:
            found = self._seen[text] = self._redactor.looked(text)
        return found

    def learn(self, texts: Iterable[str]) -> None:
        """Take note of the names in all texts of the conversation."""
        words: set[str] = set()
        for source in texts:
            text = unveiled(source).text
            for start, end, name in self._looked(text):
                if name == "NAME":
                    words.update(word for word in _WORD.findall(text[start:end]) if _tells(word))
        if words:
            ordered = sorted(map(re.escape, words), key=lambda word: (-len(word), word))
            self._again = re.compile(rf"(?<![A-Za-zÀ-ɏ-])(?:{'|'.join(ordered)})(?![A-Za-zÀ-ɏ])")

    def text(self, source: str, *, before: str = "") -> str:
        """Return a text with what is found replaced.

        `before` is read in front of it: the key of a record.
        """
        if not source:
            return source
        view = unveiled(source)
        found = self._looked(before + view.text)
        if before:
            skip = len(before)
            found = [(max(0, a - skip), b - skip, name) for a, b, name in found if b > skip]
        if self._again is not None:
            found = self._with_known(self._again, view.text, found)
        return self._assembled(source, view, found) if found else source

    def _with_known(self, again: re.Pattern[str], text: str, found: list[Named]) -> list[Named]:
        marks = ((*match.span(), "") for match in PSEUDONYM.finditer(text))
        taken = Taken([*found, *marks])
        for match in again.finditer(text):
            taken.take(*match.span(), "NAME")
        return [one for one in taken.spans if one[2]]

    def _assembled(self, source: str, view: View, found: list[Named]) -> str:
        parts, at = [], 0
        for start, end, name in found:
            left, right = view.back(start, end)
            parts += [source[at:left], self._replace(name, view.text[start:end])]
            at = right
        return "".join([*parts, source[at:]])

    def _replace(self, name: str, value: str) -> str:
        pseudonym: Callable[[str], str] = lambda text: self._redactor.replaced(  # noqa: E731 - three short uses
            name, text, self._name
        )
        self._redactor.count(name)
        if name == "NAME":
            # Word by word, so that a family name alone has the pseudonym it had in the whole.
            return _WORD.sub(
                lambda word: (
                    word.group()
                    if word.group().lower() in PARTICLES
                    else pseudonym(word.group().casefold())
                ),
                value,
            )
        if name == "EMAIL":
            return pseudonym(value.casefold().replace(" @ ", "@").replace("%40", "@"))
        return pseudonym(re.sub(r"[\s.()/-]", "", value).casefold())

    def json(self, value: Json, *, key: str = "") -> Json:
        """Return a JSON value redacted inside; keys say what their values are."""
        if isinstance(value, str):
            return self.text(value, before=_before(key))
        if isinstance(value, list | tuple):
            return [self.json(item, key=key) for item in value]
        if isinstance(value, dict):
            return {self.text(name): self.json(item, key=name) for name, item in value.items()}
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= _NUMBER:
            shown = self.text(str(value), before=_before(key))
            return value if shown == str(value) else shown
        return value

    def call(self, held: ToolCall) -> ToolCall:
        """Redact inside the JSON of a call, where escapes could hide a name; else as text."""
        try:
            value = json.loads(held.arguments)
        except (ValueError, RecursionError):
            return held.model_copy(update={"arguments": self.text(held.arguments)})
        made = self.json(value)
        if made == value:
            return held
        return held.model_copy(update={"arguments": json.dumps(made, ensure_ascii=False)})


def _before(key: str) -> str:
    if not key or _TELLING.search(key) is None:
        return ""
    return f'"{_CAMEL.sub("_", key)}": "'


def _tells(word: str) -> bool:
    """Whether a word of a name names somebody by itself: no particle, no initial."""
    return word.lower() not in PARTICLES and (len(word) > _SHORT or word[0] >= _FIRST_HAN)
