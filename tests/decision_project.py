"""A project on disk whose candidates are functions of known quality: the whole way, no network."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from pathlib import Path

MODULE = '''
"""Simulated candidates: which samples each gets right stands in a file beside this one."""
import json
from pathlib import Path

TABLE = json.loads((Path(__file__).parent / "truth.json").read_text())


class Sim:
    def __init__(self, name):
        self.name = name

    def __call__(self, prompt):
        right = TABLE[self.name].get(prompt, 0)
        tokens = 100 + (sum(map(ord, prompt)) % 21)
        return {"text": "yes" if right else "no", "served_model": self.name + "-1",
                "usage": {"uncached_input": 100, "text_output": tokens}}


'''


def write_project(  # noqa: PLR0913 - one argument per part of a project file
    folder: Path,
    right: Mapping[str, Mapping[str, list[int]]],
    *,
    prices: Mapping[str, float],
    policy: str = "",
    tiers: str = "",
    scenario_tiers: Mapping[str, str] | None = None,
    extra: Mapping[str, str] | None = None,
    module: str = "sim_models",
    scenario_extra: str = "",
) -> Path:
    """Write a project; `right` is candidate -> scenario -> 1 or 0 for each sample.

    `prices` are USD per million output tokens. Prompts are `scenario i`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = list(right)
    scenarios = list(next(iter(right.values())))
    truth = {
        name: {f"{s} {i}": ok for s in scenarios for i, ok in enumerate(right[name][s])}
        for name in names
    }
    (folder / "truth.json").write_text(json.dumps(truth))
    made = "\n".join(f"{n.replace('-', '_')} = Sim({n!r})" for n in names)
    (folder / f"{module}.py").write_text(MODULE + made + "\n")
    lines = ["project: sims", "candidates:"]
    for name in names:
        lines += [
            f"  - name: {name}",
            "    target: function",
            f"    model: {module}:{name.replace('-', '_')}",
            "    sampling: {temperature: 0, top_p: 1, max_tokens: 200}",
            f"    price: {{input: 0, output: {prices[name]}}}",
        ]
        if extra and name in extra:
            lines.append(textwrap.indent(extra[name], "    "))
    lines.append("scenarios:")
    for scenario in scenarios:
        count = len(next(iter(right.values()))[scenario])
        with (folder / f"{scenario}.jsonl").open("w") as file:
            for i in range(count):
                row = {"id": f"{scenario}-{i}", "input": f"{scenario} {i}", "target": "yes"}
                file.write(json.dumps(row) + "\n")
        lines += [
            f"  - name: {scenario}",
            "    dimension: classification",
            f"    samples: {scenario}.jsonl",
            "    scorers: [match]",
            "    repeats: 1",
            "    success: The answer is yes.",
            "    failure_modes: [{name: said no, pattern: '^no$'}]",
        ]
        if scenario_tiers and scenario in scenario_tiers:
            lines.append(f"    tier: {scenario_tiers[scenario]}")
        if scenario_extra:
            lines.append(textwrap.indent(scenario_extra, "    "))
    if tiers:
        lines += ["tiers:", textwrap.indent(textwrap.dedent(tiers).strip(), "  ")]
    if policy:
        lines += ["policy:", textwrap.indent(textwrap.dedent(policy).strip(), "  ")]
    path = folder / "befit.yaml"
    path.write_text("\n".join(lines) + "\n")
    return path


def shares(n: int, rate: float, *, shift: int = 0) -> list[int]:
    """`rate` of n samples right, spread evenly, turned by `shift`."""
    return [int(((i + shift) * rate) % 1 + rate >= 1 - 1e-9) for i in range(n)]
