"""Which metrics there are: the names that `accept.metrics` and policy gates may use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from befit import plugins
from befit.config.metrics_of_samples import OF_TURNS, SampleMetrics
from befit.config.problems import Problems
from befit.config.scenarios import PlacedScenario
from befit.core.dimension import known_dimensions
from befit.core.policy import Gate, Policy
from befit.datasets.files_tree import Node, find

RATES = (
    "pass_rate",
    "stability",
    "ceiling",
    "reliable",
    "pass",
    "missing_rate",
    "failure_rate",
    "retry_rate",
    "worst_prompt",
    "prompt_spread",
    "fallback_retention",
    "human_win_rate",
    "human_rubric",
)
"""Metrics of every scenario between 0 and 1."""
AMOUNTS = (
    "latency",
    "latency_p50",
    "latency_p95",
    "latency_p99",
    "first_token",
    "first_token_p95",
    "cost",
    "cost_per_success",
    "input_tokens",
    "input_tokens_p95",
    "output_tokens",
    "output_tokens_p95",
    "verbosity",
    "throughput",
)
"""Metrics of every scenario in seconds, USD or tokens."""

_BUILT_IN: dict[str, tuple[str, ...]] = {
    "match": (),
    "constraints": ("constraints_loose",),
    "structure": ("parses", "schema_valid", "fields_ok", "table_ok", "columns", "row_count"),
    "fields": ("selective_accuracy", "hallucination", "missed"),
    "python": (),
    "tool_calls": (),
    "honesty": (),
    "recovery": (),
    "recall": (),
    "chain": (),
    "conversation": (),
    "judge": (),
    "language": (),
    "code": (),
    "convert": (),
    "summary": (),
    "generation": (),
    "vision": (),
}
"""Scorers whose metrics are known -> those besides `primary` and `zeroed`; others are open."""


def metric_names(scenario: PlacedScenario) -> set[str]:
    """Return the score names that the scorers and the dimension of a scenario declare."""
    headlines = known_dimensions()[scenario.scenario.spec.dimension].headlines
    return {*(headline.score for headline in headlines), *_made(scenario)}


def _made(scenario: PlacedScenario) -> set[str]:
    """Return the score names that the scorers of a scenario declare."""
    return {name for scorer in scenario.scorers for name in _names(scorer, scorer.name)}


def _makes(scenario: PlacedScenario, metric: str) -> bool:
    """Tell whether the scorers of a scenario, or what its samples bring, make a metric."""
    return metric in _made(scenario) or _of_samples(scenario).make(metric)


def _of_samples(scenario: PlacedScenario) -> SampleMetrics:
    return SampleMetrics(scenario.scenario, names=_names, known=_BUILT_IN)


def _names(scorer: object, name: str) -> Iterator[str]:
    """Yield what a scorer, or the class of one, says it makes."""
    for key in ("primary", "zeroed", "names"):
        said = getattr(scorer, key, ())
        if not isinstance(said, property):  # of a class: only its options would tell
            yield from [said] if isinstance(said, str) else said
    yield from _BUILT_IN.get(name, ())


def _makers(metric: str) -> list[str]:
    """Return the scorers of befit that make a metric."""
    there = sorted(_BUILT_IN.keys() & plugins.available("befit.scorers").keys())
    return [n for n in there if metric in _names(plugins.load("befit.scorers", n), n)]


def _unmade(name: str, scenarios: Iterable[PlacedScenario]) -> list[PlacedScenario]:
    """Return the scenarios of which nothing makes a metric."""
    return [one for one in scenarios if not _is_open([one]) and not _makes(one, name)]


def _without(name: str, one: PlacedScenario) -> str:
    own = ", ".join(scorer.name for scorer in one.scorers) or "none"
    return f"'{name}' is not made by the scorers of '{one.scenario.name}' ({own})"


def _advice(makers: list[str]) -> str:
    return f"the scorer {' or '.join(makers)} makes it" if makers else ""


def _is_open(scenarios: Iterable[PlacedScenario]) -> bool:
    return any(scorer.name not in _BUILT_IN for one in scenarios for scorer in one.scorers)


def check_metric(name: str, at: Node, scenarios: list[PlacedScenario], problems: Problems) -> None:
    """Report `name` if none of `scenarios` can have a metric of that name.

    A metric of the dimension that the scorers do not make is a warning: a run can be paid for
    without it, but it cannot decide.
    """
    known = {*RATES, *AMOUNTS, *(name for one in scenarios for name in metric_names(one))}
    if name in {*RATES, *AMOUNTS}:
        return
    if name in known:
        for one in _unmade(name, scenarios):
            advice = _advice(_makers(name)) or "drop the gate"
            what = f"{_without(name, one)}, so no run can measure it there and nobody is decided"
            problems.warn(f"{what} ({advice})", at)
        return
    if any(_makes(one, name) for one in scenarios):
        return
    if _is_open(scenarios):
        problems.warn(f"'{name}' is taken for a score of your own scorer", at)
        return
    makers = _makers(name)
    if makers and scenarios:
        problems.add(_without(name, scenarios[0]), at, do=_advice(makers))
        return
    if name in OF_TURNS:
        problems.add(f"no sample brings what makes '{name}'", at, do=OF_TURNS[name])
        return
    known.update(*(_of_samples(one).names() for one in scenarios))
    guess = plugins.nearest(name, sorted({*known, *OF_TURNS})).strip()
    do = guess or f"known: {', '.join(sorted(known))}"
    problems.add(f"unknown metric '{name}'", at, do=do)


def check_accept(placed: PlacedScenario, problems: Problems) -> None:
    """Check the names and limits in `accept.metrics`."""
    for name in placed.scenario.spec.accept.metrics:
        check_metric(name, find(placed.node, ("accept", "metrics", name)), [placed], problems)


def check_policy(
    policy: Policy, section: Node, scenarios: list[PlacedScenario], problems: Problems
) -> None:
    """Check that gates name what exists, can be met, and do not contradict each other."""
    by_name = {one.scenario.name: one for one in scenarios}
    floors: dict[tuple[str, str], tuple[float, int]] = {}
    ceilings: dict[tuple[str, str], tuple[float, int]] = {}
    for i, gate in enumerate(policy.gates):
        at = find(section, ("gates", i))
        if gate.scenario is not None and gate.scenario not in by_name:
            guess = plugins.nearest(gate.scenario, list(by_name)).strip()
            do = guess or f"known: {', '.join(by_name)}"
            problems.add(f"unknown scenario '{gate.scenario}'", at.get("scenario") or at, do=do)
            check_metric(gate.metric, at.get("metric") or at, scenarios, problems)
            continue
        meant = scenarios if gate.scenario is None else [by_name[gate.scenario]]
        check_metric(gate.metric, at.get("metric") or at, meant, problems)
        _check_limit(gate, at, meant, problems)
        key = (gate.scenario or "", gate.metric)
        table, limit = (floors, gate.floor) if gate.floor is not None else (ceilings, gate.ceiling)
        if key in table:
            problems.add(f"the gate repeats gates[{table[key][1]}]", at, do="keep one of them")
        elif limit is not None:
            table[key] = (limit, i)
    for (scenario, metric), (floor, first) in floors.items():
        for (other, same), (ceiling, second) in ceilings.items():
            # a gate without a scenario is asked on each of them
            meets = scenario == other or "" in {scenario, other}
            if metric == same and ceiling < floor and meets:
                what = f"nothing can pass: gates[{first}] asks for at least {floor:g}"
                at = find(section, ("gates", second))
                problems.add(f"{what}, this one for at most {ceiling:g}", at)
    _check_providers(policy, section, problems)
    _check_named(policy, section, by_name, problems)
    _check_weights(policy, section, by_name, problems)


def _check_limit(gate: Gate, at: Node, scenarios: list[PlacedScenario], problems: Problems) -> None:
    limit = gate.floor if gate.floor is not None else gate.ceiling
    rates = {*RATES, *(name for one in scenarios for name in metric_names(one))}
    if limit is not None and gate.metric in rates and not 0 <= limit <= 1:
        key = "floor" if gate.floor is not None else "ceiling"
        what = f"{gate.metric} lies between 0 and 1, so a {key} of {limit:g} decides nothing"
        problems.add(what, at.get(key) or at, do="write 0.9 for 90 %")


def _check_providers(policy: Policy, section: Node, problems: Problems) -> None:
    """Report a fallback that no allowed provider can be."""
    if policy.fallback_from_other_provider and len(set(policy.require.providers)) == 1:
        problems.add(
            "no fallback can come from another provider: require.providers allows only one",
            find(section, ("fallback_from_other_provider",)),
            do="allow a second provider, or drop one of the two",
        )


def _check_named(
    policy: Policy, section: Node, by_name: dict[str, PlacedScenario], problems: Problems
) -> None:
    """Report shares of traffic and margins of scenarios that are not there."""
    for key in ("traffic", "margins"):
        for name in getattr(policy, key):
            if name not in by_name:
                do = plugins.nearest(name, list(by_name)).strip() or f"known: {', '.join(by_name)}"
                at = find(section, (key, name))
                problems.add(f"'{name}' is no scenario of this project", at, do=do)


def _check_weights(
    policy: Policy, section: Node, by_name: dict[str, PlacedScenario], problems: Problems
) -> None:
    dimensions = {one.scenario.spec.dimension for one in by_name.values()}
    known = sorted({*by_name, *dimensions})
    for name, weight in policy.weights.items():
        at = find(section, ("weights", name))
        if name not in known:
            do = plugins.nearest(name, known).strip() or f"known: {', '.join(known)}"
            problems.add(f"'{name}' is no scenario and no dimension of this project", at, do=do)
        if weight < 0:
            problems.add(f"the weight of '{name}' is negative", at)
