"""Inspect's logs, `.eval` and `.json`: one model on one task, all epochs, item by item.

Epochs are repeated evaluations of the same items, so they give the variance
between runs. A log that did not end well is named and left out.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson

from befit.errors import DataError
from befit.interop.benchmarks import Collector, Result
from befit.interop.zip_zstd import read_member

_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_FIRST = ("accuracy", "mean")


def is_inspect(value: object) -> bool:
    """Tell whether a JSON document is such a log."""
    return isinstance(value, dict) and "eval" in value and "status" in value


def read_eval(path: Path, *, collector: Collector) -> None:
    """Read a `.eval` file into the collector."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = {member.filename: member for member in archive.infolist()}

            def load(name: str) -> Any:
                return orjson.loads(read_member(archive, members[name], path=path))

            if "header.json" not in members:
                collector.note(f"{path}: the log has no end, so it is left out")
                return
            header = load("header.json")
            samples: Iterable[Any]
            if "summaries.json" in members:
                samples = load("summaries.json")
            else:
                samples = [load(name) for name in members if name.startswith("samples/")]
    except (zipfile.BadZipFile, orjson.JSONDecodeError, OSError) as error:
        collector.troubles.add("this is no Inspect log", str(path), why=str(error))
        return
    except DataError as error:
        collector.troubles.add(error.what, error.where, why=error.why, do=error.do)
        return
    read_inspect(header, samples, path=path, collector=collector)


def read_inspect(
    header: Mapping[str, Any],
    samples: Iterable[Mapping[str, Any]],
    *,
    path: Path,
    collector: Collector,
) -> None:
    """Read one log into the collector."""
    about = header.get("eval") or {}
    model, task = str(about.get("model") or ""), str(about.get("task") or "")
    if header.get("status") != "success" or header.get("invalidated"):
        why = "it is invalidated" if header.get("invalidated") else "it did not succeed"
        collector.note(f"{path}: {task} of {model}: {why}, so it is left out")
        return
    scores = (header.get("results") or {}).get("scores") or []
    if not model or not task or not scores:
        collector.troubles.add("the log names no model, task or score", str(path))
        return
    kept = list(samples)
    for score in scores:
        epochs = _epochs(kept, score, n_scores=len(scores))
        name = task if len(scores) == 1 else f"{task} ({score.get('name')})"
        base = _stated(score, about)
        if base is None:
            collector.note(f"{path}: '{name}' has no mean, so it is left out")
            continue
        if len(epochs) <= 1:
            items = next(iter(epochs.values()), {})
            result = base._replace(by_item=items or None)
            collector.add(model, name, result, where=str(path), run=path.name)
            continue
        for epoch, items in epochs.items():
            mean = sum(items.values()) / len(items)
            result = base._replace(value=mean, items=len(items), by_item=items)
            run = f"{path.name} epoch {epoch}"
            collector.add(model, name, result, where=str(path), run=run)


def _stated(score: Mapping[str, Any], about: Mapping[str, Any]) -> Result | None:
    """Return the result as the log states it."""
    metrics = {key: one.get("value") for key, one in (score.get("metrics") or {}).items()}
    value = next((metrics[key] for key in _FIRST if metrics.get(key) is not None), None)
    if value is None:
        return None
    error = metrics.get("stderr")
    items = score.get("scored_samples") or (about.get("dataset") or {}).get("samples")
    version = (about.get("packages") or {}).get("inspect_ai") or ""
    return Result(
        float(value),
        items if isinstance(items, int) and items > 0 else None,
        None if error is None else float(error),
        date=str(about.get("created") or "")[:10],
        source=f"Inspect {version}".strip(),
    )


def _epochs(
    samples: Iterable[Mapping[str, Any]], score: Mapping[str, Any], *, n_scores: int
) -> dict[int, dict[str, float]]:
    """Return epoch -> item -> score; unscored samples are left out, not counted as wrong."""
    found: dict[int, dict[str, float]] = {}
    name, scorer = str(score.get("name")), str(score.get("scorer"))
    for sample in samples:
        scores = sample.get("scores") or {}
        own = scores.get(scorer) or scores.get(name)
        if own is None and n_scores == 1 and len(scores) == 1:
            own = next(iter(scores.values()))
        if not isinstance(own, dict):
            continue
        value = _value(own.get("value"), name)
        if value is not None:
            epoch = int(sample.get("epoch") or 1)
            found.setdefault(epoch, {})[str(sample.get("id"))] = value
    return dict(sorted(found.items()))


def _value(value: object, name: str) -> float | None:
    if isinstance(value, dict):
        value = value.get(name)
    if isinstance(value, bool | int | float):
        return None if value != value else float(value)  # noqa: PLR0124 - NaN is not itself
    return _GRADES.get(value) if isinstance(value, str) else None
