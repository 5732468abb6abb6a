"""Golden values: agreement and success over repeated runs."""

from __future__ import annotations

import numpy as np
import pytest
from scorio import eval as scorio_eval

from befit.stats.agreement import (
    estimate_agreement,
    label_answers,
    mode_share,
    pairwise_agreement,
    semantic_entropy,
    total_agreement,
)
from befit.stats.passk import (
    bayes_at_n,
    estimate_pass_hat_k,
    g_pass_at_k,
    pass_at_k,
    pass_hat_k,
)

FIVE = label_answers([list("AAAAA"), list("AAAAB"), list("AAABB"), list("AABBC"), list("ABCDE")])


def test_five_patterns_of_five_runs():
    assert pairwise_agreement(FIVE) == pytest.approx([1, 0.6, 0.4, 0.2, 0])
    assert mode_share(FIVE) == pytest.approx([1, 0.8, 0.6, 0.4, 0.2])
    entropy = [0, 0.500402, 0.673012, 1.054920, 1.609438]
    assert semantic_entropy(FIVE) == pytest.approx(entropy, abs=1e-6)
    assert total_agreement(FIVE) == pytest.approx([1, 0, 0, 0, 0])


def test_pass_at_k():
    assert [pass_at_k(2, 5, k=k)[0] for k in range(1, 6)] == pytest.approx([0.4, 0.7, 0.9, 1, 1])
    assert pass_at_k(3, 10, k=5)[0] == pytest.approx(11 / 12)
    assert pass_at_k(13, 200, k=100)[0] == pytest.approx(0.9999194972, abs=1e-10)


def test_pass_hat_k():
    found = [pass_hat_k(4, 5, k=k)[0] for k in range(1, 6)]
    assert found == pytest.approx([0.8, 0.6, 0.4, 0.2, 0])


def test_four_tasks_of_five_runs():
    c = np.array([5, 4, 3, 0])
    assert pass_hat_k(c, 5).mean() == pytest.approx(0.375)
    assert pass_at_k(c, 5, k=3).mean() == pytest.approx(0.75)
    assert g_pass_at_k(c, 5, k=3, share=0.5).mean() == pytest.approx(0.675)
    mean, deviation = bayes_at_n(c, 5)
    assert mean == pytest.approx(0.571429, abs=1e-6)
    assert deviation == pytest.approx(0.073627, abs=1e-6)
    runs = (np.arange(5)[None, :] < c[:, None]).astype(int)
    assert pass_hat_k(c, 5).mean() == pytest.approx(scorio_eval.pass_hat_k(runs, 3))
    assert pass_at_k(c, 5, k=3).mean() == pytest.approx(scorio_eval.pass_at_k(runs, 3))


def test_pass_hat_3_does_not_pay_for_being_consistently_wrong():
    # half the items always right, half always wrong; wrong answers equal or all different
    same = label_answers([list("RRRRR"), list("WWWWW")])
    varied = label_answers([list("RRRRR"), list("VWXYZ")])
    assert 0.5 * pairwise_agreement(same).mean() == pytest.approx(0.5)
    assert 0.5 * pairwise_agreement(varied).mean() == pytest.approx(0.25)
    assert pass_hat_k([5, 0], 5).mean() == pytest.approx(0.5)


def test_agreement_of_one_run_is_undefined():
    single = label_answers([["A"], ["B"]])
    assert np.isnan(pairwise_agreement(single)).all()
    assert estimate_agreement(single).value is None
    assert estimate_pass_hat_k([1, 1], 1).value is None


def test_missing_runs_leave_the_pairs_that_are_there():
    labels = label_answers([["A", None, "A", "B"], ["A", None, None, None]])
    assert pairwise_agreement(labels)[0] == pytest.approx(1 / 3)
    found = estimate_agreement(labels)
    assert (found.n_samples, found.n_trials) == (1, 3)
