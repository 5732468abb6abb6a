from __future__ import annotations

import math

import numpy as np
import pytest

from befit.analysis.screening import screen
from befit.analysis.screening_noise import read_cell
from befit.core.screening import BenchmarkSettings, CompositeSettings, ScreeningSettings
from befit.errors import ProjectError
from befit.interop.benchmarks import BenchmarkTable, Result
from befit.stats.intervals import wilson

FRACTION = BenchmarkSettings(scale="fraction")


def made(results, *, settings=None, about=None, **needs):
    """Screen {benchmark: {model: value or Result}}."""
    settings = settings or ScreeningSettings()
    models = dict.fromkeys(m for column in results.values() for m in column)
    table = BenchmarkTable(
        models=tuple(models),
        results={
            name: {m: v if isinstance(v, Result) else Result(v) for m, v in column.items()}
            for name, column in results.items()
        },
        settings={
            name: (about or {}).get(name, settings.benchmarks.get(name, FRACTION))
            for name in results
        },
        tables=("t.csv",),
        digest="0",
        notes=(),
    )
    return screen(table, settings, made_on="2026-01-01", **needs)


def verdicts(found):
    return {(v.model, v.on): v for v in found.verdicts}


def cut(at, margin=0.0, **more):
    return BenchmarkSettings(scale="fraction", cut_off=at, margin=margin, **more)


# --- noise


def test_the_binomial_is_assumed_on_the_stated_n_and_said():
    cell = read_cell(Result(0.8, 50), FRACTION, assumed_items=100)
    told = wilson(40, n=50)
    assert (cell.estimate.low, cell.estimate.high) == (told.low, told.high)
    assert cell.noise == "assumed: binomial on n = 50"


def test_an_unknown_n_is_an_assumption_that_is_said():
    cell = read_cell(Result(0.8), FRACTION, assumed_items=100)
    assert cell.estimate.n_samples == 100
    assert "100 items, since no n is known" in cell.noise


def test_a_stated_error_makes_the_interval():
    cell = read_cell(Result(97.7, 804, 0.51), BenchmarkSettings(scale="percent"), assumed_items=1)
    # 1.96 x 0.51 = 1.0 on either side, pulled a little towards the middle near 100
    assert cell.estimate.high == pytest.approx(98.5, abs=0.1)
    assert cell.estimate.low == pytest.approx(96.5, abs=0.1)


def test_variance_between_runs_is_added_to_the_sampling_variance():
    alone = read_cell(Result(0.6, 1000), FRACTION, assumed_items=1)
    runs = (0.55, 0.65, 0.6)
    both = read_cell(Result(0.6, 1000, runs=runs), FRACTION, assumed_items=1)
    # standard error between runs: 0.05 / sqrt(3); of sampling: sqrt(0.24 / 1000)
    assert both.run_error == pytest.approx(0.05 / math.sqrt(3))
    assert both.error > math.hypot(0.05 / math.sqrt(3), math.sqrt(0.24 / 1000))
    assert both.error > 2 * alone.error
    assert "variance of 3 runs" in both.noise


def test_items_that_all_agree_still_have_an_interval():
    items = {str(i): 1.0 for i in range(20)}
    cell = read_cell(Result(1.0, 20, by_item=items), FRACTION, assumed_items=1)
    assert cell.estimate.low < 0.9
    assert cell.error > 0


def test_without_scale_and_noise_there_is_no_interval():
    cell = read_cell(Result(1250), BenchmarkSettings(), assumed_items=100)
    assert cell.estimate.low is None
    assert cell.error is None


# --- verdicts


def test_cleared_excluded_and_cannot_tell_follow_from_the_interval():
    found = made(
        {"x": {"high": Result(0.9, 200), "low": Result(0.5, 200), "mid": Result(0.72, 200)}},
        settings=ScreeningSettings(benchmarks={"x": cut(0.7)}),
    )
    outcomes = {one.model: one.outcome for one in found.models}
    assert outcomes == {"high": "cleared", "low": "excluded", "mid": "cannot_tell"}
    assert found.survivors == ("high", "mid")


def test_an_open_verdict_names_the_items_that_would_settle_it():
    found = made(
        {"x": {"mid": Result(0.72, 200)}}, settings=ScreeningSettings(benchmarks={"x": cut(0.7)})
    )
    # ((1.96 sqrt(.7 x .3) + 0.842 sqrt(.72 x .28)) / .02)^2 = 4,064
    assert verdicts(found)["mid", "x"].items_needed == pytest.approx(4064, rel=0.03)


def test_the_margin_lowers_the_line():
    results = {"x": {"m": Result(0.66, 2000)}}
    strict = made(results, settings=ScreeningSettings(benchmarks={"x": cut(0.7)}))
    kind = made(results, settings=ScreeningSettings(benchmarks={"x": cut(0.7, 0.1)}))
    assert strict.models[0].outcome == "excluded"
    assert kind.models[0].outcome == "cleared"


def test_excluded_by_a_hair_is_said_as_such():
    found = made(
        {"x": {"hair": Result(0.62, 200), "far": Result(0.3, 200)}},
        settings=ScreeningSettings(benchmarks={"x": cut(0.7)}),
    )
    told = verdicts(found)
    assert told["hair", "x"].outcome == "excluded"
    assert told["hair", "x"].by_a_hair
    assert not told["far", "x"].by_a_hair
    assert "by a hair" in found.models[0].reasons[0]


def test_a_missing_cell_is_neither_cleared_nor_excluded():
    found = made(
        {"x": {"a": Result(0.9, 500)}, "y": {"a": 0.5, "b": 0.5}},
        settings=ScreeningSettings(benchmarks={"x": cut(0.7)}),
    )
    b = next(one for one in found.models if one.model == "b")
    assert b.outcome == "cannot_tell"
    assert b.reasons == ("not reported on x",)


def test_without_a_cut_off_nobody_is_excluded():
    found = made({"x": {"a": 0.1, "b": 0.9}})
    assert set(found.survivors) == {"a", "b"}
    assert any("nobody is excluded" in note for note in found.notes)


def two_composites(**changes):
    results = {
        "x": {"a": Result(0.2, 5000), "b": Result(0.9, 5000), "c": Result(0.8, 5000)},
        "y": {"a": Result(0.9, 5000), "b": Result(0.9, 5000), "c": Result(0.8, 5000)},
    }
    composites = {
        "mostly x": CompositeSettings(weights={"x": 3, "y": 1}, cut_off=60),
        "mostly y": CompositeSettings(weights={"x": 1, "y": 3}, cut_off=60),
    }
    return made(results, settings=ScreeningSettings(composites=composites, **changes))


def test_one_composite_alone_excludes_nobody_unless_asked():
    # a: 0.375 on the first (excluded), 0.725 on the second (cleared)
    usual, asked = two_composites(), two_composites(one_composite_excludes=True)
    assert usual.models[0].outcome == "cannot_tell"
    assert "excludes nobody alone" in usual.models[0].reasons[0]
    assert asked.models[0].outcome == "excluded"


def test_composites_side_by_side_name_the_models_they_disagree_on():
    (one,) = two_composites().disagreements
    assert one.cut_offs == ("a",)
    # pairs: a-b and b-c keep their order, a-c is turned round (0.375 < 0.8, 0.725 < 0.8): none
    assert one.n_pairs == 3
    assert one.n_disagree == 0


def test_two_composites_that_agree_exclude():
    results = {"x": {"a": Result(0.2, 5000)}, "y": {"a": Result(0.2, 5000)}}
    composites = {
        "p": CompositeSettings(weights={"x": 3, "y": 1}, cut_off=60),
        "q": CompositeSettings(weights={"x": 1, "y": 3}, cut_off=60),
    }
    found = made(results, settings=ScreeningSettings(composites=composites))
    assert found.models[0].outcome == "excluded"


def test_a_skill_has_the_mean_of_its_benchmarks():
    about = {
        name: BenchmarkSettings(scale="fraction", skill="maths", items=5000) for name in ("x", "y")
    }
    found = made(
        {"x": {"a": 0.9, "b": 0.9}, "y": {"a": 0.5}},
        about=about,
        settings=ScreeningSettings(skills={"maths": {"cut_off": 60}}),
    )
    told = verdicts(found)
    assert told["a", "maths"].estimate.value == pytest.approx(70)
    # b lacks y: anything from (90 + 0) / 2 to (90 + 100) / 2
    assert told["b", "maths"].estimate.value is None
    assert told["b", "maths"].estimate.low == pytest.approx(45, abs=1)
    assert told["b", "maths"].estimate.high == pytest.approx(95, abs=1)
    assert told["b", "maths"].outcome == "cannot_tell"


def test_settings_that_do_not_fit_the_table_are_refused():
    with pytest.raises(ProjectError, match="no benchmark with a scale"):
        made({"x": {"a": 0.5}}, settings=ScreeningSettings(skills={"maths": {"cut_off": 60}}))
    elo = {"elo": BenchmarkSettings()}
    weights = {"c": CompositeSettings(weights={"elo": 1})}
    with pytest.raises(ProjectError) as caught:
        made({"elo": {"a": 1200}}, about=elo, settings=ScreeningSettings(composites=weights))
    assert "has no scale" in str(caught.value)


# --- letters and neighbours


def items(values):
    return Result(float(np.mean(values)), len(values),
                  by_item={str(i): float(v) for i, v in enumerate(values)})  # fmt: skip


def test_pairs_are_tested_item_by_item_where_items_are_there():
    # b is wrong on 16 items more, all else alike: paired p = 2 x 2^-16; unpaired z = 1.6
    a = [1.0] * 120 + [0.0] * 80
    b = [1.0] * 104 + [0.0] * 96
    paired = made({"x": {"a": items(a), "b": items(b)}}).groups[0]
    unpaired = made({"x": {"a": Result(0.6, 200), "b": Result(0.52, 200)}}).groups[0]
    assert paired.paired == "all"
    assert [e.letters for e in paired.entries] == ["a", "b"]
    assert unpaired.paired == "none"
    assert [e.letters for e in unpaired.entries] == ["a", "a"]


def test_neighbours_tell_gap_noise_and_the_part_of_the_runs():
    found = made(
        {"x": {"a": Result(0.62, 400, runs=(0.6, 0.64)), "b": Result(0.6, 400, runs=(0.6, 0.6))}}
    )
    (pair,) = found.groups[0].neighbours
    assert (pair.upper, pair.lower) == ("a", "b")
    assert pair.gap == pytest.approx(0.02)
    assert pair.within_noise
    # standard error between a's runs: 0.0283 / sqrt(2) = 0.02; b's is 0
    assert pair.run_noise == pytest.approx(1.96 * 0.02, rel=1e-3)


def test_letters_are_given_to_the_highest_models_only():
    found = made({"x": {f"m{i}": Result(i / 100, 500) for i in range(60)}})
    assert len(found.groups[0].entries) == 40
    assert found.groups[0].n_left_out == 20
    assert found.groups[0].entries[0].model == "m59"


# --- composites


EXACT = {
    "x": {"A": Result(0.9, 10**9), "B": Result(0.75, 10**9), "C": Result(0.5, 10**9)},
    "y": {"A": Result(0.5, 10**9), "B": Result(0.75, 10**9), "C": Result(0.9, 10**9)},
}


def test_who_wins_under_which_weights_is_the_exact_share():
    (one,) = made(EXACT).composites
    first = {entry.model: entry.p_first for entry in one.entries}
    # A wins for w > .625, C for w < .375 (statistics.md, section 2)
    assert first == pytest.approx({"A": 0.375, "B": 0.25, "C": 0.375}, abs=0.02)
    central = next(e for e in one.entries if e.model == "A").central_weights
    assert central == pytest.approx({"x": 0.8125, "y": 0.1875}, abs=0.01)


def test_sweep_and_flip_are_exact():
    (one,) = made(EXACT).composites
    assert one.first == "B"
    sweep = one.sweeps[0]
    assert [s.winner for s in sweep.segments] == ["C", "B", "A"]
    assert [s.low for s in sweep.segments] == pytest.approx([0, 0.375, 0.625])
    assert abs(one.flip.weight - one.flip.stated) == pytest.approx(0.125)


def test_noise_of_the_scores_is_in_the_same_draws():
    loud = {
        name: {m: Result(r.value, 30) for m, r in column.items()} for name, column in EXACT.items()
    }
    (quiet,), (noisy,) = made(EXACT).composites, made(loud).composites
    ranks = {e.model: e.ranks for e in noisy.entries}
    assert ranks == {"A": (1, 3), "B": (1, 3), "C": (1, 3)}
    assert noisy.tau_mean < quiet.tau_mean + 0.05


def test_a_missing_cell_makes_an_interval_and_keeps_the_model_out_of_the_draws():
    results = {"x": {"A": 0.9, "B": 0.8, "C": 0.7}, "y": {"B": 0.8, "C": 0.7}}
    weights = {"both": CompositeSettings(weights={"x": 1, "y": 1})}
    (one,) = made(results, settings=ScreeningSettings(composites=weights)).composites
    a = next(e for e in one.entries if e.model == "A")
    assert (a.low, a.high, a.n_missing) == pytest.approx((45, 95, 1))
    assert a.p_first is None
    assert one.first == "B"


def test_composites_rest_on_fixed_anchors_so_a_bad_newcomer_reorders_nobody():
    weights = {"both": CompositeSettings(weights={"x": 1, "y": 1})}
    settings = ScreeningSettings(composites=weights)
    few = {"x": {"A": 0.9, "B": 0.6}, "y": {"A": 0.5, "B": 0.7}}
    more = {"x": {**few["x"], "bad": 0.1}, "y": {**few["y"], "bad": 0.49}}
    for results in (few, more):
        (one,) = made(results, settings=settings).composites
        assert [e.model for e in one.entries][:2] == ["A", "B"]


def test_the_default_composite_is_the_fullest_block_without_averages():
    results = {
        "x": dict.fromkeys("abcd", 0.5),
        "y": dict.fromkeys("abcd", 0.6),
        "rare": {"a": 0.5},
        "mean": dict.fromkeys("abcd", 0.5),
    }
    about = {"mean": BenchmarkSettings(scale="fraction", aggregate=True)}
    (one,) = made(results, about=about).composites
    assert set(one.weights) == {"x", "y"}
    assert not one.stated


# --- saturation, coverage


def test_a_saturated_benchmark_is_named():
    top = {f"m{i}": Result(0.97 - i / 1000, 200) for i in range(6)}
    spread = {f"m{i}": Result(0.97 - i / 10, 2000) for i in range(6)}
    low = {f"m{i}": Result(0.5 - i / 1000, 200) for i in range(6)}
    found = made({"top": top, "spread": spread, "low": low})
    told = {info.name: info.saturated for info in found.benchmarks}
    assert told == {"top": True, "spread": False, "low": False}
    info = found.benchmarks[0]
    assert info.best_share == pytest.approx(0.97)
    assert info.top_spread == pytest.approx(0.004)
    # five equals spread by 3.86 standard errors: 3.86 x about 0.0125
    assert info.top_noise == pytest.approx(0.048, abs=0.01)


def test_rank_correlation_with_the_others_is_their_median():
    up = {f"m{i}": 0.1 * i for i in range(6)}
    down = {f"m{i}": 0.9 - 0.1 * i for i in range(6)}
    found = made({"a": up, "b": up, "c": down})
    assert found.benchmarks[0].correlation == pytest.approx(0)
    assert found.benchmarks[2].correlation == pytest.approx(-1)


def test_what_scenarios_need_and_no_benchmark_touches_is_named():
    about = {"x": BenchmarkSettings(scale="fraction", languages=("en",), modality=("text",))}
    found = made(
        {"x": {"a": 0.5}}, about=about, languages=("en", "de-AT"), modalities=("text", "image")
    )
    assert found.uncovered == ("language de-AT", "modality image")


def test_a_screening_survives_its_own_json():
    found = made(EXACT, settings=ScreeningSettings(benchmarks={"x": cut(0.7)}))
    assert type(found).model_validate_json(found.model_dump_json()) == found
