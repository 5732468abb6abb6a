"""Dataclasses that every trial makes several of: frozen for the type checker, plain when they run.

The `__init__` of a frozen dataclass looks up and sets each field through the base class, which
takes three times as long as setting it. The checker sees `frozen=True` and refuses every line that
writes to one; equality, hashes, `replace`, copies and pickles are those of the frozen class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as slim
else:
    from dataclasses import dataclass

    def slim(*, frozen: bool, **options: bool) -> Callable[[type], type]:
        """Return the decorator `dataclass` for a class that nobody writes to."""
        return dataclass(unsafe_hash=frozen, **options)


__all__ = ["slim"]
