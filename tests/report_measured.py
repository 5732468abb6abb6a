"""Load measurements and fallback checks of a synthetic run, as a report shows them."""

from __future__ import annotations

import numpy as np

from befit.analysis.fallback_edge import Edge
from befit.analysis.fallback_figures import fault_figures
from befit.analysis.fallback_quality import paired_quality
from befit.analysis.fallback_static import EdgeFinding
from befit.analysis.load import ServiceLevel, analyse_level
from befit.analysis.load_result import LoadResult
from befit.analysis.load_search import Tried
from befit.analysis.load_timeline import timeline
from befit.core.run import Manifest
from befit.engine.fallback_chain import Chained
from befit.engine.fallback_matrix import FAULTS, FaultRow
from befit.engine.fallback_probe import Probed
from befit.engine.load_log import Call, CallLog
from befit.engine.load_run import LevelRun
from befit.engine.load_shape import LoadShape

PROMISE = ServiceLevel(latency=1.5)


def level(rate: float, *, seed: int) -> LevelRun:
    """Sixty seconds of calls whose latency grows with the rate; one in thirty fails."""
    rng = np.random.default_rng(seed)
    count = int(60 * rate)
    took = rng.gamma(4.0, 0.1 + rate / 100, size=count)
    calls = [
        Call(
            scheduled=at / rate, sent=at / rate, end=at / rate + took[at],
            first_token=at / rate + took[at] / 3, first_output=at / rate + took[at] / 3,
            last_token=at / rate + took[at], input_tokens=float(20 + at % 60),
            output_tokens=float(5 + at % 20), cost=0.0001 * (1 + at % 3), passed=float(at % 5 > 0),
            failure="rate_limited" if at % 30 == 29 else None,
        )
        for at in range(count)
    ]  # fmt: skip
    return LevelRun(
        shape=LoadShape(kind="constant", rate=rate, duration=60, warm_up=6),
        log=CallLog.of(calls), offered=int(54 * rate), stopped="", most_in_flight=20,
        waited_for_place=0, in_flight=tuple((float(s), int(rate)) for s in range(60)),
    )  # fmt: skip


def loads(manifest: Manifest) -> tuple[LoadResult, ...]:
    """A search on the first candidate and the first scenario."""
    entry, spec = manifest.candidates[0], manifest.scenarios[0].spec
    runs = [level(rate, seed=i) for i, rate in enumerate((2, 4, 8, 12, 16))]
    return (
        LoadResult(
            project=manifest.project, candidate=entry.candidate.name, scenario=spec.name,
            fingerprint=entry.fingerprint, endpoint="api.example:443",
            created_at="2026-01-01T00:00:00+00:00", befit_version="0", promise=PROMISE,
            levels=tuple(analyse_level(run, PROMISE) for run in runs),
            timelines=tuple(timeline(run) for run in runs), notes=("A note of the measurement.",),
            tried=(Tried(load=2, verdict="kept"), Tried(load=16, verdict="missed", why="slow")),
            bearable=8.0, ended_by="the bearable load is known to within 8 %", requests=2520,
        ),
    )  # fmt: skip


def edges(manifest: Manifest) -> tuple[Edge, ...]:
    """The first candidate with two fallbacks: one that breaks, one that was played the faults."""
    first, *others = manifest.candidates
    rng = np.random.default_rng(0)
    right = rng.binomial(1, 0.9, size=60).astype(float)
    found = []
    for at, other in enumerate(others[:2]):
        names = (first.candidate.name, other.candidate.name)
        kept = right * rng.binomial(1, 0.8, size=60)
        static = EdgeFinding(weight="breaks", what="tools", text="takes no tools", do="another one")
        played = Chained(
            served_by=names[1], completion=None, first_token=0.4, end=0.9, dead=(), cost=None
        )
        rows = [FaultRow(case=case, results=(played,) * 3) for case in FAULTS[:3]]
        found.append(
            Edge(
                primary=names[0], fallback=names[1], static=() if at else (static,),
                probed=(Probed(what="seed", outcome="accepted"),) if at else (),
                quality=(paired_quality(right, kept, names=names),),
                faults=tuple(fault_figures(row, primary=names[0]) for row in rows) if at else (),
                primary_print=first.fingerprint, fallback_print=other.fingerprint,
            )
        )  # fmt: skip
    return tuple(found)
