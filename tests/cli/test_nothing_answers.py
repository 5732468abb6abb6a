"""Where nothing answers, nothing is graded, kept or said to be free."""

from __future__ import annotations

import json
import socket
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from befit.analysis.fallback_edge import Edge
from befit.analysis.fallback_figures import fault_figures
from befit.cli.fallback_view import _short, _show
from befit.cli.shell import Shell
from befit.cli.spending import spent_text
from befit.engine.fallback_chain import Chained
from befit.engine.fallback_matrix import FAULTS, FaultRow
from cli_ground import PROJECT, befit, provided, write_project

ONLY_TOTAL = PROJECT[: PROJECT.index("  - name: fields")] + PROJECT[PROJECT.index("run:") :]


COUNTING = "def answer(prompt):\n    return 'Paris'\n"
UNCOUNTED = """
project: uncounted
candidates:
  - {name: own, target: function, model: "counting_own:answer", price: {input: 1, output: 1}}
scenarios:
  - name: capitals
    dimension: knowledge
    repeats: 1
    success: the city
    scorers: [match]
    samples:
      - {id: a, input: France, target: Paris}
      - {id: b, input: France again, target: Paris}
"""


@pytest.fixture
def dead() -> str:
    """Return the address of a port at which nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{held.getsockname()[1]}/v1"


def test_a_load_without_one_answer_fails_and_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dead: str
) -> None:
    with provided(write_project(tmp_path, text=ONLY_TOTAL, n=2)):
        monkeypatch.setenv("BASE_URL", dead)
        words = ["--shape", "closed:1", "--duration", "1", "--set", "requests=20"]
        ended = befit("load", *words, "--set", "warm_up=0", "--set", "cool_down=0")
        assert ended.code == 5
        assert "no counted call was answered (connect" in ended.err
        assert "kept" not in ended.err.replace("nothing is kept", "")


def test_a_page_that_cannot_be_written_is_told_before_any_call(tmp_path: Path) -> None:
    with provided(write_project(tmp_path, text=ONLY_TOTAL, n=2)) as provider:
        ended = befit("load", "--shape", "closed:1", "--html", "/proc/nowhere/load.html")
        assert ended.code == 2
        assert "the page cannot be written" in ended.err
        assert not provider.requests


def test_a_gateway_that_is_not_there_gets_no_grade(dead: str) -> None:
    ended = befit("fallback", "gateway", dead)
    assert ended.code == 7
    assert "cannot be reached" in ended.err
    assert "handled well" not in ended.out
    refused = befit("fallback", "gateway", "nonsense")
    assert refused.code == 2
    assert "is no address" in refused.err


def test_an_edge_whose_quality_was_not_measured_is_reported_so(tmp_path: Path) -> None:
    with provided(write_project(tmp_path, text=ONLY_TOTAL, n=2)):
        assert befit("fallback", "check", "--edge", "good:bad").code in {0, 3, 4}
        assert befit("run", "--yes").code == 0
        ended = befit("report")
        assert ended.code == 0
        assert "fallback retention not measured" in ended.out


def test_a_run_without_one_answer_is_no_baseline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dead: str
) -> None:
    with provided(write_project(tmp_path, text=ONLY_TOTAL, n=2)):
        with monkeypatch.context() as away:
            away.setenv("BASE_URL", dead)
            befit("run", "--yes")
            refused = befit("bless")
        assert refused.code == 2
        assert "trials was answered" in refused.err
        assert "is no baseline" in refused.err
        assert befit("run", "--yes").code == 0
        blessed = befit("bless")
        assert blessed.code == 0
        assert "not whole" not in blessed.err


def test_calls_of_unknown_price_are_not_said_to_be_free(tmp_path: Path) -> None:
    text = ONLY_TOTAL.replace("    price: {input: 0.15, output: 0.60}\n", "")
    with provided(write_project(tmp_path, text=text, n=2)):
        ended = befit("run", "--yes")
        assert "spent unknown (8 calls of unknown cost)" in ended.err
        assert "spent $0" not in ended.err
        assert json.loads(befit("runs", "--json").out)["ok"]


def test_a_price_without_usage_is_no_cost_of_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "counting_own.py").write_text(COUNTING, encoding="utf-8")
    (tmp_path / "befit.yaml").write_text(UNCOUNTED, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "counting_own", raising=False)
    ended = befit("run", "--json")
    assert (ended.data["spent_usd"], ended.data["unknown_cost_calls"]) == (None, 2)
    said = befit("run", "--label", "again").err
    assert "spent unknown (2 calls of unknown cost)" in said
    assert "spent $0" not in said


@pytest.mark.parametrize(
    ("spent", "unknown", "priced", "text"),
    [
        ("0", 0, True, "spent $0.00"),
        ("0", 0, False, "spent unknown"),
        ("0", 1, True, "spent unknown (1 call of unknown cost)"),
        ("2.5", 1200, True, "spent $2.50 and the unknown cost of 1,200 calls"),
        ("2.5", 0, True, "spent $2.50"),
    ],
)
def test_what_is_known_and_what_is_not_are_told_apart(
    *, spent: str, unknown: int, priced: bool, text: str
) -> None:
    assert spent_text(Decimal(spent), unknown=unknown, priced=priced) == text


def test_a_load_of_which_nothing_was_counted_is_not_kept(tmp_path: Path) -> None:
    with provided(write_project(tmp_path, text=ONLY_TOTAL, n=2)):
        words = ["--shape", "closed:1", "--duration", "30", "--set", "requests=3"]
        ended = befit("load", *words, "--set", "warm_up=20")
        assert ended.code == 6
        assert "every call fell into the warm-up" in ended.err
        assert "kept  l-" not in ended.err


def test_a_load_that_cannot_be_kept_is_refused_before_any_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with provided(write_project(tmp_path, text=ONLY_TOTAL, n=2)) as provider:
        monkeypatch.setenv("BEFIT_WORKSPACE", "/proc/nowhere/.befit")
        words = ["--shape", "closed:1", "--duration", "1", "--set", "warm_up=0"]
        ended = befit("load", *words)
        assert "the workspace folder cannot be made" in ended.err
        assert (ended.code, provider.requests) == (2, [])
        written = befit("load", *words, "--html", "page.html")
        assert written.code in {0, 4}
        assert "stand in the page only: the workspace folder cannot be made: " in written.err
        assert (tmp_path / "page.html").exists()


def test_a_narrow_terminal_breaks_no_level_and_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    with provided(write_project(tmp_path, text=ONLY_TOTAL, n=2)):
        words = ["--duration", "1", "--set", "warm_up=0", "--set", "cool_down=0"]
        ended = befit("load", "--shape", "closed:2", *words)
        assert "2 in flight" in ended.out
        assert "left out per token p50" in ended.err


def test_a_narrow_terminal_breaks_no_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    played = Chained(served_by="bad", completion=None, first_token=0.4, end=0.9, dead=(), cost=None)
    rows = [FaultRow(case=case, results=(played,) * 3) for case in FAULTS]
    edge = Edge(
        primary="good", fallback="bad", static=(), probed=(), quality=(),
        faults=tuple(fault_figures(row, primary="good") for row in rows),
        primary_print="a", fallback_print="b",
    )  # fmt: skip
    _show(Shell(), edge, measured=False)
    said = capsys.readouterr()
    assert all(fault.name in said.out for fault in edge.faults)
    assert "left out" in said.err


def test_what_a_gateway_said_is_not_cut_without_a_sign() -> None:
    assert _short("x" * 60) == "x" * 60
    assert _short("x" * 61) == "x" * 59 + "…"
