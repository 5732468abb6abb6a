"""The user's regular expressions: Python's syntax, and a bound on the time each may take.

Model output is hostile text, and a pattern such as `(a+)+$` takes for ever on some of it.
Python's own `re` cannot be stopped and keeps every other thread (and Ctrl-C) waiting; the
`regex` package matches the same syntax, lets others run and stops after a given time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

SECONDS = 0.5
"""Processor time of one search; an honest pattern needs milliseconds on 100,000 characters."""
_QUOTED = 80


class SlowPatternError(Exception):
    """A pattern that was stopped because it took too long; `pattern` is its text."""

    def __init__(self, pattern: str, text: str) -> None:
        cut = pattern if len(pattern) <= _QUOTED else f"{pattern[:_QUOTED]}..."
        super().__init__(
            f"the pattern '{cut}' was stopped after {SECONDS:g} s on {len(text)} characters; "
            "nested repetitions such as (a+)+ take for ever: write it without them"
        )
        self.pattern = pattern


class Pattern:
    """A compiled expression whose searches end: in a match, without one, or in an error.

    Raises:
        ValueError: it is no regular expression.
    """

    __slots__ = ("_compiled", "groups", "source")

    def __init__(self, source: str, *, ignore_case: bool = False, multiline: bool = False) -> None:
        import regex  # noqa: PLC0415 - 30 ms, only where somebody wrote a pattern

        check_pattern(source)
        flags = (regex.IGNORECASE if ignore_case else 0) | (regex.MULTILINE if multiline else 0)
        try:
            self._compiled = regex.compile(source, regex.VERSION0 | flags)
        except (regex.error, RecursionError, OverflowError) as error:
            raise ValueError(f"no regular expression: {error}") from error
        self.source = source
        self.groups: int = self._compiled.groups
        """Number of groups in it."""

    def search(self, text: str) -> Any:
        """Return the first match in `text` (as `re.Match`), or None.

        Raises:
            SlowPatternError: it took too long.
        """
        try:
            return self._compiled.search(text, timeout=SECONDS)
        except TimeoutError:
            raise SlowPatternError(self.source, text) from None

    def fullmatch(self, text: str) -> Any:
        """Return the match of all of `text`, or None; raises as `search` does."""
        try:
            return self._compiled.fullmatch(text, timeout=SECONDS)
        except TimeoutError:
            raise SlowPatternError(self.source, text) from None

    def finditer(self, text: str) -> Iterator[Any]:
        """Yield all matches; raises as `search` does, in the midst of them, too."""
        try:
            yield from self._compiled.finditer(text, timeout=SECONDS)
        except TimeoutError:
            raise SlowPatternError(self.source, text) from None


@lru_cache(maxsize=512)
def compiled(source: str, *, ignore_case: bool = False) -> Pattern | None:
    """Return the compiled expression (`(?i)` and the like go inside it), or None if it is none."""
    try:
        return Pattern(source, ignore_case=ignore_case)
    except ValueError:
        return None


def check_pattern(source: str) -> str:
    """Return `source` if it is a regular expression.

    Raises:
        ValueError: it is none; says where.
    """
    try:
        re.compile(source)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"no regular expression: {error}") from error
    return source
