"""Results of guidellm (its JSON report): each benchmark as a level of load with its single calls.

Read from the documented report: `benchmarks[].requests` by status, each with
`info.timings` in seconds since the epoch. guidellm can cut that list to a
sample of the requests; the figures then stand on the sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from befit.core.record import Json
from befit.engine.load_log import NAN, Call
from befit.engine.load_shape import LoadShape
from befit.errors import DataError
from befit.interop.llmperf import read_json
from befit.interop.load_file import ImportedLevel, imported_level

_FIRST = ("first_token_iteration", "first_iteration")
_LAST = ("last_token_iteration", "last_iteration")
_BEGUN = ("request_start", "resolve_start")
_ENDED = ("request_end", "resolve_end", "last_iteration")
_DUE = ("targeted_start", "scheduled_at", "request_start", "resolve_start")


def looks_like_guidellm(data: Json) -> bool:
    """Tell whether a JSON value is a guidellm report."""
    return isinstance(data, dict) and isinstance(data.get("benchmarks"), list)


def read_guidellm(path: Path) -> tuple[ImportedLevel, ...]:
    """Return the levels of a report.

    Raises:
        DataError: no such file, another format, or a report without its requests.
    """
    data = read_json(path)
    if not looks_like_guidellm(data):
        raise DataError("this is no guidellm report", where=str(path))
    levels = []
    for number, benchmark in enumerate(data["benchmarks"], start=1):
        calls = list(_calls(benchmark))
        if not calls:
            raise DataError(
                "the benchmark holds no single requests",
                where=f"{path} benchmarks[{number - 1}]",
                do="write the report as JSON with its requests",
            )
        levels.append(imported_level(calls, partial(_shape, benchmark)))
    if not levels:
        raise DataError("the report has no benchmarks", where=str(path))
    return tuple(levels)


def _calls(benchmark: Mapping[str, Json]) -> Iterator[Call]:
    requests = _mapping(benchmark, "requests") or _mapping(benchmark, "requests_truncated")
    for status, failure in (("successful", None), ("errored", "target_error")):
        for request in requests.get(status) or ():
            yield _call(request, failure)
    # `incomplete` requests were cut by the end of the benchmark: neither answers nor failures.


def _call(request: Mapping[str, Json], failure: str | None) -> Call:
    info = _mapping(request, "info") or _mapping(request, "scheduler_info")
    times = {**_mapping(info, "scheduler_timings"), **_mapping(info, "request_timings")}
    times |= _mapping(info, "timings")
    begun = _first(times, _BEGUN, request.get("request_start_time"))
    due, ended = _first(times, _DUE, begun), _first(times, _ENDED, request.get("request_end_time"))
    if begun is None:
        begun = due if due is not None else 0.0
    return Call(
        scheduled=begun if due is None else due,
        sent=begun,
        end=begun if ended is None else ended,
        first_token=_or_nan(_first(times, _FIRST, request.get("first_token_time"))),
        first_output=_or_nan(_first(times, _FIRST, request.get("first_token_time"))),
        last_token=_or_nan(_first(times, _LAST, request.get("last_token_time"))),
        input_tokens=_tokens(request, "input_metrics", "prompt_tokens"),
        output_tokens=_tokens(request, "output_metrics", "output_tokens"),
        failure=failure,
    )


def _shape(benchmark: Mapping[str, Json], seconds: float) -> LoadShape:
    config = _mapping(benchmark, "config") or _mapping(benchmark, "args")
    strategy = _mapping(config, "strategy") or _mapping(
        _mapping(benchmark, "scheduler"), "strategy"
    )
    kind = strategy.get("type_")
    rate, streams = strategy.get("rate"), strategy.get("streams")
    if kind == "synchronous":
        return LoadShape(kind="closed", concurrency=1, duration=seconds)
    if kind == "concurrent" and streams:
        return LoadShape(kind="closed", concurrency=int(streams), duration=seconds)
    if kind in {"constant", "async"} and rate:
        return LoadShape(kind="constant", rate=float(rate), duration=seconds)
    if kind == "poisson" and rate:
        return LoadShape(kind="poisson", rate=float(rate), duration=seconds)
    return LoadShape(kind="replay", duration=seconds)


def _first(times: Mapping[str, Json], names: tuple[str, ...], otherwise: Json) -> float | None:
    for name in names:
        value = times.get(name)
        if isinstance(value, int | float) and value > 0:
            return float(value)
    return float(otherwise) if isinstance(otherwise, int | float) else None


def _tokens(request: Mapping[str, Json], group: str, old: str) -> float:
    counts = _mapping(request, group)
    for name in ("total_tokens", "text_tokens"):
        value = counts.get(name)
        if isinstance(value, int | float):
            return float(value)
    value = request.get(old)
    return float(value) if isinstance(value, int | float) else NAN


def _or_nan(value: float | None) -> float:
    return NAN if value is None else value


def _mapping(source: Mapping[str, Json], name: str) -> dict[str, Json]:
    value = source.get(name)
    return value if isinstance(value, dict) else {}
