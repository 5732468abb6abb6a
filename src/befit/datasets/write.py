"""Sample files written whole or not at all: JSONL, one sample per line, defaults left out."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

import orjson

from befit.core.sample import Sample
from befit.datasets.files import FileDataset, Problems
from befit.errors import DataError


def sample_line(sample: Sample) -> bytes:
    """Return a sample as one JSON line, without its break."""
    return orjson.dumps(sample.model_dump(mode="json", exclude_defaults=True))


def write_samples(path: Path, samples: Iterable[Sample]) -> int:
    """Replace a sample file in one step and return how many samples it holds now.

    Raises:
        DataError: the file is no JSONL, or the folder cannot be written to.
    """
    if path.suffix.lower() not in {".jsonl", ".ndjson"}:
        raise DataError(
            "only JSONL files are written to",
            where=str(path),
            do="keep the samples as .jsonl, and name that file in the project",
        )
    count = 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, made = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    except OSError as error:
        raise DataError("cannot be written", where=str(path), why=error.strerror or "") from None
    try:
        with os.fdopen(handle, "wb") as file:
            for sample in samples:
                file.write(sample_line(sample) + b"\n")
                count += 1
            file.flush()
            os.fsync(file.fileno())
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        Path(made).chmod(mode)
        Path(made).replace(path)
    except BaseException:
        Path(made).unlink(missing_ok=True)
        raise
    return count


def read_samples(path: Path, *, root: Path | None = None) -> list[Sample]:
    """Return every sample of a file, the retired ones too.

    Raises:
        ProjectError: rows that are no samples, all of them.
    """
    problems = Problems(str(path))
    found: list[Sample] = []
    for row in FileDataset(path, root=root).rows():
        problems.extend(row.problems)
        if row.sample is not None:
            found.append(row.sample)
    problems.raise_if_any()
    return found
