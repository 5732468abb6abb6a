"""What the store is told of costs that no answer tells: each sum once, and none is lost."""

from __future__ import annotations

import asyncio
from decimal import Decimal

from befit.core.price import Price
from befit.core.sample import Sample, Turn
from befit.core.untold import Untold
from befit.engine.bill import Account, Bill
from befit.engine.executor import execute
from befit.pipeline.billing import bill_of
from engine_ground import RUN, Answering, candidate, fixed, job, scenario, workspace

PRICE = Price(input=Decimal(0), output=Decimal(1000))


def spent(usd: str) -> Untold:
    return Untold(spent=Decimal(usd))


def test_what_answers_tell_is_not_told_again():
    account = Account()
    for _ in range(3):
        account.spend("a", Decimal("0.1"))
        account.landed("a", Decimal("0.1"))
    assert account.untold() == {}
    assert account.untold(final=True) == {}


def test_what_is_uncertain_is_told_at_once_and_only_once():
    account = Account()
    account.doubt("a", Decimal("0.5"))
    account.doubt("a", Decimal("0.25"))
    assert account.untold() == {"a": Untold(uncertain=Decimal("0.75"))}
    assert account.untold(final=True) == {}


def test_a_simulated_user_is_told_as_its_conversations_land():
    account = Account()
    account.spend("a", Decimal("0.1"))
    account.spend("user of s", Decimal("0.2"))
    assert account.untold() == {}  # the conversation may still be told by its answer
    account.landed("a", Decimal("0.1"), user="user of s")
    assert account.untold() == {"user of s": spent("0.2")}
    assert account.untold(final=True) == {}


def test_an_answer_that_tells_no_cost_leaves_what_was_known_to_the_end():
    account = Account()
    account.spend("a", Decimal("0.1"))
    account.landed("a", None)
    assert account.untold() == {}
    assert account.untold(final=True) == {"a": spent("0.1")}


def test_what_long_sums_leave_over_is_no_money():
    account = Account()
    for i in range(1, 200):
        account.spend("a", Decimal(1) / (3 * i))
    for i in reversed(range(1, 200)):
        account.landed("a", Decimal(1) / (3 * i))
    assert account.untold(final=True) == {}


def test_two_bills_are_one():
    one = Bill(spent=Decimal(1), uncertain=Decimal(2), unknown=3)
    whole = one + one
    assert (whole.spent, whole.uncertain, whole.unknown, whole.most) == (2, 4, 6, 6)


def test_a_conversation_that_the_cap_cut_short_was_paid(tmp_path):
    """Its first answer was paid, its second did not fit: no trial lands, the bill stands."""
    talk = Sample(id="talk", turns=(Turn(user="one"), Turn(user="two")), target="42")
    entry = candidate(price=PRICE)
    one = job([entry], [scenario(fixed(talk))], n_slots=1, max_cost=0.021)
    with workspace(tmp_path, one) as store:
        outcome = asyncio.run(execute(one, store=store, targets={"a": Answering()}))
        assert (outcome.status, outcome.ok) == ("capped", 0)
        assert outcome.spent > 0
        assert list(store.facts(RUN)) == []
        assert bill_of(store, RUN).spent == outcome.spent
