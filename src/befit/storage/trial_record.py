"""A trial as one body of the `trials` table, and back to an equal trial.

Written by hand rather than through pydantic: it is on the hot path, and the
stored form stays readable and stable when the classes grow. Fields at their
defaults are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from decimal import Decimal
from operator import attrgetter
from typing import Any

from befit.core.completion import Attempt, Completion, Timing
from befit.core.failure import Failure, FailureKind
from befit.core.message import Message, ToolCall
from befit.core.price import Usage
from befit.core.record import Json
from befit.core.trial import Trial, TrialKey
from befit.storage.codec import pack, unpack

_USAGE = tuple(Usage.__dataclass_fields__)
_TIMING = tuple(Timing.__dataclass_fields__)
_usage_values = attrgetter(*_USAGE)
_timing_values = attrgetter(*_TIMING)


def trial_body(trial: Trial) -> bytes:
    """Return everything of `trial` as a body."""
    record: dict[str, Json] = {
        "key": list(trial.key),
        "transcript": _transcript(trial),
        "completions": [_completion(completion) for completion in trial.completions],
        "started_at": trial.started_at,
    }
    if trial.failure is not None:
        record["failure"] = asdict(trial.failure)
    if trial.attempts or trial.untold_tries:
        record["attempts"] = [_attempt(attempt) for attempt in trial.attempts]
        record["untold_tries"] = trial.untold_tries
    if trial.cost is not None:
        record["cost"] = str(trial.cost)
    if trial.price_snapshot is not None:
        record["price_snapshot"] = trial.price_snapshot
    if trial.seed is not None:
        record["seed"] = trial.seed
    if trial.state is not None:
        record["state"] = trial.state
    if trial.user_cost is not None:
        record["user_cost"] = str(trial.user_cost)
    if trial.waited:
        record["waited"] = trial.waited
    if trial.retry_cost is not None:
        record["retry_cost"] = str(trial.retry_cost)
    return pack(record)


def read_trial(body: bytes) -> Trial:
    """Return the trial of a body."""
    record = unpack(body)
    cost = record.get("cost")
    completions = tuple(_read_completion(c) for c in record["completions"])
    return Trial(
        key=TrialKey(*record["key"]),
        transcript=tuple(_read_message(m, completions) for m in record["transcript"]),
        completions=completions,
        failure=Failure(**record["failure"]) if "failure" in record else None,
        attempts=tuple(
            Attempt(failure=Failure(**failure), started=started, waited=waited, usage=_usage(used))
            for failure, started, waited, *used in record.get("attempts", ())
        ),
        cost=None if cost is None else Decimal(cost),
        price_snapshot=record.get("price_snapshot"),
        started_at=record["started_at"],
        seed=record.get("seed"),
        state=record.get("state"),
        user_cost=_money(record, "user_cost"),
        waited=record.get("waited", 0.0),
        retry_cost=_money(record, "retry_cost"),
        untold_tries=record.get("untold_tries", 0),
    )


def _attempt(attempt: Attempt) -> list[Json]:
    told = [asdict(attempt.failure), attempt.started, attempt.waited]
    return told if attempt.usage is None else [*told, _usage_values(attempt.usage)]


def _usage(used: Sequence[Sequence[Any]]) -> Usage | None:
    """Return the usage of a failed try; there is none where it was not told."""
    return Usage(**dict(zip(_USAGE, used[0], strict=False))) if used else None


def _money(record: dict[str, Any], name: str) -> Decimal | None:
    return Decimal(record[name]) if name in record else None


def failure_kind(trial: Trial) -> FailureKind | None:
    """Return the kind of the final failure, or None."""
    return None if trial.failure is None else trial.failure.kind


def _transcript(trial: Trial) -> list[Json]:
    """The messages; an answer that is word for word a completion is only its number."""
    completions = trial.completions
    answers = {completion.text: n for n, completion in enumerate(completions)}
    told: list[Json] = []
    for message in trial.transcript:
        content = message.content
        if (
            message.role == "assistant"
            and isinstance(content, str)
            and content in answers
            and message.tool_calls == completions[answers[content]].tool_calls
            and message.tool_call_id is None
            and message.name is None
        ):
            told.append(answers[content])
        else:
            told.append(_message(message))
    return told


def _read_message(record: int | dict[str, Json], completions: Sequence[Completion]) -> Message:
    if isinstance(record, int):
        answer = completions[record]
        return Message(role="assistant", content=answer.text, tool_calls=answer.tool_calls)
    return Message.model_validate(record)


def _message(message: Message) -> dict[str, Json]:
    content = message.content
    record: dict[str, Json] = {
        "role": message.role,
        "content": content
        if isinstance(content, str)
        else [{name: getattr(part, name) for name in type(part).model_fields} for part in content],
    }
    if message.tool_calls:
        record["tool_calls"] = [_call(call) for call in message.tool_calls]
    if message.tool_call_id is not None:
        record["tool_call_id"] = message.tool_call_id
    if message.name is not None:
        record["name"] = message.name
    return record


def _call(call: ToolCall) -> dict[str, str]:
    return {"id": call.id, "name": call.name, "arguments": call.arguments}


def _completion(completion: Completion) -> dict[str, Json]:
    record: dict[str, Json] = {
        "text": completion.text,
        "timing": _timing_values(completion.timing),
    }
    if completion.tool_calls:
        record["tool_calls"] = [_call(call) for call in completion.tool_calls]
    if completion.usage is not None:
        record["usage"] = _usage_values(completion.usage)
    if completion.headers:
        record["headers"] = completion.headers
    if completion.logprobs:
        record["logprobs"] = completion.logprobs
    if completion.reasoning is not None:
        record["reasoning"] = completion.reasoning
    if completion.finish_reason is not None:
        record["finish_reason"] = completion.finish_reason
    if completion.served_model is not None:
        record["served_model"] = completion.served_model
    if completion.system_fingerprint is not None:
        record["system_fingerprint"] = completion.system_fingerprint
    if completion.request_id is not None:
        record["request_id"] = completion.request_id
    return record


def _read_completion(record: dict[str, Any]) -> Completion:
    timing = Timing(**dict(zip(_TIMING, record.pop("timing"), strict=False)))
    usage = record.pop("usage", None)
    calls = tuple(ToolCall(**call) for call in record.pop("tool_calls", ()))
    chances = tuple(
        (token, logprob, tuple((text, value) for text, value in beside))
        for token, logprob, beside in record.pop("logprobs", ())
    )
    return Completion(
        logprobs=chances,
        timing=timing,
        usage=None if usage is None else Usage(**dict(zip(_USAGE, usage, strict=False))),
        tool_calls=calls,
        **record,
    )
