"""A price that changes after a run is told, and what was paid stays what was paid."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from befit.config.load import load_project
from befit.core.price import Price
from befit.pipeline.reporting import make_document
from befit.pipeline.repricing import costs_anew, reprice
from befit.pipeline.running import run_project
from befit.storage.workspace import Workspace
from cli_ground import befit

CODE = """
def answer(text):
    return {"text": text, "usage": {"uncached_input": 10, "text_output": 10}}

other = answer
"""
BROKEN = """
from befit.core.completion import Completion
from befit.core.failure import Failure
from befit.core.price import Usage
from befit.errors import TargetError

seen = set()

def answer(text):
    if text in seen:
        return {"text": text, "usage": {"uncached_input": 10, "text_output": 10}}
    seen.add(text)
    partial = Completion(text="", usage=Usage(uncached_input=10, text_output=10))
    raise TargetError(Failure(kind="stream_interrupted", message="cut"), partial=partial)
"""
PROJECT = """\
project: prices
candidates:
  - name: NAME
    target: function
    model: "answers_of_prices:answer"
    sampling: {temperature: 0, top_p: 1, max_tokens: 5}
    price: {input: PRICE, output: PRICE}
scenarios:
  - name: s
    dimension: reasoning
    samples: [{id: a, input: x, target: x}, {id: b, input: y, target: y}]
    repeats: 1
    success: right
    scorers: [SCORER]
"""


@pytest.fixture(autouse=True)
def _own_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "answers_of_prices.py").write_text(CODE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)


def write(*, name: str = "a", price: int = 1, scorer: str = "match") -> None:
    text = PROJECT.replace("NAME", name).replace("PRICE", str(price)).replace("SCORER", scorer)
    Path("befit.yaml").write_text(text)


def test_failed_tries_that_were_billed_are_billed_anew() -> None:
    """Two answers and two failed tries of 20 tokens each."""
    Path("broken_of_prices.py").write_text(BROKEN)
    write()
    text = Path("befit.yaml").read_text()
    Path("befit.yaml").write_text(text.replace("answers_of_prices", "broken_of_prices"))
    with Workspace.open(Path(".befit")) as workspace:
        ran = run_project(load_project("."), workspace)
        price = ran.manifest.candidates[0].price
        (row,) = reprice(workspace, ran.manifest, {"a": price})
        (fact, _) = workspace.facts(ran.manifest.id)
        trial = workspace.trial(fact.key_id)
    assert (float(row.billed or 0), row.factor) == (pytest.approx(80e-6), 1)
    assert trial is not None
    # Where an earlier befit kept no usage, the cost of tries goes with that of the answers.
    earlier = replace(trial, attempts=tuple(replace(one, usage=None) for one in trial.attempts))
    tenfold = Price(input=10, output=10)
    for one in (trial, earlier):
        assert [float(usd or 0) for usd in costs_anew(one, tenfold)] == pytest.approx([2e-4, 2e-4])
    unpriced = costs_anew(earlier, None)
    assert unpriced == [None, None]


def test_reused_answers_are_billed_what_they_cost_when_they_were_made() -> None:
    write()
    with Workspace.open(Path(".befit")) as workspace:
        run_project(load_project("."), workspace)
        write(name="renamed", price=100, scorer="{match: {numeric: true}}")
        again = run_project(load_project("."), workspace)
        assert again.outcome is not None
        assert again.outcome.reused == 2
        prices = {one.candidate.name: one.price for one in again.manifest.candidates}
        (row,) = reprice(workspace, again.manifest, prices)
        found = make_document(workspace, again.manifest.id).analysis.engineering[0]
    # 2 answers of 20 tokens at 1 USD per million; at 100 USD a hundred times that
    assert float(row.billed or 0) == pytest.approx(40e-6)
    assert row.factor == 100
    assert found.cost_per_call.value == pytest.approx(20e-6)


def test_run_tells_of_a_price_that_changed_and_reprice_shows_it() -> None:
    write()
    assert "has changed since" not in befit("run").err
    assert "has changed since" not in befit("run").err
    write(price=3)
    ended = befit("run", "--json")
    assert any(
        "the price of a has changed since: the run keeps what was billed" in text
        for text in ended.envelope["warnings"]
    )
    (row,) = befit("reprice", "--json").data["rows"]
    assert float(row["billed"]) == pytest.approx(40e-6)
    assert float(row["anew"]) == pytest.approx(120e-6)


def test_a_renamed_candidate_is_repriced_by_its_new_name_and_that_is_said() -> None:
    write()
    assert befit("run").code == 0
    write(name="b", price=3)
    told = befit("reprice", "--json")
    (row,) = told.data["rows"]
    # 2 answers of 20 tokens at 3 USD per million; the run has them at 1
    assert (row["candidate"], float(row["anew"])) == ("a", pytest.approx(120e-6))
    warnings = told.envelope["warnings"]
    assert warnings == ["'a' of the run is 'b' in the project now: its price is shown"]


def test_a_candidate_that_the_project_has_no_more_is_told_of() -> None:
    write()
    assert befit("run").code == 0
    for name in ("b", "a"):  # another model, under another name and under the same
        text = PROJECT.replace("NAME", name).replace("PRICE", "3").replace("SCORER", "match")
        Path("befit.yaml").write_text(text.replace(":answer", ":other"))
        told = befit("reprice", "--json")
        assert float(told.data["rows"][0]["anew"]) == pytest.approx(40e-6), name
        (warning,) = told.envelope["warnings"]
        assert "no such candidate any more: 'a'" in warning


def test_only_where_a_price_was_read_is_no_change() -> None:
    write()
    with Workspace.open(Path(".befit")) as workspace:
        project = load_project(".")
        run_project(project, workspace)
        (own,) = project.candidates
        other = own.price.model_copy(update={"as_of": datetime.now(tz=UTC).date()})
        moved = own.model_copy(update={"price": other})
        told = [
            run_project(replace(project, candidates=(one,)), workspace).changed_prices
            for one in (own, moved)
        ]
    assert told == [(), ()]
