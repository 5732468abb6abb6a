"""Which request gets which fault, what the script refuses, and how answers are composed."""

from __future__ import annotations

import asyncio
import statistics
from collections import Counter

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from befit.testing.exchange import Answer, Ask, finished, instance_of, tokens
from befit.testing.faults import choose
from befit.testing.provider import FakeProvider
from befit.testing.script import Delay, Script


def draw(prompt, count=0, *, seed=0, rates=None, permanent=None):
    fault = choose(prompt, count, seed=seed, rates=rates or {}, permanent=permanent or {})
    return fault.name if fault else None


def test_a_marker_decides_before_rates_and_permanent_faults():
    assert draw("x [[fault:cut]]", rates={"500": 1.0}, permanent={"x": "401"}) == "cut"


def test_a_counted_marker_is_used_up_and_the_next_takes_over():
    prompt = "x [[fault:429*2]] [[fault:500*1]]"
    assert [draw(prompt, count) for count in range(5)] == ["429", "429", "500", None, None]


def test_a_permanent_fault_hits_every_request_with_the_prompt():
    assert [draw("say x", n, permanent={"x": "404"}) for n in range(3)] == ["404"] * 3
    assert draw("say y", permanent={"x": "404"}) is None


def test_rates_are_met_and_do_not_depend_on_the_order_of_requests():
    rates = {"429": 0.06, "500": 0.05, "cut": 0.05}
    prompts = [f"prompt {n}" for n in range(4000)]
    seen = {prompt: draw(prompt, seed=7, rates=rates) for prompt in prompts}
    assert {p: draw(p, seed=7, rates=rates) for p in reversed(prompts)} == seen
    shares = {name: count / 4000 for name, count in Counter(seen.values()).items()}
    # Four standard errors of a share of 0.06 at n = 4000 are 0.015.
    assert shares["429"] == pytest.approx(0.06, abs=0.015)
    assert shares["500"] == pytest.approx(0.05, abs=0.015)
    assert shares["cut"] == pytest.approx(0.05, abs=0.015)


def test_a_retry_draws_anew_and_another_seed_draws_otherwise():
    rates = {"500": 0.5}
    by_count = [draw("p", count, rates=rates) for count in range(40)]
    assert {"500", None} == set(by_count)
    assert by_count != [draw("p", count, seed=1, rates=rates) for count in range(40)]


@pytest.mark.parametrize(
    "script",
    [
        {"rates": {"no_such_fault": 0.1}},
        {"permanent": {"x": "no_such_fault"}},
        {"rates": {"429": 0.6, "500": 0.6}},
        {"no_such_key": 1},
    ],
)
def test_a_script_with_a_mistake_is_refused(script):
    with pytest.raises(ValidationError):
        Script.model_validate(script)


def test_lognormal_delays_have_the_median_and_are_repeatable():
    delay = Delay(kind="lognormal", seconds=0.2, sigma=0.5)
    drawn = [delay.draw(0, "prompt", n) for n in range(2000)]
    assert drawn == [delay.draw(0, "prompt", n) for n in range(2000)]
    # The median's standard error is 1.25 sigma / sqrt(n) of the logarithm: 1.4 %.
    assert statistics.median(drawn) == pytest.approx(0.2, rel=0.06)


@given(st.text())
def test_tokens_joined_are_the_text_again(text):
    assert "".join(tokens(text)) == text


def test_the_token_limit_and_stop_strings_are_kept():
    ask = Ask(prompt="", model="m", body={}, max_tokens=2, stop=("END",))
    assert finished("one two three", ask) == Answer(
        text="one two", tokens=("one", " two"), finish="length"
    )
    assert finished("one END two", ask).text == "one "


def test_an_instance_satisfies_its_schema():
    schema = {
        "type": "object",
        "properties": {
            "id": {"type": "integer", "minimum": 5},
            "kind": {"enum": ["a", "b"]},
            "tags": {"type": "array", "items": {"type": "string"}, "minItems": 2},
        },
        "required": ["id", "kind", "tags"],
    }
    assert instance_of(schema) == {"id": 5, "kind": "a", "tags": ["x", "x"]}


def post(provider, *bodies, key="k"):
    async def together():
        async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {key}"}) as session:

            async def one(body):
                url = f"{provider.base_url}/chat/completions"
                async with session.post(url, json=body) as response:
                    return response.status, await response.json()

            return await asyncio.gather(*(one(body) for body in bodies))

    return asyncio.run(together())


def body(prompt="hi", **more):
    return {"model": "m", "messages": [{"role": "user", "content": prompt}], **more}


def test_more_requests_than_the_capacity_get_a_429():
    with FakeProvider(Script(max_concurrent=2, first_token=Delay(seconds=0.3))) as provider:
        statuses = sorted(status for status, _ in post(provider, *[body()] * 5))
        assert provider.handler.most_active <= 3  # a refused one is counted while it is refused
    assert statuses == [200, 200, 429, 429, 429]


@pytest.mark.parametrize(
    ("script", "sent", "status", "code"),
    [
        ({"unsupported": ["seed"]}, body(seed=1), 400, "unsupported_parameter"),
        ({"context_window": 8}, body("one two three four five"), 400, "context_length_exceeded"),
        ({"models": ["other"]}, body(), 404, "model_not_found"),
        ({"api_keys": ["right"]}, body(), 401, "invalid_api_key"),
        ({}, {"model": "m"}, 400, "unsupported_parameter"),
    ],
)
def test_abilities_are_kept_to(script, sent, status, code):
    with FakeProvider(Script.model_validate(script)) as provider:
        (answer,) = post(provider, sent)
    assert answer[0] == status
    assert answer[1]["error"]["code"] == code


def test_an_answer_function_sees_the_repeat_and_the_seed():
    def answer(ask):
        return f"{ask.prompt} {ask.count} {ask.seed}"

    with FakeProvider(answer=answer) as provider:
        texts = [
            post(provider, body(seed=9))[0][1]["choices"][0]["message"]["content"] for _ in range(2)
        ]
    assert texts == ["hi 0 9", "hi 1 9"]
