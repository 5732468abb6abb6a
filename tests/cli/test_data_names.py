"""`befit data ...` of one set by its two names, and what a newcomer's log and words may hold."""

from __future__ import annotations

import csv
import json

import pytest

import cli_ground
from befit.core.sample import Sample
from befit.datasets.label_files import export_labels, import_labels
from befit.datasets.language import language_of

PROJECT = """project: p
candidates: [{name: c, target: openai, model: m, base_url: "http://127.0.0.1:9/v1", api_key: k,
  sampling: {temperature: 0, top_p: 1, max_tokens: 20}, price: {input: 0.1, output: 0.1}}]
scenarios:
  - {name: totals, dimension: extraction, samples: drawn.jsonl, scorers: [{match: {}}],
     failure_modes: [{name: none, pattern: x}]}
"""
TEXTS = ["How do I pay?", "A \0 in it: where is my order?", "Cancel the whole contract, please"]


@pytest.fixture
def befit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [{"messages": [{"role": "user", "content": text}], "id": f"x{i}"}
            for i, text in enumerate(TEXTS)]  # fmt: skip
    rows.append({"messages": "a string"})
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "log.jsonl").write_text(text, encoding="utf-8")

    def run(*words):
        return cli_ground.befit("data", *words)

    held = json.loads(run("import", "log.jsonl", "--json").out)["data"]
    assert (held["nul"], held["broken"], held["stored"]) == (1, 1, 3)
    assert held["problems"][0]["problem"] == "messages is no list"
    done = run("sample", "totals", "--out", "drawn.jsonl")
    assert "next   befit data label drawn.jsonl" in done.err
    assert "u0000" not in (tmp_path / "drawn.jsonl").read_text(encoding="utf-8")
    return run


def labelled(tmp_path):
    ids = [json.loads(row)["id"] for row in (tmp_path / "drawn.jsonl").read_text().splitlines()]
    (tmp_path / "l.csv").write_text(f"id,target\n{ids[0]},yes\n", encoding="utf-8")


@pytest.mark.parametrize("names", [("drawn.jsonl", "totals"), ("totals", "drawn.jsonl")])
def test_labels_versions_and_drawings_are_the_same_by_both_names(befit, tmp_path, names):
    (tmp_path / "befit.yaml").write_text(PROJECT, encoding="utf-8")
    one, other = names
    labelled(tmp_path)
    assert befit("label", one, "--import", "l.csv", "--as", "Ann", "--apply", "1").code == 0
    assert json.loads(befit("label", other, "--state", "--json").out)["data"]["by_labeller"] == {
        "Ann": 1
    }
    assert befit("freeze", one, "v1", "--author", "Ann").code == 0
    state = befit("status", other).out
    assert "unchanged since 'v1'" in state
    assert "not drawn from logs" not in state
    assert befit("refresh", one).code == 0
    assert befit("refresh", other, "--approve", "changes.json").code == 0


def test_a_drawn_file_without_a_project_is_the_set_it_was_drawn_for(befit):
    assert "not drawn from logs" not in befit("status", "drawn.jsonl").out
    assert "befit data label drawn.jsonl" in befit("lint", "drawn.jsonl").out


def test_unlabelled_samples_are_counted_when_a_set_is_frozen(befit):
    done = befit("freeze", "drawn.jsonl", "v1", "--author", "Ann")
    assert "unlabelled and left out of runs: 3 of 3 samples" in done.err
    assert "3 unlabelled and left out of runs" in befit("status", "drawn.jsonl").out


def test_hidden_and_long_texts_go_through_a_spreadsheet_and_back(tmp_path):
    text = "a\x1b[2J\u202e ⟨U+001B⟩ " + "x" * 200_000
    out, limit = tmp_path / "l.csv", csv.field_size_limit()
    export_labels(out, [Sample(id="a", input=text, target=text)])
    written = out.read_text(encoding="utf-8-sig")
    assert "\x1b" not in written
    assert "\u202e" not in written
    assert import_labels(out, [Sample(id="a", input=text)])["a"].target == text
    assert csv.field_size_limit() == limit


def test_a_pseudonym_and_one_letter_are_not_polish():
    assert language_of("Total 120 EUR? I am [NAME-ABCDE]") == "en"


def test_words_that_cannot_be_meant_are_refused(befit):
    done = befit("label", "drawn.jsonl", "--apply", "0")
    assert (done.code, "at least 1" in done.err) == (2, True)
    for name in ("../../x", "..", "a b", ""):
        assert befit("freeze", "drawn.jsonl", name, "--author", "Ann").code == 2
