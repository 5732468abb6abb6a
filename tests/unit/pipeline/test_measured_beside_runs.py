"""Load results and fallback checks kept beside runs, and what gates and reports read of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from analysis_ground import fact, manifest, spec
from befit.analysis.fallback_edge import Edge
from befit.analysis.fallback_quality import paired_quality
from befit.analysis.fallback_static import EdgeFinding
from befit.analysis.frame import build_frame
from befit.analysis.load import ServiceLevel, analyse_level
from befit.analysis.load_result import LoadResult, by_axis, load_of
from befit.analysis.load_search import Tried
from befit.core.completion import Completion
from befit.core.policy import Gate, Policy
from befit.core.run import Manifest
from befit.engine.fallback_probe import Probed
from befit.engine.load_log import Call, CallLog
from befit.engine.load_run import LevelRun
from befit.engine.load_shape import LoadShape
from befit.pipeline.deciding import decide_frame
from befit.pipeline.measured import (
    RETENTION,
    THROUGHPUT,
    checked_edges,
    keep_edges,
    keep_load,
    load_results,
    outside_figures,
)
from befit.report.load_charts import curves, says
from befit.stats.arrays import as_floats
from befit.storage.workspace import Workspace

NOW = datetime(2026, 6, 1, tzinfo=UTC)
RUN = manifest(["a", "b"], [(spec(), 40)])
TASK = RUN.scenarios[0].spec
CUT = "stopped: interrupted"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.open(tmp_path) as opened:
        yield opened


def level(rate: float, *, late: float = 0.0, seconds: float = 10.0) -> LevelRun:
    """A level of calls of 0.1 s; `late` is the generator's own lag."""
    calls = (
        Call(scheduled=at / rate, sent=at / rate + late, end=at / rate + late + 0.1)
        for at in range(int(rate * seconds))
    )
    return LevelRun(
        shape=LoadShape(kind="constant", rate=rate, duration=seconds), log=CallLog.of(calls),
        offered=int(rate * seconds), stopped="", most_in_flight=1, waited_for_place=0,
        in_flight=((1.0, 1),),
    )  # fmt: skip


def result(*runs: LevelRun, run: Manifest = RUN, at: str = "2026-06-01", **more: object) -> object:
    entry = run.candidates[0]
    levels = tuple(analyse_level(one, ServiceLevel(latency=1.0)) for one in runs)
    made = LoadResult(
        project="p", candidate="a", fingerprint=entry.fingerprint, scenario="task", endpoint="e",
        created_at=at, befit_version="0", promise=ServiceLevel(latency=1.0), levels=levels,
        timelines=(None,) * len(levels), notes=(),
        execution=TASK.execution_fingerprint(entry.candidate.prompt),
    )  # fmt: skip
    return replace(made, **more)


def edge(primary: int = 0, fallback: int = 1, **more: object) -> Edge:
    ends = [RUN.candidates[primary], RUN.candidates[fallback]]
    made = Edge(
        primary=ends[0].candidate.name, fallback=ends[1].candidate.name, static=(),
        primary_print=ends[0].fingerprint, fallback_print=ends[1].fingerprint,
    )  # fmt: skip
    return replace(made, **more)


def quality(kept: float) -> object:
    """40 samples: the primary is right on all of them, the fallback on a share."""
    right = as_floats([1.0] * 40)
    fallback = as_floats([1.0] * round(40 * kept) + [0.0] * round(40 * (1 - kept)))
    return paired_quality(right, fallback, names=("a", "b"))


def test_a_kept_measurement_comes_back_equal_and_the_newest_counts(workspace: Workspace) -> None:
    old, new = result(level(5)), result(level(10), at="2026-06-02")
    keep_load(workspace, old)
    keep_load(workspace, new)
    assert load_results(workspace, RUN) == (new,)


def test_throughput_is_read_at_the_peak_and_never_from_a_level_that_is_not_to_be_used(
    workspace: Workspace,
) -> None:
    keep_load(workspace, result(level(5), level(10), level(20, late=0.5)))
    found = outside_figures(workspace, RUN)[THROUGHPUT, "task", "a"]
    assert found.value == pytest.approx(10.0)


def test_nothing_that_may_be_used_is_not_measured_with_its_cause(workspace: Workspace) -> None:
    keep_load(workspace, result(level(20, late=0.5)))
    spoilt = outside_figures(workspace, RUN)[THROUGHPUT, "task", "a"]
    assert spoilt.value is None
    assert "not to be used" in spoilt.method


def test_a_measurement_that_is_not_to_be_used_hides_no_earlier_one(workspace: Workspace) -> None:
    good = result(level(5), level(10))
    keep_load(workspace, good)
    nothing = replace(level(20), log=CallLog())
    for spoilt, why in ((level(20, late=0.5), "late"), (nothing, "no call was counted")):
        keep_load(workspace, result(spoilt, at="2026-06-03"))
        (found,) = load_results(workspace, RUN)
        assert (found.levels, found.created_at) == (good.levels, good.created_at)
        told = [line for line in says(found) if "a newer measurement, of 2026-06-03" in line]
        assert len(told) == 1
        assert why in told[0]
        figure = outside_figures(workspace, RUN)[THROUGHPUT, "task", "a"]
        assert figure.value == pytest.approx(10.0)
        assert "a newer measurement, of 2026-06-03, is not to be used" in figure.method


@pytest.mark.parametrize("ended", [{"notes": (CUT,)}, {"ended_by": CUT}], ids=["levels", "search"])
def test_an_interrupted_measurement_hides_no_complete_one(
    workspace: Workspace, ended: dict[str, object]
) -> None:
    whole = result(level(5))  # 5 calls a second for 10 s: 50 calls
    keep_load(workspace, whole)
    keep_load(workspace, result(level(10, seconds=0.9), at="2026-06-03", **ended))  # 9 calls
    (found,) = load_results(workspace, RUN)
    assert (found.created_at, found.levels) == (whole.created_at, whole.levels)
    why = "of 2026-06-03, is not to be used: it was interrupted, after 9 counted calls"
    assert [why in line for line in says(found)].count(True) == 1
    figure = outside_figures(workspace, RUN)[THROUGHPUT, "task", "a"]
    assert figure.value == pytest.approx(5.0)
    assert why in figure.method


def test_an_interrupted_measurement_is_read_where_there_is_no_other_and_it_is_told(
    workspace: Workspace,
) -> None:
    for at in ("2026-06-01", "2026-06-02"):
        keep_load(workspace, result(level(10, seconds=2), at=at, notes=(CUT,)))
    (found,) = load_results(workspace, RUN)
    assert found.created_at == "2026-06-02"
    told = "it was interrupted, and there is no complete measurement"
    assert told in says(found)
    assert told in outside_figures(workspace, RUN)[THROUGHPUT, "task", "a"].method
    keep_load(workspace, result(level(5), at="2026-06-04"))
    (found,) = load_results(workspace, RUN)
    assert (found.created_at, found.notes) == ("2026-06-04", ())


def test_a_level_that_is_not_to_be_used_is_read_from_the_newest_that_has_it(
    workspace: Workspace,
) -> None:
    oldest, other = (
        result(level(10), level(20), at="2026-05-01"),
        result(level(20), at="2026-05-02"),
    )
    keep_load(workspace, oldest)
    keep_load(workspace, replace(other, promise=ServiceLevel(latency=9.0)))
    keep_load(workspace, result(level(10), level(20, late=0.5), at="2026-06-02"))
    (found,) = load_results(workspace, RUN)
    assert [one.invalid for one in found.levels] == [(), ()]
    assert found.levels[1] == oldest.levels[1]  # not that of another promise
    assert any(
        "20/s is of 2026-05-01; that of 2026-06-02 is not to be used" in line
        for line in says(found)
    )
    assert outside_figures(workspace, RUN)[THROUGHPUT, "task", "a"].value == pytest.approx(20.0)


def test_after_a_search_throughput_is_that_of_the_bearable_load(workspace: Workspace) -> None:
    tried = (Tried(load=5, verdict="kept"), Tried(load=10, verdict="missed"))
    keep_load(workspace, result(level(5), level(10), tried=tried, bearable=5.0))
    found = outside_figures(workspace, RUN)[THROUGHPUT, "task", "a"]
    assert found.value == pytest.approx(5.0)


def test_a_search_that_found_no_load_is_no_spoilt_measurement(workspace: Workspace) -> None:
    keep_load(workspace, result(level(5), tried=(Tried(load=5, verdict="missed"),)))
    found = outside_figures(workspace, RUN)[THROUGHPUT, "task", "a"]
    assert found.value is None
    assert found.method == "no load that was tried is known to keep the service level"


def test_a_measurement_of_another_prompt_or_another_model_is_not_this_ones(
    workspace: Workspace,
) -> None:
    keep_load(workspace, result(level(5), execution="another prompt"))
    keep_load(workspace, result(level(5), fingerprint="another model"))
    assert load_results(workspace, RUN) == ()
    assert outside_figures(workspace, RUN) == {}


def test_retention_is_that_of_the_best_fallback_and_one_that_breaks_is_none(
    workspace: Workspace,
) -> None:
    keep_edges(workspace, [edge(quality=(quality(0.8),), run_id="r-0001")], now=NOW)
    assert outside_figures(workspace, RUN)[RETENTION, "task", "a"].value == pytest.approx(0.8)
    breaks = EdgeFinding(weight="breaks", what="tools", text="takes no tools")
    later = NOW.replace(day=2)
    keep_edges(workspace, [edge(static=(breaks,), quality=(quality(0.8),))], now=later)
    broken = outside_figures(workspace, RUN)[RETENTION, "task", "a"]
    assert broken.value is None
    assert "takes no tools" in broken.method


def test_why_a_retention_is_not_measured_is_told_with_its_remedy(workspace: Workspace) -> None:
    keep_edges(workspace, [edge()], now=NOW)
    before_the_run = outside_figures(workspace, RUN)[RETENTION, "task", "a"]
    assert before_the_run.value is None
    assert before_the_run.method.endswith("run `befit fallback check` again")
    wrong = as_floats([0.0] * 40)
    never = paired_quality(wrong, wrong, names=("a", "b"))
    keep_edges(workspace, [edge(quality=(never,))], now=NOW.replace(day=2))
    assert outside_figures(workspace, RUN)[RETENTION, "task", "a"].method == (
        "the primary never passed"
    )


def test_a_check_without_asking_leaves_what_was_asked_before(workspace: Workspace) -> None:
    said = Completion(text="hostile words of a model")
    asked = edge(probed=(Probed(what="seed", outcome="refused", completion=said),))
    keep_edges(workspace, [asked], now=NOW)
    keep_edges(workspace, [edge(quality=(quality(1.0),))], now=NOW.replace(day=2))
    (found,) = checked_edges(workspace, RUN)
    assert [probed.what for probed in found.probed] == ["seed"]
    assert found.quality
    # The words of a model are kept nowhere.
    assert found.probed[0].completion is None


def test_an_unknown_price_stays_unknown_through_to_the_decision() -> None:
    facts = [fact("a", f"s{i}", 1.0, cost=None) for i in range(60)]
    facts += [fact("b", f"s{i}", 1.0, cost=0.01 + 0.001 * (i % 3)) for i in range(60)]
    run = manifest(["a", "b"], [(spec(), 60)])
    policy = Policy(gates=(Gate(metric="cost_per_success", ceiling=1.0),))
    decision = decide_frame(build_frame(run, facts, ()), policy=policy)
    (tier,) = decision.tiers
    by_name = {one.candidate: one for one in tier.standings}
    assert by_name["a"].cost_per_task.value is None
    assert by_name["a"].cost_per_success.value is None
    assert by_name["a"].verdict == "insufficient_evidence"
    assert by_name["b"].verdict == "pass"
    assert tier.candidate == "b"


def test_calls_in_flight_and_calls_per_second_are_not_one_axis() -> None:
    closed = [
        replace(level(rate), shape=LoadShape(kind="closed", concurrency=n, duration=10))
        for n, rate in ((50, 1), (100, 2))
    ]
    mixed = result(*closed, level(5), level(10))
    first, second = by_axis(mixed)
    assert [load_of(one) for one in first.levels] == [50, 100]
    assert [load_of(one) for one in second.levels] == [5, 10]
    # 100 in flight are no more than 10 a second: the peak is where most was answered.
    assert mixed.peak is mixed.levels[-1]
    titles = [curve.x_title for curve in curves(mixed)]
    assert set(titles) == {"calls in flight", "calls per second"}
