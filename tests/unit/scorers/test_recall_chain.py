from __future__ import annotations

import pytest

from befit.core.completion import Completion
from befit.core.message import Message, ToolCall
from befit.core.sample import Sample
from befit.core.trial import Trial, TrialKey
from befit.scorers.chain import Chain, in_order
from befit.scorers.conversation import Conversation
from befit.scorers.recall import Recall


def trial(*texts, calls=(), asked=()):
    said, done = [], []
    for place, text in enumerate(texts or ("",)):
        question = asked[place] if asked else f"Question {place}?"
        made = tuple(ToolCall(id=str(n), name=c, arguments="{}") for n, c in enumerate(calls))
        said += [Message(role="user", content=question), Message(role="assistant", content=text)]
        done.append(Completion(text=text, tool_calls=made))
    return Trial(
        key=TrialKey("c", "e", "i", "", 0), transcript=tuple(said), completions=tuple(done)
    )


def scores(kind, target, done, /, **options):
    scorer = kind(kind.Options.model_validate(options))
    found = scorer.score(Sample(id="s", input="x" * 9_000, target=target), done)
    return {(score.name, score.part): score for score in found}


def values(found, *names):
    return [found[name, None].value for name in names]


FACTS = {
    "facts": [
        {"id": "price", "text": ["1,200 EUR", "EUR 1200"], "position": 0.1, "source": "doc-1"},
        {"id": "end", "text": "31 May", "position": 0.5, "source": "doc-2"},
        {"id": "court", "text": "Vienna", "position": "end", "source": "doc-2"},
        "notice of 30 days",
    ],
    "absent": ["a penalty of 5 %"],
    "passages": {
        "doc-1": "costs EUR 1200",
        "doc-2": "until 31 May. Courts of Vienna.",
        "doc-3": ".",
    },
}


def test_facts_are_found_by_any_of_their_forms_and_the_missed_are_named():
    found = scores(Recall, FACTS, trial("It costs EUR 1200 until 31 May."))
    assert values(found, "recall", "recall_start", "recall_middle", "recall_end") == [
        0.5, 1.0, 1.0, 0.0,
    ]  # fmt: skip
    assert found["recall", None].explanation == "missed: court, fact 4"
    assert found["fact", "price (start)"].label == "found"
    assert found["fact", "fact 4"].label == "missed"
    # 9,000 characters are about 2,250 tokens.
    assert found["recall_8k", None].value == 0.5


def test_a_number_inside_another_is_no_fact():
    found = scores(Recall, ["20"], trial("2025-01-20"))
    assert values(found, "recall") == [0.0]


def test_facts_that_are_not_there_keep_the_answer_from_passing():
    text = "1,200 EUR, 31 May, Vienna, notice of 30 days, a penalty of 5 %"
    found = scores(Recall, FACTS, trial(text))
    assert found["none_invented", None].value == 0.0
    assert (found["recalled", None].value, found["recalled", None].label) == (0.0, "invented")
    # All the facts were found all the same.
    assert (found["recall", None].value, found["recall", None].label) == (1.0, "right")


def test_a_citation_that_is_due_keeps_the_answer_from_passing_and_recall_as_it_is():
    found = scores(Recall, FACTS, trial("1,200 EUR, 31 May, Vienna, notice of 30 days"), cite=True)
    assert (found["recalled", None].value, found["recalled", None].label) == (0.0, "not_cited")
    assert found["recall", None].value == 1.0


def test_a_citation_is_right_where_the_passage_holds_the_fact():
    text = (
        "It costs EUR 1200 [doc-1]. It ends on 31 May [doc-1]. The court is in Vienna [doc-2]."
        " See also [doc-9]. Nothing known here [doc-3]."
    )
    found = scores(Recall, FACTS, trial(text))
    # doc-1 and doc-2 rightly, 31 May from doc-1 and doc-9 wrongly; doc-3 cannot be checked.
    assert values(found, "citation_precision", "citation_recall") == [0.5, 2 / 3]
    assert found["citation_precision", None].label == "false_citation"


CHAIN = ["login", "search", "pay", "logout"]


@pytest.mark.parametrize(
    ("made", "done", "label"),
    [
        (["login", "search", "pay", "logout"], 1.0, "right"),
        (["login", "search", "pay"], 0.75, "premature_stop"),
        (["login", "pay", "logout"], 0.75, "skipped_step"),
        (["search", "login", "pay", "logout"], 0.75, "out_of_order"),
        (["login", "search", "search", "pay", "logout"], 1.0, "repeated_step"),
        ([], 0.0, "premature_stop"),
    ],
)
def test_the_way_in_which_a_chain_breaks_is_named(made, done, label):
    found = scores(Chain, CHAIN, trial("", calls=made))
    assert found["steps_done", None].value == done
    assert (found["chain", None].value, found["chain", None].label) == (
        float(label == "right"),
        label,
    )


def test_steps_are_read_from_the_lines_of_a_text():
    text = "1. login\n2. Search: chairs\nand then\nStep 3: pay\n4) logout"
    found = scores(Chain, CHAIN, trial(text))
    assert found["chain", None].value == 1.0


def test_the_goal_must_still_hold_at_the_end():
    target = {"steps": ["login"], "goal": ["blue", "under 50 EUR"]}
    found = scores(Chain, target, trial("Here is a blue chair.", calls=["login"]))
    assert found["goal_kept", None].value == 0.5
    assert found["chain", None].label == "lost_goal"


def test_steps_nobody_asked_for_are_faults_only_where_that_is_said():
    done = trial("", calls=["login", "dance", "search", "pay", "logout"])
    assert scores(Chain, CHAIN, done)["chain", None].value == 1.0
    assert scores(Chain, CHAIN, done, extra=False)["chain", None].label == "foreign_step"


def test_the_longest_run_in_order_counts():
    assert in_order(list("abcd"), list("acbd")) in ([1, 0, 1, 1], [1, 1, 0, 1])
    assert in_order(list("aab"), list("ab")) in ([1, 0, 1], [0, 1, 1])


def test_an_answer_that_comes_again_is_a_repetition_and_a_short_one_is_not():
    long = "The order was shipped on Monday and will arrive within three days."
    found = scores(Conversation, None, trial(long, "Yes.", "Yes.", long + " "))
    assert values(found, "no_repetition", "sound") == [0.75, 0.0]
    assert found["sound", None].label == "repetition"


def test_who_is_asked_the_same_again_may_say_the_same_again():
    long = "The order was shipped on Monday and will arrive within three days."
    asked = ("Where is it?", "What colour?", "Where  is it?")
    again = scores(Conversation, None, trial(long, "Blue.", long, asked=asked))
    assert values(again, "no_repetition", "sound") == [1.0, 1.0]
    other = scores(Conversation, None, trial(long, "Blue.", long))
    assert values(other, "sound") == [0.0]
    # Turns that must agree ask the same in other words.
    agreed = scores(Conversation, None, trial(long, "Blue.", long), agree=[[1, 3]])
    assert values(agreed, "no_repetition", "no_contradiction", "sound") == [1.0, 1.0, 1.0]


def test_turns_that_ask_the_same_must_be_answered_alike():
    options = {"agree": [[1, 3]], "match": {"numeric": True}}
    same = trial("It costs 12 EUR.", "Blue.", "As said, 12 EUR.")
    other = trial("It costs 12 EUR.", "Blue.", "It is 15 EUR.")
    assert values(scores(Conversation, None, same, **options), "no_contradiction") == [1.0]
    found = scores(Conversation, None, other, **options)
    assert (found["sound", None].value, found["sound", None].label) == (0.0, "contradiction")
