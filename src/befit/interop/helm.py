"""HELM-style JSON: the tables of a group (`header` and `rows`), and the folders of runs.

A run folder holds `run_spec.json`, `stats.json` and, item by item,
`per_instance_stats.json`. Statistics of perturbed inputs and of other splits
than the test split are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from befit.interop.benchmarks import Collector, Result, one_line
from befit.interop.table import read_rows

METRICS = (
    "exact_match", "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match",
    "final_number_exact_match", "math_equiv", "math_equiv_chain_of_thought", "f1_score",
    "ifeval_strict_accuracy", "rouge_l", "bleu_4", "chain_of_thought_correctness",
    "wildbench_score_rescaled", "omni_math_accuracy",
)  # fmt: skip
"""The main metric of a run is the first of these that it has."""


def is_helm_table(value: object) -> bool:
    """Tell whether a JSON document is one table, or a list of tables, of a group."""
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and "header" in first and "rows" in first


def read_helm_tables(value: object, *, file: str, collector: Collector) -> None:
    """Read the tables of a group into the collector; the first is the overview."""
    tables: Sequence[Any] = value if isinstance(value, list) else [value]
    first = tables[0]
    names = [one_line(_cell(cell).split(" - ")[-1]) for cell in first["header"]]
    rows = [(i + 1, [_cell(cell) for cell in row]) for i, row in enumerate(first["rows"])]
    read_rows(names, rows, file=file, collector=collector)
    if len(tables) > 1:
        collector.note(f"{file}: the first of {len(tables)} tables is read")


def _cell(cell: object) -> str:
    if isinstance(cell, dict):
        cell = cell.get("value")
    return "" if cell is None else str(cell)


def read_helm_run(folder: Path, *, collector: Collector) -> None:
    """Read one run folder into the collector."""
    try:
        spec = orjson.loads((folder / "run_spec.json").read_bytes())
        stats = orjson.loads((folder / "stats.json").read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        collector.troubles.add("this is no HELM run", str(folder), why=str(error))
        return
    model = str((spec.get("adapter_spec") or {}).get("model") or "")
    name = str(spec.get("name") or folder.name)
    parts = [p for p in name.replace(":", ",", 1).split(",") if not p.startswith("model=")]
    benchmark = parts[0] + (f" ({', '.join(parts[1:])})" if len(parts) > 1 else "")
    means = dict(_means(stats))
    metric = next((one for one in METRICS if one in means), None)
    if not model or metric is None:
        collector.troubles.add(
            "the run names no model or has none of the metrics known here",
            str(folder),
            why=f"it has {', '.join(sorted(means)[:8]) or 'none'}",
        )
        return
    by_item = dict(_items(folder / "per_instance_stats.json", metric))
    value = sum(by_item.values()) / len(by_item) if by_item else means[metric]
    collector.add(
        model,
        benchmark,
        Result(value, len(by_item) or None, by_item=by_item or None, source="HELM"),
        where=str(folder),
        run=str(folder),
    )


def _means(stats: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, float]]:
    for stat in stats:
        if _plain(stat) and isinstance(stat.get("mean"), int | float):
            yield str(stat["name"]["name"]), float(stat["mean"])


def _plain(stat: Mapping[str, Any]) -> bool:
    name = stat.get("name")
    return (
        isinstance(name, dict)
        and name.get("split") in {None, "test"}
        and not name.get("perturbation")
    )


def _items(path: Path, metric: str) -> Iterator[tuple[str, float]]:
    if not path.is_file():
        return
    for row in orjson.loads(path.read_bytes()):
        if row.get("perturbation"):
            continue
        for name, mean in _means(row.get("stats") or []):
            if name == metric:
                yield str(row.get("instance_id")), mean
