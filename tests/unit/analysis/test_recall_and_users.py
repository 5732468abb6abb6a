"""Micro recall beside macro, aptitude from ten repeats on, the bill of simulated users apart."""

from __future__ import annotations

import asyncio
import io
from dataclasses import replace
from decimal import Decimal

import pytest

from befit.cli.report_view import show_engineering
from befit.cli.shell import Shell
from befit.core.candidate import Candidate
from befit.core.price import Price
from befit.core.sample import Sample, ScorerSpec
from befit.core.scenario import Scenario, SimulatedUser
from befit.engine.executor import execute
from befit.engine.job import user_name
from befit.pipeline.analysing import analyse_run
from befit.pipeline.reporting import make_document
from befit.report.dose_view import aptitude_says
from befit.report.html import render
from engine_ground import RUN, Answering, candidate, fixed, job, scenario, workspace


def documented(folder, one, targets):
    with workspace(folder, one) as store:
        asyncio.run(execute(one, store=store, targets=targets))
        return analyse_run(store, RUN).analysis, make_document(store, RUN)


def analysed(folder, one, targets):
    result, document = documented(folder, one, targets)
    return result, render(document)


def test_micro_recall_weighs_facts_and_macro_samples(tmp_path):
    facts = [{"id": f"f{n}", "text": f"fact{n}", "position": n / 8} for n in range(8)]
    samples = [
        Sample(id="long", input="?", target={"facts": facts}),
        Sample(id="short", input="??", target=["fact0", "fact1"]),
    ]
    found = scenario(fixed(*samples), scorers=(ScorerSpec(name="recall"),))
    spec = found.spec.model_copy(update={"dimension": "long-context"})
    one = job([candidate()], [Scenario(spec=spec, samples=found.samples)])
    result, page = analysed(tmp_path, one, {"a": Answering(lambda _: "fact0 and fact1")})
    (cell,) = result.recalls
    # 2 of 8 and 2 of 2: the mean of 0.25 and 1, against 4 of 10 facts.
    assert (cell.macro.value, cell.micro.value) == (0.625, 0.4)
    by = {name: estimate.value for name, estimate in cell.by_position}
    # Places 0 to 2/8 are the first third: three facts, two of them found.
    assert by == {"start": pytest.approx(2 / 3), "middle": 0.0, "end": 0.0}
    assert "Key facts found" in page
    assert cell.n_missed == 6
    assert {(one.sample_id, one.missed, one.asked) for one in cell.missed} == {("long", 1, 1)}
    assert {one.fact.partition(" ")[0] for one in cell.missed} == {f"f{n}" for n in range(2, 8)}
    assert "Facts that a missed on" in page


def test_aptitude_and_unreliability_are_given_from_ten_repeats_on(tmp_path):
    samples = [
        Sample(id=f"{item}-{form}", input=f"{item} {form}", target="42", cluster=item,
               tags=(f"form:{form}",))
        for item in ("x", "y")
        for form in ("full", "sharded")
    ]  # fmt: skip

    def answer(request):
        m = request.metadata
        return "42" if "full" in m["sample"] or int(m["repeat"]) < 5 else "no"

    for repeats, given in ((10, True), (9, False)):
        folder = tmp_path / str(repeats)
        folder.mkdir()
        one = job([candidate()], [scenario(fixed(*samples), repeats=repeats)])
        result, page = analysed(folder, one, {"a": Answering(answer)})
        (pair,) = result.doses.pairs
        assert (pair.aptitude is not None) is given
        if given:
            # Five of ten right: P 50, the 90th percentile 100, the 10th 0.
            said = "P 50 against 100, A90 100 against 100, U 100 against 0 (10 runs)"
            assert aptitude_says(pair) == said
            assert said in page


def test_the_bill_of_a_simulated_user_stands_apart(tmp_path):
    price = Price(input=Decimal(1), output=Decimal(2), source="test")
    user = SimulatedUser(candidate=Candidate(name="u", target="openai", model="u"), goal="Ask.")
    found = scenario(
        fixed(Sample(id="s", input="Hello", target="42")),
        user=user,
        caps={"turns": 2},
    )
    one = job([candidate(price=price)], [found])
    playing = candidate(user_name("facts"), price=price, model="u")
    one = replace(one, users={"facts": playing})
    targets = {"a": Answering(), user_name("facts"): Answering(lambda _: "And then?")}
    result, document = documented(tmp_path, one, targets)
    (bill,) = result.user_costs
    assert (bill.candidate, bill.scenario, bill.conversations, bill.unknown) == ("a", "facts", 1, 0)
    # 10 tokens in and 2 out per call at 1 and 2 USD a million: 14 millionths.
    assert bill.cost == pytest.approx(14e-6)
    assert bill.own == pytest.approx(28e-6)
    assert "Simulated users, apart" in render(document)
    shown = io.StringIO()
    show_engineering(Shell(out=shown, plain=True), document)
    told = "simulated user of facts with a, apart: $1.4e-05 for 1 conversation"
    assert told in shown.getvalue().splitlines()


def test_without_simulated_users_there_is_no_bill(tmp_path):
    one = job([candidate()], [scenario(fixed(Sample(id="s", input="?", target="42")))])
    result, page = analysed(tmp_path, one, {"a": Answering()})
    assert result.user_costs == ()
    assert "Simulated users, apart" not in page
