"""What variants of a prompt show, on runs whose answers are planted."""

from __future__ import annotations

import asyncio

import pytest

from analysis_ground import fact, manifest, spec
from befit.analysis.frame import build_frame
from befit.analysis.wording import reworded, wordings
from befit.engine.executor import execute
from befit.pipeline.analysing import analyse_run
from befit.pipeline.reporting import make_document
from befit.report.html import render
from befit.report.wording_view import order_says, says
from engine_ground import RUN, Answering, candidate, job, numbered, scenario, workspace


def analysed(folder, right, *, n=20, repeats=2, names=("a",), variants=("politeness", "format")):
    """`right(candidate, sample number, variant, repeat)` says who is right where."""
    one = job(
        [candidate(name) for name in names],
        [scenario(numbered(n), variants=list(variants), repeats=repeats)],
    )

    def answering(name):
        def answer(request):
            m = request.metadata
            held = right(name, int(m["sample"][1:]), m["variant"], int(m["repeat"]))
            return "42" if held else "no"

        return Answering(answer)

    with workspace(folder, one) as store:
        asyncio.run(execute(one, store=store, targets={name: answering(name) for name in names}))
        return analyse_run(store, RUN).analysis, render(make_document(store, RUN))


def test_spread_worst_and_pss_are_those_of_the_planted_rates(tmp_path):
    # As it is: all 20 right; politeness: 15; format: 10. All repeats alike.
    limits = {"": 20, "politeness": 15, "format": 10}
    result, page = analysed(tmp_path, lambda _, i, v, __: i < limits[v])
    (cell,) = result.wordings.cells
    rates = {name: estimate.value for name, estimate in cell.per_prompt}
    assert rates == {"": 1.0, "politeness": 0.75, "format": 0.5}
    assert (cell.mean.value, cell.worst.value, cell.worst_name) == (0.75, 0.5, "format")
    assert cell.spread.value == 0.5
    # Pairs differ: as it is/politeness on 5 of 20, as it is/format on 10, the other two on 5.
    assert cell.pss.value == pytest.approx((5 + 10 + 5) / 20 / 3)
    assert cell.spread_p < 0.05
    assert cell.costly
    assert sum(part for _, part in cell.shares) == pytest.approx(1.0)
    assert "Costly to maintain" in says(cell)
    assert "The wording of the prompt" in page


def test_a_variant_that_changes_nothing_is_no_other_wording(tmp_path):
    # The template is the input alone, so no order can change; its answers would move the mean.
    limits = {"": 20, "order": 0, "politeness": 10}
    variants = ("order", "politeness")
    result, _ = analysed(tmp_path, lambda _, i, v, __: i < limits[v], variants=variants)
    (cell,) = result.wordings.cells
    assert [name for name, _ in cell.per_prompt] == ["", "politeness"]
    assert cell.mean.value == 0.75
    assert cell.worst_name == "politeness"


def test_variants_move_no_other_number(tmp_path):
    result, _ = analysed(tmp_path, lambda _, i, v, __: not v and i < 5)
    assert result.scenario_rows[0].cells[0].estimate.value == 0.25
    assert result.scenario_rows[0].cells[0].estimate.n_trials == 40
    assert not [f for f in result.findings if "have not been run" in f.text]


def test_noise_alone_is_not_called_costly(tmp_path):
    # The same share is right under every wording, other samples each time.
    shift = {"": 0, "politeness": 3, "format": 7}
    result, _ = analysed(tmp_path, lambda _, i, v, r: (i + shift[v] + 5 * r) % 10 < 6)
    (cell,) = result.wordings.cells
    assert cell.spread.value == pytest.approx(0.0)
    assert not cell.costly


def test_the_order_of_candidates_is_followed_over_the_wordings(tmp_path):
    limits = {
        "a": {"": 18, "politeness": 17, "format": 4},
        "b": {"": 12, "politeness": 12, "format": 12},
    }
    result, _ = analysed(tmp_path, lambda c, i, v, __: i < limits[c][v], names=("a", "b"))
    (order,) = result.wordings.orders
    assert (order.n_variants, order.same_leader, order.least_tau) == (2, 1, -1.0)
    assert order_says(order) == "facts: the same candidate leads under 1 of 2 other wordings."
    assert order_says(order, candidates=3).endswith(
        "Kendall's tau -1.00 (1: as it was, -1: reversed)."
    )


def test_one_repeat_leaves_the_noise_of_single_samples_unknown(tmp_path):
    result, _ = analysed(tmp_path, lambda _, i, v, __: i < 10 or not v, repeats=1)
    (cell,) = result.wordings.cells
    assert cell.pss_by_noise is None
    assert cell.spread_by_noise is not None
    # Nor can what single runs add be told from what sample and wording make together.
    names = [name for name, _ in cell.shares]
    assert names == ["sample", "wording", "sample and wording together, or run"]
    assert sum(part for _, part in cell.shares) == pytest.approx(1.0)


def of_documents(n, **traits):
    """2 samples of each of n documents: the first is right under both wordings, the other as is."""
    rows = []
    for i in range(2 * n):
        own = {name: given(i) for name, given in traits.items()}
        for variant, right in (("", 1.0), ("format", float(i % 2 == 0))):
            rows.append(fact("a", f"s{i}", right, variant=variant, **own))
    return build_frame(manifest(["a"], [(spec(), 2 * n)]), rows, ())


def test_samples_count_by_their_weight_under_every_wording():
    # the first of each pair weighs 3: format holds on 3 parts of 4
    frame = of_documents(6, weight=lambda i: 3.0 if i % 2 == 0 else 1.0)
    (cell,) = wordings(frame).cells
    assert dict(cell.per_prompt)["format"].value == cell.worst.value == 0.75
    assert cell.mean.value == pytest.approx((1 + 0.75) / 2)
    assert cell.spread.value == cell.pss.value == 0.25
    # of the 6 that move, each moves 1 part of 24: shuffled, the sum of 6 signs on average
    mean_of_six = (6 * 2 + 4 * 2 * 6 + 2 * 2 * 15) / 64
    assert cell.spread_by_noise == pytest.approx(mean_of_six / 24, rel=0.1)
    assert all(e.method.startswith("weighted") for e in (cell.mean, cell.worst, cell.spread))
    assert reworded(frame, 0, 0).worst().value == 0.75


def test_samples_of_one_document_move_with_the_wording_together():
    # 4 documents of 10 samples: two are right under both wordings, two as it is only
    def told(**own):
        rows = [
            fact("a", f"s{i}", float(not variant or i < 20), variant=variant,
                 **{name: given(i) for name, given in own.items()})
            for i in range(40) for variant in ("", "format")
        ]  # fmt: skip
        (cell,) = wordings(build_frame(manifest(["a"], [(spec(), 40)]), rows, ())).cells
        return cell

    alone, kin = told(), told(cluster=lambda i: f"d{i // 10}")
    assert (alone.spread.value, kin.spread.value) == (0.5, 0.5)
    assert alone.costly
    # two documents moved one way: by chance that happens in half of all shuffles
    assert kin.spread_p == pytest.approx(0.5, abs=0.1)
    assert not kin.costly
    assert kin.spread.high - kin.spread.low > 3 * (alone.spread.high - alone.spread.low)
    assert kin.worst.low < alone.worst.low
