from __future__ import annotations

import pytest

from befit.core.completion import Completion
from befit.core.message import Tool, ToolCall
from befit.core.sample import Sample
from befit.core.trial import Trial, TrialKey
from befit.scorers.tool_calls import ToolCalls


def tool(name, **parameters):
    properties = {key: {"type": kind} for key, kind in parameters.items()}
    return Tool(name=name, parameters={"type": "object", "properties": properties})


TOOLS = (
    tool("assign_ticket", ticket_id="string", person="string"),
    tool("move_event", event_id="string", day="string"),
    tool("set_stock", product="string", count="integer"),
    tool("set_priority", ticket_id="string", priority="integer"),
)


def asked(text, ask=True, *, calls=()):  # noqa: FBT002 - as in a target
    made = Completion(
        text=text, tool_calls=tuple(ToolCall(id="1", name=n, arguments="{}") for n in calls)
    )
    trial = Trial(key=TrialKey("c", "e", "i", "", 0), transcript=(), completions=(made,))
    sample = Sample(id="s", input="?", target={"ask": ask}, tools=TOOLS)
    found = ToolCalls(ToolCalls.Options()).score(sample, trial)
    return next(score for score in found if score.name == "asked_back")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("person", "Who should I assign it to?"),
        ("person", "To whom should I assign the ticket?"),
        ("person", "Please tell me the assignee."),
        ("person", "I need to know who should take over this ticket."),
        ("person", "Sure. Please provide the name of the colleague."),
        ("person", "I can do that.\nPlease provide the following:\n- the new person\n"),
        ("person", "Wem soll ich das Ticket zuweisen?"),
        ("day", "Please give me the new date."),
        ("day", "When should it take place?"),
        ("day", "Bitte nennen Sie mir das neue Datum."),
        ("day", "Sur quelle date dois-je le mettre ?"),
        ("day", "请告诉我新的日期。"),
        ("day", "何日に移しますか？"),
        ("count", "What would you like me to set it to?"),
        ("count", "How many pieces?"),
        ("count", "Could you please specify the exact quantity?"),
        ("priority", "How urgent is it?"),
        ("event_id", "Which one should I cancel?"),
        ("person", "Person?"),
        ("person", "The new assignee, please?"),
        ("person", "Ready to go: who's taking it?"),
        ("person", "Who would you give it to?"),
        ("day", "Which day?"),
        ("day", "The event's new date?"),
        ("day", "When’s it going to be?"),
        ("count", "Count for w55?"),
        ("priority", "And the priority?"),
    ],
)
def test_a_question_or_a_request_about_what_is_missing_asks_for_it(name, text):
    found = asked(text, [name])
    assert (found.value, found.label) == (1.0, "asked")
    assert text[slice(*found.span)].strip()


@pytest.mark.parametrize(
    "text",
    [
        "Done. Anything else?",
        "Erledigt. Kann ich sonst noch etwas tun?",
        "I assigned the ticket to Bob. Is the person fine?",
        "What is the person's favourite colour?",
        "Do you want me to do that?",
        "The person is known.",
        "Which colour do you like?",
        "Who else?",
        "Ann has it. Who are you?",
        "Who cares?",
        "Wer sonst?",
        "The person, Bob, okay?",
        "Same person as ever?",
        "Person known?",
        "",
    ],
)
def test_what_does_not_ask_for_the_missing_value_is_no_request(text):
    found = asked(text, ["person"])
    assert (found.value, found.label) == (0.0, "did_not_ask")


def test_the_words_of_a_target_say_how_it_may_be_asked_for():
    ask = [{"name": "person", "words": ["Bearbeiter"]}]
    assert asked("Welchen Bearbeiter soll ich eintragen?", ask).value == 1.0
    assert asked("Welche Farbe mögen Sie?", ask).value == 0.0


def test_a_target_without_names_takes_any_request_but_no_closing_word():
    assert asked("Could you tell me more?").value == 1.0
    assert asked("Really?").value == 1.0
    assert asked("Done. Anything else I can help with?").value == 0.0


def test_words_of_the_target_alone_ask_in_its_language():
    ask = [{"name": "city", "words": ["Stadt"]}]
    assert asked("Und die Stadt?", ask).value == 1.0
    assert asked("Die Stadt ist schön, nicht wahr?", ask).value == 0.0


def test_who_somebody_is_may_be_asked_where_the_user_is_missing():
    assert asked("Who are you?", ["user"]).value == 1.0


def test_who_asks_and_calls_all_the_same_has_not_asked_first():
    found = asked("Who should get it?", ["person"], calls=["assign_ticket"])
    assert (found.value, found.label) == (0.0, "called_anyway")


def test_a_target_whose_ask_cannot_be_read_is_told():
    said = ToolCalls(ToolCalls.Options()).target_problem({"ask": [{"words": ["Ort"]}]})
    assert "'ask' is true, or a list" in said
