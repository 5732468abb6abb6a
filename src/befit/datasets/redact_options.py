"""The `redaction:` section of a project: what is kept, which locales, own patterns."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field, field_validator

from befit.core.record import Record
from befit.datasets.redact_national import known_locales
from befit.plugins import nearest

PersonalClass = Literal[
    "email", "phone", "iban", "card", "ip", "key", "national_id", "name"
]  # fmt: skip
CLASSES: tuple[PersonalClass, ...] = (
    "email", "phone", "iban", "card", "ip", "key", "national_id", "name",
)  # fmt: skip
"""Classes of personal data that are looked for."""


class Redaction(Record):
    """What is taken out of logs before anything is stored."""

    keep: tuple[PersonalClass, ...] = ()
    """Classes that are left as they are."""
    locales: tuple[str, ...] = ()
    """Whose national ids and national phone numbers are looked for: de, fr, es, zh, us ..."""
    patterns: dict[str, str] = Field(default_factory=dict)
    """Own classes: name -> regular expression, for instance `ticket: "TCK-[0-9]+"`."""
    names: str | None = Field(default=None, pattern=r"^[\w.]+:[\w.]+$")
    """`module:attr` of another recogniser of names: text -> (start, end) spans."""

    @field_validator("locales")
    @classmethod
    def _known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        known = known_locales()
        for one in value:
            if one not in known:
                raise ValueError(
                    f"unknown locale '{one}'; {nearest(one, known)}known: {', '.join(known)}"
                )
        return value

    @field_validator("patterns")
    @classmethod
    def _sound(cls, value: dict[str, str]) -> dict[str, str]:
        for name, pattern in value.items():
            if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
                raise ValueError(f"'{name}' must be letters, digits and '_'")
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"'{name}' is no regular expression: {error}") from error
        return value
