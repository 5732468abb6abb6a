"""From paths to one table of public results: which reader takes which file.

CSV and TSV; JSON and YAML (rows, befit's own form, lm-eval results, Inspect
logs, HELM tables); `.eval` logs; folders, searched for logs of all three.
Paths may be mixed; what several files say of one model is put together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from befit.core.screening import BenchmarkSettings, ScreeningSettings
from befit.errors import BefitError
from befit.interop.benchmarks import BenchmarkTable, Collector, Result, Troubles, one_line
from befit.interop.helm import is_helm_table, read_helm_run, read_helm_tables
from befit.interop.inspect_log import is_inspect, read_eval, read_inspect
from befit.interop.known_benchmarks import filled, known
from befit.interop.lm_eval import is_lm_eval, read_lm_eval
from befit.interop.plain_yaml import read_plain_yaml
from befit.interop.scales import resolve_scale
from befit.interop.table import read_csv, read_records
from befit.plugins import nearest

MOST_BYTES = 500_000_000
_LOGS = ("results*.json", "*.eval", "run_spec.json")


def read_tables(
    paths: Sequence[Path], *, settings: ScreeningSettings | None = None
) -> BenchmarkTable:
    """Read all tables and logs into one.

    Args:
        paths: files and folders.
        settings: what is known besides: scales, items, what is ignored.

    Raises:
        ProjectError: everything that is wrong with them, exit code 8.
    """
    settings = settings or ScreeningSettings()
    collector, digest = Collector(Troubles()), hashlib.sha256()
    for path in paths:
        _read_path(path, collector, digest)
    if not collector.models and not len(collector.troubles):
        why = "; ".join(collector.notes[:2])
        collector.troubles.add("no results were found", ", ".join(map(str, paths)), why=why)
    collector.troubles.raise_if_any()
    return _resolved(collector, settings, paths, digest.hexdigest()[:16])


def _read_path(path: Path, collector: Collector, digest: Any) -> None:
    if not path.is_dir():
        _read_file(path, collector, digest)
        return
    found = sorted(one for pattern in _LOGS for one in path.rglob(pattern))
    if not found:
        collector.troubles.add(
            "the folder holds no logs",
            str(path),
            why="looked for results*.json (lm-eval), *.eval (Inspect) and run_spec.json (HELM)",
        )
    for one in found:
        if one.name == "run_spec.json":
            digest.update(one.read_bytes())
            read_helm_run(one.parent, collector=collector)
        else:
            _read_file(one, collector, digest)


def _read_file(path: Path, collector: Collector, digest: Any) -> None:
    file = str(path)
    try:
        if path.stat().st_size > MOST_BYTES:
            collector.troubles.add(f"the file is larger than {MOST_BYTES // 1_000_000} MB", file)
            return
        content = path.read_bytes()
    except OSError as error:
        collector.troubles.add("the table cannot be read", file, why=error.strerror or str(error))
        return
    digest.update(content)
    if path.suffix.lower() == ".eval":
        read_eval(path, collector=collector)
        return
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        collector.troubles.add("this is no UTF-8", f"{file}:{line}", do="save it as UTF-8")
        return
    match path.suffix.lower():
        case ".csv" | ".tsv" | ".txt":
            read_csv(text.replace("\r\n", "\n"), file=file, collector=collector)
        case ".json":
            _read_json(content, path, collector)
        case ".yaml" | ".yml":
            try:
                _read_value(read_plain_yaml(text, file=file), path, collector)
            except BefitError as error:
                collector.troubles.add(error.what, error.where, why=error.why, do=error.do)
        case _:
            do = "use .csv, .tsv, .json, .yaml or .eval"
            collector.troubles.add("this kind of file is not known", file, do=do)


def _read_json(content: bytes, path: Path, collector: Collector) -> None:
    try:
        value = orjson.loads(content.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        collector.troubles.add("this is no JSON", f"{path}:{error.lineno}", why=error.msg)
        return
    _read_value(value, path, collector)


def _read_value(value: Any, path: Path, collector: Collector) -> None:
    if is_lm_eval(value):
        read_lm_eval(value, path=path, collector=collector)
    elif is_inspect(value):
        read_inspect(value, value.get("samples") or [], path=path, collector=collector)
    elif is_helm_table(value):
        read_helm_tables(value, file=str(path), collector=collector)
    elif isinstance(value, list) and value:
        read_records(value, file=str(path), collector=collector)
    elif isinstance(value, dict) and isinstance(value.get("models"), dict):
        _read_own(value, str(path), collector)
    else:
        collector.troubles.add(
            "this is no table known here",
            str(path),
            do="a list of rows, or {models: {name: {benchmark: value}}}",
        )


def _read_own(value: dict[str, Any], file: str, collector: Collector) -> None:
    """Read `{models: {name: {benchmark: value or {value, items, ...}}}, benchmarks: {...}}`."""
    for name, about in (value.get("benchmarks") or {}).items():
        try:
            collector.info[one_line(name)] = BenchmarkSettings.model_validate(about or {})
        except ValidationError as error:
            first = error.errors()[0]
            where = f"{file} benchmarks.{name}.{'.'.join(map(str, first['loc']))}"
            collector.troubles.add(first["msg"], where)
    date, source = str(value.get("date") or ""), str(value.get("source") or "")
    for model, cells in value["models"].items():
        for name, cell in (cells or {}).items() if isinstance(cells, dict) else ():
            where = f"{file} models.{model}.{name}"
            try:
                result = _own_cell(cell, date=date, source=source)
            except (TypeError, ValueError, KeyError):
                collector.troubles.add(
                    "this is no result", where,
                    do="write a number, or {value or runs or by_item, items, error, date, source}",
                )  # fmt: skip
                continue
            if result is not None:
                collector.add(one_line(model), one_line(name), result, where=where)


def _own_cell(cell: Any, *, date: str, source: str) -> Result | None:
    if cell is None:
        return None
    if not isinstance(cell, dict):
        if isinstance(cell, bool | str):
            raise TypeError(cell)
        return Result(float(cell), date=date, source=source)
    by_item = {str(k): float(v) for k, v in (cell.get("by_item") or {}).items()}
    runs = tuple(float(v) for v in cell.get("runs") or ())
    values = runs or tuple(by_item.values())
    value = float(cell["value"]) if not values else sum(values) / len(values)
    error = cell.get("error")
    return Result(
        value,
        cell.get("items") or len(by_item) or None,
        None if error is None else float(error),
        runs=runs if len(runs) > 1 else (),
        by_item=by_item or None,
        date=str(cell.get("date") or date),
        source=str(cell.get("source") or source),
    )


def _resolved(
    collector: Collector, settings: ScreeningSettings, paths: Sequence[Path], digest: str
) -> BenchmarkTable:
    """Put scales and facts to the columns, and leave out what is to be ignored."""
    troubles, notes = collector.troubles, list(collector.notes)
    columns = dict(collector.results())
    for name in settings.benchmarks:
        if name not in columns:
            guess = nearest(name, list(columns)).strip()
            troubles.add(f"no benchmark '{name}' in the table", "screening.benchmarks", do=guess)
    for name in settings.models:
        if name not in collector.models:
            guess = nearest(name, list(collector.models)).strip()
            troubles.add(f"no model '{name}' in the table", "screening.models", do=guess)
    kept = settings.models or collector.models
    results: dict[str, Mapping[str, Result]] = {}
    about: dict[str, BenchmarkSettings] = {}
    for name, column in columns.items():
        own = filled(settings.benchmarks.get(name, BenchmarkSettings()), collector.info.get(name))
        if own.ignore:
            continue
        own = filled(own, known(name))
        results[name], about[name] = resolve_scale(
            name, column, own, troubles=troubles, notes=notes
        )
        if settings.models:
            results[name] = {m: results[name][m] for m in kept if m in results[name]}
    troubles.raise_if_any()
    return BenchmarkTable(
        models=tuple(kept),
        results=results,
        settings=about,
        tables=tuple(str(path) for path in paths),
        digest=digest,
        notes=tuple(notes),
    )
