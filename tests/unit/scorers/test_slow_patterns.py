"""A user's pattern that would take for ever: its time is bounded, and nothing counts as wrong."""

from __future__ import annotations

import re
import threading
import time

import pytest

from befit.analysis.failures import GIVE_UP, Failed, Modes
from befit.core.sample import Sample, ScorerSpec
from befit.core.scenario import FailureMode, ScenarioSpec
from befit.engine import verdicts
from befit.engine.scoring import Scoring
from befit.scorers import patterns
from befit.scorers.patterns import Pattern, SlowPatternError
from scorer_ground import answered as trial

SLOW = r"^(\w|\w\w)+$"
HOSTILE = "a" * 60 + "!"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(patterns, "SECONDS", 0.02)


def scoring(*scorers):
    return Scoring.of(ScenarioSpec(name="s", dimension="reasoning", scorers=scorers))


@pytest.mark.parametrize("method", ["search", "fullmatch"])
def test_a_pattern_that_takes_too_long_is_stopped_and_named(method):
    with pytest.raises(SlowPatternError, match=re.escape(SLOW)):
        getattr(Pattern(SLOW), method)(HOSTILE)
    with pytest.raises(SlowPatternError):
        list(Pattern(SLOW).finditer(HOSTILE))


def test_others_go_on_while_a_pattern_is_matched(monkeypatch):
    monkeypatch.setattr(patterns, "SECONDS", 0.3)
    ticks = []

    def search():
        with pytest.raises(SlowPatternError):
            Pattern(SLOW).search(HOSTILE)

    thread = threading.Thread(target=search)
    thread.start()
    while thread.is_alive():
        ticks.append(time.monotonic())
        time.sleep(0.005)
    thread.join()
    # A matcher that kept the interpreter would let one tick through, or two.
    assert len(ticks) > 5


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"\b(\d+)\s*EUR\b", "It costs 12 EUR."),
        (r"(?i)^yes\b", "YES, it is"),
        (r"(?P<year>\d{4})-(?P<month>\d\d)", "on 2026-11-30"),
        (r"[{e}]{1,2}", "a{e"),
        (r"(?<=\()\w+(?=\))", "f(x)"),
        (r"é|ü", "Zürich"),
        (r"x{2,3}?", "xxxx"),
        (r"nothing", "something"),
        (r"(?m)^\s*-\s+(.+)$", "list:\n - one\n - two"),
        (r"(a)?(b)", "b"),
    ],
)
def test_a_pattern_means_what_it_means_in_python(pattern, text):
    expected, found = re.search(pattern, text), Pattern(pattern).search(text)
    assert (expected is None) == (found is None)
    if expected is not None:
        assert (found.span(), found.groups()) == (expected.span(), expected.groups())
    assert [m.span() for m in Pattern(pattern).finditer(text)] == [
        m.span() for m in re.finditer(pattern, text)
    ]


@pytest.mark.parametrize(
    "scorer",
    [
        ScorerSpec(name="match", options={"regex": SLOW}),
        ScorerSpec(
            name="constraints", options={"instructions": [{"kind": "matches", "pattern": SLOW}]}
        ),
        ScorerSpec(name="chain", options={"pattern": SLOW, "read": "text"}),
        ScorerSpec(name="honesty", options={"abstains": [SLOW]}),
    ],
    ids=lambda spec: spec.name,
)
def test_an_answer_on_which_a_pattern_is_stopped_is_unscored_never_wrong(scorer):
    target = ["a", "b"] if scorer.name == "chain" else "x"
    found = scoring(scorer)
    scores = found.score(Sample(id="a", input="q", target=target), trial(HOSTILE))
    derived = scores[-1]
    assert (derived.name, derived.value) == ("pass", None)
    (told,) = [s for s in scores if s.label == "pattern_timeout"]
    assert told.value is None
    assert SLOW in told.explanation
    assert SLOW in found.warnings[0]


def test_a_scorer_whose_pattern_is_always_stopped_is_given_up(monkeypatch):
    monkeypatch.setattr(verdicts, "GIVE_UP", 2)
    found = scoring(ScorerSpec(name="match", options={"regex": SLOW}))
    sample = Sample(id="a", input="q", target="x")
    told = [found.score(sample, trial(HOSTILE))[0].explanation for _ in range(4)]
    assert [one.startswith("given up") for one in told] == [False, False, True, True]
    # Even an answer that the pattern would have judged at once is left unscored, not wrong.
    assert found.score(sample, trial("ok"))[-1].value is None


def test_a_failure_mode_that_is_stopped_is_named_and_given_up():
    modes = Modes()
    failed = Failed(
        candidate="c",
        scenario="s",
        sample_id="a",
        variant="",
        repeat=0,
        labels=frozenset(),
        output=HOSTILE,
    )
    rules = [FailureMode(name="odd", pattern=SLOW), FailureMode(name="loud", pattern="!")]
    for _ in range(GIVE_UP + 3):
        assert modes.of(failed, rules) == "loud"
    (finding,) = modes.findings()
    assert finding.severity == "missing"
    assert f"{GIVE_UP + 3} failures" in finding.text
    assert "'odd'" in finding.text
    assert SLOW in finding.text
