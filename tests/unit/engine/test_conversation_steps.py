"""Tool loops, dependent turns, simulated users: what is said to whom, and when it ends."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from decimal import Decimal

from befit.core.candidate import Candidate
from befit.core.message import Tool, ToolCall
from befit.core.price import Price
from befit.core.sample import Branch, Sample, ScorerSpec, Turn
from befit.core.scenario import Caps, SimulatedUser
from befit.core.world import Action, ToolResult, World
from befit.engine.executor import execute
from befit.engine.job import user_name
from engine_ground import RUN, Answering, candidate, completion, fixed, job, scenario, workspace

GET = Tool(
    name="get_order",
    parameters={
        "type": "object",
        "properties": {"order_id": {"type": "string"}},
        "required": ["order_id"],
    },
)
CANCEL = GET.model_copy(update={"name": "cancel_order"})
SHOP = World(
    state={"orders": {"o1": {"status": "open"}, "o2": {"status": "sent"}}},
    actions={
        "get_order": Action(op="get", table="orders", key="order_id"),
        "cancel_order": Action(
            op="update",
            table="orders",
            key="order_id",
            set={"status": "cancelled"},
            require={"status": "open"},
        ),
    },
)


def calling(*calls):
    made = tuple(
        ToolCall(id=f"c{n}", name=name, arguments=json.dumps(given))
        for n, (name, given) in enumerate(calls)
    )
    return replace(completion(""), tool_calls=made, finish_reason="tool_calls")


def script(*answers):
    """A target that gives these answers in turn, whatever it is asked."""
    left = list(answers)
    return Answering(lambda _: left.pop(0))


def held(tmp_path, target, sample, *, users=None, targets=None, price=None, **spec):
    """Run one sample with one candidate; return the trial, its scores by name, the requests."""
    spec.setdefault("scorers", ())
    one = job([candidate(price=price)], [scenario(fixed(sample), **spec)])
    one = replace(one, users=users or {})
    with workspace(tmp_path, one) as store:
        outcome = asyncio.run(
            asyncio.wait_for(
                execute(one, store=store, targets={"a": target, **(targets or {})}), 20
            )
        )
        (fact,) = store.facts(RUN)
        trial = store.trial(fact.key_id)
        scores = {(row.name, row.part): row.value for row in store.scores(RUN)}
    return trial, scores, outcome


def roles(trial):
    return [message.role for message in trial.transcript]


def test_the_world_answers_calls_until_the_candidate_stops_calling(tmp_path):
    target = script(
        calling(("get_order", {"order_id": "o1"})),
        calling(("cancel_order", {"order_id": "o1"})),
        "Order o1 is cancelled.",
    )
    sample = Sample(
        id="t",
        input="Cancel o1",
        target={"state": {"orders": {"o1": {"status": "cancelled"}, "o2": {"status": "sent"}}}},
    )
    trial, scores, _ = held(
        tmp_path,
        target,
        sample,
        world=SHOP,
        tools=(GET, CANCEL),
        scorers=(ScorerSpec(name="tool_calls"),),
    )
    assert roles(trial) == ["user", "assistant", "tool", "assistant", "tool", "assistant"]
    assert json.loads(trial.transcript[2].content) == {"status": "open"}
    assert trial.state["orders"]["o1"]["status"] == "cancelled"
    assert trial.output == "Order o1 is cancelled."
    assert trial.turn_ends == (2,)
    assert scores["task_complete", None] == 1.0
    assert scores["state_right", None] == 1.0


def test_a_world_begins_anew_with_each_trial(tmp_path):
    calls = [calling(("cancel_order", {"order_id": "o1"})), "done"]
    target = script(*calls, *calls)
    one = job([candidate()], [scenario(fixed(Sample(id="t", input="x")), world=SHOP, repeats=2)])
    one = replace(
        one,
        scenarios=(
            scenario(fixed(Sample(id="t", input="x", tools=(CANCEL,))), world=SHOP, repeats=2),
        ),
        settings=one.settings.model_copy(update={"concurrency": 1}),
    )
    with workspace(tmp_path, one) as store:
        asyncio.run(execute(one, store=store, targets={"a": target}))
        trials = [store.trial(fact.key_id) for fact in store.facts(RUN)]
    assert [t.state["orders"]["o1"]["status"] for t in trials] == ["cancelled", "cancelled"]
    assert SHOP.state["orders"]["o1"] == {"status": "open"}


def test_parallel_calls_are_all_answered_in_order_and_errors_are_answers(tmp_path):
    target = script(
        calling(
            ("get_order", {"order_id": "o2"}),
            ("get_order", {"order_id": "o9"}),
            ("get_order", {"wrong": 1}),
            ("cancel_order", {"order_id": "o2"}),
            ("fly", {}),
        ),
        "ok",
    )
    sample = Sample(id="t", input="x", tools=(GET, CANCEL))
    trial, _, _ = held(tmp_path, target, sample, world=SHOP)
    told = [json.loads(m.content) for m in trial.transcript if m.role == "tool"]
    assert told[0] == {"status": "sent"}
    assert told[1] == {"error": "there is no 'o9' in orders"}
    assert "order_id" in told[2]["error"]
    assert told[3] == {"error": "not possible: status is not open"}
    assert told[4] == {"error": "there is no tool 'fly'"}
    assert [m.tool_call_id for m in trial.transcript if m.role == "tool"] == [
        f"c{n}" for n in range(5)
    ]


def test_a_scripted_tool_fails_as_often_as_its_table_says(tmp_path):
    call = calling(("get_order", {"order_id": "o1"}))
    world = World(
        results={
            "get_order": (
                ToolResult(error="service unavailable", times=2),
                ToolResult(arguments={"order_id": "o1"}, result={"status": "open"}),
            )
        }
    )
    trial, _, _ = held(
        tmp_path,
        script(call, call, call, "open"),
        Sample(id="t", input="x", tools=(GET,), world=world),
    )
    told = [json.loads(m.content) for m in trial.transcript if m.role == "tool"]
    assert told == [{"error": "service unavailable"}] * 2 + [{"status": "open"}]


def bank(name, arguments, state):
    if name == "get_order":
        state["seen"] = [*state.get("seen", []), arguments["order_id"]]
        return {"n": len(state["seen"])}
    raise RuntimeError("closed on Sundays")


def test_python_answers_tools_and_its_exceptions_are_the_tools_errors(tmp_path):
    world = World(python=f"{__name__}:bank")
    trial, _, _ = held(
        tmp_path,
        script(
            calling(("get_order", {"order_id": "o1"}), ("cancel_order", {"order_id": "o1"})), "x"
        ),
        Sample(id="t", input="x", tools=(GET, CANCEL), world=world),
    )
    told = [json.loads(m.content) for m in trial.transcript if m.role == "tool"]
    assert told == [{"n": 1}, {"error": "closed on Sundays"}]
    assert trial.state == {"seen": ["o1"]}


def test_a_loop_without_end_stops_at_the_cap_on_steps_as_the_candidates_failure(tmp_path):
    target = Answering(lambda _: calling(("get_order", {"order_id": "o1"})))
    sample = Sample(id="t", input="x", tools=(GET,))
    trial, _, outcome = held(tmp_path, target, sample, world=SHOP, caps=Caps(steps=3))
    assert (trial.failure.kind, len(trial.completions)) == ("cap_reached", 4)
    assert outcome.candidate_failures == 1
    tokens, *_ = held(tmp_path / "b", target, sample, world=SHOP, caps=Caps(tokens=30))
    assert (tokens.failure.kind, len(tokens.completions)) == ("cap_reached", 3)  # 12 each
    price = Price(input=Decimal(1), output=Decimal(1))
    dear, *_ = held(
        tmp_path / "c", target, sample, world=SHOP, caps=Caps(cost=0.00002), price=price
    )
    assert (dear.failure.kind, len(dear.completions)) == ("cap_reached", 2)  # 12 millionths each


def test_without_a_world_a_call_ends_the_trial_as_before(tmp_path):
    target = script(calling(("get_order", {"order_id": "o1"})))
    trial, _, _ = held(tmp_path, target, Sample(id="t", input="x", tools=(GET,)))
    assert len(trial.completions) == 1
    assert trial.state is None


def double(answers, sample):
    return f"{len(answers)}: {answers[-1]} {sample.vars['name']}"


def test_turns_depend_on_the_last_answer_by_template_branch_and_python(tmp_path):
    sample = Sample(
        id="t",
        vars={"name": "Ann"},
        turns=(
            Turn(user="2 + 2?"),
            Turn(
                user="Thank you.",
                branches=(
                    Branch(when=r"\b4\b", user="Are you sure of {last}, says {name}?"),
                    Branch(when=r".", user="That is wrong."),
                ),
                fill=True,
            ),
            Turn(user="-", python=f"{__name__}:double"),
            Turn(user="{last} stays as written"),
        ),
    )
    right, *_ = held(tmp_path, script("4", "yes", "z", "end"), sample)
    said = [m.text for m in right.transcript if m.role == "user"]
    assert said == [
        "2 + 2?",
        "Are you sure of 4, says Ann?",
        "2: yes Ann",
        "{last} stays as written",
    ]
    wrong, *_ = held(tmp_path / "b", script("5", "oh", "z", "end"), sample)
    assert [m.text for m in wrong.transcript if m.role == "user"][1] == "That is wrong."


def broken(*_):
    raise KeyError("gone")


def test_a_broken_turn_script_is_never_the_candidates_fault(tmp_path):
    sample = Sample(id="t", turns=(Turn(user="a"), Turn(user="b", python=f"{__name__}:broken")))
    trial, _, _ = held(tmp_path, script("x"), sample)
    assert (trial.failure.kind, trial.failure.blame) == ("scripted_turn", "configuration")


def test_a_simulated_user_goes_on_until_it_says_stop_and_its_cost_stands_apart(tmp_path):
    seen = []

    def play(request):
        seen.append(request)
        return ["In blue, please.", "###STOP###"][len(seen) - 1]

    user = candidate("u", price=Price(input=Decimal(2), output=Decimal(2)))
    name = user_name("facts")
    sample = Sample(id="t", input="I want a chair.", vars={"goal": "You want a blue chair."})
    trial, _, outcome = held(
        tmp_path,
        script("Which colour?", "Ordered."),
        sample,
        users={"facts": user},
        targets={name: Answering(play)},
        user=SimulatedUser(candidate=Candidate(name="u", target="openai")),
        price=Price(input=Decimal(1), output=Decimal(1)),
    )
    assert [m.text for m in trial.transcript] == [
        "I want a chair.",
        "Which colour?",
        "In blue, please.",
        "Ordered.",
    ]
    assert "You want a blue chair." in seen[0].messages[0].text
    assert [m.role for m in seen[1].messages[1:]] == [
        "user", "assistant", "user", "assistant", "user",
    ]  # fmt: skip
    # 12 tokens a call: two calls at 1 USD and two at 2 USD per million.
    assert (trial.cost, trial.user_cost) == (Decimal("0.000024"), Decimal("0.000048"))
    assert outcome.spent == Decimal("0.000072")


def test_a_simulated_user_that_cannot_be_reached_leaves_the_trial_missing(tmp_path):
    def gone(_):
        raise RuntimeError("down")

    trial, _, outcome = held(
        tmp_path,
        script("Which colour?"),
        Sample(id="t", input="x"),
        users={"facts": candidate("u")},
        targets={user_name("facts"): Answering(gone)},
        user=SimulatedUser(candidate=Candidate(name="u", target="openai"), goal="g"),
    )
    assert trial.status == "missing"
    assert outcome.missing == 1


def test_a_simulated_user_that_says_nothing_leaves_the_trial_missing(tmp_path):
    trial, _, _ = held(
        tmp_path,
        script("Which colour?"),
        Sample(id="t", input="x"),
        users={"facts": candidate("u")},
        targets={user_name("facts"): Answering(lambda _: " ")},
        user=SimulatedUser(candidate=Candidate(name="u", target="openai"), goal="g"),
    )
    assert (trial.status, trial.failure.message) == ("missing", "the simulated user said nothing")


def has(word):
    return ScorerSpec(name="match", options={"contains": word})


def test_constraints_hold_in_all_later_turns_until_a_later_turn_overrides_them(tmp_path):
    sample = Sample(
        id="t",
        turns=(
            Turn(user="Say meow always.", constraints={"animal": has("meow")}),
            Turn(user="next"),
            Turn(user="Say woof instead.", constraints={"animal": has("woof")}),
            Turn(user="next"),
            Turn(user="As you like.", lifts=("animal",)),
        ),
    )
    _, scores, _ = held(tmp_path, script("meow", "meow", "meow", "woof", "moo"), sample)
    turns = [scores.get(("conversation", f"turn {n}")) for n in range(1, 6)]
    assert turns == [1.0, 1.0, 0.0, 1.0, None]
    assert scores["conversation", None] == 0.75
    # Inherited: turn 2 held meow, turn 4 held woof. Overriding: turn 3 failed, turn 4 held.
    assert scores["constraint_inheritance", None] == 1.0
    assert scores["conflict_resolution", None] == 0.5


def test_the_system_prompts_demands_are_checked_at_every_turn(tmp_path):
    sample = Sample(
        id="t",
        turns=(
            Turn(user="Hello"),
            Turn(user="Stop saying sir."),
            Turn(user="Who am I?", checks=(has("Ann"),), about="retention"),
        ),
    )
    _, scores, _ = held(
        tmp_path, script("Yes sir", "Fine", "Ann, sir"), sample, every_turn=(has("sir"),)
    )
    assert scores["system_prompt_held", None] == 2 / 3
    assert scores["retention", None] == 1.0
    assert [scores["conversation", f"turn {n}"] for n in (1, 2, 3)] == [1.0, 0.0, 1.0]


def test_fifty_turns_give_a_curve_of_fifty_points(tmp_path):
    turns = tuple(Turn(user=f"t{n}", checks=(has("ok"),)) for n in range(50))
    answers = ["ok" if n < 30 else "lost" for n in range(50)]
    _, scores, _ = held(tmp_path, script(*answers), Sample(id="t", turns=turns))
    curve = [scores["conversation", f"turn {n + 1}"] for n in range(50)]
    assert curve == [1.0] * 30 + [0.0] * 20
    assert scores["conversation", None] == 0.6


def test_checks_of_a_turn_see_the_calls_of_that_turn_only(tmp_path):
    one = {"name": "get_order", "arguments": {"order_id": "o1"}}
    none = ScorerSpec(name="match", options={"contains": "fine"})
    sample = Sample(
        id="t",
        target=[one],
        tools=(GET,),
        turns=(
            Turn(user="a", checks=(ScorerSpec(name="tool_calls"),)),
            Turn(user="b", checks=(none,)),
        ),
    )
    target = script(calling(("get_order", {"order_id": "o1"})), "here", "fine")
    trial, scores, _ = held(tmp_path, target, sample, world=SHOP)
    assert trial.turn_ends == (1, 2)
    assert [scores["conversation", f"turn {n}"] for n in (1, 2)] == [1.0, 1.0]


def test_a_conversation_stops_at_a_failed_turn_or_goes_on_as_the_scenario_says(tmp_path):
    turns = tuple(Turn(user=f"t{n}", checks=(has("ok"),)) for n in range(4))
    sample = Sample(id="t", turns=turns)
    words = ("ok", "lost", "ok", "ok")
    on, scores, _ = held(tmp_path, script(*words), sample)
    assert len(on.completions) == 4
    assert scores["conversation", None] == 0.75
    off, scores, outcome = held(tmp_path / "b", script(*words), sample, stop_at_failed_turn=True)
    assert (len(off.completions), outcome.ok) == (2, 1)
    curve = [scores["conversation", f"turn {n}"] for n in (1, 2, 3, 4)]
    assert curve == [1.0, 0.0, 0.0, 0.0]
    # Where checks decide what is said next, they belong to the key; elsewhere they never do.
    assert on.key.input == sample.input_fingerprint
    assert off.key.input != sample.input_fingerprint
    assert off.key.execution != on.key.execution
