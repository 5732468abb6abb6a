"""OpenTelemetry: OTLP/JSON lines (spans and log records) and the SDK's own JSON spans.

A span may hold the messages itself (as attributes or events of several
generations), or log records hold them under the same trace and span id; then
both are halves of one exchange.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from befit.core.interaction import Interaction, Outcome
from befit.core.record import Json
from befit.interop import gen_ai_names as names
from befit.interop.gen_ai_messages import content_facts
from befit.interop.log_item import Half, Item, LogError, Unknown
from befit.interop.log_values import as_text, elapsed, finish, instant, parameters, short


def read_otlp(line: dict[str, Any]) -> Iterator[Item]:
    """One line of a collector's file exporter."""
    for resource in line.get("resourceSpans") or ():
        for scope in resource.get("scopeSpans") or ():
            for span in scope.get("spans") or ():
                yield from _span(_plain_span(span))
    records: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for resource in line.get("resourceLogs") or ():
        for scope in resource.get("scopeLogs") or ():
            for record in scope.get("logRecords") or ():
                key, event = _record(record)
                records.setdefault(key, []).append(event)
    for key, events in records.items():
        yield from _outcomes(events, key)
        yield from _logged(events, key)


def read_sdk_span(line: dict[str, Any]) -> Iterator[Item]:
    """One span as the Python SDK prints it."""
    context = line.get("context") or {}
    status = line.get("status")
    yield from _span(
        {
            "trace": str(context.get("trace_id", "")).removeprefix("0x"),
            "span": str(context.get("span_id", "")).removeprefix("0x"),
            "start": instant(line.get("start_time")),
            "end": instant(line.get("end_time")),
            "attributes": line.get("attributes") or {},
            "failed": isinstance(status, dict) and status.get("status_code") == "ERROR",
            "events": [
                (str(event.get("name", "")), event.get("attributes") or {})
                for event in line.get("events") or ()
            ],
        }
    )


def _plain_span(span: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "trace": str(span.get("traceId", "")),
        "span": str(span.get("spanId", "")),
        "start": instant(span.get("startTimeUnixNano")),
        "end": instant(span.get("endTimeUnixNano")),
        "attributes": attributes(span.get("attributes")),
        "failed": (span.get("status") or {}).get("code") in {2, "STATUS_CODE_ERROR"},
        "events": [
            (str(event.get("name", "")), attributes(event.get("attributes")))
            for event in span.get("events") or ()
        ],
    }


def attributes(value: Json) -> dict[str, Any]:
    """Return OTLP's list of keys and typed values as a plain mapping."""
    if isinstance(value, dict):
        return value
    return {
        str(pair.get("key")): any_value(pair.get("value"))
        for pair in value or ()
        if isinstance(pair, dict)
    }


def any_value(value: Json) -> Json:
    """Return one of OTLP's typed values as plain JSON."""
    if not isinstance(value, dict):
        return value
    if "arrayValue" in value:
        return [any_value(item) for item in (value["arrayValue"] or {}).get("values") or ()]
    if "kvlistValue" in value:
        return attributes((value["kvlistValue"] or {}).get("values") or [])
    if "intValue" in value:
        return int(value["intValue"])
    for kind in ("stringValue", "boolValue", "doubleValue", "bytesValue"):
        if kind in value:
            return value[kind]
    return None


def fact(held: Mapping[str, Any], name: str) -> Json:
    """Return a fact under whichever of its names it stands."""
    for key in names.FACTS[name]:
        if held.get(key) not in (None, ""):
            return held[key]
    return None


def _span(span: dict[str, Any]) -> Iterator[Item]:
    held: dict[str, Any] = span["attributes"]
    yield from _outcomes(span["events"], f"{span['trace']}:{span['span']}")
    if not any(key.startswith("gen_ai.") for key in held):
        return
    operation = str(fact(held, "operation") or "")
    if operation not in names.CHATS:
        return
    unknown = [key for key in held if key.startswith("gen_ai.") and not _is_known(key)]
    if unknown:
        yield Unknown(names=tuple(sorted(unknown)))
    said = content_facts(held, span["events"])
    key = f"{span['trace']}:{span['span']}"
    made = Interaction(**{**_facts(span), **said})
    if said.get("messages") or said.get("output") is not None:
        yield made
    else:
        yield Half(interaction=made, join=f"span:{key}", side="span")


def _is_known(key: str) -> bool:
    if any(key in known for known in names.FACTS.values()):
        return True
    return key.startswith(names.KNOWN_PREFIXES) or key in names.USAGE


def _facts(span: dict[str, Any]) -> dict[str, Any]:
    held = span["attributes"]
    settings = {
        key.removeprefix(prefix): value
        for prefix in (names.OPENAI_SETTINGS, names.SETTINGS)
        for key, value in held.items()
        if key.startswith(prefix)
    }
    reasons = fact(held, "finish_reasons")
    reason = reasons[0] if isinstance(reasons, list) and reasons else reasons
    timing = {"end": elapsed(span["start"], span["end"])}
    first = fact(held, "first_chunk")
    if isinstance(first, int | float):
        timing["first_token"] = float(first)
    error = short(fact(held, "error"))
    return {
        "id": short(fact(held, "response_id")) or f"{span['trace']}:{span['span']}",
        "ts": span["start"],
        "messages": (),
        "finish_reason": finish(reason),
        "requested_model": short(fact(held, "requested_model")),
        "served_model": short(fact(held, "served_model")),
        "provider": short(fact(held, "provider")),
        "conversation_id": short(fact(held, "conversation_id")),
        "config_id": _prompt_version(held),
        "usage": _usage(held),
        "timing": {key: value for key, value in timing.items() if value is not None},
        "error_class": error or ("server" if span["failed"] else None),
        "parameters": parameters(settings),
        "source": "opentelemetry",
    }


def _usage(held: Mapping[str, Any]) -> dict[str, int]:
    found: dict[str, int] = {}
    for key, own in names.USAGE.items():
        if isinstance(held.get(key), int | float):
            found.setdefault(own, int(held[key]))
    return found


def _prompt_version(held: Mapping[str, Any]) -> str | None:
    name, version = short(fact(held, "prompt_name")), short(fact(held, "prompt_version"))
    return f"{name}@{version}" if name and version else name


def _record(record: Mapping[str, Any]) -> tuple[str, tuple[str, dict[str, Any]]]:
    held = attributes(record.get("attributes"))
    name = str(record.get("eventName") or held.get("event.name") or "")
    body = any_value(record.get("body"))
    key = f"{record.get('traceId', '')}:{record.get('spanId', '')}"
    when = instant(record.get("timeUnixNano") or record.get("observedTimeUnixNano"))
    more = body if isinstance(body, dict) else {"body": body}
    return key, (name, {**held, **more, "": when})


def _logged(events: list[tuple[str, dict[str, Any]]], key: str) -> Iterator[Item]:
    """Yield the half that log records hold: what was said in the span of this key."""
    merged: dict[str, Any] = {}
    for name, held in events:
        if name == names.DETAILS_EVENT:
            merged.update(held)
    said = content_facts(merged, events)
    if not said.get("messages") and said.get("output") is None:
        return
    if key == ":":
        raise LogError("log records without trace and span id")
    own = {"id": "", "ts": events[0][1].get("", ""), "messages": (), "source": "opentelemetry"}
    made = Interaction(**{**own, **said})
    yield Half(interaction=made, join=f"span:{key}", side="asked")


def _outcomes(events: list[tuple[str, dict[str, Any]]], key: str) -> Iterator[Item]:
    for name, held in events:
        if name != names.EVALUATION_EVENT:
            continue
        label = as_text(held.get("gen_ai.evaluation.name"))
        value = held.get("gen_ai.evaluation.score.value")
        yield Outcome(
            ref=short(held.get("gen_ai.response.id")) or key,
            ts=held.get("", "") or "",
            event="takeover" if label == "human_takeover" else "check",
            value=float(value) if isinstance(value, int | float) else None,
            label=short(held.get("gen_ai.evaluation.score.label")) or label or None,
            comment=short(held.get("gen_ai.evaluation.explanation")),
        )
