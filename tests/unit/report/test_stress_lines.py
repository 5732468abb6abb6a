"""What the curves say stands in lines too, for whoever reads no pictures."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest

from befit.analysis.dose_result import DoseCurve, Doses
from befit.analysis.results import TurnCurve
from befit.analysis.split_result import Sweep, SweepPoint
from befit.analysis.wording_result import Wordings
from befit.cli.report_view import show_stress
from befit.cli.shell import Shell
from befit.core.estimate import Estimate
from befit.report.dose_view import level_words
from befit.report.split_view import sweep_pictures, sweep_says
from befit.report.stress import TITLE, stress


def rate(value):
    low, high = max(0.0, value - 0.1), min(1.0, value + 0.1)
    return Estimate(
        value=value, low=low, high=high, n_samples=30, n_trials=30, n_missing=0, method="t"
    )


def dose(name):
    points = ((500.0, rate(0.9)), (1.0e4, rate(0.2)))
    return DoseCurve(candidate=name, scenario="texts", knob="tokens", points=points)


def talk(name):
    return TurnCurve(candidate=name, scenario="talk", turns=((1, rate(0.9)), (2, rate(0.4))))


def point(value, passed, *, shown="", production=False):
    return SweepPoint(
        candidate=f"c{value}",
        value=value,
        shown=shown or str(value),
        passed=rate(passed),
        agreement=None,
        cost=None,
        in_production=production,
    )


def found(**changed):
    empty = {
        "candidates": ("a", "b"),
        "doses": Doses(),
        "turns": (),
        "chains": (),
        "wordings": Wordings(),
        "sweeps": (),
        "instances": (),
        "over_time": (),
    }
    return SimpleNamespace(**(empty | changed))


FALLEN = found(doses=Doses(curves=(dose("a"), dose("b"))), turns=(talk("a"), talk("b")))


def test_each_sort_of_finding_has_its_first_line_before_any_has_its_second():
    told = stress(FALLEN, most=2)
    assert told.more == 2
    assert told.lines == (
        (
            "texts by length of the text: a falls from 90 % [80, 100] to 20 % [10, 30]"
            " at 10,000 tokens."
        ),
        "talk, turn by turn: a falls from 90 % [80, 100] to 40 % [30, 50] at turn 2.",
    )
    assert stress(FALLEN, most=9).more == 0


def test_the_terminal_says_them_under_a_heading_and_nothing_without_them():
    out = io.StringIO()
    show_stress(Shell(out=out, err=io.StringIO()), FALLEN)
    assert out.getvalue().strip().startswith(TITLE)
    assert out.getvalue().count("  - ") == 4
    none = io.StringIO()
    show_stress(Shell(out=none, err=io.StringIO()), found())
    assert none.getvalue() == ""


@pytest.mark.parametrize(
    ("knob", "level", "words"),
    [
        ("tokens", 8000.0, "8,000 tokens"),
        ("turns", "1", "1 turn"),
        ("turns", 11.0, "11 turns"),
        ("depth", 0.5, "depth 0.5"),
        ("form", "sharded", "its pieces told over turns"),
        ("form", "story", "form story"),
        ("own_knob", 2.0, "own knob 2"),
    ],
)
def test_levels_are_said_in_words(knob, level, words):
    assert level_words(knob, level) == words


def test_a_sweep_says_where_production_stands_and_names_what_is_no_number():
    points = (point(0.0, 0.3, shown="low"), point(1.0, 0.9, shown="high", production=True))
    sweep = Sweep(scenario="s", setting="reasoning_effort", points=points)
    assert sweep_says(sweep) == (
        "s: best at reasoning effort high, 90 % [80, 100]; low clearly below."
        " Production runs the best one."
    )
    (picture,) = sweep_pictures(sweep)
    assert ">low<" in picture
    assert ">in production<" in picture
    same = Sweep(scenario="s", setting="top_p", points=(point(0.1, 0.5), point(0.9, 0.5)))
    assert sweep_says(same) == "s: the same at every top p, 50 % [40, 60]."
