"""The base of everything that is stored or read from a file.

A record is frozen and refuses unknown keys, so that a typo in a file is an
error and a stored thing never changes under its fingerprint.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict

Json: TypeAlias = Any
"""A JSON value: None, bool, int, float, str, list or dict with string keys."""


class Record(BaseModel):
    """A frozen pydantic model that forbids keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=False)
