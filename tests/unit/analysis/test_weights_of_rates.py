"""Which rates count samples by their weight, and which say that they do not."""

from __future__ import annotations

import pytest

from analysis_ground import fact, manifest, spec
from befit.analysis.engineering import engineering_cells
from befit.analysis.fallback_quality import fallback_quality
from befit.analysis.frame import build_frame
from befit.analysis.recall import recall_cells
from befit.core.landed import ScoreRow
from befit.decide.reading import read_evidence

ALIKE = ", each sample alike"


def frame(n=20, *, weight=lambda i: 3.0 if i < 5 else 1.0):
    """The 5 samples that weigh 3 are cut short and retried; the last two are cut short as well."""
    rows = [
        fact(
            "a",
            f"s{i}",
            0.0 if i < 5 else 1.0,
            finish_reason="length" if i < 5 or i > 17 else "stop",
            attempts=int(i < 5),
            failure="truncated" if i < 5 else None,
            weight=weight(i),
        )
        for i in range(n)
    ]
    return build_frame(manifest(["a"], [(spec(), n)]), rows, ())


def test_what_an_answer_does_counts_by_weight_and_what_befalls_a_call_does_not():
    made = frame()
    cell = engineering_cells(made)[0]
    # 7 of 20 answers are cut: 5 x 3 + 2 of 30 parts; 5 of 20 calls were retried
    assert cell.truncation_rate.value == pytest.approx(17 / 30)
    assert cell.truncation_rate.method.startswith("weighted mean")
    for rate, value in ((cell.retry_rate, 0.25), (cell.missing_rate, 0), (cell.timeout_rate, 0)):
        assert rate.value == pytest.approx(value)
        assert rate.method.endswith(ALIKE)
    measure = read_evidence(made, tiers=()).scenarios[0].measure
    assert measure("failure_rate", 0, 0.95).value == pytest.approx(15 / 30)
    assert measure("retry_rate", 0, 0.95) == cell.retry_rate


def test_where_all_weigh_the_same_nothing_is_said_of_it():
    cell = engineering_cells(frame(weight=lambda _: 3.0))[0]
    assert (cell.truncation_rate.value, cell.truncation_rate.method) == (0.35, "wilson")
    assert cell.retry_rate.method == "wilson"


def test_facts_of_a_sample_of_weight_count_so_much_more():
    rows = [fact("a", name, 1.0, weight=weight) for name, weight in (("few", 3.0), ("many", 1.0))]
    made = build_frame(manifest(["a"], [(spec(), 2)]), rows, ())
    found = {"few": (1.0, 0.0), "many": (1.0, 0.0, 0.0, 0.0)}
    scores = [
        ScoreRow("a", "task", sample, "", 0, "recall", "fact", f"f{n}", value, None)
        for sample, values in found.items()
        for n, value in enumerate(values)
    ]
    (cell,) = recall_cells(made, scores)
    # samples: (3 x 1/2 + 1 x 1/4) / 4; facts: (3 x 1 + 1 x 1) of 3 x 2 + 1 x 4
    assert cell.macro.value == pytest.approx(1.75 / 4)
    assert cell.micro.value == pytest.approx(0.4)
    assert cell.micro.method.startswith("weighted, ")


def test_a_fallback_is_judged_by_the_pass_rates_that_gates_read():
    # of 10 + 5 x 3 = 25 parts, a holds the 15 heavy ones and 5, b the heavy ones alone
    weights = [3.0 if i < 5 else 1.0 for i in range(15)]
    right = {"a": 10, "b": 5}
    rows = [
        fact(name, f"s{i}", float(i < right[name]), weight=weight)
        for name in right
        for i, weight in enumerate(weights)
    ]
    made = build_frame(manifest(["a", "b"], [(spec(), 15)]), rows, ())
    (found,) = fallback_quality(made, "a", "b")
    measure = read_evidence(made, tiers=()).scenarios[0].measure
    rates = [measure("pass_rate", code, 0.95).value for code in (0, 1)]
    assert rates == pytest.approx([20 / 25, 15 / 25])
    assert [found.pass_primary.value, found.pass_fallback.value] == pytest.approx(rates)
    assert found.retention.value == pytest.approx(15 / 20)
