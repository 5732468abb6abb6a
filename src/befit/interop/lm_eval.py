"""Results of lm-evaluation-harness: `results_*.json`, and `samples_*.jsonl` where logged.

Every metric of every task becomes a column (`task`, or `task (metric)` where
there are several); samples give the result per item, so that models can be
compared in pairs. Two files of one model and task are repeated evaluations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from befit.core.screening import BenchmarkSettings
from befit.interop.benchmarks import Collector, Result

_ALMOST = 1e-6
_NO_METRIC = {"alias", "name", "sample_len", "sample_count", " "}


def is_lm_eval(value: object) -> bool:
    """Tell whether a JSON document is such a results file."""
    return isinstance(value, dict) and "results" in value and "configs" in value


def read_lm_eval(document: Mapping[str, Any], *, path: Path, collector: Collector) -> None:
    """Read one results file (and the samples beside it) into the collector."""
    model = _model(document)
    if not model:
        collector.troubles.add("the results do not name their model", str(path))
        return
    date = _date(document.get("date"))
    groups = set(document.get("group_subtasks") or {})
    for task, row in document["results"].items():
        if not isinstance(row, dict):
            collector.troubles.add(f"the results of '{task}' are no mapping", str(path))
            continue
        metrics = _metrics(row)
        better = (document.get("higher_is_better") or {}).get(task) or {}
        for (metric, rule), value in metrics.items():
            if better.get(metric) is False:
                collector.note(f"'{task}' {metric}: lower is better there, so it is left out")
                continue
            name = _name(task, metric, rule, metrics)
            counted = ((document.get("n-samples") or {}).get(task) or {}).get("effective")
            by_item = dict(_items(path, task=task, metric=metric, rule=rule))
            if by_item and abs(sum(by_item.values()) / len(by_item) - value) > _ALMOST:
                collector.note(
                    f"'{task}' {metric}: the logged samples do not average to the result, so they"
                    " are not used item by item"
                )
                by_item = {}
            result = Result(
                value,
                len(by_item) or (counted if isinstance(counted, int) and counted > 0 else None),
                _number(row.get(f"{metric}_stderr,{rule}")),
                by_item=by_item or None,
                date=date,
                source=f"lm-eval {document.get('lm_eval_version') or ''}".strip(),
            )
            if task in groups and any(sub in document["results"] for sub in _sub(document, task)):
                collector.info.setdefault(name, BenchmarkSettings(aggregate=True))
            collector.add(model, name, result, where=str(path), run=path.name)


def _model(document: Mapping[str, Any]) -> str:
    if name := document.get("model_name"):
        return str(name)
    arguments = (document.get("config") or {}).get("model_args") or ""
    if isinstance(arguments, dict):
        return str(arguments.get("model") or arguments.get("pretrained") or "")
    pairs = dict(part.partition("=")[::2] for part in str(arguments).split(","))
    return pairs.get("model") or pairs.get("pretrained") or ""


def _sub(document: Mapping[str, Any], task: str) -> list[str]:
    found = (document.get("group_subtasks") or {}).get(task)
    return found if isinstance(found, list) else []


def _date(seconds: object) -> str:
    if not isinstance(seconds, int | float):
        return ""
    return datetime.fromtimestamp(seconds, tz=UTC).date().isoformat()


def _number(value: object) -> float | None:
    """Return a number; the harness writes `N/A` where it has none."""
    usable = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if usable else None  # type: ignore[arg-type]  # checked one line up


def _metrics(row: Mapping[str, Any]) -> dict[tuple[str, str], float]:
    """Return the values of a task by metric and filter."""
    found = {}
    for key, value in row.items():
        metric, _, rule = key.partition(",")
        number = _number(value)
        if metric.endswith("_stderr") or key in _NO_METRIC or number is None:
            continue
        found[metric, rule] = number
    return found


def _name(task: str, metric: str, rule: str, metrics: Mapping[tuple[str, str], float]) -> str:
    if len(metrics) == 1:
        return task
    rules = {other for name, other in metrics if name == metric}
    return f"{task} ({metric})" if len(rules) == 1 else f"{task} ({metric}, {rule})"


def _items(path: Path, *, task: str, metric: str, rule: str) -> Iterator[tuple[str, float]]:
    """Yield item and score from the samples that were logged with this very file."""
    stamp = path.stem.removeprefix("results_")
    log = path.with_name(f"samples_{task}_{stamp}.jsonl")
    if not log.is_file():
        return
    with log.open("rb") as lines:
        for line in lines:
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError:
                continue  # the caller compares the mean, so a cut log is not used
            score = _number(row.get(metric))
            if row.get("filter", "none") == rule and score is not None:
                yield str(row.get("doc_hash") or row.get("doc_id")), score
