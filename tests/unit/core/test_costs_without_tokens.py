"""What an answer costs whose usage nobody told: known where tokens cost nothing."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from decimal import Decimal

import pytest

from befit.core.price import Price, Usage, cost
from befit.engine.executor import execute
from engine_ground import Answering, candidate, completion, job, numbered, scenario, workspace

EACH = Decimal("0.00001")
FLAT = Price(input=0, output=0, per_request=EACH)


@pytest.mark.parametrize(
    ("price", "each"),
    [
        (FLAT, EACH),
        (Price(input=0, output=0), Decimal(0)),
        (Price(input=0, output=1, per_request=EACH), None),
        (Price(input=0, output=0, reasoning=1), None),
        (Price(input=0, output=0, above_tokens=9, above=Price(input=0, output=0)), Decimal(0)),
        (Price(input=0, output=0, above_tokens=9, above=Price(input=1, output=0)), None),
        (FLAT.model_copy(update={"above_tokens": 9, "above": Price(input=0, output=0)}), None),
        (None, None),
    ],
)
def test_without_usage_a_cost_is_known_where_no_token_costs_anything(price, each):
    assert cost(None, price) == each


def test_it_is_the_same_with_usage():
    assert cost(Usage(uncached_input=1000, text_output=5), FLAT) == EACH


def test_a_run_knows_what_its_requests_cost(tmp_path):
    flat = job([candidate(price=FLAT)], [scenario(numbered(4))])
    with workspace(tmp_path, flat) as store:
        target = Answering(lambda _: replace(completion("42"), usage=None))
        outcome = asyncio.run(execute(flat, store=store, targets={"a": target}))
        found = [fact.cost for fact in store.facts(flat.run_id)]
    assert found == [1e-5] * 4
    assert (outcome.spent, outcome.unknown) == (4 * EACH, 0)
