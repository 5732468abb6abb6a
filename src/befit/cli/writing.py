"""Files a command writes because it was asked to: the folder is made, a failure is one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from befit.errors import unwritable


@contextmanager
def writing(path: Path, what: str, *, do: str = "choose another --out") -> Iterator[None]:
    """Make the file's folder; what goes wrong with writing inside is told in one line.

    Raises:
        StoreFullError: there is no room.
        UsageError: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise unwritable(what, where=path, error=error, do=do) from error
