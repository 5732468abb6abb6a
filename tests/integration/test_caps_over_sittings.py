"""A spend cap holds for all sittings of a run together: its judges' too, and what failed cost."""

from __future__ import annotations

import sys
from decimal import Decimal
from pathlib import Path

import pytest

from befit.pipeline.billing import bill_of, judges_bill
from befit.storage.workspace import Workspace
from befit.testing.script import Script
from cli_ground import befit, provided

CUT = """
from pathlib import Path

from befit.core.completion import Completion
from befit.core.failure import Failure
from befit.core.price import Usage
from befit.errors import TargetError

async def ask(request):
    with Path("calls.txt").open("a") as file:
        file.write("x\\n")
    if Path("mended").exists():
        return "r"
    partial = Completion(text="ri", usage=Usage(uncached_input=100, text_output=10))
    raise TargetError(Failure(kind="stream_interrupted", message="cut"), partial=partial)
"""
OF_A_FUNCTION = """\
project: known costs of failures
candidates:
  - name: a
    target: function
    model: "cut_own:ask"
    sampling: {temperature: 0, top_p: 1, max_tokens: 10}
    price: {input: 100, output: 100}
scenarios:
  - name: s
    dimension: knowledge
    repeats: 1
    samples: samples.jsonl
    scorers: [match]
run: {concurrency: 1, retries: 0}
"""
JUDGED = """\
project: capped judges
candidates:
  - name: a
    target: openai
    model: m
    base_url: ${BASE_URL}
    api_key: ${API_KEY}
    sampling: {temperature: 0, top_p: 1, max_tokens: 5}
    price: {input: 1, output: 1}
scenarios:
  - name: s
    dimension: knowledge
    repeats: 1
    samples: samples.jsonl
    scorers: [{judge: {rubric: Is it right?}}]
    judges:
      - name: j
        target: openai
        model: judge
        base_url: ${BASE_URL}
        api_key: ${API_KEY}
        sampling: {temperature: 0, top_p: 1, max_tokens: 20}
        price: {input: 100, output: 100}
run: {concurrency: 1, retries: 0}
"""
FAILING = """\
project: failing calls
candidates:
  - name: a
    target: openai
    model: m
    base_url: ${BASE_URL}
    api_key: ${API_KEY}
    sampling: {temperature: 0, top_p: 1, max_tokens: 12}
    price: {input: 0, output: 1000}
scenarios:
  - name: s
    dimension: knowledge
    repeats: 1
    samples: samples.jsonl
    scorers: [match]
run: {concurrency: 1, retries: 0, max_cost: CAP}
"""


def written(folder: Path, text: str, *, n: int) -> Path:
    (folder / "befit.yaml").write_text(text)
    rows = (f'{{"id": "i{i}", "input": "question {i}", "target": "r"}}\n' for i in range(n))
    (folder / "samples.jsonl").write_text("".join(rows))
    return folder


def judged(provider) -> int:
    return sum(one.body["model"] == "judge" for one in provider.requests)


def test_the_judges_earlier_sittings_count_for_the_cap(tmp_path):
    with provided(written(tmp_path, JUDGED, n=12)) as provider:
        first = befit("run", "-y", "--max-cost", "0.3")
        asked = judged(provider)
        assert first.code == 6
        assert 0 < asked < 24
        # What stopped, and what it has spent, is told where the sitting ends.
        assert "judges of r-" in first.err
        assert "capped" in first.err
        assert "the spend cap leaves less than the $" in first.err
        goes_on = first.err.partition("resume  befit ")[2].splitlines()[0].split()
        assert (goes_on[:2], goes_on[3:]) == (["run", "--max-cost"], ["--yes"])
        assert float(goes_on[2]) > 0.3  # the same command would end here again
        again = befit("run", "-y", "--max-cost", "0.3", "--json")
        assert again.code == 6
        assert judged(provider) == asked
        told = again.data
        assert (told["status"], told["judges"]["status"]) == ("capped", "capped")
        assert told["resume"] == f"befit {' '.join(goes_on)} --json"
        with Workspace.open(tmp_path / ".befit") as store:
            run_id = store.find_run().id
            own, theirs = bill_of(store, run_id), judges_bill(store, run_id)
        assert own.most + theirs.most <= Decimal("0.3")
        assert Decimal(told["spent_usd"]) == own.spent + theirs.spent
        assert Decimal(told["judges"]["spent_usd"]) == theirs.spent
        # 12 verdicts, and 12 asked a second time.
        whole = befit(*goes_on, "--json")
        assert (whole.code, whole.data["status"], whole.data["resume"]) == (0, "complete", None)
        assert judged(provider) == 24
        assert Decimal(whole.data["spent_usd"]) > Decimal("0.3")


def test_a_sitting_that_asks_only_judges_does_not_say_that_nothing_was_called(tmp_path):
    with provided(written(tmp_path, JUDGED, n=6)) as provider:
        assert befit("run", "-y", "--max-cost", "0.2").code == 6
        before = judged(provider)
        ended = befit("run", "-y", "--max-cost", "5")
        assert ended.code == 0
        assert judged(provider) > before
        assert "nothing was called" not in ended.err
        assert "only its judges were asked" in ended.err
        assert "spent $" in ended.err
        assert "nothing was called" in befit("run", "-y", "--max-cost", "5").err


def test_what_broken_streams_may_have_cost_counts_in_the_next_sitting(tmp_path):
    """A call is 12 tokens at $0.001 at most: four of them are all that $0.05 holds."""
    text = FAILING.replace("CAP", "0.05")
    script = Script(permanent={"question": "cut:9"})
    with provided(written(tmp_path, text, n=6), script) as provider:
        first = befit("run", "-y")
        assert (first.code, len(provider.requests)) == (6, 4)
        assert "spent unknown (4 calls of unknown cost), at most $0.05 more" in first.err
        for _ in range(3):
            told = befit("run", "-y", "--json")
            assert told.code == 6
            assert len(provider.requests) == 4
            assert Decimal(told.data["uncertain_usd"]) == Decimal("0.048")
        more = befit("run", "-y", "--max-cost", "0.1", "--json")
        assert len(provider.requests) == 8
        assert Decimal(more.data["uncertain_usd"]) == Decimal("0.096")


def test_what_may_have_been_billed_without_a_cap_counts_once_there_is_one(tmp_path):
    script = Script(permanent={"question": "cut:9"})
    text = FAILING.replace(", max_cost: CAP", "")
    with provided(written(tmp_path, text, n=6), script) as provider:
        first = befit("run", "-y", "--json")
        assert (first.code, len(provider.requests)) == (5, 6)
        assert Decimal(first.data["uncertain_usd"]) == Decimal("0.072")
        capped = befit("run", "-y", "--max-cost", "0.08")
        assert (capped.code, len(provider.requests)) == (6, 6)


def test_tries_that_were_made_again_stay_in_the_bill(tmp_path, monkeypatch):
    """110 tokens at $0.0001 are $0.011 a try, which the function tells; an answer tells nothing."""
    (tmp_path / "cut_own.py").write_text(CUT)
    monkeypatch.chdir(written(tmp_path, OF_A_FUNCTION, n=4))
    monkeypatch.delitem(sys.modules, "cut_own", raising=False)
    first = befit("run", "-y", "--json")
    assert (first.code, first.data["spent_usd"]) == (5, "0.044")
    second = befit("run", "-y", "--json")
    assert (second.code, Decimal(second.data["spent_usd"])) == (5, Decimal("0.088"))
    # Nothing is left for one more call under this cap, whatever was replaced meanwhile.
    assert befit("run", "-y", "--max-cost", "0.09").code == 6
    assert Path("calls.txt").read_text().count("x") == 8
    Path("mended").touch()
    monkeypatch.delitem(sys.modules, "cut_own", raising=False)
    assert befit("run", "-y").code == 0
    report = befit("report", "--json").data
    assert report["provenance"]["spent"] == pytest.approx(0.088)
    (whole,) = (c for c in report["analysis"]["engineering"] if c["scenario"] is None)
    assert (whole["total_cost"], whole["retry_cost"]) == pytest.approx((0.088, 0.088))


def test_a_report_tells_what_may_have_been_billed(tmp_path):
    text = FAILING.replace(", max_cost: CAP", "")
    with provided(written(tmp_path, text, n=3), Script(permanent={"question 0": "cut:9"})):
        assert befit("run", "-y").code == 5
        assert befit("report", "--json").data["provenance"]["uncertain_cost"] == 0.012
        said = "at most $0.012 more for calls that told no cost"
        assert said in befit("report", "--format", "markdown").out
        page = tmp_path / "report.html"
        assert befit("report", "--format", "html", "--out", str(page)).code == 0
        assert said in page.read_text()
