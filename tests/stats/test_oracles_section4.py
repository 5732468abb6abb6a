"""Golden values: prompt sensitivity."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import cochrans_q

from befit.stats.prompts import (
    cochran_q,
    item_sensitivity,
    null_excess,
    prompt_sensitivity,
    split_prompt_variance,
)

TABLE = [[1, 1, 0, 1], [1, 0, 0, 1], [0, 0, 0, 0], [1, 1, 1, 1]]


def test_four_items_under_four_prompts():
    found = prompt_sensitivity(TABLE)
    assert found.per_item == pytest.approx([0.5, 2 / 3, 0, 0])
    assert found.pss == pytest.approx(0.291667, abs=1e-6)
    assert found.per_prompt == pytest.approx([0.75, 0.5, 0.25, 0.75])
    assert found.spread == pytest.approx(0.5)
    assert found.best == pytest.approx(0.75)
    assert found.worst == pytest.approx(0.25)
    assert found.mean == pytest.approx(0.5625)
    assert found.saturation == pytest.approx(0.8125)
    assert found.combined == pytest.approx(0.609375)


def test_sensitivity_of_binary_items_is_a_variance():
    p = np.mean(TABLE, axis=1)
    assert item_sensitivity(TABLE) == pytest.approx(2 * p * (1 - p) * 4 / 3)


def test_a_spread_of_one_half_is_not_significant_with_four_items():
    found = cochran_q(TABLE)
    assert found.q == pytest.approx(4.714286, abs=1e-6)
    assert found.df == 3
    assert found.p_value == pytest.approx(0.193954, abs=1e-6)
    assert found.p_value == pytest.approx(cochrans_q(np.array(TABLE)).pvalue)
    assert cochran_q([[1, 1], [0, 0]]).p_value == 1


def test_noise_alone_explains_the_spread_of_prompts_that_do_not_matter():
    rng = np.random.default_rng(0)
    ability = rng.random((60, 1, 1))
    same = (rng.random((60, 5, 3)) < ability).astype(float)
    found = null_excess(same, rng=rng, draws=300)
    assert found.spread == pytest.approx(found.spread_by_noise, abs=0.06)
    assert found.pss == pytest.approx(found.pss_by_noise, abs=0.04)
    assert found.spread_p > 0.01
    worse = same.copy()
    worse[:, 0] *= rng.random((60, 3)) < 0.6
    assert null_excess(worse, rng=rng, draws=300).spread_p < 0.01


def test_prompt_variance_is_found_where_it_was_planted():
    rng = np.random.default_rng(1)
    items, prompts, repeats = 400, 40, 3
    cube = (
        rng.normal(0, 1.0, (items, 1, 1))
        + rng.normal(0, 0.5, (1, prompts, 1))
        + rng.normal(0, 0.7, (items, prompts, 1))
        + rng.normal(0, 0.3, (items, prompts, repeats))
    )
    found = split_prompt_variance(cube)
    assert found.item == pytest.approx(1.0, rel=0.2)
    assert found.prompt == pytest.approx(0.25, rel=0.6)
    assert found.interaction == pytest.approx(0.49, rel=0.05)
    assert found.run == pytest.approx(0.09, rel=0.05)
    assert split_prompt_variance(cube[:, :, :1]).run is None
