"""Results of aiperf (`profile_export.jsonl`): one record a request, as one level of load.

Read from the documented file: `metadata` with times in nanoseconds, `metrics`
with value and unit, `error`. Records of the warm-up are left out; cancelled
ones are neither answers nor failures.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import orjson

from befit.core.record import Json
from befit.engine.load_log import NAN, Call
from befit.engine.load_shape import LoadShape
from befit.errors import DataError
from befit.interop.llmperf import STATUS_KINDS
from befit.interop.load_file import ImportedLevel, imported_level

_NS = 1e9
_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0, "seconds": 1.0}


def read_aiperf(path: Path) -> tuple[ImportedLevel, ...]:
    """Return the one level of an export.

    Raises:
        DataError: no such file, or a line that is no record.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise DataError("the file cannot be read", where=str(path), why=str(error)) from None
    calls = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            call = _call(orjson.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(
                "this is no aiperf record", where=f"{path}:{number}", why=repr(error)[:200]
            ) from None
        if call is not None:
            calls.append(call)
    if not calls:
        raise DataError("the export has no counted records", where=str(path))
    return (imported_level(calls, lambda seconds: LoadShape(kind="replay", duration=seconds)),)


def _call(record: Mapping[str, Json]) -> Call | None:
    about, metrics = record["metadata"], record["metrics"]
    if about.get("was_cancelled") or about.get("benchmark_phase") == "warmup":
        return None
    begun = float(about["request_start_ns"]) / _NS
    due = float(about.get("credit_issued_ns") or about["request_start_ns"]) / _NS
    error = record.get("error")
    if error:
        code = error.get("code") if isinstance(error, dict) else None
        kind = STATUS_KINDS.get(code, "target_error") if isinstance(code, int) else "target_error"
        ended = float(about.get("request_end_ns") or about["request_start_ns"]) / _NS
        return Call(scheduled=due, sent=begun, end=ended, failure=kind)
    took = _seconds(metrics, "request_latency")
    first = _seconds(metrics, "time_to_first_token")
    output = _seconds(metrics, "time_to_first_output_token")
    end = begun + took if took == took else float(about["request_end_ns"]) / _NS  # noqa: PLR0124 - only NaN differs from itself
    return Call(
        scheduled=due,
        sent=begun,
        end=end,
        first_token=begun + first,
        first_output=begun + (first if output != output else output),  # noqa: PLR0124 - the same
        last_token=end,
        input_tokens=_number(metrics, "input_sequence_length"),
        output_tokens=_number(metrics, "output_sequence_length"),
    )


def _seconds(metrics: Mapping[str, Json], name: str) -> float:
    entry = metrics.get(name)
    if isinstance(entry, dict):
        return float(entry["value"]) * _UNITS.get(str(entry.get("unit", "ms")), 1e-3)
    return float(entry) * 1e-3 if isinstance(entry, int | float) else NAN


def _number(metrics: Mapping[str, Json], name: str) -> float:
    entry = metrics.get(name)
    value = entry.get("value") if isinstance(entry, dict) else entry
    return float(value) if isinstance(value, int | float) else NAN
