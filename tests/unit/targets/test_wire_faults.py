"""What providers say when they fail, and the class it is put into."""

from __future__ import annotations

from datetime import UTC, datetime

import orjson
import pytest

from befit.core.failure import Failure
from befit.targets.wire.faults import retry_after, status_failure
from befit.targets.wire.redact import redact

WALL = datetime(2026, 11, 29, 12, 0, 0, tzinfo=UTC).timestamp()


def failed(status, body=b"", headers=None, secrets=()):
    raw = body if isinstance(body, bytes) else orjson.dumps(body)
    return status_failure(status, raw, headers or {}, secrets=secrets, wall=WALL)


def said(message="x", **more):
    return {"error": {"message": message, **more}}


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (429, said(code="rate_limit_exceeded"), "rate_limited"),
        (429, said(type="tokens", code="insufficient_quota"), "billing"),
        # Gemini says "quota" and "billing" for plain rate limits: only the code decides.
        (
            429,
            [said("You exceeded your current quota, check your plan and billing")],
            "rate_limited",
        ),
        (401, said(code="invalid_api_key"), "auth"),
        (403, said(type="permission_error"), "auth"),
        (403, said("flagged", metadata={"reasons": ["x"], "flagged_input": "y"}), "content_filter"),
        (402, said("no credits"), "billing"),
        (404, said(code="model_not_found"), "not_found"),
        (404, b"404 page not found", "not_found"),
        (400, said("Unsupported parameter: 'seed'", type="invalid_request_error"), "bad_request"),
        (422, {"detail": [{"loc": ["body"], "msg": "field required"}]}, "bad_request"),
        (400, said(code="context_length_exceeded"), "context_length"),
        (400, said("This model's maximum context length is 4096 tokens."), "context_length"),
        (400, said("prompt is too long: 210000 tokens > 200000 maximum"), "context_length"),
        (
            400,
            {"object": "error", "message": "maximum context length", "code": 400},
            "context_length",
        ),
        (400, said(type="exceed_context_size_error"), "context_length"),
        (413, said("Request too large", type="request_too_large"), "bad_request"),
        (400, said(code="content_filter"), "content_filter"),
        (
            400,
            said(innererror={"code": "ResponsibleAIPolicyViolation"}, code="x"),
            "content_filter",
        ),
        (400, said("Output blocked by content filtering policy"), "content_filter"),
        (400, said("Your credit balance is too low to access the API"), "billing"),
        (500, b"", "server"),
        (502, b"<html>Bad gateway</html>", "server"),
        (503, said("try later"), "overloaded"),
        (529, said(type="overloaded_error"), "overloaded"),
        (500, said("Overloaded", type="overloaded_error"), "overloaded"),
        (408, b"", "server"),
        (409, b"", "server"),
        (418, b"", "bad_request"),
        (307, b"", "bad_request"),
    ],
)
def test_status_and_body_decide_the_class(status, body, kind):
    failure = failed(status, body)
    assert (failure.kind, failure.status) == (kind, status)
    assert failure.message


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "20"}, 20.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "Sun, 29 Nov 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Sun, 29 Nov 2026 11:59:00 GMT"}, 0.0),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_the_wait_a_provider_asks_for_is_read_in_all_its_forms(headers, seconds):
    assert retry_after(headers, wall=WALL) == seconds


def test_the_providers_word_on_retrying_goes_before_the_class():
    assert failed(500).retryable
    assert not failed(500, headers={"x-should-retry": "false"}).retryable
    assert failed(400, headers={"x-should-retry": "true"}).retryable
    assert not failed(400).retryable


def test_the_request_id_is_kept():
    assert failed(500, headers={"x-request-id": "req-1"}).request_id == "req-1"
    assert failed(500, headers={"request-id": "req-2"}).request_id == "req-2"


def test_a_refused_stream_option_says_what_to_do():
    failure = failed(400, said("Unknown parameter: 'stream_options'"))
    assert failure.kind == "bad_request"
    assert "options.stream_usage: false" in failure.message


def test_keys_are_taken_out_of_error_bodies():
    key = "very-private-token-of-mine"
    failure = failed(401, said(f"Incorrect API key provided: {key}."), secrets=(key,))
    assert key not in failure.message
    assert "[redacted]" in failure.message


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-abcdefghijkl",
        "sk-ab******wxyz",
        "gsk_abcdefghijkl123",
        "Bearer abc.def.ghi",
        "https://me:pass@host/v1",
    ],
)
def test_what_looks_like_a_key_is_taken_out_unasked(secret):
    private = secret.removeprefix("Bearer ").removeprefix("https://").removesuffix("@host/v1")
    assert private not in redact(f"bad key {secret} here", ())


def test_messages_are_one_short_line():
    line = redact("a\n\tb\x1b[31m\x00c " + "x" * 1000, ())
    assert line.startswith("a b [31m c x")
    assert len(line) == 500


def test_a_failure_of_the_caller_is_not_retryable_and_of_the_server_is():
    assert not Failure(kind="auth", message="x").retryable
    assert Failure(kind="server", message="x").retryable
