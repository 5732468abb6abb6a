"""Perturbed versions of a file of samples, written as JSON lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from befit.datasets.files import FileDataset
from befit.errors import UsageError
from befit.probes.perturb import Kind, perturb
from befit.storage.whole_file import write_whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Perturbed:
    """What was made and what was not."""

    path: Path
    n_items: int
    made: dict[str, int]
    """Kind -> versions written."""
    skipped: dict[str, dict[str, int]]
    """Kind -> reason -> items."""


def perturb_file(
    path: Path, out: Path, *, kinds: Sequence[Kind], seed: int, originals: bool
) -> Perturbed:
    """Write the versions of all samples of a file.

    Args:
        path: the samples, in any form that projects read.
        out: a `.jsonl` file.
        kinds: which versions.
        seed: the same seed gives the same versions.
        originals: write the originals too, so that one scenario holds both.

    Raises:
        ProjectError: the samples cannot be read.
        UsageError: the file cannot be written.
    """
    samples = list(FileDataset(path).load())
    made: Counter[str] = Counter()
    skipped: dict[str, Counter[str]] = {}
    rows = [sample.model_dump(mode="json", exclude_defaults=True) for sample in samples]
    rows = rows if originals else []
    for one in perturb(samples, kinds=kinds, seed=seed):
        if one.sample is None:
            skipped.setdefault(one.kind, Counter())[one.why] += 1
            continue
        made[one.kind] += 1
        rows.append(one.sample.model_dump(mode="json", exclude_defaults=True))
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        write_whole(out, b"".join(orjson.dumps(row) + b"\n" for row in rows))
    except OSError as error:
        raise UsageError(
            "the versions cannot be written", where=str(out), why=error.strerror or str(error)
        ) from error
    return Perturbed(
        path=out,
        n_items=len(samples),
        made={kind: made[kind] for kind in kinds},
        skipped={kind: dict(reasons.most_common()) for kind, reasons in skipped.items()},
    )
