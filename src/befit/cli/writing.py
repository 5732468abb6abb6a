"""Files a command writes because it was asked to: the folder is made, a failure is one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from befit.errors import UsageError


@contextmanager
def writing(path: Path, what: str, *, do: str = "choose another --out") -> Iterator[None]:
    """Make the file's folder; what goes wrong with writing inside is told in one line.

    Raises:
        UsageError: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise UsageError(
            f"{what} cannot be written", where=str(path), why=error.strerror or str(error), do=do
        ) from error
