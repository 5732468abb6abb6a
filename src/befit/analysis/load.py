"""The numbers of one load level, each an estimate: times, answers per second, attainment, failures.

Latency counts from the scheduled moment, with service time (from sending)
beside it. Failures stay in the denominator: times are of answers only, but the
share of failed calls stands beside them and goodput is over everything offered.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from befit.analysis.columns import Bools, Floats
from befit.core.estimate import Estimate, not_measured
from befit.core.record import Record
from befit.core.written import many
from befit.engine.load_log import COLUMNS, CallLog
from befit.engine.load_run import LevelRun
from befit.engine.load_shape import LoadShape
from befit.stats.intervals import wilson
from befit.stats.means import estimate_amount, to_estimate
from befit.stats.quantiles import estimate_quantile

BLOCKS = 30
"""Stretches of time that stand for independent measurements; a queue makes neighbours alike."""
MOST_LAG = 0.05
"""The generator's own lag (p99) over the median latency, above which a level is invalid."""
LEAST_ACHIEVED = 0.95
FEW = 20
TIMES = ("p50", "p95", "p99")
_Q = {"p50": 0.5, "p95": 0.95, "p99": 0.99}


class ServiceLevel(Record):
    """What users are promised; seconds, from the scheduled moment. None is no promise."""

    first_token: float | None = None
    per_token: float | None = None
    latency: float | None = None
    share: float = 0.95
    """Of all calls offered, so many must keep all of it."""

    @property
    def promised(self) -> bool:
        """Whether anything is."""
        return any(one is not None for one in (self.first_token, self.per_token, self.latency))


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantiles:
    """p50, p95 and p99 of one time or size."""

    p50: Estimate
    p95: Estimate
    p99: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadLevel:
    """One level of load in numbers."""

    shape: LoadShape
    offered_rate: float | None
    """Calls per second asked for; None in a closed loop."""
    calls: int
    """Calls inside the counted window."""
    times: dict[str, Quantiles]
    """`latency` and `first_token` from the scheduled moment, `service` and `service_first_token`
    from sending, `first_output`, `per_token`, `output_tokens`."""
    requests_per_second: Estimate
    tokens_per_second: Estimate
    goodput: Estimate
    """Calls per second that kept the whole service level."""
    attainment: Estimate
    """Share of the calls offered that kept it; not measured where nothing was promised."""
    error_rate: Estimate
    failures: dict[str, int]
    passed: Estimate
    """Share of answers that passed their scenario."""
    cost_per_call: Estimate
    lag_p99: float
    """Seconds by which the generator itself was late."""
    achieved: float | None
    """Calls ended per call due inside the window; below 1 the queue grows."""
    mean_in_flight: float
    invalid: tuple[str, ...]
    """Why the level's numbers must not be used; empty if they may."""
    strata: tuple[tuple[str, Quantiles], ...]
    """Latency by prompt length, in thirds, where the lengths differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The counted calls of a log as arrays."""

    data: dict[str, Floats]
    failed: Bools
    kinds: dict[str, int]

    def __getitem__(self, name: str) -> Floats:
        """Return a column."""
        return self.data[name]

    @property
    def n(self) -> int:
        """Number of calls."""
        return int(self.failed.size)


def columns(log: CallLog, window: tuple[float, float] | None = None) -> Columns:
    """Return the calls due inside `window`, in the order in which they were due."""
    data = {name: np.frombuffer(log.column(name), dtype=np.float64) for name in COLUMNS}
    codes = np.frombuffer(log.failures, dtype=np.int16)
    due = data["scheduled"]
    kept = np.ones(len(due), dtype=bool)
    if window is not None:
        kept = (due >= window[0]) & (due < window[1])
    order = np.argsort(due[kept], kind="stable")
    codes = codes[kept][order]
    counts = np.bincount(codes[codes >= 0], minlength=len(log.kinds))
    return Columns(
        data={name: values[kept][order] for name, values in data.items()},
        failed=codes >= 0,
        kinds={str(k): int(c) for k, c in zip(log.kinds, counts, strict=True) if c},
    )


def times_of(calls: Columns) -> dict[str, Floats]:
    """Return the times of each call by name; NaN where not visible, and in failed calls."""
    due, sent, end = calls["scheduled"], calls["sent"], calls["end"]
    first, output, last = calls["first_token"], calls["first_output"], calls["last_token"]
    tokens = calls["output_tokens"]
    with np.errstate(invalid="ignore", divide="ignore"):
        gaps = np.where(
            (tokens >= 2) & (calls["hidden_reasoning"] == 0) & (last > first),  # noqa: PLR2004 - one token has no gap
            (last - first) / (tokens - 1),
            np.nan,
        )
    found = {
        "latency": end - due,
        "first_token": first - due,
        "first_output": output - due,
        "service": end - sent,
        "service_first_token": first - sent,
        "per_token": gaps,
        "output_tokens": tokens,
    }
    return {name: np.where(calls.failed, np.nan, values) for name, values in found.items()}


def quantiles(values: Floats, *, n_missing: int) -> Quantiles:
    """Return p50, p95, p99 with limits that know that neighbours in time are alike."""
    kept = ~np.isnan(values)
    n = int(kept.sum())
    blocks = None
    if n >= BLOCKS * FEW:
        blocks = (np.arange(n) * BLOCKS) // n

    def one(q: float) -> Estimate:
        return estimate_quantile(
            values[kept], q=q, n_samples=n, n_missing=n_missing, clusters=blocks
        )

    if not n:
        nothing = not_measured("not visible in the answers", n_missing=n_missing)
        return Quantiles(p50=nothing, p95=nothing, p99=nothing)
    return Quantiles(p50=one(_Q["p50"]), p95=one(_Q["p95"]), p99=one(_Q["p99"]))


def kept_level(calls: Columns, level: ServiceLevel) -> Bools:
    """Return which calls kept every promise; a failed call keeps none."""
    times = times_of(calls)
    kept = ~calls.failed
    for name in ("first_token", "per_token", "latency"):
        most = getattr(level, name)
        if most is not None:
            values = times[name]
            # An answer of one token has no gap to be judged by.
            unknown = np.isnan(values) if name == "per_token" else np.zeros(calls.n, dtype=bool)
            with np.errstate(invalid="ignore"):
                kept &= (values <= most) | unknown
    return kept


def share(hits: Bools, *, n_missing: int = 0) -> Estimate:
    """Estimate a share of calls, with limits that know that neighbours in time are alike."""
    n = int(hits.size)
    if not n:
        return not_measured("no calls", n_missing=n_missing)
    value = float(hits.mean())
    effective = float(n)
    if n >= BLOCKS * FEW and 0 < value < 1:
        means = np.array([part.mean() for part in np.array_split(hits.astype(float), BLOCKS)])
        spread = float(means.var(ddof=1)) / BLOCKS
        effective = min(n, value * (1 - value) / spread) if spread > 0 else n
    effective = max(effective, 1.0)
    interval = wilson(value * effective, n=effective)
    return to_estimate(interval, n_samples=n, n_trials=n, n_missing=n_missing)


def rate(moments: Floats, window: tuple[float, float], weights: Floats | None = None) -> Estimate:
    """Estimate events per second from equal stretches of the window (t interval)."""
    start, end = window
    blocks = int(min(BLOCKS, max(2, sqrt(len(moments)))))
    sums, _ = np.histogram(moments, bins=blocks, range=(start, end), weights=weights)
    found = estimate_amount(sums * blocks / (end - start), n_trials=len(moments), n_missing=0)
    low = None if found.low is None else max(0.0, found.low)
    return Estimate(
        value=found.value,
        low=low,
        high=found.high,
        n_samples=len(moments),
        n_trials=len(moments),
        n_missing=0,
        method=f"t interval over {blocks} stretches of time",
    )


def analyse_level(run: LevelRun, level: ServiceLevel | None = None) -> LoadLevel:
    """Return one level in numbers."""
    shape, level = run.shape, level or ServiceLevel()
    window = shape.window
    if run.stopped:
        ends = np.frombuffer(run.log.column("scheduled"), dtype=np.float64)
        window = (window[0], max(window[0] + 1e-9, float(ends.max(initial=0.0))))
    calls = columns(run.log, window)
    times = times_of(calls)
    due, failed = calls["scheduled"], calls.failed
    n_failed = int(failed.sum())
    good = kept_level(calls, level)
    every = columns(run.log)
    inside = (every["end"] >= window[0]) & (every["end"] < window[1])
    answered = inside & ~every.failed
    tokens = np.nan_to_num(every["output_tokens"][answered])
    scored = ~np.isnan(calls["passed"])
    found = {n: quantiles(v, n_missing=n_failed) for n, v in times.items()}
    lag = calls["sent"] - due
    achieved = None
    if shape.kind != "closed" and run.offered:
        achieved = float(inside.sum()) / run.offered
    few = run.stopped == "interrupted" and calls.n < FEW

    def per_second(moments: Floats, weights: Floats | None = None) -> Estimate:
        # Two calls at the end of a moment are no thousand a second.
        return not_measured(_cut_short(calls.n)) if few else rate(moments, window, weights)

    return LoadLevel(
        shape=shape,
        offered_rate=shape.rate if shape.kind in {"poisson", "constant"} else None,
        calls=calls.n,
        times=found,
        requests_per_second=per_second(every["end"][answered]),
        tokens_per_second=per_second(every["end"][answered], tokens),
        goodput=per_second(due[good]),
        attainment=share(good) if level.promised else not_measured("nothing was promised"),
        error_rate=share(failed),
        failures=calls.kinds,
        passed=share(calls["passed"][scored] >= 1, n_missing=n_failed)
        if scored.any()
        else not_measured("nothing was scored"),
        cost_per_call=_cost(calls["cost"][~failed], n_failed),
        lag_p99=float(np.quantile(lag, 0.99)) if calls.n else 0.0,
        achieved=achieved,
        mean_in_flight=_in_flight(run, window),
        invalid=_invalid(run, calls, lag),
        strata=_strata(calls, times["latency"]),
    )


def _cost(costs: Floats, n_missing: int) -> Estimate:
    if not costs.size or np.isnan(costs).any():
        return not_measured("price or usage unknown", n_missing=n_missing)
    return estimate_amount(costs, n_trials=costs.size, n_missing=n_missing)


def _in_flight(run: LevelRun, window: tuple[float, float]) -> float:
    inside = [count for at, count in run.in_flight if window[0] <= at < window[1]]
    return float(np.mean(inside)) if inside else 0.0


def _invalid(run: LevelRun, calls: Columns, lag: Floats) -> tuple[str, ...]:
    """Say why a level says more of the generator than of the server."""
    reasons: list[str] = []
    if run.stopped == "interrupted" and calls.n < FEW:
        reasons.append(_cut_short(calls.n))
    latency = times_of(calls)["latency"]
    known = latency[~np.isnan(latency)]
    if calls.n and known.size and run.shape.kind != "closed":
        late, middle = float(np.quantile(lag, 0.99)), float(np.median(known))
        if run.waited_for_place:
            reasons.append(
                f"{many(run.waited_for_place, 'call')} waited because "
                f"{run.shape.most_in_flight} were in "
                "flight: their waiting is counted, but it is ours"
            )
        elif late > MOST_LAG * middle:
            reasons.append(
                f"the generator was {late * 1000:.1f} ms late (p99), more than 5 % of the median "
                f"latency of {middle * 1000:.1f} ms"
            )
    if run.shape.kind in {"poisson", "constant"} and not run.stopped and run.shape.rate:
        start, end = run.shape.window
        wanted = run.shape.rate * (end - start)
        # A Poisson count is itself random; only what chance does not explain is ours.
        slack = 3 * sqrt(wanted) if run.shape.kind == "poisson" else 1.0
        if run.offered < LEAST_ACHIEVED * wanted - slack:
            reasons.append(
                f"only {run.offered} calls were made where {wanted:.0f} were due: the generator "
                "could not keep up"
            )
    return tuple(reasons)


def _cut_short(n: int) -> str:
    return f"it was interrupted after {many(n, 'counted call')}: too few to tell a rate"


def _strata(calls: Columns, latency: Floats) -> tuple[tuple[str, Quantiles], ...]:
    lengths = calls["input_tokens"]
    known = ~np.isnan(lengths) & ~np.isnan(latency)
    if known.sum() < 3 * FEW or len(np.unique(lengths[known])) < 3:  # noqa: PLR2004 - thirds
        return ()
    edges = np.quantile(lengths[known], (1 / 3, 2 / 3))
    thirds = np.digitize(lengths, edges, right=True)
    found = []
    for third in range(3):
        rows = known & (thirds == third)
        if rows.sum() >= FEW:
            span = f"{lengths[rows].min():.0f} to {lengths[rows].max():.0f} input tokens"
            found.append((span, quantiles(latency[rows], n_missing=0)))
    return tuple(found)
