"""The local target: what it refuses at once, and (where weights are fetched) what it answers."""

from __future__ import annotations

import asyncio
import json

import jinja2
import pytest

from befit.core.candidate import Candidate, Sampling, Timeouts
from befit.core.completion import Request
from befit.core.message import Message
from befit.errors import ConfigError, ModelError, TargetError
from befit.targets.llama import _PLAIN_TEMPLATE
from befit.targets.local import LocalTarget
from befit.targets.models import known, model_path

pytest.importorskip("xllamacpp", reason="the extra 'local' is not installed")


def candidate(model="smollm2-135m", **options):
    return Candidate(name="a", target="local", model=model, options=options)


def fetched(name):
    if not model_path(known(name)).is_file():
        pytest.skip(f"model is not fetched: befit models fetch {name}")
    return candidate(name)


def ask(*turns, **more):
    roles = ("user", "assistant")
    messages = tuple(Message(role=roles[i % 2], content=turn) for i, turn in enumerate(turns))
    sampling = more.pop("sampling", Sampling(temperature=0, max_tokens=12))
    return Request(messages=messages, sampling=sampling, **more)


def answers(chosen, *requests):
    async def run():
        target = LocalTarget(chosen)
        try:
            return [await target.generate(request) for request in requests]
        finally:
            await target.aclose()

    return asyncio.run(run())


def test_an_unfetched_model_says_how_to_fetch_it(monkeypatch, tmp_path):
    monkeypatch.setenv("BEFIT_CACHE", str(tmp_path))
    with pytest.raises(ModelError) as caught:
        LocalTarget(candidate())
    assert caught.value.do == "befit models fetch smollm2-135m"


def test_an_unknown_model_names_the_known_ones():
    with pytest.raises(ModelError, match="no model 'gpt'") as caught:
        LocalTarget(candidate("gpt"))
    assert "smollm2-135m, gemma-270m" in caught.value.why


def test_an_unknown_option_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("BEFIT_CACHE", str(tmp_path))
    with pytest.raises(ConfigError, match="unusable option"):
        LocalTarget(candidate(thread=2))


def test_a_file_that_is_no_model_is_the_configurations_fault(tmp_path):
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"no model")
    with pytest.raises(TargetError) as caught:
        answers(candidate(str(path)), ask("hi"))
    assert caught.value.failure.blame == "configuration"


def test_a_base_model_is_shown_plain_questions_and_answers():
    messages = [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "1 + 1?"},
        {"role": "assistant", "content": "2"},
        {"role": "user", "content": "2 + 2?"},
    ]
    rendered = jinja2.Template(_PLAIN_TEMPLATE).render(messages=messages)
    assert rendered == ("Be short.\n\nQuestion: 1 + 1?\nAnswer: 2\n\nQuestion: 2 + 2?\nAnswer:")


@pytest.mark.models
@pytest.mark.parametrize("name", ["smollm2-135m", "gemma-270m"])
def test_the_same_request_at_temperature_zero_gets_the_same_answer(name):
    request = ask("Name a colour.", "Blue", "Name a city in France.")
    first, other, again = answers(fetched(name), request, ask("Something else."), request)
    assert first.text == again.text
    assert first.text != other.text
    assert not first.text.startswith(" ")
    assert first.served_model == again.served_model
    assert first.served_model.startswith(f"{name}@")
    assert first.usage.cache_read == 0
    assert 0 < first.usage.text_output <= 12


@pytest.mark.models
def test_token_times_are_measured_and_loading_is_no_part_of_them():
    loop_time = 0.0  # a moment long ago: a latency since then would be huge
    request = ask("Count to ten.", scheduled=loop_time)
    (first,) = answers(fetched("smollm2-135m"), request)
    timing = first.timing
    assert timing.sent == 0.0
    assert 0 < timing.first_token < timing.last_token <= timing.end < 60


@pytest.mark.models
def test_another_seed_gives_another_sample_and_the_same_seed_the_same():
    sampling = Sampling(temperature=1.5, max_tokens=12)
    requests = [ask("Tell me a story.", sampling=sampling, seed=seed) for seed in (1, 1, 2)]
    one, same, other = answers(fetched("smollm2-135m"), *requests)
    assert one.text == same.text
    assert one.text != other.text


@pytest.mark.models
def test_a_response_schema_is_enforced():
    schema = {
        "type": "object",
        "properties": {"city": {"enum": ["Rome", "Oslo"]}},
        "required": ["city"],
        "additionalProperties": False,
    }
    sampling = Sampling(temperature=0, max_tokens=30)
    request = ask("Pick a city.", sampling=sampling, response_schema=schema)
    (answer,) = answers(fetched("smollm2-135m"), request)
    assert json.loads(answer.text)["city"] in {"Rome", "Oslo"}


@pytest.mark.models
def test_a_prompt_beyond_the_context_is_the_candidates_failure():
    chosen = fetched("smollm2-135m").model_copy(update={"options": {"context": 128}})
    with pytest.raises(TargetError) as caught:
        answers(chosen, ask("word " * 500))
    assert caught.value.failure.kind == "context_length"


@pytest.mark.models
def test_a_timed_out_request_frees_the_model_for_the_next():
    async def run():
        target = LocalTarget(fetched("smollm2-135m"))
        try:
            await target.generate(ask("warm up"))
            sampling = Sampling(temperature=0, max_tokens=1000)
            endless = ask("Write a long story.", sampling=sampling, timeouts=Timeouts(total=0.5))
            with pytest.raises(TargetError) as caught:
                await target.generate(endless)
            return caught.value.failure.kind, await target.generate(ask("Say hi."))
        finally:
            await target.aclose()

    kind, after = asyncio.run(run())
    assert kind == "timeout_total"
    assert after.text
