"""The words of `befit load`: shapes and settings as typed, levels and results as shown."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from befit.analysis.load_result import load_data
from befit.charts.numbers import estimate_text
from befit.cli.load_given import PLACES, RATE, Given, decimal
from befit.cli.words import duration, show_table
from befit.core.written import many
from befit.engine.load_shape import WARM_UP_SHARE, Arrival, LoadShape
from befit.errors import UsageError
from befit.pipeline.loading import read_trace
from befit.pipeline.saturation import SearchSettings
from befit.report.load_charts import says
from befit.storage.whole_file import write_whole

if TYPE_CHECKING:
    from befit.analysis.load import LoadLevel
    from befit.analysis.load_result import LoadResult
    from befit.analysis.load_search import Tried
    from befit.cli.shell import Shell
    from befit.core.record import Json

FORM = "poisson:5, constant:5, ramp:1-20, closed:8, replay:trace.jsonl, search or search:closed"


def read_shapes(
    shapes: list[str], given: Given, *, folder: Path
) -> tuple[tuple[LoadShape, ...], SearchSettings | None, tuple[Arrival, ...]]:
    """Return the levels, or the search, and the trace of a replay."""
    found: list[LoadShape] = []
    trace: tuple[Arrival, ...] = ()
    for word in shapes or ["poisson:1"]:
        kind, _, value = word.partition(":")
        if kind == "search":
            return (), _search(value, given), ()
        if kind == "replay":
            trace = read_trace(folder / value)
            found.append(_replay(trace, given))
            continue
        found.append(_shape(kind, value, given, word))
    return tuple(found), None, trace


def _search(value: str, given: Given) -> SearchSettings:
    if value not in {"", "closed"}:
        raise UsageError(f"'search:{value}' is no search", do="search or search:closed")
    axis = "concurrency" if value == "closed" else "rate"
    fields: dict[str, Json] = {"axis": axis}
    for key in ("start", "most"):
        number = given.number(key)
        if number is not None and axis == "concurrency" and not PLACES.holds(Decimal(number)):
            raise UsageError(f"{key} is {PLACES.words}", where="--shape search:closed")
        fields |= {} if number is None else {key: number}
    for key in ("least_calls", "seed"):
        count = given.count(key)
        fields |= {} if count is None else {key: count}
    seconds = given.number("duration")
    if seconds is not None:
        fields["most_seconds"] = seconds
    settings = SearchSettings.model_validate(fields)
    if settings.start > settings.most:
        raise UsageError(
            "a search begins below its most",
            why=f"start is {settings.start:g}, most {settings.most:g}",
            do="--set start=VALUE, or --set most=VALUE",
        )
    return settings


def _common(given: Given) -> dict[str, Json]:
    fields: dict[str, Json] = {"duration": given.number("duration") or 60.0}
    for key in ("warm_up", "cool_down", "speed"):
        number = given.number(key)
        fields |= {} if number is None else {key: number}
    for key in ("seed", "most_in_flight", "most_waiting"):
        count = given.count(key)
        fields |= {} if count is None else {key: count}
    fields.setdefault("warm_up", fields["duration"] * WARM_UP_SHARE)
    return fields


def _counted(fields: dict[str, Json]) -> dict[str, Json]:
    """Return `fields`, of which warm-up and cool-down leave something to count."""
    warm_up, cool_down = fields["warm_up"], fields.get("cool_down", 0.0)
    if warm_up + cool_down < fields["duration"]:
        return fields
    raise UsageError(
        "warm-up and cool-down leave nothing of the level to count",
        why=f"{duration(warm_up)} and {duration(cool_down)} of {duration(fields['duration'])}",
        do="--set warm_up=SECONDS and cool_down=SECONDS shorter, or a longer --duration",
    )


def _replay(trace: tuple[Arrival, ...], given: Given) -> LoadShape:
    fields = _common(given)
    if given.number("duration") is None:
        fields["duration"] = trace[-1].at / fields.get("speed", 1.0) + 1e-6
    fields["warm_up"] = given.number("warm_up") or 0.0
    return LoadShape.model_validate({**_counted(fields), "kind": "replay"})


def _shape(kind: str, value: str, given: Given, word: str) -> LoadShape:
    if kind not in {"poisson", "constant", "ramp", "closed"}:
        raise UsageError(f"'{word}' is no shape", do=FORM)
    names, parts = ["concurrency" if kind == "closed" else "rate"], [value]
    if kind == "ramp":
        names, parts = ["rate", "rate_to"], list(value.partition("-")[::2])
    bounds = PLACES if kind == "closed" else RATE
    fields = _counted(_common(given))
    for name, part in zip(names, parts, strict=True):
        number = decimal(part)
        if number is None or not bounds.holds(number):
            what = "calls in flight: " if kind == "closed" else "calls a second: "
            raise UsageError(f"'{word}' is no shape", why=what + bounds.words, do=FORM)
        fields[name] = int(number) if kind == "closed" else float(number)
    return LoadShape.model_validate({**fields, "kind": kind})


LEAST = (6, 5, 9, 1, 8, 3, 7)
"""Columns of the table of levels that a narrow terminal goes without, the first to go first."""


def level_line(level: LoadLevel, tried: Tried | None) -> str:
    """Return one level in a line."""
    latency = level.times["latency"]
    verdict = "" if tried is None else f"  {tried.verdict.replace('_', ' ')}"
    return (
        f"  {level.shape.name}: {many(level.calls, 'call')}, "
        f"{estimate_text(level.requests_per_second, 'number')} answers/s, "
        f"p50 {duration(latency.p50.value)}, p99 {duration(latency.p99.value)}, "
        f"failed {estimate_text(level.error_rate, 'percent')}{verdict}"
    )


def show_result(shell: Shell, result: LoadResult) -> None:
    """Print the table of levels and what they say."""
    if shell.as_json:
        return
    rows = []
    for level in result.levels:
        times = level.times
        rows.append(
            [
                level.shape.short + (" !" if level.invalid else ""),
                f"{level.calls:,}",
                estimate_text(level.requests_per_second, "number"),
                *(estimate_text(getattr(times["latency"], q), "seconds") for q in ("p50", "p99")),
                estimate_text(times["first_token"].p50, "seconds"),
                estimate_text(times["per_token"].p50, "seconds"),
                estimate_text(level.attainment, "percent")
                if result.promise.promised
                else "nothing promised",
                estimate_text(level.error_rate, "percent"),
                estimate_text(level.passed, "percent"),
            ]
        )
    header = [
        "level", "calls", "answers/s", "latency p50", "p99", "first token p50", "per token p50",
        "attainment", "failed", "passed",
    ]  # fmt: skip
    show_table(shell, header, rows, numeric=tuple(range(1, len(header))), least=LEAST)
    for line in says(result):
        shell.data(line)
    if result.hosted is not None:
        hosted = result.hosted
        shell.data(
            f"self-hosted at ${hosted.hourly}/h, {hosted.level}: "
            f"{estimate_text(hosted.per_million_output, 'usd')} per million output tokens, "
            f"{estimate_text(hosted.per_request, 'usd')} per answer, "
            f"{estimate_text(hosted.per_success, 'usd')} per answer that passed"
        )
    shell.data("latency counts from the scheduled time; definitions: --html")


def write_json(path: Path, result: LoadResult) -> None:
    """Write a result as JSON."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY
    write_whole(path, orjson.dumps(load_data(result), option=options))
