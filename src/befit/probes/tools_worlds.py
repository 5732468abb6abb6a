"""The worlds of the tools pack: their tools, their state, and what may be asked of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from befit.core.message import Tool
from befit.core.record import Json
from befit.core.world import Action, World
from befit.probes.wording import SURNAMES, THINGS


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One thing asked: the call that is due, and the same request with a value left out."""

    said: str
    tool: str
    arguments: Mapping[str, Json]
    incomplete: str
    left_out: str
    leaves: tuple[str, str, dict[str, Json]] | None = None
    """Table, key and fields of the record as it stands afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """Tools and a maker of worlds with so many tasks, no two about the same record."""

    name: str
    tools: tuple[Tool, ...]
    make: Callable[[Random, int], tuple[World, list[Task]]]


def _tool(name: str, what: str, **parameters: str) -> Tool:
    return Tool(
        name=name,
        description=what,
        parameters={
            "type": "object",
            "properties": {key: {"type": kind} for key, kind in parameters.items()},
            "required": list(parameters),
        },
    )


_SHOP = (
    _tool(
        "set_stock",
        "Sets how many pieces of a product are there.",
        product="string",
        count="integer",
    ),
    _tool(
        "set_price",
        "Sets the price of a product in whole euros.",
        product="string",
        euros="integer",
    ),
    _tool("show_product", "Shows price and stock of a product.", product="string"),
)
_SHOP_ACTIONS = {
    "set_stock": Action(op="update", table="products", key="product"),
    "set_price": Action(op="update", table="products", key="product"),
    "show_product": Action(op="get", table="products", key="product"),
}


def _shop(rng: Random, count: int) -> tuple[World, list[Task]]:
    products = rng.sample(THINGS, count)
    state: dict[str, Json] = {
        product: {"count": rng.randint(1, 50), "euros": rng.randint(1, 90)} for product in THINGS
    }
    tasks: list[Task] = []
    for product in products:
        number = rng.randint(100, 900)
        if rng.random() < 0.5:  # noqa: PLR2004 - one or the other
            tasks.append(
                Task(
                    said=f"Set the stock of {product} to {number} pieces.",
                    tool="set_stock",
                    arguments={"product": product, "count": number},
                    incomplete=f"Change the stock of {product}.",
                    left_out="count",
                    leaves=("products", product, {"count": number}),
                )
            )
        else:
            tasks.append(
                Task(
                    said=f"Set the price of {product} to {number} euros.",
                    tool="set_price",
                    arguments={"product": product, "euros": number},
                    incomplete=f"Change the price of {product}.",
                    left_out="euros",
                    leaves=("products", product, {"euros": number}),
                )
            )
    return World(state={"products": state}, actions=_SHOP_ACTIONS), tasks


_CALENDAR = (
    _tool(
        "add_event",
        "Adds an event to the calendar.",
        event_id="string",
        title="string",
        day="string",
    ),
    _tool(
        "move_event", "Moves an event to another day (YYYY-MM-DD).", event_id="string", day="string"
    ),
    _tool("cancel_event", "Cancels an event.", event_id="string"),
)
_CALENDAR_ACTIONS = {
    "add_event": Action(op="create", table="events", key="event_id"),
    "move_event": Action(op="update", table="events", key="event_id"),
    "cancel_event": Action(
        op="update", table="events", key="event_id", set={"status": "cancelled"}
    ),
}


def _calendar(rng: Random, count: int) -> tuple[World, list[Task]]:
    ids = [f"e{number}" for number in rng.sample(range(100, 999), count + 6)]
    state: dict[str, Json] = {
        event: {"title": f"Meeting with {rng.choice(SURNAMES)}", "day": _day(rng), "status": "on"}
        for event in ids
    }
    tasks: list[Task] = []
    for event in ids[:count]:
        day = _day(rng)
        if rng.random() < 0.6:  # noqa: PLR2004 - mostly moves
            tasks.append(
                Task(
                    said=f"Move the event {event} to {day}.",
                    tool="move_event",
                    arguments={"event_id": event, "day": day},
                    incomplete=f"Move the event {event} to another day.",
                    left_out="day",
                    leaves=("events", event, {"day": day}),
                )
            )
        else:
            tasks.append(
                Task(
                    said=f"Cancel the event {event}.",
                    tool="cancel_event",
                    arguments={"event_id": event},
                    incomplete="Cancel one of my events.",
                    left_out="event_id",
                    leaves=("events", event, {"status": "cancelled"}),
                )
            )
    return World(state={"events": state}, actions=_CALENDAR_ACTIONS), tasks


def _day(rng: Random) -> str:
    return f"2031-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"


_DESK = (
    _tool("assign_ticket", "Assigns a ticket to somebody.", ticket_id="string", person="string"),
    _tool(
        "set_priority", "Sets a ticket's priority, 1 to 5.", ticket_id="string", priority="integer"
    ),
    _tool("close_ticket", "Closes a ticket.", ticket_id="string"),
)
_DESK_ACTIONS = {
    "assign_ticket": Action(op="update", table="tickets", key="ticket_id"),
    "set_priority": Action(op="update", table="tickets", key="ticket_id"),
    "close_ticket": Action(op="update", table="tickets", key="ticket_id", set={"status": "closed"}),
}


def _desk(rng: Random, count: int) -> tuple[World, list[Task]]:
    ids = [f"T-{number}" for number in rng.sample(range(1000, 9999), count + 6)]
    state: dict[str, Json] = {
        ticket: {"status": "open", "priority": 3, "person": "nobody"} for ticket in ids
    }
    tasks: list[Task] = []
    for ticket in ids[:count]:
        who, level = rng.choice(SURNAMES), rng.choice((1, 2, 4, 5))
        assign = Task(
            said=f"Assign ticket {ticket} to {who}.",
            tool="assign_ticket",
            arguments={"ticket_id": ticket, "person": who},
            incomplete=f"Assign ticket {ticket} to somebody else.",
            left_out="person",
            leaves=("tickets", ticket, {"person": who}),
        )
        priority = Task(
            said=f"Give ticket {ticket} priority {level}.",
            tool="set_priority",
            arguments={"ticket_id": ticket, "priority": level},
            incomplete=f"Give ticket {ticket} another priority.",
            left_out="priority",
            leaves=("tickets", ticket, {"priority": level}),
        )
        tasks.append(rng.choice((assign, priority)))
    return World(state={"tickets": state}, actions=_DESK_ACTIONS), tasks


DOMAINS = (
    Domain(name="shop", tools=_SHOP, make=_shop),
    Domain(name="calendar", tools=_CALENDAR, make=_calendar),
    Domain(name="desk", tools=_DESK, make=_desk),
)
