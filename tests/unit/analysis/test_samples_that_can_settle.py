"""No number of samples is named with which the exact test could show nothing."""

from __future__ import annotations

import numpy as np
import pytest

from analysis_ground import fact, manifest, spec
from befit.analysis.frame import build_frame
from befit.analysis.matrix import scenario_rows
from befit.stats.power import least_alike, samples_for_sign_flip
from befit.stats.signflip import sign_flip_p


def needed(values: dict[str, list[float]], *, each: int = 0) -> dict[tuple[str, str], int | None]:
    """Pair -> samples that settle it; `each` samples share a document, where given."""
    n = len(next(iter(values.values())))
    rows = [
        fact(name, f"s{i}", one[i], cluster=f"d{i // each}" if each else None)
        for name, one in values.items()
        for i in range(n)
    ]
    frame = build_frame(manifest(list(values), [(spec(), n)]), rows, ())
    return {(one.a, one.b): one.samples_needed for one in scenario_rows(frame)[0].differences}


@pytest.mark.parametrize("n", [3, 4, 5])
def test_six_pairs_all_alike_are_the_fewest_that_settle_anything(n: int) -> None:
    # p of n pairs that are all alike is 2 / 2^n: .25, .125, .0625, and .03125 of six.
    rng = np.random.default_rng(0)
    assert sign_flip_p(np.ones(n), rng=rng) == pytest.approx(2 / 2**n)
    assert sign_flip_p(np.ones(6), rng=rng) == pytest.approx(0.03125)
    assert needed({"a": [1.0] * n, "b": [0.0] * n}) == {("a", "b"): 6}


def test_three_pairs_under_holm_need_seven() -> None:
    # .05 / 3 = .0167: six pairs reach .03125, seven .015625.
    found = needed({"a": [1.0] * 5, "b": [0.0] * 5, "c": [0.0] * 5})
    assert found["a", "b"] == found["a", "c"] == 7
    assert [least_alike(alpha) for alpha in (0.05, 0.05 / 3, 0.0625, 0.0624)] == [6, 7, 5, 6]


def test_samples_on_which_both_are_alike_count_for_nothing() -> None:
    # 4 of 8 differ, all in one direction: six that differ are among twelve.
    assert samples_for_sign_flip([1.0] * 4 + [0.0] * 4) == 12
    assert needed({"a": [1.0] * 8, "b": [0.0] * 4 + [1.0] * 4})["a", "b"] >= 12
    assert samples_for_sign_flip([0.0] * 4) is None


def test_a_document_is_one_flip_however_many_samples_it_has() -> None:
    # 4 documents of 5, all alike: p = .125; six documents are 30 samples.
    assert needed({"a": [1.0] * 20, "b": [0.0] * 20}, each=5)["a", "b"] >= 30
    assert samples_for_sign_flip(np.ones(20), clusters=np.repeat(range(4), 5)) == 30
