"""`befit screen` and `befit probes perturb`: from a table to verdicts, a page, a project."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from befit.config.load import load_project
from befit.core.screening import ScreeningSettings
from befit.errors import ConfigError
from befit.pipeline.screening import screen_tables
from befit.pipeline.survivors import write_survivors
from cli_ground import PROJECT, befit, provided, write_project

TABLE = (
    "model,mmlu,n,date,source\n"
    "m-good,80,1000,2026-01-02,board\nm-mid,70.5,1000,,\nm-low,30,1000,,\n"
)


@pytest.fixture
def desk(tmp_path: Path):
    folder = write_project(tmp_path)
    (folder / "t.csv").write_text(TABLE, encoding="utf-8")
    with provided(folder):
        yield folder


def test_a_table_is_screened_without_any_project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(TABLE, encoding="utf-8")
    ended = befit("screen", "t.csv", "--cut-off", "mmlu=70:2", "--json")
    assert ended.code == 0
    outcomes = {one["model"]: one["outcome"] for one in ended.data["models"]}
    assert outcomes == {"m-good": "cleared", "m-mid": "cannot_tell", "m-low": "excluded"}
    (verdict, *_) = ended.data["verdicts"]
    assert (verdict["source"], verdict["date"]) == ("board", "2026-01-02")


@pytest.mark.usefixtures("desk")
def test_the_terminal_says_verdicts_and_what_is_assumed():
    ended = befit("--plain", "screen", "t.csv", "--cut-off", "mmlu=70:2")
    assert "Of 3 models 1 excluded, 1 cleared, 1 cannot be told" in ended.out
    assert "assumed: binomial on n = 1,000" in ended.out
    assert "no results per item" in ended.out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["t.csv", "--cut-off", "mmlu"], 2, "is no cut-off"),
        (["t.csv", "--cut-off", "mmlu=high"], 2, "is no cut-off"),
        (["t.csv", "--cut-off", "mlu=70"], 8, "did you mean 'mmlu'"),
        (["gone.csv"], 8, "cannot be read"),
        ([], 8, "no table to screen"),
        (["t.csv", "--using", "gone.yaml"], 2, "cannot be read"),
        (["t.csv", "--items", "gone.csv"], 8, "cannot be read"),
        (["t.csv", "--items", "run:r-none"], 2, "no workspace"),
        (["t.csv", "--write"], 2, "nobody was screened out"),
        (["t.csv", "--out", "/proc/nowhere/x.html"], 2, "cannot be written"),
    ],
    ids=str,
)
@pytest.mark.usefixtures("desk")
def test_wrong_words_are_one_error_block(words, code, message):
    ended = befit("screen", *words)
    assert ended.code == code
    assert message in ended.err
    assert "Traceback" not in ended.err


def test_the_page_is_one_inert_file_with_the_picture_of_the_weights(desk):
    (desk / "two.csv").write_text(
        "model,mmlu,gsm8k\n<script>alert(1)</script>,80,40\nb,60,70\nc,65,66\n", encoding="utf-8"
    )
    assert befit("screen", "two.csv", "--cut-off", "mmlu=50", "--out", "p.html").code == 0
    page = (desk / "p.html").read_text("utf-8")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "who is first as one weight goes from 0 to 100 %" in page
    assert "default-src 'none'" in page
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_survivors_are_added_and_no_line_of_the_project_changes(desk):
    before = (desk / "befit.yaml").read_text("utf-8")
    ended = befit("screen", "t.csv", "--cut-off", "mmlu=70:2", "--write")
    assert ended.code == 0
    after = (desk / "befit.yaml").read_text("utf-8")
    lines = iter(after.splitlines())
    assert all(line in lines for line in before.splitlines())
    project = load_project(desk, keys_needed=False)
    assert [c.name for c in project.candidates] == ["good", "bad", "m-mid"]
    assert project.screening.benchmarks["mmlu"].margin == 2
    assert project.screening.tables == ("t.csv",)
    assert "# screened on" in after
    again = befit("screen", "--write")
    assert again.code == 0
    assert (desk / "befit.yaml").read_text("utf-8") == after


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("project: desk", "# first\nproject: desk # said\r"),
        ("  - name: good\n", "  # the good one\n  - name: good   # yes\n"),
        ("run: {concurrency: 8", "\n# how\nrun: {concurrency: 8"),
    ],
)
def test_comments_and_line_ends_survive_writing(tmp_path, old, new):
    text = PROJECT.replace(old, new)
    folder = write_project(tmp_path, text=text.rstrip("\n"))
    (folder / "t.csv").write_text(TABLE, encoding="utf-8")
    with provided(folder):
        assert befit("screen", "t.csv", "--cut-off", "mmlu=70:2", "--write").code == 0
        load_project(folder, keys_needed=False)
    lines = iter((folder / "befit.yaml").read_bytes().decode().splitlines())
    assert all(line in lines for line in text.splitlines())


def test_candidates_that_are_no_list_of_lines_are_refused(tmp_path):
    folder = write_project(tmp_path)
    flow = "project: desk\ncandidates: [{name: a, target: openai, model: a}]\nscenarios: []\n"
    (folder / "t.csv").write_text(TABLE, encoding="utf-8")
    with provided(folder):
        (folder / "befit.yaml").write_text(flow, encoding="utf-8")
        settings = ScreeningSettings(benchmarks={"mmlu": {"cut_off": 70}})
        found = screen_tables([folder / "t.csv"], settings, made_on="2026-01-01")
        with pytest.raises(ConfigError, match="no list of lines"):
            write_survivors(folder, found, settings, tables=[folder / "t.csv"])
        assert (folder / "befit.yaml").read_text("utf-8") == flow


def test_a_run_keeps_the_verdicts_it_began_with_and_the_report_shows_them(desk):
    section = (
        "screening:\n  table: t.csv\n  source: board\n  date: 2026-01-02\n"
        "  benchmarks: {mmlu: {cut_off: 70, margin: 2}}\n"
    )
    with (desk / "befit.yaml").open("a", encoding="utf-8") as file:
        file.write(section)
    assert befit("run", "--yes").code == 0
    # the table changes afterwards; the run does not
    (desk / "t.csv").write_text(TABLE.replace("30,1000", "99,1000"), encoding="utf-8")
    kept = befit("report", "--json").data["manifest"]["screening"]
    assert {one["model"]: one["outcome"] for one in kept["models"]}["m-low"] == "excluded"
    told = "Of 3 models 1 excluded, 1 cleared, 1 cannot be told"
    assert told in befit("report").out
    assert told in befit("report", "--format", "markdown").out
    assert befit("report", "--format", "html", "--out", "r.html").code == 0
    page = (desk / "r.html").read_text("utf-8")
    assert 'id="screening"' in page
    assert "m-low" in page
    assert "board, 2026-01-02" in page


def test_a_broken_table_stops_a_run_before_any_call(tmp_path):
    folder = write_project(tmp_path, text=PROJECT + "screening: {table: t.csv}\n")
    (folder / "t.csv").write_text("model,x\na,1\na,2\n", encoding="utf-8")
    with provided(folder) as provider:
        ended = befit("run", "--yes")
        assert ended.code == 8
        assert "occurs twice" in ended.err
        assert not [r for r in provider.requests if "chat" in str(r)]
        assert befit("runs", "--json").data in (None, [])


def test_a_table_that_does_not_exist_is_found_when_the_project_is_read(tmp_path):
    folder = write_project(tmp_path, text=PROJECT + "screening: {table: gone.csv}\n")
    with provided(folder):
        ended = befit("plan")
        assert ended.code == 2
        assert "gone.csv" in ended.err


def test_perturbed_items_are_written_and_contamination_is_read_from_a_run(tmp_path):
    folder = write_project(tmp_path)
    rows = [
        {"id": f"p{i}", "input": f"Total {i} + 4", "target": str(i), "language": "en"}
        for i in range(30, 60)
    ]
    (folder / "public.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with provided(folder):
        ended = befit("probes", "perturb", "public.jsonl", "--kind", "fresh", "--json",
                      "--with-originals", "--out", "samples.jsonl")  # fmt: skip
        assert ended.code == 0
        assert ended.data["made"] == {"fresh": 0}
        assert sum(ended.data["skipped"]["fresh"].values()) == 30
        versions = [
            row | {"id": f"{row['id']}~x", "input": f"Invoice. {row['input']}",
                   "tags": ["perturbed"], "provenance": {"parent_id": row["id"]}}
            for row in rows
        ]  # fmt: skip
        with (folder / "samples.jsonl").open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in versions)
        assert befit("run", "--yes").code == 0
        (folder / "t.csv").write_text(TABLE, encoding="utf-8")
        found = befit("screen", "t.csv", "--items", "run:latest", "--json").data["contamination"]
        assert {one["model"]: one["level"] for one in found} == {"good": "none", "bad": "none"}
        assert found[0]["gap"]["n_samples"] == 30
    assert befit("probes", "perturb", "public.jsonl", "--kind", "renaimed").code == 2
