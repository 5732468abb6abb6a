"""Recorded answers: found by name or by what was asked, kept as they were, never stood in for."""

from __future__ import annotations

import asyncio

import orjson
import pytest

from befit.core.candidate import Candidate
from befit.core.completion import Completion, Request, Timing
from befit.core.failure import Failure
from befit.core.message import Message, ToolCall
from befit.core.price import Usage
from befit.errors import ConfigError, TargetError
from befit.targets.recording import Identity, RecordIndex, ReplayWriter, messages_hash
from befit.targets.replay import MARK, ReplayTarget

ASKED = (Message(role="user", content="2+2?"),)


def request(**metadata):
    return Request(messages=ASKED, metadata=metadata)


def replayed(path, *requests):
    """The completion or the failure for each request, in order."""

    async def all_of_them():
        target = ReplayTarget(Candidate(name="r", target="replay", options={"path": str(path)}))
        found = []
        for one in requests:
            try:
                found.append(await target.generate(one))
            except TargetError as error:
                found.append(error.failure)
        await target.aclose()
        return found

    return asyncio.run(all_of_them())


def lines(path, *records):
    path.write_bytes(b"\n".join(orjson.dumps(record) for record in records) + b"\n")
    return path


def test_what_was_written_comes_back_and_is_marked(tmp_path):
    answer = Completion(
        text="vier \u2028 四\n half \ud83d",
        reasoning="hm",
        tool_calls=(ToolCall(id="c", name="f", arguments="{"),),
        finish_reason="stop",
        usage=Usage(uncached_input=7, cache_read=2, text_output=3),
        timing=Timing(sent=0.1, first_byte=0.2, first_token=0.3, last_token=0.8, end=0.9),
        served_model="m-7",
        system_fingerprint="fp",
        request_id="r",
    )
    failed = Failure(kind="rate_limited", message="slow", status=429, retry_after=2.0)
    path = tmp_path / "a.jsonl"
    with ReplayWriter(path) as writer:
        writer.write(answer, of=Identity(scenario="s", sample_id="i1"))
        writer.write(failed, of=Identity(scenario="s", sample_id="i1", repeat=1))
        writer.write(Completion(text="plain"), of=Identity(messages=messages_hash(ASKED), repeat=2))
    first, second, third = replayed(
        path,
        request(scenario="s", sample_id="i1", repeat="0"),
        request(scenario="s", sample_id="i1", repeat="1"),
        request(scenario="s", sample_id="i1", repeat="2"),
    )
    assert first.headers == {MARK: "recorded"}
    assert (first.text, first.usage, first.timing) == (answer.text, answer.usage, answer.timing)
    assert first.tool_calls == answer.tool_calls
    assert (first.served_model, first.system_fingerprint) == ("m-7", "fp")
    assert second == failed
    assert (third.text, third.usage, third.headers) == ("plain", None, {MARK: "untimed"})


def test_a_missing_record_names_the_sample_and_no_other_repeat_stands_in(tmp_path):
    path = lines(tmp_path / "a.jsonl", {"sample_id": "i1", "text": "x"})
    (failure,) = replayed(path, request(scenario="s", sample_id="i1", repeat="3"))
    assert (failure.kind, failure.blame) == ("not_found", "configuration")
    assert "sample 'i1' of scenario 's', repeat 3" in failure.message


def test_a_record_without_a_scenario_answers_any_and_one_with_it_goes_first(tmp_path):
    path = lines(
        tmp_path / "a.jsonl",
        {"sample_id": "i1", "text": "any"},
        {"scenario": "s", "sample_id": "i1", "text": "mine"},
    )
    mine, other = replayed(
        path, request(scenario="s", sample_id="i1"), request(scenario="t", sample_id="i1")
    )
    assert (mine.text, other.text) == ("mine", "any")


def test_variants_and_turns_are_told_apart(tmp_path):
    path = lines(
        tmp_path / "a.jsonl",
        {"sample_id": "i1", "text": "plain"},
        {"sample_id": "i1", "variant": "v", "text": "variant"},
        {"sample_id": "i1", "turn": 1, "text": "second turn"},
    )
    plain, variant, turn = replayed(
        path,
        request(sample_id="i1"),
        request(sample_id="i1", variant="v"),
        request(sample_id="i1", turn="1"),
    )
    assert (plain.text, variant.text, turn.text) == ("plain", "variant", "second turn")


def test_of_two_records_of_one_call_the_later_holds(tmp_path):
    path = lines(
        tmp_path / "a.jsonl", {"sample_id": "i", "text": "old"}, {"sample_id": "i", "text": "new"}
    )
    (answer,) = replayed(path, request(sample_id="i"))
    assert answer.text == "new"


def test_the_index_finds_every_one_of_many_lines(tmp_path):
    path = lines(
        tmp_path / "a.jsonl", *({"sample_id": f"é{i}", "text": f"t{i}"} for i in range(2000))
    )
    index = RecordIndex.of(path)
    assert len(index) == 2000
    with path.open("rb") as file:
        for i in range(2000):
            line = index.find([Identity(sample_id=f"é{i}")], file)
            assert orjson.loads(line)["text"] == f"t{i}"
        assert index.find([Identity(sample_id="nobody")], file) is None


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"{", "not a JSON object"),
        (b"[]", "not a JSON object"),
        (b'{"sample_id": "a"}', "'text' or 'failure'"),
        (b'{"text": "a"}', "'sample_id' or 'messages'"),
        (b'{"sample_id": "a", "text": "a", "txt": 1}', "unknown field 'txt'"),
    ],
)
def test_a_line_that_is_no_record_is_named_by_file_and_line(tmp_path, line, why):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"sample_id": "ok", "text": "x"}\n\n' + line + b"\n")
    (failure,) = replayed(path, request(sample_id="ok"))
    assert failure.kind == "bad_request"
    assert "a.jsonl:3" in failure.message
    assert why in failure.message


@pytest.mark.parametrize(
    "fields",
    [
        {"usage": {"uncached_input": "many"}},
        {"timing": {"end": None}},
        {"text": None, "failure": {"kind": "nonsense", "message": "x"}},
        {"tool_calls": [{"name": "f"}]},
    ],
)
def test_a_field_of_the_wrong_form_fails_the_call_that_needs_it(tmp_path, fields):
    path = lines(tmp_path / "a.jsonl", {"sample_id": "i", "text": "x", **fields})
    (failure,) = replayed(path, request(sample_id="i"))
    assert failure.kind == "bad_request"
    assert "wrong form" in failure.message


def test_a_file_that_is_not_there_is_refused_at_once(tmp_path):
    with pytest.raises(ConfigError, match="no recorded answers"):
        ReplayTarget(
            Candidate(name="r", target="replay", options={"path": str(tmp_path / "none.jsonl")})
        )


def test_the_writer_refuses_an_answer_that_nobody_could_find(tmp_path):
    with ReplayWriter(tmp_path / "a.jsonl") as writer, pytest.raises(ValueError, match="identity"):
        writer.write(Completion(text="x"), of=Identity())
