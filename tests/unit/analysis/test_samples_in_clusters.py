"""How many samples settle a question where they share documents or weigh unequally."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

import numpy as np
import pytest

from analysis_ground import fact, manifest, spec
from befit.analysis.frame import build_frame
from befit.analysis.matrix import scenario_rows
from befit.core.policy import Policy
from befit.decide.record import decide
from befit.decide.regression import Pairing, check
from befit.decide.wording import headline
from befit.report.html_charts import pair_note
from befit.stats.design import design_effect, design_effect_of
from befit.stats.means import estimate_mean
from befit.stats.power import samples_for_difference, samples_for_gate, samples_for_margin
from decision_worlds import evidence_of, scenario_of

DOCUMENTS, EACH = 20, 10
N = DOCUMENTS * EACH
LABELS = np.repeat(np.arange(DOCUMENTS), EACH)
# Where the samples of a document are alike, the variance of the mean is V / (20 - 1) (CR1), where
# that of 200 samples alone is V / (200 - 1): the design effect is 199 / 19.
EFFECT = 199 / 19


def of_documents(*right):
    """Values of 200 samples, alike within each of the 20 documents."""
    return np.repeat(np.isin(np.arange(DOCUMENTS), right).astype(float), EACH)


A, B = of_documents(*range(15)), of_documents(*range(4, 15))


def frame(*, weight=lambda _: 1.0, clustered=True):
    rows = [
        fact(
            name,
            f"s{i}",
            float(values[i]),
            cluster=f"d{LABELS[i]}" if clustered else None,
            weight=weight(i),
        )
        for name, values in (("a", A), ("b", B))
        for i in range(N)
    ]
    return build_frame(manifest(["a", "b"], [(spec(), N)]), rows, ())


def test_documents_count_in_the_samples_that_settle_a_difference():
    # a is right on 4 documents of 20 more: d = .2 = discordance; Connor: 37 samples alone
    assert samples_for_difference(0.2, discordance=0.2) == 37
    (found,) = scenario_rows(frame())[0].differences
    assert found.verdict == "not_distinguishable"
    assert found.samples_needed == ceil(37 * EFFECT) == 388
    assert found.clustered
    assert found.settling == "about 388 samples in clusters as large as these"
    assert pair_note(found).endswith(f"{found.settling} would settle this")


def test_samples_that_stand_alone_need_what_they_needed():
    assert design_effect(A) == 1.0
    assert design_effect(A, clusters=np.arange(N)) == pytest.approx(1.0)
    assert design_effect(A, weights=np.full(N, 3.0)) == pytest.approx(1.0)


def test_never_fewer_samples_are_named_than_there_are():
    # 4 pairs of one direction among 200: p = .125
    few = np.r_[np.ones(4), np.zeros(196)]
    rows = [fact(name, f"s{i}", float(v)) for name, vs in (("a", few), ("b", 0 * few))
            for i, v in enumerate(vs)]  # fmt: skip
    made = build_frame(manifest(["a", "b"], [(spec(), 200)]), rows, ())
    (found,) = scenario_rows(made)[0].differences
    assert found.verdict == "not_distinguishable"
    assert found.samples_needed > 200


def test_weights_count_in_the_samples_that_settle_a_difference():
    weights = np.where(np.arange(N) % EACH == 0, 20.0, 1.0)
    first = {"a": 5, "b": 0}  # right on so many samples, of which the first weighs 20
    rows = [fact(name, f"s{i}", float(i < right), weight=weights[i])
            for name, right in first.items() for i in range(N)]  # fmt: skip
    (found,) = scenario_rows(build_frame(manifest(["a", "b"], [(spec(), N)]), rows, ()))[
        0
    ].differences
    # 20 samples of weight 20 and 180 of weight 1: d = (20 + 4) / 580, and Kish's effective number
    # is 580^2 / (20 x 400 + 180) = 41.1; the variance is at least that of so many
    effective = 580**2 / 8180
    plain = samples_for_difference(24 / 580, discordance=24 / 580)
    assert found.verdict == "not_distinguishable"
    assert found.samples_needed >= plain * (N - 1) / (effective - 1) > 4 * plain
    assert not found.clustered


def test_one_document_tells_nothing_of_another():
    assert design_effect(A, clusters=np.zeros(N, dtype=int)) is None


def clustered_world(values, *, floor):
    one = scenario_of("desk", "t", np.array([values]), cost=np.ones((1, N)), floor=floor)
    items = replace(one.items, clusters=LABELS)

    def measure(_metric, candidate, level):
        return items.estimate(candidate, level=level)

    return evidence_of(("a",), [replace(one, items=items, measure=measure)])


def test_documents_count_in_the_samples_that_settle_a_gate():
    # p = .75 of 20 documents: variance .1875 / 19, shrunk towards .1875 / 20 by one part in 20;
    # the effective n is .1875 / that x (z / t(19))^2 = 19.05 x (1.95996 / 2.09302)^2 = 16.70
    variance = (19 * 0.1875 / 19 + 0.1875 / 20) / 20
    effect = N / (0.1875 / variance * (1.9599640 / 2.0930241) ** 2)
    rate = estimate_mean(A, n_trials=N, n_missing=0, binary=True, clusters=LABELS)
    assert design_effect_of(rate) == pytest.approx(effect, rel=1e-5)
    assert samples_for_gate(0.75, floor=0.6) == 61
    decision = decide(clustered_world(A, floor=0.6), Policy())
    assert decision.verdicts[0].samples_needed == ceil(61 * effect) == 731
    said = headline(decision.tiers[0])
    assert "about 731 samples in all (in clusters as large as these) settle it" in said


def test_a_gate_on_samples_that_stand_alone_asks_for_no_more_than_before():
    rate = estimate_mean(A, n_trials=N, n_missing=0, binary=True)
    assert design_effect_of(rate) == 1.0


def test_documents_count_in_the_samples_that_settle_a_regression():
    pair = Pairing(
        candidate="a",
        baseline="old",
        scenario="task",
        old=A,
        new=of_documents(*range(14), 15),
        ids=tuple(map(str, range(N))),
        margin=0.05,
        single=True,
        clusters=[str(label) for label in LABELS],
    )
    # one document better, one worse: discordance .1
    plain = samples_for_margin(0.05, discordance=0.1)
    assert check(pair, scenarios=1).samples_needed == ceil(plain * EFFECT)
