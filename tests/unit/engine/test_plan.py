from __future__ import annotations

from decimal import Decimal

import pytest

from befit.core.candidate import Limits, Prompt, Sampling, Traits
from befit.core.price import Price
from befit.core.sample import Sample, ScorerSpec, Turn
from befit.core.scenario import FailureMode
from befit.engine.job import slots
from befit.engine.plan import Span, plan
from engine_ground import candidate, fixed, job, numbered, scenario

PRICE = Price(input=Decimal(3), output=Decimal(15))


def codes(made):
    return {(w.code, w.subject) for w in made.warnings}


def test_it_counts_slots_calls_and_what_is_stored_already():
    one = job(
        [candidate("a"), candidate("b", repeats=1)],
        [
            scenario(numbered(10), repeats=3),
            scenario(numbered(4), name="more", template="+{input}"),
        ],
    )
    ids = [place.key_id for place in slots(one, one.candidates)]
    assert len(ids) == 10 * 3 + 10 + 4 + 4
    made = plan(one, stored=lambda asked: {key for key in asked if key in ids[:7]})
    assert (made.n_slots, made.n_stored, made.n_calls) == (48, 7, 41)
    assert [(c.scenario, c.candidate, c.n_slots, c.n_stored) for c in made.cells] == [
        ("facts", "a", 30, 5),  # s0: a b a a, s1: a b a
        ("facts", "b", 10, 2),
        ("more", "a", 4, 0),
        ("more", "b", 4, 0),
    ]


def test_cost_is_a_range_from_price_tokens_and_max_tokens():
    sample = Sample(id="s", input="x" * 600)
    one = job(
        [candidate(price=PRICE, sampling=Sampling(temperature=0, max_tokens=100))],
        [scenario(fixed(sample), repeats=2)],
    )
    made = plan(one)
    (cell,) = made.cells
    # 600 bytes: 100 tokens at 6 bytes each, 300 + 16 at 2 bytes each; two calls
    assert cell.input_tokens == Span(low=200, high=632)
    assert cell.output_tokens == Span(low=2, high=200)
    assert made.cost.low == pytest.approx((200 * 3 + 2 * 15) / 1e6)
    assert made.cost.high == pytest.approx((632 * 3 + 200 * 15) / 1e6)


def test_an_unknown_price_is_an_unknown_cost_never_zero():
    made = plan(job([candidate("a"), candidate("b", price=PRICE)], [scenario(numbered(2))]))
    assert made.cells[0].cost is None
    assert made.unpriced == ("a",)
    assert made.cost == made.cells[1].cost
    assert plan(job([candidate("a")], [scenario(numbered(2))])).cost is None
    assert ("unknown_price", "a") in codes(made)


def test_without_max_tokens_the_cost_has_no_upper_end():
    entry = candidate(price=PRICE, sampling=Sampling(temperature=0))
    made = plan(job([entry], [scenario(numbered(2))], max_cost=1.0))
    assert made.cost.high is None
    assert {("no_max_tokens", "a"), ("provider_default", "a")} <= codes(made)


def test_each_scripted_turn_is_a_call_that_sends_all_before_it():
    talk = Sample(id="t", turns=(Turn(user="a" * 60), Turn(user="b" * 60), Turn(user="c" * 60)))
    made = plan(job([candidate()], [scenario(fixed(talk))]))
    assert (made.n_slots, made.n_calls) == (1, 3)
    assert made.cells[0].input_tokens.high > 3 * 30 + 60 + 3 * 20


def test_time_is_the_slowest_endpoints_at_its_stated_rates():
    made = plan(
        job(
            [
                candidate("slow", base_url="http://s", limits=Limits(requests_per_minute=30)),
                candidate("fast", base_url="http://f", limits=Limits(requests_per_minute=600)),
            ],
            [scenario(numbered(60))],
        )
    )
    assert {e.candidates: (e.seconds, e.why) for e in made.endpoints} == {
        ("slow",): (120.0, "requests_per_minute"),
        ("fast",): (6.0, "requests_per_minute"),
    }
    assert made.seconds == 120.0


def test_time_is_unknown_without_rates_and_follows_known_latencies():
    one = job([candidate()], [scenario(numbered(100))], concurrency=10)
    assert plan(one).seconds is None
    assert plan(one, latencies={"a": 2.0}).seconds == pytest.approx(20.0)


def test_candidates_of_one_endpoint_share_its_limits():
    made = plan(
        job(
            [candidate("a", base_url="http://x", limits=Limits(concurrency=4)),
             candidate("b", base_url="http://x")],
            [scenario(numbered(3))],
            concurrency=9,
        )
    )  # fmt: skip
    (end,) = made.endpoints
    assert (end.candidates, end.concurrency, end.n_calls) == (("a", "b"), 4, 6)


def test_it_warns_of_what_makes_results_say_less():
    bare = scenario(numbered(1), name="bare", critical=True, repeats=2, scorers=())
    good = scenario(
        numbered(1), name="good", repeats=3, failure_modes=(FailureMode(name="x", label="y"),)
    )
    empty = scenario(numbered(0), name="empty", repeats=5)
    own = candidate("own", prompt=Prompt(templates={"bare": "x {input}"}))
    made = plan(job([own], [bare, good, empty], seed="fixed"))
    assert codes(made) >= {
        ("few_repeats", "bare"),
        ("no_failure_modes", "bare"),
        ("no_scorers", "bare"),
        ("fixed_seed", "good"),
        ("no_samples", "empty"),
        ("own_template", "own"),
        ("unknown_price", "own"),
        ("provider_default", "own"),
    }
    assert ("no_failure_modes", "good") not in codes(made)


def test_samples_with_checks_of_their_own_need_no_scorer():
    judged = Sample(id="a", input="?", target="x", checks=(ScorerSpec(name="match"),))
    both = scenario(fixed(judged, Sample(id="b", input="??")), name="both", scorers=())
    own = scenario(fixed(judged), name="own", scorers=())
    made = plan(job([candidate("a")], [both, own]))
    (told,) = [one for one in made.warnings if one.code == "no_scorers"]
    assert told.subject == "both"
    assert told.text.startswith("1 of 2 samples have no scorer and no checks")


def test_slots_go_by_scenario_sample_repeat_candidate():
    one = job([candidate("a"), candidate("b")], [scenario(numbered(2), repeats=2)])
    order = [
        (p.slot.sample_id, p.slot.repeat, p.slot.candidate) for p in slots(one, one.candidates)
    ]
    assert order == sorted(order)
    assert len(order) == 8


def test_targets_names_and_prices_are_not_in_the_key():
    def keys(entry, sample):
        one = job([entry], [scenario(fixed(sample))])
        return [p.key_id for p in slots(one, one.candidates)]

    plain = keys(candidate("a", model="m"), Sample(id="s", input="q", target="1"))
    assert plain == keys(
        candidate("other", model="m", price=PRICE),
        Sample(id="t", input="q", target="2", tags=("x",)),
    )
    assert plain != keys(candidate("a", model="n"), Sample(id="s", input="q"))
    assert plain != keys(candidate("a", model="m"), Sample(id="s", input="q2"))


def test_samples_beyond_the_stated_context_are_told_for_the_candidate_they_are_too_long_for():
    samples = fixed(Sample(id="a", input="x " * 100), Sample(id="b", input="x " * 30_000))
    small = candidate("small", traits=Traits(context_tokens=2_000))
    large = candidate("large", traits=Traits(context_tokens=200_000))
    made = plan(job([small, large, candidate("unknown")], [scenario(samples, name="s")]))
    told = [(w.subject, w.text) for w in made.warnings if w.code == "beyond_context"]
    assert told == [("small", "1 of 2 samples of s are longer than the context it is said to take")]
