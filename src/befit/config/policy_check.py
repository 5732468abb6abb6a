"""Said before anything is spent: gates that so few samples can never pass, or never fail.

Also what of a policy names something that is not there: traffic, margins,
providers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log
from statistics import NormalDist

from befit import plugins
from befit.config.metrics import RATES
from befit.config.problems import Problems
from befit.core.candidate import Candidate
from befit.core.policy import Gate, Policy
from befit.core.scenario import ScenarioSpec
from befit.datasets.files_tree import Node, find

ALONE = 0.05
TWO = 2
REPEATED = ("stability", "ceiling", "reliable")
REWORDED = ("worst_prompt", "prompt_spread")
_QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}


def check_reach(
    policy: Policy,
    section: Node,
    specs: Mapping[str, ScenarioSpec],
    sizes: Mapping[str, int],
    *,
    candidates: list[Candidate],
    problems: Problems,
) -> None:
    """Warn of gates out of reach; report names that mean nothing.

    Args:
        policy: the policy.
        section: where it stands.
        specs: the scenarios by name.
        sizes: samples of each.
        candidates: all of them.
        problems: where to put what is found.
    """
    _check_gates(policy, section, specs, sizes, candidates=candidates, problems=problems)
    for key in ("traffic", "margins"):
        for name in getattr(policy, key):
            if name not in specs:
                do = plugins.nearest(name, list(specs)).strip() or f"known: {', '.join(specs)}"
                at = find(section, (key, name))
                problems.add(f"'{name}' is no scenario of this project", at, do=do)
    providers = {candidate.provider for candidate in candidates}
    for i, name in enumerate(policy.require.providers):
        if name not in providers:
            known = ", ".join(sorted(providers))
            at = find(section, ("require", "providers", i))
            problems.warn(f"no candidate is served by '{name}' (there are: {known})", at)
    if policy.fallback_from_other_provider and len(providers) == 1 and len(candidates) > 1:
        at = find(section, ("fallback_from_other_provider",))
        one = next(iter(providers))
        text = f"all candidates are served by '{one}', so nobody can fall back to another provider"
        problems.warn(text, at)


def _check_gates(
    policy: Policy,
    section: Node,
    specs: Mapping[str, ScenarioSpec],
    sizes: Mapping[str, int],
    *,
    candidates: list[Candidate],
    problems: Problems,
) -> None:
    """Warn of gates that nobody can pass or miss, or that the run would not measure."""
    tests = max(1, len(candidates) * max(1, len({spec.tier for spec in specs.values()})))
    for i, gate in enumerate(policy.gates):
        at = find(section, ("gates", i))
        for name in [gate.scenario] if gate.scenario in specs else list(specs):
            found = [
                *_out_of_reach(gate, sizes.get(name or "", 0), policy.error, tests),
                *_never_run(gate, specs.get(name or ""), candidates),
            ]
            for text in found:
                problems.warn(f"{gate.metric} on '{name}': {text}", at)


def _never_run(gate: Gate, spec: ScenarioSpec | None, candidates: list[Candidate]) -> Iterator[str]:
    """Yield what a run as it is set never does, though the gate is about it."""
    if spec is None:
        return
    if gate.metric in REPEATED and all(spec.repeats_of(one) < TWO for one in candidates):
        yield "it takes 2 repeats or more, and there is 1, so it cannot be measured"
    if gate.metric in REWORDED and not spec.variants:
        yield "it takes variants of the prompt, and there are none, so it cannot be measured"


def _out_of_reach(gate: Gate, n: int, error: float, tests: int) -> Iterator[str]:
    """Yield what `n` samples can never show, alone and with all pairs judged together."""
    if not n:
        return
    rank = gate.metric.rpartition("_")[2]
    if rank in _QUANTILES and gate.ceiling is not None:
        q = _QUANTILES[rank]
        alone, joint = (int(log(e) / log(q)) + 1 for e in (ALONE, error / tests))
        if n < alone:
            yield (
                f"{n} samples cannot bound the {rank}, so the gate can never pass "
                f"({_from(alone, joint)})"
            )
        elif n < joint:
            yield (
                f"{n} samples can pass it alone, but no route can rest on it: judged together "
                f"with all candidates and tiers it takes {joint}"
            )
        return
    if gate.metric not in RATES or gate.floor is None or not 0 < gate.floor < 1:
        return
    z2 = [NormalDist().inv_cdf(1 - e) ** 2 for e in (ALONE, error / tests)]
    alone, joint = (int(gate.floor * one / (1 - gate.floor)) + 1 for one in z2)
    for one, words in zip(z2, ("", ", judged together with all others,"), strict=True):
        best, worst = n / (n + one), one / (n + one)
        if best < gate.floor:
            yield (
                f"even {n} of {n} right{words} do not show a floor of {gate.floor:g}, so it can "
                f"never pass ({_from(joint if words else alone, joint)})"
            )
            return
        if worst >= gate.floor:
            yield f"even 0 of {n} right{words} do not miss a floor of {gate.floor:g}; never fails"
            return


def _from(alone: int, joint: int) -> str:
    """Return from how many samples on it can pass so that a route can rest on it."""
    least = f"from {max(alone, joint):,} samples"
    return least if joint <= alone else f"{least}; {alone:,} suffice alone, but for no route"
