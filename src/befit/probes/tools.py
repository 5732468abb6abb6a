"""Tools: a small shop, a calendar and a ticket desk, each with state.

Kinds of items: `call` (one call is due), `parallel` (several), `irrelevant` (no tool
fits, none may be called) and `missing` (a needed value was not said: ask back).
"""

from __future__ import annotations

from collections.abc import Sequence

from befit.core.message import Tool
from befit.core.record import Json
from befit.core.sample import Sample
from befit.probes.pack import Draw, Knob, Pack, check
from befit.probes.tools_worlds import DOMAINS, Domain, Task

KINDS = ("call", "parallel", "irrelevant", "missing", "mixed")
_SIDE = (
    "get_weather convert_currency translate_text play_music set_alarm find_recipe book_taxi"
    " read_news start_timer find_route check_spelling show_photo count_steps water_plants"
    " dim_lights order_pizza measure_noise roll_dice pick_colour tune_radio"
)
SIDE = tuple(_SIDE.split())
KNOBS = (
    Knob(name="kind", default="mixed", choices=KINDS, harder="", meaning="what is due"),
    Knob(name="calls", default=3, low=2, high=8, meaning="calls due in items of kind parallel"),
    Knob(name="distractors", default=2, low=0, high=20, meaning="tools of other kinds offered too"),
)
_OFF_TOPIC = (
    "What rhymes with silver?",
    "Explain in one sentence why leaves turn yellow.",
    "Which is longer, a furlong or a mile?",
    "Write a two-line poem about patience.",
    "Is a tomato a fruit?",
    "Give me a synonym of careful.",
)


def make(draw: Draw) -> Sequence[Sample]:
    """Return one item."""
    rng, kind = draw.rng, draw.text("kind")
    if kind == "mixed":
        kind = KINDS[draw.number % (len(KINDS) - 1)]
    domain: Domain = rng.choice(DOMAINS)
    world, tasks = domain.make(rng, draw.whole("calls") if kind == "parallel" else 1)
    side = [_side_tool(name) for name in rng.sample(SIDE, draw.whole("distractors"))]
    target: Json
    if kind == "irrelevant":
        text = f"{rng.choice(_OFF_TOPIC)} (This is for a quiz in round {rng.randint(2, 999)}.)"
        target = []
    elif kind == "missing":
        task = tasks[0]
        text, target = task.incomplete, {"ask": [task.left_out]}
    else:
        text = " ".join(task.said for task in tasks)
        target = {
            "calls": [{"name": t.tool, "arguments": t.arguments} for t in tasks],
            "state": _state(tasks),
        }
    tools = [*domain.tools, *side]
    return [
        Sample(
            id=draw.id,
            input=text,
            tools=tuple(rng.sample(tools, len(tools))),
            world=world,
            target=target,
            checks=(check("tool_calls", read="auto"),),
            tags=(f"kind:{kind}", f"domain:{domain.name}", f"tools:{len(tools)}"),
            kind="edge" if kind in {"irrelevant", "missing"} else "typical",
        )
    ]


def _state(tasks: Sequence[Task]) -> dict[str, Json]:
    """Return what of the world the tasks leave changed."""
    state: dict[str, Json] = {}
    for task in tasks:
        if task.leaves is not None:
            table, key, fields = task.leaves
            records = state.setdefault(table, {})
            records[key] = fields
    return state


def _side_tool(name: str) -> Tool:
    return Tool(
        name=name,
        description=f"{name.replace('_', ' ').capitalize()}.",
        parameters={
            "type": "object",
            "properties": {"about": {"type": "string"}},
            "required": ["about"],
        },
    )


PACK = Pack(
    name="tools",
    dimension="tool-calling",
    what="a shop, a calendar and a ticket desk, with irrelevance, missing values, parallel calls",
    knobs=KNOBS,
    make=make,
)
