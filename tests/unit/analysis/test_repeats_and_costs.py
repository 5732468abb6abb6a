from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from analysis_ground import (
    MISSING,
    REFUSED,
    UNSCORED,
    fact,
    facts_of,
    frame_of,
    manifest,
    spec,
)
from befit.analysis.engineering import engineering_cells, usability_cells
from befit.analysis.findings import findings
from befit.analysis.frame import build_frame
from befit.analysis.matrix import dimension_rows
from befit.analysis.stability import stability_cells
from befit.core.candidate import Candidate, Sampling
from befit.core.price import Price
from befit.core.run import RunSettings
from befit.decide.reading import read_evidence


def answered(answers: list[str], *, right: set[str] = frozenset(), sample: str = "s0"):
    return [
        fact("a", sample, float(text in right), repeat=i, answer=text)
        for i, text in enumerate(answers)
    ]


def only_cell(rows, *, repeats: int = 5, n: int = 1, **changed):
    made = manifest(["a"], [(spec(repeats=repeats, **changed), n)])
    return stability_cells(build_frame(made, rows, []))[0]


@pytest.mark.parametrize(
    ("answers", "agreement"),
    [("AAAAA", 1.0), ("AAAAB", 0.6), ("AAABB", 0.4), ("AABBC", 0.2), ("ABCDE", 0.0)],
)
def test_agreement_is_the_share_of_pairs_of_answers_that_are_the_same(answers, agreement) -> None:
    assert only_cell(answered(list(answers))).agreement.value == pytest.approx(agreement)


def test_pass_all_is_unbiased_over_items() -> None:
    # tasks right in 5, 4, 3, 0 of 5: pass^3 = .375 (the plug-in mean of p^3 would say .432)
    rows = [
        fact("a", f"s{i}", float(r < right), repeat=r, answer="x" if r < right else f"y{r}")
        for i, right in enumerate([5, 4, 3, 0])
        for r in range(5)
    ]
    cell = only_cell(rows, n=4)
    assert cell.pass_all.value == pytest.approx(0.375)
    assert (cell.always_right.value, cell.mixed.value, cell.always_wrong.value) == (
        0.25,
        0.5,
        0.25,
    )
    assert cell.flip_flops == ("s1", "s2")


def test_the_composite_pays_for_being_consistently_wrong_and_pass_all_does_not() -> None:
    same, other = [], []
    for i in range(10):
        right = float(i < 5)
        for r in range(5):
            same.append(fact("a", f"s{i}", right, repeat=r, answer="x" if right else "w"))
            other.append(fact("a", f"s{i}", right, repeat=r, answer="x" if right else f"w{r}"))
    one, two = only_cell(same, n=10), only_cell(other, n=10)
    assert one.composite.value == pytest.approx(0.5)
    assert two.composite.value == pytest.approx(0.25)
    assert one.pass_all.value == two.pass_all.value == pytest.approx(0.5)


def test_failed_answers_are_one_kind_of_answer_and_missing_ones_are_none() -> None:
    rows = [
        fact("a", "s0", REFUSED, repeat=0, answer="I cannot"),
        fact("a", "s0", REFUSED, repeat=1, answer="No"),
        fact("a", "s0", MISSING, repeat=2),
        fact("a", "s0", 1.0, repeat=3, answer="x"),
    ]
    cell = only_cell(rows, repeats=4)
    # three answers, two of them failures: one of three pairs is the same
    assert cell.agreement.value == pytest.approx(1 / 3)
    assert cell.agreement.n_trials == 3
    assert cell.agreement.n_missing == 1


@pytest.mark.parametrize(
    ("changed", "settings", "why"),
    [
        ({"repeats": 1}, RunSettings(), "1 repeat"),
        ({"repeats": 2, "critical": True}, RunSettings(), "critical scenario with fewer than 3"),
        ({"repeats": 3}, RunSettings(seed="fixed"), "seed: fixed"),
    ],
)
def test_stability_is_not_measured_where_it_cannot_be(changed, settings, why) -> None:
    made = manifest(["a"], [(spec(**changed), 1)], settings=settings)
    rows = facts_of({"a": [[1.0] * changed["repeats"]]})
    cell = stability_cells(build_frame(made, rows, []))[0]
    assert cell.agreement.value is None
    assert cell.pass_all.value is None
    assert why in cell.agreement.method
    assert cell.accuracy.value == 1.0


def test_a_candidate_asked_once_has_no_stability_though_the_others_have() -> None:
    once = Candidate(name="once", target="openai", model="x", repeats=1)
    made = manifest(["a", once], [(spec(repeats=3), 1)])
    rows = facts_of({"a": [[1.0] * 3], "once": [[1.0]]})
    cells = {c.candidate: c for c in stability_cells(build_frame(made, rows, []))}
    assert cells["a"].agreement.value == 1.0
    assert cells["once"].agreement.value is None


def test_two_repeats_measure_agreement_but_no_pass_all() -> None:
    cell = only_cell(answered(["x", "x"]), repeats=2)
    assert cell.agreement.value == 1.0
    assert cell.pass_all.value is None
    assert "3 scored repeats" in cell.pass_all.method


def test_ceiling_mean_and_reliable_stand_in_one_row() -> None:
    frame = frame_of({"a": [[1.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]})
    cell = usability_cells(frame)[0]
    assert cell.k == 3
    assert cell.ceiling.value == pytest.approx(2 / 3)
    assert cell.mean.value == pytest.approx(4 / 9)
    assert cell.reliable.value == pytest.approx(1 / 3)


def test_reused_answers_give_no_latency() -> None:
    rows = [
        *facts_of({"a": [[1.0]] * 10}, reused=True, latency=0.001),
        *[fact("a", f"t{i}", 1.0, latency=2.0) for i in range(10)],
    ]
    made = manifest(["a"], [(spec(), 20)])
    cell = engineering_cells(build_frame(made, rows, []))[0]
    assert cell.latency_p50.value == 2.0
    assert cell.latency_p50.n_trials == 10
    assert cell.reused_trials == 10
    all_reused = engineering_cells(build_frame(made, rows[:10], []))[0]
    assert all_reused.latency_p50.value is None
    assert "reused" in all_reused.latency_p50.method


def test_reused_answers_cost_nothing_in_this_run_but_count_in_cost_per_success() -> None:
    rows = [
        *facts_of({"a": [[1.0]] * 2}, reused=True, cost=0.02),
        *[fact("a", "t0", 0.0, cost=0.02)],
    ]
    cell = engineering_cells(build_frame(manifest(["a"], [(spec(), 3)]), rows, []))[0]
    assert cell.total_cost == pytest.approx(0.02)
    # .06 USD for two successes
    assert cell.cost_per_success.value == pytest.approx(0.03)


def test_an_unknown_cost_is_unknown_and_never_zero() -> None:
    rows = [fact("a", "s0", 1.0, cost=None), fact("a", "s1", 1.0, cost=0.5)]
    cell = engineering_cells(build_frame(manifest(["a"], [(spec(), 2)]), rows, []))[0]
    assert cell.cost_per_success.value is None
    assert cell.cost_per_call.value is None
    assert (cell.total_cost, cell.unknown_cost_calls) == (0.5, 1)
    unknown = [row._replace(cost=None) for row in rows]
    cell = engineering_cells(build_frame(manifest(["a"], [(spec(), 2)]), unknown, []))[0]
    assert cell.total_cost is None


def test_without_a_success_there_is_no_cost_per_success() -> None:
    cell = engineering_cells(frame_of({"a": [[0.0], [0.0]]}))[0]
    assert cell.cost_per_success.value is None
    assert cell.cost_per_success.method == "no success"


def test_missing_retried_and_truncated_trials_are_rates_of_their_own() -> None:
    rows = [
        fact("a", "s0", MISSING, attempts=5),
        fact("a", "s1", 1.0, attempts=1),
        fact("a", "s2", 1.0, finish_reason="length"),
        fact("a", "s3", 1.0),
    ]
    cell = engineering_cells(build_frame(manifest(["a"], [(spec(), 4)]), rows, []))[0]
    assert cell.missing_rate.value == 0.25
    assert cell.retry_rate.value == 0.5
    assert cell.truncation_rate.value == pytest.approx(1 / 3)
    assert cell.failures == {"server": 1}


def test_a_missing_trial_has_no_latency_though_a_part_of_it_was_timed() -> None:
    rows = [fact("a", "s0", 1.0, latency=1.0), fact("a", "s1", MISSING, latency=99.0)]
    cell = engineering_cells(build_frame(manifest(["a"], [(spec(), 2)]), rows, []))[0]
    assert cell.latency_p50.value == 1.0
    assert cell.latency_p50.n_missing == 1


def found_texts(frame) -> list[tuple[str, str]]:
    rows = dimension_rows(frame)
    made = findings(frame, rows, stability_cells(frame), planned=len(frame.samples))
    return [(f.severity, f.text) for f in made]


def test_gaps_come_first_and_say_what_is_lost() -> None:
    frame = frame_of({"a": [[1.0]] * 90 + [[MISSING]] * 10, "b": [[1.0]] * 100})
    texts = found_texts(frame)
    severities = [severity for severity, _ in texts]
    order = ["missing", "weak", "note"]
    assert severities == sorted(severities, key=order.index)
    assert any("a: 10 of 100 trials are missing (server 10)" in text for _, text in texts)
    assert any("a is not ranked" in text for _, text in texts)


@pytest.mark.parametrize(
    ("failure", "do"),
    [("server", "run the same command again to retry"), ("scripted_turn", "are at fault: befit")],
)
def test_what_running_again_does_not_mend_is_to_be_mended_first(failure, do) -> None:
    rows = facts_of({"a": [[MISSING]] * 10}, failure=failure)
    frame = build_frame(manifest(["a"], [(spec(), 10)]), rows, [])
    found = findings(frame, dimension_rows(frame), stability_cells(frame), planned=10)
    (lost,) = [one for one in found if "trials are missing" in one.text]
    assert do in lost.do


def test_thin_scenarios_name_the_gap_they_cannot_see() -> None:
    texts = [text for _, text in found_texts(frame_of({"a": [[1.0]] * 20}))]
    assert any("20 samples: gaps under 35 points cannot be seen" in text for text in texts)


def test_provider_defaults_old_prices_and_changed_models_are_told() -> None:
    price = Price(input=Decimal(1), output=Decimal(2), as_of=date(2026, 1, 1))
    candidate = Candidate(name="a", target="openai", model="m", sampling=Sampling(temperature=0.0))
    made = manifest([candidate], [(spec(), 2)], price=price)
    rows = [fact("a", "s0", 1.0), fact("a", "s1", 1.0, served_model="m-2")]
    texts = [text for _, text in found_texts(build_frame(made, rows, []))]
    assert any(text.startswith("a: top_p, max_tokens left to the provider") for text in texts)
    assert any("the price is as of 2026-01-01" in text for text in texts)
    assert any("answered by 2 different models: m-1, m-2" in text for text in texts)


def test_unscored_answers_are_told() -> None:
    texts = found_texts(frame_of({"a": [["unscored"], [1.0]]}))
    assert (
        "missing",
        "1 answer could not be scored: counted neither as right nor as wrong.",
    ) in texts


def test_an_answer_that_was_not_scored_is_not_counted_as_missing_from_agreement():
    # 3 samples of 3 repeats: one trial is missing, one was answered but not scored
    outcomes = [[1.0, 1.0, UNSCORED], [1.0, 1.0, MISSING], [0.0, 0.0, 0.0]]
    made = frame_of({"a": outcomes})
    (cell,) = stability_cells(made)
    assert (cell.agreement.n_trials, cell.agreement.n_missing) == (8, 1)
    assert (cell.accuracy.n_trials, cell.accuracy.n_missing) == (7, 2)
    assert (cell.composite.n_trials, cell.composite.n_missing) == (7, 2)
    gated = read_evidence(made, tiers=()).scenarios[0].measure("stability", 0, 0.95)
    assert gated == cell.agreement
