"""Solvers of the packs that call tools: the next step of a chain, the right calls of a task.

Like `probe_solvers` they read what a model reads, and know nothing of the targets.
"""

from __future__ import annotations

import json
import re

from befit.core.completion import Completion
from befit.core.message import ToolCall


def chains(request):
    """Reads the steps, makes the next one that is not made yet, then says so."""
    text = request.messages[0].text
    made = sum(message.role == "tool" for message in request.messages)
    listed = re.findall(r"^\d+\. (\w+)$", text, re.MULTILINE)
    if not listed:
        listed = re.findall(r"- (\w+) comes first\.", text)
        follow = {a: b for b, a in re.findall(r"- (\w+) comes right after (\w+)\.", text)}
        while listed[-1] in follow:
            listed.append(follow[listed[-1]])
    if made == len(listed):
        reference = re.search(r"REF-\d+", text)[0]
        return f"All steps are done: {reference}."
    order = re.search(r"Take order (\w+)", text)[1]
    return _called(made, (listed[made], {"order_id": order}))


def tools(request):
    text = request.messages[0].text
    if any(message.role == "tool" for message in request.messages):
        return "Done."
    calls = []
    for verb, thing, number in re.findall(r"Set the (stock|price) of (\w+) to (\d+)", text):
        name, key = {"stock": ("set_stock", "count"), "price": ("set_price", "euros")}[verb]
        calls.append((name, {"product": thing, key: int(number)}))
    calls += [
        ("move_event", {"event_id": event, "day": day})
        for event, day in re.findall(r"Move the event (\w+) to ([\d-]+)\.", text)
    ]
    calls += [
        ("cancel_event", {"event_id": e}) for e in re.findall(r"Cancel the event (\w+)\.", text)
    ]
    calls += [
        ("assign_ticket", {"ticket_id": ticket, "person": who})
        for ticket, who in re.findall(r"Assign ticket (\S+) to (\w+)\.", text)
    ]
    calls += [
        ("set_priority", {"ticket_id": ticket, "priority": int(level)})
        for ticket, level in re.findall(r"Give ticket (\S+) priority (\d)\.", text)
    ]
    if calls:
        return _called(0, *calls)
    return "A shared thought." if "quiz" in text else _question(text)


def _question(text):
    """What is left out of a task, asked as a person would."""
    asked = {
        "to another day": "To which day shall I move it?",
        "Change the price": "What is the new price?",
        "Change the stock": "How many are in stock?",
        "one of my events": "Which event shall I cancel?",
        "to somebody else": "Who should take the ticket?",
        "another priority": "Which priority should it have?",
    }
    return next((question for words, question in asked.items() if words in text), "What is meant?")


def _called(number, *calls):
    made = tuple(
        ToolCall(id=f"{number}-{place}", name=name, arguments=json.dumps(given))
        for place, (name, given) in enumerate(calls)
    )
    return Completion(text="", tool_calls=made, finish_reason="tool_calls")
