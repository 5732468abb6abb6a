"""The fault matrix and planted incompatibilities, over real HTTP against the fake provider."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import pytest

from befit.core.candidate import Candidate, Sampling, Timeouts
from befit.core.completion import Request
from befit.core.message import Message
from befit.core.price import Price
from befit.engine.fallback_chain import Member, run_chain
from befit.engine.fallback_matrix import FAULTS, TOLD, grade_gateway, graded_text, run_matrix
from befit.engine.fallback_probe import ask_all, handover_probes, parameter_probes
from befit.targets.openai import OpenAITarget
from befit.testing.provider import FakeProvider, refused_url
from befit.testing.script import Script

PRICE = Price(input=1, output=10)
QUICK = Timeouts(connect=1, first_token=0.4, idle=0.4, total=5)


def chat(name, url, **fields):
    return Candidate(name=name, target="openai", model=name, base_url=url, **fields)


def member(name, url):
    target = OpenAITarget(chat(name, url))
    request = Request(
        messages=(Message(role="user", content=f"[[say:{TOLD}]]"),),
        timeouts=QUICK,
        sampling=Sampling(max_tokens=64),
    )
    return Member(name=name, target=target, request=request, price=PRICE)


def matrix(cases=FAULTS, repeats=2):
    async def work(faulty, healthy):
        members = (
            member("main", faulty.base_url),
            member("main", refused_url()),
            member("spare", healthy.base_url),
        )
        try:
            return await run_matrix(*members, cases=cases, repeats=repeats)
        finally:
            for one in members:
                await one.target.aclose()

    with FakeProvider(Script(retry_after=0.01)) as faulty, FakeProvider() as healthy:
        return asyncio.run(work(faulty, healthy))


def test_every_fault_of_the_matrix_comes_to_what_is_due():
    rows = matrix()
    wrong = {
        row.case.name: [row.came(one, "main") for one in row.results]
        for row in rows
        if row.right("main") < len(row.results)
    }
    assert wrong == {}
    assert len(rows) == len(FAULTS) == 27


def test_failover_time_counts_from_the_first_attempt_and_dead_attempts_are_kept():
    (row,) = matrix([case for case in FAULTS if case.mark == "stall"], repeats=1)
    (one,) = row.results
    # The primary may be silent for 0.4 s; the fallback's first token comes after that.
    assert 0.4 <= one.dead[0].seconds <= one.first_token <= one.end
    assert one.dead[0].failure.kind == "timeout_first_token"
    # Input at $1 and twenty words of output at $10 a million.
    assert one.cost == Decimal(one.completion.usage.input_tokens + 10 * 20) / 1_000_000


def test_a_callers_own_fault_is_not_carried_to_the_next_model():
    (row,) = matrix([case for case in FAULTS if case.mark == "400"], repeats=1)
    assert row.results[0].served_by is None
    assert [dead.name for dead in row.results[0].dead] == ["main"]


def test_when_all_members_fail_every_death_is_told():
    async def work():
        members = [member("a", refused_url()), member("b", refused_url())]
        found = await run_chain(members)
        for one in members:
            await one.target.aclose()
        return found

    found = asyncio.run(work())
    assert found.served_by is found.total_cost is None
    assert [dead.failure.kind for dead in found.dead] == ["connect", "connect"]


def probed(script, primary=None, **more):
    """Return what a fallback with this script refuses or ignores."""
    with FakeProvider(script) as provider:
        spare = chat("spare", provider.base_url, timeouts=QUICK)
        primary = primary or chat("main", "http://127.0.0.1:9/v1", timeouts=QUICK)
        probes = (*parameter_probes(primary, **more), *handover_probes(primary, spare))
        found = asyncio.run(ask_all(spare, probes))
    assert len(found) == len(probes)
    return {one.what: one for one in found if one.outcome != "accepted"}


def test_a_fallback_that_takes_everything_is_left_in_peace():
    assert probed(Script()) == {}


@pytest.mark.parametrize(
    ("refused", "what"),
    [
        ("seed", "seed"),
        ("temperature", "temperature"),
        ("stop", "stop"),
        ("response_format", "response schema"),
        ("parallel_tool_calls", "parallel tool calls"),
    ],
)
def test_a_refused_parameter_is_found_and_named(refused, what):
    main = chat("main", "http://127.0.0.1:9/v1", sampling=Sampling(temperature=0.7), timeouts=QUICK)
    found = probed(Script(unsupported=(refused,)), main)
    assert set(found) == {what}
    assert found[what].outcome == "refused"
    assert f"Unsupported parameter: '{refused}'" in found[what].text


def test_half_the_context_window_is_found_by_the_longest_request():
    found = probed(Script(context_window=500), longest=1_000)
    assert set(found) == {"context window"}
    assert found["context window"].failure.kind == "context_length"
    assert probed(Script(context_window=2_000), longest=1_000) == {}


def test_a_model_that_makes_one_call_at_a_time_is_found():
    found = probed(Script(most_calls=1))
    assert set(found) == {"parallel tool calls"}
    assert (found["parallel tool calls"].outcome, found["parallel tool calls"].text) == (
        "ignored",
        "1 tool calls where 2 were asked for",
    )


def test_reasoning_signed_by_another_provider_is_found():
    found = probed(Script(foreign_signatures="refused"))
    assert set(found) == {"signed reasoning of the primary"}
    assert "signature" in found["signed reasoning of the primary"].text


def test_body_fields_of_the_primarys_configuration_are_probed_too():
    main = chat(
        "main",
        "http://127.0.0.1:9/v1",
        options={"extra_body": {"service_tier": "flex"}},
        timeouts=QUICK,
    )
    assert set(probed(Script(unsupported=("service_tier",)), main)) == {"service_tier"}


def test_an_endpoint_that_is_not_there_ends_the_questions_at_the_first():
    spare = chat("spare", refused_url(), timeouts=QUICK)
    found = asyncio.run(ask_all(spare, parameter_probes(spare)))
    assert [one.outcome for one in found] == ["unreachable"]


def test_a_gateway_that_only_passes_on_is_graded_fault_by_fault():
    """The fake provider itself, as a gateway without any fallback: honest, and no rescue."""

    async def work(provider):
        target = OpenAITarget(chat("gate", provider.base_url))
        request = Request(
            messages=(Message(role="user", content=""),), timeouts=QUICK, sampling=Sampling()
        )
        try:
            return await grade_gateway(target, request)
        finally:
            await target.aclose()

    with FakeProvider() as provider:
        rows = {row.case.mark: row for row in asyncio.run(work(provider))}
    assert rows["429"].graded == "clean error"
    assert not rows["429"].good
    assert rows["stall"].graded == "hung"
    assert rows["no_done"].good
    assert rows["length:5"].graded == "cut in silence"


def graded(text):
    """Grade what always gives `text`, as a gateway whose fallback always rescues."""

    async def work(provider):
        target = OpenAITarget(chat("healthy", provider.base_url))
        request = Request(messages=(Message(role="user", content=""),), timeouts=QUICK)
        try:
            return await grade_gateway(target, request)
        finally:
            await target.aclose()

    script = Script(healthy_models=("healthy",))
    with FakeProvider(script, answer=lambda _: text) as provider:
        return asyncio.run(work(provider))


@pytest.mark.parametrize(
    ("text", "grade"),
    [(TOLD, "whole"), ("technical", "another's whole"), ("One moment please.", "another's whole")],
)
def test_a_gateway_with_any_healthy_fallback_is_good_at_every_fault(text, grade):
    rows = graded(text)
    assert [row.case.name for row in rows if not row.good] == []
    assert {row.graded for row in rows} == {grade}


BEGUN = "one two three four five"


@pytest.mark.parametrize(
    ("mark", "text", "others", "grade"),
    [
        ("cut:5", TOLD, (), "whole"),
        ("cut:5", f"{BEGUN} {TOLD}", (TOLD,), "spliced"),
        ("cut:5", f"{BEGUN}technical", ("technical",), "spliced"),
        # The reset may have swept away the last words.
        ("cut:5", "one two technical", ("technical",), "spliced"),
        ("malformed:5", f"{BEGUN} something else", (), "spliced"),
        ("length:5", f"{BEGUN} technical", (), "spliced"),
        ("cut:5", BEGUN, (), "cut in silence"),
        ("429", "", (), "cut in silence"),
        # What sent no word cannot be spliced to.
        ("429", f"{BEGUN} technical", (), "another's whole"),
        ("cut:5", f"{TOLD}.", (), "another's whole"),
        ("cut:5", "One, two, three, and so on", ("one, two, three",), "another's whole"),
        ("cut:5", "technical", (), "another's whole"),
    ],
)
def test_spliced_is_what_begins_as_the_primary_and_goes_on_otherwise(mark, text, others, grade):
    case = next(case for case in FAULTS if case.mark == mark)
    assert graded_text(text, case, others) == grade
