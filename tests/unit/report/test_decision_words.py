"""The words of a decision: what several tiers together come to, and what one route costs."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from befit.core.decision import GateVerdict
from befit.core.estimate import Estimate
from befit.core.policy import Gate, Policy
from befit.report import decision as words
from befit.report.decision_markdown import render
from report_documents import NAMES, Shape, document


@pytest.fixture(scope="module")
def decided():
    policy = Policy(gates=(Gate(metric="pass_rate", floor=0.5),))
    shape = Shape(names=NAMES[:2], dimensions=2, samples=60, repeats=2, decided=True, policy=policy)
    found = document(shape).decision
    assert [tier.outcome for tier in found.tiers] == ["decided", "decided"]
    return found


def nobody(tier):
    return replace(
        tier, outcome="none_good_enough", candidate=None, fallback=None, contenders=(),
        nearest="x", missing="pass rate is 40 %, at least 50 % is asked",
    )  # fmt: skip


def in_part(decision):
    """The first tier has nobody, the second one is decided."""
    first, second = decision.tiers
    routes = tuple(r for r in decision.routes if r.tier == second.tier)
    return replace(decision, tiers=(nobody(first), second), routes=routes)


def test_one_tier_without_anybody_does_not_hide_the_route_of_another(decided):
    found = in_part(decided)
    assert found.outcome == "none_good_enough"
    assert words.outcome_words(found) == "Decided for 1 of 2 task tiers"
    second = found.tiers[1]
    assert words.summary(found) == (
        f"No candidate is good enough for {found.tiers[0].tier}; "
        f"use {second.candidate} for {second.tier}."
    )
    assert render(found).splitlines()[2] == "**Decided for 1 of 2 task tiers.**"


def test_all_decided_or_none_is_said_in_the_words_of_the_outcome(decided):
    assert words.outcome_words(decided) == "Decided"
    none = replace(decided, tiers=tuple(nobody(tier) for tier in decided.tiers), routes=())
    assert words.outcome_words(none) == "None is good enough"


def test_a_tier_that_is_open_is_not_called_one_without_anybody(decided):
    first, second = decided.tiers
    left = replace(second, outcome="not_decided", candidate=None, contenders=("x",))
    found = replace(decided, tiers=(nobody(first), left), routes=())
    assert words.outcome_words(found) == (
        "None is good enough for 1 of 2 task tiers, not decided for 1"
    )


def test_what_a_route_costs_is_said_to_be_of_its_tier_alone(decided):
    found = in_part(decided)
    said = words.combination_sentence(found)
    assert f"for {found.tiers[1].tier} alone" in said
    assert "best combination" not in said


def test_many_tiers_are_counted_instead_of_told_one_by_one(decided):
    tier = decided.tiers[0]
    many = replace(decided, tiers=tuple(replace(tier, tier=f"t{i}") for i in range(5)))
    assert words.summary(many) == "Decided for all 5 task tiers."


def test_draws_are_counted_and_never_rounded_up_to_all(decided):
    assert decided.sensitivity is not None
    nearly = replace(decided, sensitivity=replace(decided.sensitivity, stands=0.999, draws=1000))
    assert "999 of 1,000 draws" in words.stands_sentence(nearly)
    sure = replace(decided, sensitivity=replace(decided.sensitivity, stands=1.0, draws=1000))
    assert "all of 1,000 draws" in words.stands_sentence(sure)


def test_every_number_of_a_recommendation_has_its_interval(decided):
    tier = decided.tiers[0]
    told = words.short_facts(decided, tier).split(" · ")

    amount = r"[\d,.]+ \[[\d,.]+(, [\d,.]+| or more)\]"
    assert re.fullmatch(r"pass rate [\d.]+ % \[[\d.]+, [\d.]+\], n = 60 x 2", told[0])
    assert re.fullmatch(rf"\${amount} per 1,000", told[1])
    assert re.fullmatch(rf"p95 {amount} s", told[2])


def test_an_expected_loss_is_told_with_its_interval_and_draws(decided):
    found = decided.sensitivity
    assert found is not None
    assert found.loss is not None
    loss = replace(found.loss, value=0.0655, low=0.0, high=0.4)
    known = replace(decided, sensitivity=replace(found, expected_loss=0.0655, loss=loss))
    told = r"\$0\.0655 \[0, 0\.4\] (a month|per .*), n = [\d,]+ draws"
    assert re.search(told, words.stands_sentence(known))


def verdict(metric, value, **limit):
    seen = Estimate(
        value=value, low=value / 2, high=2 * value, n_samples=9, n_trials=9, n_missing=0, method="t"
    )
    return GateVerdict(
        candidate="x", gate=Gate(metric=metric, **limit), verdict="pass", evidence=seen, bound=None
    )


@pytest.mark.parametrize(
    ("metric", "value", "limit", "asked", "seen"),
    [
        ("latency_p95", 2.5, 5, "at most 5 s", "2.5 s [1.25, 5]"),
        ("cost", 0.02, 0.05, "at most 0.05 USD per task", "0.02 USD per task [0.01, 0.04]"),
        ("cost_per_success", 2.2e-6, 4e-6, "at most 4 USD per million successes",
         "2.2 USD per million successes [1.1, 4.4]"),
        ("cost", 0.0004, 0.01, "at most 10 USD per 1,000 tasks", "0.4 USD per 1,000 tasks"),
        ("output_tokens_p95", 40_000, 100_000, "at most 100,000 tokens", "40,000 tokens"),
        ("failure_rate", 0.01, 0.05, "at most 5 %", "1 % [0, 2]"),
    ],
)  # fmt: skip
def test_limits_and_what_was_seen_have_their_unit(metric, value, limit, asked, seen):
    found = verdict(metric, value, ceiling=limit)
    assert words.limit_text(found) == asked
    assert words.evidence_text(found).startswith(seen)


def test_a_record_tells_costs_by_the_thousand_and_what_the_frontier_is(decided):
    text = render(decided)
    assert "USD per 1,000 tasks" in text
    assert text.count("no other is shown to beat") == 1
    assert not re.search(r"\de[-+]\d", text.split("## Evidence")[0])


def test_the_frontier_is_told_in_words_and_a_share_of_draws(decided):
    standing = decided.tiers[0].standings[0]

    def told(front, chance):
        return words.frontier_text(replace(standing, front=front, front_chance=chance))

    assert told("dominated", 0.0) == "dominated"
    assert told("dominated", 0.03) == "dominated (on it: 3 %)"
    assert told("on", 0.985) == "on it, 98 %"
    assert told("unknown", None) == "not known"


def test_costs_beside_tries_of_unknown_cost_are_at_least_so_in_every_form(decided):
    tier = decided.tiers[0]
    cost = Estimate(value=0.002, low=0.001, high=None, n_samples=60, n_trials=120, n_missing=0,
                    method="t")  # fmt: skip
    own = replace(words.chosen(tier), cost_per_task=cost, cost_per_success=cost, untold_tries=3)
    others = [s for s in tier.standings if s.candidate != own.candidate]
    tiers = (replace(tier, standings=(own, *others)), *decided.tiers[1:])
    made = replace(decided.combination, cost=cost, untold_tries=3)
    found = replace(decided, tiers=tiers, combination=made)
    told = "at least 2 [1 or more]"
    assert f"| {told}  | {told}  |" in render(found)
    facts = {fact.name: fact.value for fact in words.facts(found, found.tiers[0], stability="")}
    assert facts["per 1,000 tasks"] == "at least $2 [1 or more]"
    assert "at least 0.002 [0.001 or more] USD" in words.combination_sentence(found)
    tables = render(decided).partition("## Routes")[2].partition("## Gates")[0]
    assert "| Candidate |" in tables
    assert "at least" not in tables


def test_a_combination_that_costs_more_than_one_model_saves_nothing(decided):
    less = Estimate(value=-3.0, low=-5.0, high=-1.0, n_samples=60, n_trials=60, n_missing=0,
                    method="t")  # fmt: skip
    made = replace(decided.combination, models=2, one_model="x", one_model_cost=less, saving=less)
    found = words.combination_sentence(replace(decided, combination=made))
    assert "the combination costs 3 [1, 5] USD more" in found
    assert "saves" not in found
