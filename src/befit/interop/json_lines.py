"""Files of one JSON object per line, as benchmarks and tools write them; gzip too."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from befit.errors import DataError


def objects(path: Path, *, what: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield `file:line` and the object of each line; empty lines are passed over.

    Args:
        path: the file; one that ends in `.gz` is unpacked.
        what: what a line should be, for the message.

    Raises:
        DataError: the file cannot be read, or a line is none of that.
    """
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    where = f"{path.name}:{number}"
                    yield where, _object(line, where=where, what=what)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError("cannot be read", where=str(path), why=str(error)) from error


def _object(line: bytes, *, where: str, what: str) -> dict[str, Any]:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise DataError("a line is no JSON", where=where, why=str(error)) from error
    if not isinstance(row, dict):
        raise DataError(f"a line is no {what}", where=where, why="it is no object")
    return row
