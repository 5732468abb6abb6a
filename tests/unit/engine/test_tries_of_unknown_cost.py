"""Failed tries that may have been billed: counted, stored, and never taken for free."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import pytest

from befit.core.completion import Completion, Request
from befit.core.failure import Failure, FailureKind
from befit.core.price import Price, Usage
from befit.engine.executor import execute
from befit.errors import TargetError
from befit.pipeline.billing import bill_of
from engine_ground import (
    FlyingClock,
    candidate,
    completion,
    job,
    numbered,
    runtime,
    scenario,
    workspace,
)

PRICE = Price(input=100, output=500)
USED = Usage(uncached_input=10, text_output=4)


class Failing:
    """Fails on the first call of every sample, then answers."""

    def __init__(self, kind: FailureKind, usage: Usage | None) -> None:
        self._kind = kind
        self._partial = None if usage is None else Completion(text="4", usage=usage)
        self._seen: set[str] = set()

    async def generate(self, request: Request, /) -> Completion:
        sample = request.metadata["sample"]
        if sample in self._seen:
            return completion("42")
        self._seen.add(sample)
        failure = Failure(kind=self._kind, message="gone")
        raise TargetError(failure, where="a", partial=self._partial)

    async def aclose(self) -> None:
        return


@pytest.mark.parametrize(
    ("kind", "usage", "price", "untold"),
    [
        ("stream_interrupted", None, PRICE, 1),
        ("stream_interrupted", USED, PRICE, 0),
        ("rate_limited", None, PRICE, 0),
        ("stream_interrupted", None, Price(input=0, output=0), 0),
    ],
)
def test_tries_that_may_have_been_billed_are_counted(tmp_path, kind, usage, price, untold):
    flying = runtime(FlyingClock())
    one = job([candidate(price=price)], [scenario(numbered(3))], retries=2)
    with workspace(tmp_path, one) as store:
        made = execute(one, store=store, targets={"a": Failing(kind, usage)}, runtime=flying)
        outcome = asyncio.run(made)
        facts = list(store.facts(one.run_id))
        trial = store.trial(facts[0].key_id)
        pieces = [list(piece.columns["untold_tries"]) for piece in store.pieces(one.run_id)]
        bill = bill_of(store, one.run_id)
    assert [fact.untold_tries for fact in facts] == [untold] * 3
    assert pieces == [[untold] * 3]
    assert (trial.untold_tries, trial.attempts[0].usage) == (untold, usage)
    assert (outcome.unknown, bill.unknown) == (3 * untold, 3 * untold)


def test_what_a_failed_try_used_is_kept_with_it(tmp_path):
    flying = runtime(FlyingClock())
    one = job([candidate(price=PRICE)], [scenario(numbered(1))], retries=2)
    with workspace(tmp_path, one) as store:
        target = Failing("stream_interrupted", USED)
        asyncio.run(execute(one, store=store, targets={"a": target}, runtime=flying))
        (fact,) = store.facts(one.run_id)
        trial = store.trial(fact.key_id)
    assert trial.attempts[0].usage == USED
    assert trial.retry_cost == Decimal(10 * 100 + 4 * 500) / 1_000_000
