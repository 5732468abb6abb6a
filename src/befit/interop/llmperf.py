"""Results of llmperf: the individual requests as a call log, and the summary as it was published.

llmperf (unmaintained) keeps durations but no moments, so the calls are laid out
one after the other; only durations may be read from such a log. A request with
an error code is a failure; its zeros are no measurements.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson

from befit.core.record import Json
from befit.engine.load_log import NAN, Call, CallLog
from befit.engine.load_shape import LoadShape
from befit.errors import DataError
from befit.interop.load_file import ImportedLevel, imported_level

STATUS_KINDS: Mapping[int, str] = {
    400: "bad_request",
    401: "auth",
    402: "billing",
    403: "auth",
    404: "not_found",
    408: "timeout_total",
    429: "rate_limited",
    500: "server",
    502: "server",
    503: "overloaded",
    504: "timeout_total",
    529: "overloaded",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmperfRequest:
    """One request as llmperf wrote it; `token_gap` is its "inter-token latency"."""

    call: Call
    token_gap: float
    output_rate: float
    """As the file says "tokens per second"; it is events over the whole latency, and an event can
    hold several tokens."""


def read_llmperf(path: Path) -> tuple[LlmperfRequest, ...]:
    """Return the requests of an `individual_responses.json`.

    Raises:
        DataError: no such file, or not this format.
    """
    rows = read_json(path)
    if not isinstance(rows, list):
        raise DataError("this is no list of llmperf requests", where=str(path))
    found: list[LlmperfRequest] = []
    begun = 0.0
    for number, row in enumerate(rows, start=1):
        try:
            one = _request(row, begun)
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(
                "this is no llmperf request", where=f"{path}:{number}", why=repr(error)[:200]
            ) from None
        found.append(one)
        begun = one.call.end
    return tuple(found)


def _request(row: Mapping[str, Json], begun: float) -> LlmperfRequest:
    code = row["error_code"]
    took, first = float(row["end_to_end_latency_s"]), float(row["ttft_s"])
    if code is not None:
        kind = STATUS_KINDS.get(int(code), "target_error")
        call = Call(scheduled=begun, sent=begun, end=begun, failure=kind)
        return LlmperfRequest(call=call, token_gap=NAN, output_rate=NAN)
    call = Call(
        scheduled=begun,
        sent=begun,
        end=begun + took,
        first_token=begun + first,
        first_output=begun + first,
        last_token=begun + took,
        input_tokens=float(row["number_input_tokens"]),
        output_tokens=float(row["number_output_tokens"]),
    )
    return LlmperfRequest(
        call=call,
        token_gap=float(row["inter_token_latency_s"]),
        output_rate=float(row["request_output_throughput_token_per_s"]),
    )


def llmperf_log(requests: tuple[LlmperfRequest, ...]) -> CallLog:
    """Return the calls alone."""
    return CallLog.of(request.call for request in requests)


def read_json(path: Path) -> Json:
    """Return a JSON file's content.

    Raises:
        DataError: no such file, or no JSON.
    """
    try:
        return orjson.loads(path.read_bytes())
    except OSError as error:
        raise DataError("the file cannot be read", where=str(path), why=str(error)) from None
    except orjson.JSONDecodeError as error:
        raise DataError("this is no JSON", where=str(path), why=str(error)) from None


def llmperf_level(requests: tuple[LlmperfRequest, ...]) -> ImportedLevel:
    """Return the requests as a level; its shape says nothing, since llmperf keeps no moments."""
    return imported_level(
        [request.call for request in requests],
        lambda seconds: LoadShape(kind="closed", concurrency=1, duration=seconds),
    )
