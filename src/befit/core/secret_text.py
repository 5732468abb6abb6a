"""Texts of a candidate's options that are sent to a provider and never kept.

What a project takes from the environment for a header or an extra body field may be a key. Such a
text works as any other where it is sent; whatever is dumped, hashed or stored of the candidate has
a mask in its place, so that a changed key neither shows nor makes another candidate.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

from befit.core.record import Json

MASK = "[redacted]"


class SecretText(str):
    """A text with something from the environment in it.

    Args:
        text: what is sent.
        parts: what of it came from the environment.
    """

    __slots__ = ("parts",)
    parts: tuple[str, ...]

    def __new__(cls, text: str, parts: tuple[str, ...] = ()) -> Self:
        """Return the text, with what of it came from the environment."""
        made = super().__new__(cls, text)
        made.parts = parts
        return made

    def __repr__(self) -> str:
        return f"'{MASK}'"


def masked(value: Json) -> Json:
    """Return a JSON value with the mask in place of every secret text."""
    if isinstance(value, SecretText):
        return MASK
    if isinstance(value, dict):
        return {key: masked(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [masked(child) for child in value]
    return value


def secrets_in(value: Json) -> Iterator[str]:
    """Yield the secret texts of a JSON value, and what came from the environment in each."""
    if isinstance(value, SecretText):
        yield str(value)
        yield from value.parts
    elif isinstance(value, dict):
        for child in value.values():
            yield from secrets_in(child)
    elif isinstance(value, list | tuple):
        for child in value:
            yield from secrets_in(child)
