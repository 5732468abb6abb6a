"""One exchange, written down in every format: all of them are read as the same interaction."""

from __future__ import annotations

import csv
import json
from collections import Counter

import pytest
from ruamel.yaml import YAML

from befit.interop.log_item import Half, joined
from befit.interop.logs import READERS, read_log, read_value
from shared_data import shared

QUESTION = "Weather in Paris?"
CALL = {"id": "call_1", "name": "get_weather", "arguments": '{"location":"Paris"}'}
RESULT, ANSWER = "rainy", "It is rainy in Paris."
CHAT_CALL = {"id": "call_1", "type": "function",
             "function": {"name": CALL["name"], "arguments": CALL["arguments"]}}  # fmt: skip
ASKED = [
    {"role": "system", "content": "Be short."},
    {"role": "user", "content": QUESTION},
    {"role": "assistant", "content": None, "tool_calls": [CHAT_CALL]},
    {"role": "tool", "tool_call_id": "call_1", "content": RESULT},
]
SAID = {"role": "assistant", "content": ANSWER}
USAGE = {"prompt_tokens": 30, "completion_tokens": 8}
BODY = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1767225600, "model": "m-1",
        "choices": [{"index": 0, "message": SAID, "finish_reason": "stop"}],
        "usage": USAGE}  # fmt: skip
REQUEST = {"model": "m", "messages": ASKED, "temperature": 0.5}
PARTS_IN = [
    {"role": "system", "parts": [{"type": "text", "content": "Be short."}]},
    {"role": "user", "parts": [{"type": "text", "content": QUESTION}]},
    {"role": "assistant", "parts": [{"type": "tool_call", "id": "call_1", "name": "get_weather",
                                     "arguments": {"location": "Paris"}}]},
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "call_1",
                                "result": RESULT}]},
]  # fmt: skip
PARTS_OUT = [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}],
              "finish_reason": "stop"}]  # fmt: skip
BASE = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m",
        "gen_ai.response.model": "m-1", "gen_ai.response.id": "chatcmpl-1",
        "gen_ai.request.temperature": 0.5, "gen_ai.response.finish_reasons": ["stop"]}  # fmt: skip
NEW_USAGE = {"gen_ai.usage.input_tokens": 30, "gen_ai.usage.output_tokens": 8}


def typed(value):
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [typed(item) for item in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": pairs(value)}}
    return {"stringValue": value}


def pairs(held):
    return [{"key": key, "value": typed(value)} for key, value in held.items()]


def span(attributes, *, events=()):
    made = {"traceId": "a" * 32, "spanId": "b" * 16, "name": "chat m",
            "startTimeUnixNano": "1767225600000000000", "endTimeUnixNano": "1767225601000000000",
            "attributes": pairs(attributes), "events": list(events)}  # fmt: skip
    return {"resourceSpans": [{"scopeSpans": [{"spans": [made]}]}]}


def log_records(events):
    records = [
        {"traceId": "a" * 32, "spanId": "b" * 16, "timeUnixNano": "1767225600000000000",
         "eventName": name, "body": typed(body), "attributes": []}
        for name, body in events
    ]  # fmt: skip
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}


def indexed():
    """OpenLLMetry up to 1.27: one attribute per piece."""
    held = {"gen_ai.system": "openai", "gen_ai.usage.prompt_tokens": 30,
            "gen_ai.usage.completion_tokens": 8}  # fmt: skip
    for i, message in enumerate(ASKED):
        held[f"gen_ai.prompt.{i}.role"] = message["role"]
        if message.get("content"):
            held[f"gen_ai.prompt.{i}.content"] = message["content"]
    held["gen_ai.prompt.2.tool_calls.0.id"] = CALL["id"]
    held["gen_ai.prompt.2.tool_calls.0.name"] = CALL["name"]
    held["gen_ai.prompt.2.tool_calls.0.arguments"] = CALL["arguments"]
    held["gen_ai.prompt.3.tool_call_id"] = "call_1"
    held |= {"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": ANSWER,
             "gen_ai.completion.0.finish_reason": "stop"}  # fmt: skip
    return held


SECOND = [
    ("gen_ai.system.message", {"content": "Be short."}),
    ("gen_ai.user.message", {"content": QUESTION}),
    ("gen_ai.assistant.message", {"tool_calls": [CHAT_CALL]}),
    ("gen_ai.tool.message", {"content": RESULT, "id": "call_1"}),
    ("gen_ai.choice", {"index": 0, "finish_reason": "stop", "message": SAID}),
]


def structured(more):
    return {**BASE, "gen_ai.provider.name": "openai", **NEW_USAGE, **more}


def openinference():
    held = {"openinference.span.kind": "LLM", "llm.provider": "openai",
            "llm.request.model_name": "m", "llm.response.model_name": "m-1",
            "llm.finish_reason": "stop", "llm.invocation_parameters": '{"temperature": 0.5}',
            "llm.token_count.prompt": 30, "llm.token_count.completion": 8}  # fmt: skip
    for i, message in enumerate(ASKED):
        start = f"llm.input_messages.{i}.message."
        held[f"{start}role"] = message["role"]
        if message.get("content"):
            held[f"{start}content"] = message["content"]
    call = "llm.input_messages.2.message.tool_calls.0.tool_call."
    held[f"{call}id"] = CALL["id"]
    held[f"{call}function.name"] = CALL["name"]
    held[f"{call}function.arguments"] = CALL["arguments"]
    held["llm.input_messages.3.message.tool_call_id"] = "call_1"
    held["llm.output_messages.0.message.role"] = "assistant"
    held["llm.output_messages.0.message.content"] = ANSWER
    return {"name": "chat", "context": {"trace_id": "0x1", "span_id": "0x2"},
            "start_time": "2026-01-01T00:00:00Z", "end_time": "2026-01-01T00:00:01Z",
            "attributes": held}  # fmt: skip


LITELLM = {"request_id": "chatcmpl-1", "call_type": "acompletion", "spend": 0.001,
           "prompt_tokens": 30, "completion_tokens": 8, "startTime": "2026-01-01T00:00:00Z",
           "endTime": "2026-01-01T00:00:01Z", "completionStartTime": "2026-01-01T00:00:01Z",
           "model": "m-1", "model_group": "m", "custom_llm_provider": "openai",
           "messages": json.dumps(ASKED), "response": BODY, "status": "success",
           "model_parameters": {"temperature": 0.5}}  # fmt: skip
LANGFUSE = {"id": "o1", "trace_id": "t1", "type": "GENERATION",
            "start_time": "2026-01-01 00:00:00.000000", "end_time": "2026-01-01 00:00:01.000000",
            "input": json.dumps(ASKED), "output": json.dumps(SAID | {"finish_reason": "stop"}),
            "provided_model_name": "m", "model_parameters": '{"temperature": 0.5}',
            "usage_details": {"input": 30, "output": 8}}  # fmt: skip
TABLE = {"messages": json.dumps(ASKED), "output": ANSWER, "finish_reason": "stop", "model": "m",
         "input_tokens": "30", "output_tokens": "8"}  # fmt: skip
STORED = [{"id": f"chatcmpl-1-{i}", **message} for i, message in enumerate(ASKED)]

CASES = {
    "openai chat pair": [{"request": REQUEST, "response": BODY}],
    "fine-tune style": [{"messages": [*ASKED, SAID]}],
    "batch": [
        {"custom_id": "r1", "method": "POST", "url": "/v1/chat/completions", "body": REQUEST},
        {"id": "b1", "custom_id": "r1", "response": {"status_code": 200, "body": BODY}},
    ],
    "stored completion": [BODY | {"temperature": 0.5}, {"object": "list", "data": STORED}],
    "gen_ai up to 1.27, indexed": [span({**BASE, **indexed()})],
    "gen_ai up to 1.27, events": [
        span(
            {**BASE, "gen_ai.system": "openai", "gen_ai.usage.prompt_tokens": 30,
             "gen_ai.usage.completion_tokens": 8},
            events=[
                {"name": "gen_ai.content.prompt",
                 "attributes": pairs({"gen_ai.prompt": json.dumps(ASKED)})},
                {"name": "gen_ai.content.completion",
                 "attributes": pairs({"gen_ai.completion": json.dumps([SAID])})},
            ],
        )
    ],
    "gen_ai 1.28 to 1.36, log events": [
        span({**BASE, "gen_ai.system": "openai", **NEW_USAGE}), log_records(SECOND),
    ],
    "gen_ai 1.37 to 1.41, JSON text": [
        span(structured({"gen_ai.input.messages": json.dumps(PARTS_IN),
                         "gen_ai.output.messages": json.dumps(PARTS_OUT)})),
    ],
    "gen_ai 1.37 to 1.41, system instructions apart": [
        span(structured({
            "gen_ai.system_instructions": json.dumps(PARTS_IN[0]["parts"]),
            "gen_ai.input.messages": json.dumps(PARTS_IN[1:]),
            "gen_ai.output.messages": json.dumps(PARTS_OUT)})),
    ],
    "gen_ai since, structured values": [
        span(structured({"gen_ai.input.messages": PARTS_IN, "gen_ai.output.messages": PARTS_OUT})),
    ],
    "openinference": [openinference()],
    "litellm": [LITELLM],
    "langfuse": [LANGFUSE],
    "table": [TABLE],
}  # fmt: skip
LACKS = {
    "fine-tune style": {"usage", "parameters", "requested_model", "served_model", "finish_reason"},
    "langfuse": {"served_model"},
    "stored completion": {"requested_model"},
    "table": {"served_model", "parameters"},
}
"""What a format has no place for."""
COMPARED = ("messages", "output", "tool_calls", "finish_reason", "requested_model",
            "served_model", "usage", "parameters")  # fmt: skip


def read(lines):
    items = []
    for number, line in enumerate(lines, 1):
        found = read_value(json.loads(json.dumps(line)), number=number)
        assert not found.problem, found.problem
        items += found.items
    if isinstance(items[0], Half):
        assert len({half.join for half in items}) == 1
        return joined(items)
    assert len(items) == 1
    return items[0]


@pytest.mark.parametrize("name", CASES)
def test_every_format_tells_the_same_exchange(name):
    wanted = read(CASES["openai chat pair"]).model_dump()
    found = read(CASES[name]).model_dump()
    for field in COMPARED:
        if field not in LACKS.get(name, ()):
            assert found[field] == wanted[field], field
    assert len(wanted["messages"]) == 4
    assert wanted["usage"] == {"input": 30, "output": 8}


@pytest.mark.parametrize("name", ["stored completion", "batch"])
def test_halves_join_in_either_order(name):
    assert read(CASES[name]) == read(list(reversed(CASES[name])))


def test_a_first_token_at_the_end_is_no_first_token():
    assert read([LITELLM]).timing == {"end": 1.0}


def test_a_span_of_another_kind_is_no_exchange():
    found = read_value(span({"gen_ai.operation.name": "execute_tool"}), number=1)
    assert not found.problem
    assert not found.items


def test_a_name_nobody_knows_yet_is_counted():
    held = structured({"gen_ai.novelty": 1, "gen_ai.output.messages": PARTS_OUT})
    found = read_value(span(held), number=1)
    assert [item.names for item in found.items if hasattr(item, "names")] == [("gen_ai.novelty",)]


def test_an_evaluation_event_is_an_outcome():
    body = {"gen_ai.evaluation.name": "human_takeover", "gen_ai.evaluation.score.value": 1,
            "gen_ai.response.id": "chatcmpl-1"}  # fmt: skip
    (found,) = read_value(log_records([("gen_ai.evaluation.result", body)]), number=1).items
    assert (found.event, found.ref, found.value) == ("takeover", "chatcmpl-1", 1.0)


@pytest.mark.parametrize(
    "line",
    [[], 3, "x", None, {}, {"foo": 1}, {"messages": [{"content": "no role"}]},
     {"request": {"messages": 3}, "response": {}}, {"custom_id": "a", "response": None},
     {"resourceSpans": [3]}, {"messages": [{"role": "user", "tool_calls": [{}]}]},
     {"request": {"messages": []}, "response": {"choices": []}},
     {"v": 1, "kind": "interaction", "id": 3}],
)  # fmt: skip
@pytest.mark.parametrize("form", ["auto", *READERS])
def test_no_line_breaks_a_reader(line, form):
    found = read_value(line, number=7, form=form)
    assert found.number == 7
    assert not (found.problem and found.items)


def cassettes():
    """Recorded exchanges that were not streamed, as request/response pairs."""
    for path in sorted(shared("api_cassettes").glob("*/*.yaml")):
        for one in YAML(typ="safe").load(path.read_text(encoding="utf-8"))["interactions"]:
            try:
                pair = {"request": json.loads(one["request"]["body"]),
                        "response": json.loads(one["response"]["body"]["string"])}  # fmt: skip
            except (KeyError, TypeError, ValueError):
                continue
            yield path.name, pair


def test_recorded_spans_tell_what_the_recorded_exchanges_tell():
    by_id = {}
    for _, pair in cassettes():
        line = read_value(pair, number=1)
        assert not line.problem
        by_id[line.items[0].id] = line.items[0]
    compared = Counter()
    path = shared("otel_spans/openai_v2_spans.jsonl")
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        (half,) = read_value(json.loads(text), number=number).items
        found, wanted = half.interaction, by_id.get(half.interaction.id)
        if wanted is None:
            compared["streamed or failed"] += 1
            continue
        compared["equal"] += 1
        assert found.requested_model == wanted.requested_model
        assert found.served_model == wanted.served_model
        assert found.usage == {key: wanted.usage[key] for key in found.usage}
        assert found.finish_reason in {None, wanted.finish_reason}
        for name, value in found.parameters.items():
            assert wanted.parameters[name] == value
    assert compared["equal"] >= 10
    assert sum(compared.values()) == 22


def test_nul_characters_leave_a_table_and_are_counted_with_their_row(tmp_path):
    path = tmp_path / "log.csv"
    path.write_bytes(b'input,output\na,b\n"c\0\0\nd",e\nf,g\n')
    before = csv.field_size_limit()
    rows = list(read_log(path))
    assert [(row.number, row.nul, row.problem) for row in rows] == [
        (2, 0, ""),
        (3, 2, ""),
        (5, 0, ""),
    ]
    assert csv.field_size_limit() == before
