"""The words of `befit load`: shapes and settings as typed, levels and results as shown."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
from pydantic import ValidationError

from befit.analysis.load_result import load_data
from befit.charts.numbers import estimate_text
from befit.cli.words import duration, show_table
from befit.engine.load_shape import WARM_UP_SHARE, Arrival, LoadShape
from befit.errors import UsageError
from befit.pipeline.loading import read_trace
from befit.pipeline.saturation import SearchSettings
from befit.plugins import nearest
from befit.report.load_charts import says
from befit.storage.whole_file import write_whole

if TYPE_CHECKING:
    from befit.analysis.load import LoadLevel
    from befit.analysis.load_result import LoadResult
    from befit.analysis.load_search import Tried
    from befit.cli.shell import Shell
    from befit.core.record import Json

KEYS = (
    "duration", "warm_up", "cool_down", "seed", "speed", "most_in_flight", "most_waiting",
    "latency", "first_token", "per_token", "share", "requests", "tokens", "usd", "hourly", "start",
    "most", "least_calls",
)  # fmt: skip
UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}
FORM = "poisson:5, constant:5, ramp:1-20, closed:8, replay:trace.jsonl, search or search:closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """Settings as typed: key=value."""

    words: dict[str, str]

    def number(self, key: str) -> float | None:
        """Return a setting as a number, None where it was not given."""
        if key not in self.words:
            return None
        try:
            return float(self.words[key])
        except ValueError:
            raise UsageError(f"{key} is a number", where=f"--set {key}={self.words[key]}") from None

    def money(self, key: str) -> Decimal | None:
        """Return a setting as an amount, None where it was not given."""
        if key not in self.words:
            return None
        try:
            return Decimal(self.words[key].removeprefix("$"))
        except InvalidOperation:
            raise UsageError(
                f"{key} is an amount", where=f"--set {key}={self.words[key]}"
            ) from None


def read_given(given: list[str]) -> Given:
    """Return settings; raises UsageError for an unknown key or a missing `=`."""
    words: dict[str, str] = {}
    for one in given:
        key, equals, value = one.partition("=")
        if not equals or key not in KEYS:
            raise UsageError(
                f"unknown setting '{one}'",
                why=f"{nearest(key, list(KEYS))}known: {', '.join(KEYS)}",
                do="for instance --set duration=60",
            )
        words[key] = value
    if "duration" in words:
        words["duration"] = str(seconds(words["duration"]))
    return Given(words=words)


def seconds(word: str) -> float:
    """Return a duration as typed (`90`, `90s`, `10m`, `2h`) in seconds; else UsageError."""
    factor = UNITS.get(word[-1:], 0.0)
    try:
        found = float(word[:-1]) * factor if factor else float(word)
    except ValueError:
        found = 0.0
    if not 0 < found < float("inf"):
        raise UsageError(f"'{word}' is no duration", do="for instance 90, 90s, 10m or 2h")
    return found


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
    fields: dict[str, Json] = {"axis": "concurrency" if value == "closed" else "rate"}
    for key in ("start", "most", "least_calls", "seed"):
        number = given.number(key)
        if number is not None:
            fields[key] = int(number) if key in {"least_calls", "seed"} else number
    seconds = given.number("duration")
    if seconds is not None:
        fields["most_seconds"] = seconds
    return SearchSettings.model_validate(fields)


def _common(given: Given) -> dict[str, Json]:
    fields: dict[str, Json] = {"duration": given.number("duration") or 60.0}
    for key in ("warm_up", "cool_down", "seed", "speed", "most_in_flight", "most_waiting"):
        number = given.number(key)
        if number is not None:
            whole = key in {"seed", "most_in_flight", "most_waiting"}
            fields[key] = int(number) if whole else number
    fields.setdefault("warm_up", fields["duration"] * WARM_UP_SHARE)
    return fields


def _replay(trace: tuple[Arrival, ...], given: Given) -> LoadShape:
    fields = _common(given)
    if given.number("duration") is None:
        fields["duration"] = trace[-1].at / fields.get("speed", 1.0) + 1e-6
    fields["warm_up"] = given.number("warm_up") or 0.0
    return LoadShape.model_validate({**fields, "kind": "replay"})


def _shape(kind: str, value: str, given: Given, word: str) -> LoadShape:
    fields = _common(given)
    try:
        if kind == "closed":
            fields["concurrency"] = int(value)
        elif kind == "ramp":
            start, _, end = value.partition("-")
            fields |= {"rate": float(start), "rate_to": float(end)}
        else:
            fields["rate"] = float(value)
        return LoadShape.model_validate({**fields, "kind": kind})
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"'{word}' is no shape", why=str(first["msg"]), do=FORM) from None
    except ValueError:
        raise UsageError(f"'{word}' is no shape", do=FORM) from None


LEAST = (6, 5, 9, 1, 8, 3, 7)
"""Columns of the table of levels that a narrow terminal goes without, the first to go first."""


def level_line(level: LoadLevel, tried: Tried | None) -> str:
    """Return one level in a line."""
    latency = level.times["latency"]
    verdict = "" if tried is None else f"  {tried.verdict.replace('_', ' ')}"
    return (
        f"  {level.shape.name}: {level.calls:,} calls, "
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
                estimate_text(level.attainment, "percent"),
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
