"""Log probabilities of a streamed chat answer."""

from __future__ import annotations

import pytest

from chat_ground import read
from wire_server import DONE, delta, event


def chanced(token, logprob):
    chunk = delta(token)
    beside = [{"token": token, "logprob": logprob}, {"token": "no", "logprob": -3.0}]
    chunk["choices"][0]["logprobs"] = {
        "content": [{"token": token, "logprob": logprob, "top_logprobs": beside}]
    }
    return event(chunk)


@pytest.mark.parametrize("together", [False, True])
def test_log_probabilities_come_over_a_stream_however_it_is_cut(together):
    pieces = [chanced(token, -0.5) for token in ("a", "b", "c", "d", "e", "f")]
    pieces.append(event(delta(finish="stop")))
    pieces.append(DONE)
    _, answer = read(*([(1.0, b"".join(pieces))] if together else [(1.0, p) for p in pieces]))
    assert answer.text == "abcdef"
    assert [(token, chance) for token, chance, _ in answer.logprobs] == [
        (token, -0.5) for token in "abcdef"
    ]
    assert answer.logprobs[0][2] == (("a", -0.5), ("no", -3.0))


def test_a_stream_without_log_probabilities_has_none():
    chunk = delta("hi")
    chunk["choices"][0]["logprobs"] = None
    _, answer = read((1.0, event(chunk)), (1.5, event(delta(finish="stop"))), (2.0, DONE))
    assert (answer.text, answer.logprobs) == ("hi", ())
