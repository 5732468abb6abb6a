"""A pair whose verdict and interval part says which test decides, whichever way they part."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from befit.analysis.results import PairDifference
from befit.core.estimate import Estimate
from befit.report.html_charts import pair_note
from befit.report.markdown import render
from befit.report.open_pairs import EXPLAINED, explained, open_reason, reason_of, row_reasons
from cli_ground import befit, provided, write_project
from report_documents import Shape
from report_documents import document as made_document

ONE_PAIR = """\
project: desk
candidates:
  - {name: good, target: openai, model: m-good, base_url: "${BASE_URL}", api_key: "${API_KEY}"}
  - {name: bad, target: openai, model: m-bad, base_url: "${BASE_URL}", api_key: "${API_KEY}"}
scenarios:
  - name: total
    dimension: reasoning
    samples: samples.jsonl
    scorers: [{match: {numeric: true}}]
    repeats: 1
"""


def gap(low, high):
    return Estimate(
        value=(low + high) / 2, low=low, high=high, n_samples=6, n_trials=12, n_missing=0, method=""
    )


@pytest.mark.parametrize(
    ("low", "high", "p", "adjusted", "reason"),
    [
        (0.1, 0.9, 0.125, 0.125, "sign-flip test"),
        (0.1, 0.9, 0.125, 0.4, "sign-flip test"),
        (0.1, 0.9, 0.03, 0.09, "all pairs"),
        (-0.9, -0.1, 0.03, 0.09, "all pairs"),
        (0.1, 0.9, 0.01, 0.03, ""),
        (-0.1, 0.9, 0.125, 0.125, ""),
        (-0.01, 0.24, 0.04, 0.04, "test alone"),
        (-0.24, 0.01, 0.01, 0.03, "test alone"),
        (-0.01, 0.24, 0.04, 0.08, ""),
        (0.1, 0.9, None, None, ""),
    ],
)
def test_the_reason_is_the_test_or_the_number_of_pairs(low, high, p, adjusted, reason):
    assert open_reason(gap(low, high), p_value=p, p_adjusted=adjusted) == reason


def test_each_reason_is_explained_once():
    told = explained(["", "all pairs", "sign-flip test", "all pairs"])
    assert [words.partition(":")[0] for words in told] == ["all pairs", "sign-flip test"]


def test_over_a_single_pair_nothing_is_corrected_and_the_exact_test_is_named(tmp_path):
    # 6 samples of which one candidate has all and the other two: 4 discordant pairs, all one
    # way. The exact two-sided p is 2 / 2**4 = 0.125, and no interval can change that.
    folder = write_project(tmp_path / "desk", text=ONE_PAIR)
    with provided(folder):
        assert befit("run").code == 0
        shown = befit("--plain", "report").out
        compared = befit("--plain", "compare", "good", "bad").out
        markdown = befit("report", "-f", "markdown").out
        befit("report", "-f", "html", "-o", "r.html")
    page = (folder / "r.html").read_text("utf-8")
    assert re.search(
        r"good - bad\t\+67 \[\+\d.*\t0\.125\t6\tnot distinguishable \(sign-flip", shown
    )
    assert "sign-flip test: the interval misses 0" in shown
    assert "the interval misses 0" in markdown
    assert "1 of 1 pair cannot be told apart." in page
    assert "the interval misses 0, but the sign-flip test decides" in page
    for text in (shown, markdown, page):
        assert "Holm" not in text
    assert "(sign-flip test)" in compared


def test_a_pair_told_apart_whose_interval_holds_0_says_that_the_test_decides():
    pair = PairDifference(
        a="perfect", b="amnesia", row="recall", estimate=gap(-0.01, 0.24), p_value=0.04,
        p_adjusted=0.04, verdict="better", samples_needed=None,
    )  # fmt: skip
    told = "the interval holds 0, but the sign-flip test decides"
    assert explained([reason_of(pair)])[0].startswith(f"test alone: {told}")
    assert told in pair_note(pair)
    document = made_document(Shape(names=("one", "two"), dimensions=1, samples=12))
    row = replace(document.analysis.dimension_rows[0], differences=(pair,))
    analysis = replace(document.analysis, dimension_rows=(row,))
    shown = replace(document, analysis=analysis)
    (line,) = [one for one in render(shown).splitlines() if "perfect - amnesia" in one]
    assert told in line
    assert row_reasons(row) == (f"perfect and amnesia: {EXPLAINED['test alone']}.",)
