"""A report with every section on difficulty, wording, settings, instances, runs and facts."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from decimal import Decimal

from befit.analysis.causes import Measured, Sent, beginnings, contrast
from befit.analysis.causes_result import Causes
from befit.core.candidate import Sampling, Traits
from befit.core.price import Price
from befit.core.sample import Sample, ScorerSpec
from befit.core.scenario import Scenario
from befit.engine.executor import execute
from befit.pipeline.reporting import make_document
from befit.report.html import render
from engine_ground import Answering, candidate, completion, fixed, job, scenario, workspace

HOSTILE = "<img src=x onerror=alert(1)>"
SECTIONS = ("#facts", "#difficulty", "#wording", "#settings", "#over-time", "#causes")


def samples():
    for item in range(8):
        for tokens in (500, 1000, 4000):
            for depth in ("0.1", "0.9"):
                facts = [{"id": f"f{n}", "text": f"fact{n}", "position": n / 3} for n in range(3)]
                yield Sample(
                    id=f"s{item}-{tokens}-{depth}",
                    input=f"{item} {tokens} {depth} {HOSTILE}?",
                    target={"facts": facts},
                    tags=(
                        f"tokens:{tokens}",
                        f"depth:{depth}",
                        f"form:{HOSTILE[:9]}{depth}",
                        ("text", "structure", "cross-region")[item % 3],
                        "reasoning" if depth == "0.1" else "retrieval",
                    ),
                    cluster=f"i{item}",
                )


def answering(limit):
    def answer(request):
        m = request.metadata
        item, tokens, depth = m["sample"].split("-")
        held = int(item[1:]) < limit - (tokens == "4000") * 3 - (m["variant"] == "order") * 3
        held = held and not (tokens == "4000" and depth == "0.9")
        text = "fact0 fact1 fact2" if held else f"fact0 {HOSTILE}"
        who = "x" if int(m["repeat"]) % 2 else "y"
        return replace(completion(text), served_model=f"m {HOSTILE}", system_fingerprint=who)

    return Answering(answer)


def page(folder):
    """The report of a second run, with the first one beside it."""
    price = Price(input=Decimal(1), output=Decimal(2), source="test")
    entries = [
        candidate(
            name,
            model="m",
            price=price,
            sampling=Sampling(temperature=value, max_tokens=20),
            traits=Traits(production=name == "cold"),
        )
        for name, value in (("cold", 0.0), ("hot", 1.0))
    ]
    found = scenario(
        fixed(*samples()),
        name=f"facts {HOSTILE}",
        scorers=(ScorerSpec(name="recall"),),
        template="Read this. {input}",
        variants=["order", "format"],
        repeats=2,
    )
    spec = found.spec.model_copy(update={"dimension": "long-context"})
    text = ""
    for name, limits in (("r-1", (8, 6)), ("r-2", (6, 5))):
        one = job(
            entries,
            [Scenario(spec=spec, samples=found.samples)],
            run_id=name,
            label=name,
            concurrency=16,
        )
        targets = dict(zip(("cold", "hot"), map(answering, limits), strict=True))
        with workspace(folder, one) as store:
            asyncio.run(execute(one, store=store, targets=targets))
            store.finish(name, "complete")
            text = render(replace(make_document(store, name), causes=(searched(found.spec.name),)))
    return text


def searched(scenario_name):
    """A search for causes with something found, something not, and a cut context."""
    way = {f"s{n}": Measured(passed=(1.0,), outputs=("a",), tokens=(9 + n,)) for n in range(9)}
    off = {f"s{n}": Measured(passed=(0.0,), outputs=("b",), tokens=(2 * n,)) for n in range(1, 9)}
    sent = [
        Sent(tokens=t, chars=4 * t, named=t < 900, billed=min(t, 500), refused=t > 2000)
        for t in (100, 200, 1000, 4000)
        for _ in range(4)
    ]
    return Causes(
        candidate="cold",
        fingerprint="f",
        scenario=scenario_name,
        created_at="2026-11-30T00:00:00+00:00",
        contrasts=(
            contrast("settings", (f"set {HOSTILE}", "default"), way, off, planned=18),
            contrast("batching", ("1 call", "8 calls"), way, way, again=way, planned=18),
        ),
        beginnings=beginnings(sent),
    )
