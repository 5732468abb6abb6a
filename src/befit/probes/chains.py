"""Task chains: an order taken through 3 to 20 steps, each a tool that needs the one before.

The steps are told in order, or as rules in a drawn order (`told: rules`). The state
of the world shows what was done, and a reference given at the start is due at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from befit.core.message import Tool
from befit.core.record import Json
from befit.core.sample import Sample
from befit.core.world import Action, World
from befit.probes.pack import Draw, Knob, Pack, check
from befit.probes.wording import CITIES, person

_STEPS = (
    "reserve_stock check_credit confirm_address pick_items inspect_items weigh_parcel wrap_items"
    " print_label attach_label seal_parcel book_courier declare_customs pay_postage stage_parcel"
    " hand_over scan_departure notify_customer send_invoice post_ledger archive_file"
)
NAMES = tuple(_STEPS.split())
_OTHERS = ("cancel_order", "refund_customer", "delete_file", "reopen_order", "swap_items")
KNOBS = (
    Knob(name="steps", default=6, low=3, high=20, meaning="steps of the chain"),
    Knob(
        name="told",
        default="list",
        choices=("list", "rules"),
        meaning="the steps as a list in order, or as rules in a drawn order",
    ),
    Knob(name="others", default=2, low=0, high=5, meaning="further tools that must not be used"),
)


def make(draw: Draw) -> Sequence[Sample]:
    """Return one chain."""
    rng = draw.rng
    steps = rng.sample(NAMES, draw.whole("steps"))
    order, reference = f"o{rng.randint(100, 999)}", f"REF-{rng.randint(10_000, 99_999)}"
    others = rng.sample(_OTHERS, draw.whole("others"))
    rule = "Each step is the tool of that name; call one at a time, with the order's id."
    text = (
        f"Take order {order} of {person(rng)}, {rng.choice(CITIES)}, through all its steps."
        f" The reference is {reference}. {rule}\n{_told(draw, steps)}\n"
        f"When the last step is done, say so in one sentence with the reference."
    )
    named = rng.sample([*steps, *others], len(steps) + len(others))
    actions: dict[str, Action] = {}
    for place, step in enumerate(steps):
        before: dict[str, Json] = {steps[place - 1]: "done"} if place else {"status": "open"}
        actions[step] = Action(
            op="update", table="orders", key="order_id", set={step: "done"}, require=before
        )
    for other in others:
        actions[other] = Action(op="update", table="orders", key="order_id", set={"status": other})
    done: dict[str, Json] = {"status": "open", **dict.fromkeys(steps, "done")}
    return [
        Sample(
            id=draw.id,
            input=text,
            tools=tuple(_tool(name) for name in named),
            world=World(state={"orders": {order: {"status": "open"}}}, actions=actions),
            target={
                "steps": list(steps),
                "state": {"orders": {order: done}},
                "goal": [reference],
            },
            checks=(check("chain", read="calls", extra=False, one_at_a_time=True),),
            tags=(f"steps:{len(steps)}", f"told:{draw.text('told')}"),
        )
    ]


def _told(draw: Draw, steps: Sequence[str]) -> str:
    if draw.text("told") == "list":
        return "\n".join(f"{place + 1}. {step}" for place, step in enumerate(steps))
    rules = [f"- {steps[0]} comes first."]
    rules += [f"- {after} comes right after {step}." for step, after in pairwise(steps)]
    return "\n".join(draw.rng.sample(rules, len(rules)))


def _tool(name: str) -> Tool:
    return Tool(
        name=name,
        description=f"Does the step '{name.replace('_', ' ')}' for an order.",
        parameters={
            "type": "object",
            "properties": {"order_id": {"type": "string"}},
            "required": ["order_id"],
        },
    )


PACK = Pack(
    name="chains",
    dimension="task-chain",
    what="orders taken through 3 to 20 dependent steps, with the state of the world checked",
    knobs=KNOBS,
    make=make,
)
