"""Every verb on one small run: exit codes, one JSON document, one-line errors, nothing leaks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from cli_ground import HOSTILE, PROJECT, SECRET, befit, provided, write_project


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A project that has been run."""
    folder = write_project(tmp_path_factory.mktemp("desk"))
    with provided(folder):
        assert befit("run", "--yes").code == 0
        yield folder


def last_run() -> str:
    return str(befit("runs", "--json").data[0]["run"])


CALLS: list[tuple[list[str], int]] = [
    (["plan"], 0),
    (["run"], 0),
    (["run", "--dry-run"], 0),
    (["score"], 0),
    (["runs"], 0),
    (["runs", "--candidate", "good"], 0),
    (["show"], 0),
    (["show", "i1"], 0),
    (["show", "i1", "--raw", "--candidate", "bad"], 0),
    (["report"], 0),
    (["report", "--format", "markdown"], 0),
    (["report", "--format", "json"], 0),
    (["report", "--format", "html", "--out", "report.html"], 0),
    (["compare", "good", "bad"], 0),
    (["export", "--out", "trials.jsonl"], 0),
    (["stability", "Total 4", "-n", "3"], 0),
    (["doctor"], 0),
    (["models"], 0),
    (["models", "prices", "gpt-4o-mini"], 0),
    (["models", "prices", "no-such-model"], 0),
    (["plugins"], 0),
    (["plugins", "match"], 0),
    (["schema"], 0),
    (["schema", "sample"], 0),
    (["schema", "report"], 0),
    (["--version"], 0),
    (["--help"], 0),
    (["show", "nosuch"], 2),
    (["show", "i1", "--scenario", "nosuch"], 2),
    (["report", "r-zzzz"], 2),
    (["report", "--out", "/proc/nowhere/x.html", "--format", "html"], 2),
    (["compare", "good", "worse"], 2),
    (["compare", "good", "bad", "--allow", "scorer"], 2),
    (["stability", "x", "--candidate", "nosuch"], 2),
    (["stability", "x", "--same", "nosuch"], 2),
    (["models", "fetch"], 2),
    (["plugins", "nosuch"], 2),
    (["runs", "--project", "elsewhere"], 2),
    (["run", "elsewhere"], 2),
    (["run", "--limit", "0"], 2),
    (["run", "--max-cost", "-1"], 2),
    (["report", "--format", "pdf"], 2),
    (["shw"], 2),
    (["show", "--nosuch"], 2),
    (["compare", "good"], 2),
    ([], 2),
]


@pytest.mark.parametrize(("words", "code"), CALLS, ids=str)
def test_every_call_ends_with_its_exit_code(desk: Path, words: list[str], code: int) -> None:
    assert desk.is_dir()
    assert befit(*words).code == code


WITH_JSON = [(words, code) for words, code in CALLS if words and not words[0].startswith("--")]


@pytest.mark.parametrize(("words", "code"), WITH_JSON, ids=str)
def test_json_is_exactly_one_document_whatever_happens(
    desk: Path, words: list[str], code: int
) -> None:
    assert desk.is_dir()
    ended = befit(*words, "--json")
    assert ended.code == code
    envelope = ended.envelope
    assert envelope["ok"] is (code == 0)
    if code:
        assert envelope["data"] is None
        for error in envelope["error"]:
            assert error["code"].startswith("E")
            assert error["what"]
            assert error["exit_code"] == code
    else:
        assert envelope["error"] is None


@pytest.mark.parametrize(
    ("words", "nearest"),
    [
        (["shw"], "show"),
        (["report", "--fromat", "html"], "--format"),
        (["plugins", "mach"], "match"),
        (["compare", "good", "bad", "--allow", "scorer"], "scorers"),
        (["stability", "x", "--candidate", "goot"], "good"),
    ],
)
def test_a_mistyped_word_names_the_nearest(desk: Path, words: list[str], nearest: str) -> None:
    assert desk.is_dir()
    ended = befit(*words)
    assert ended.code == 2
    assert ended.out == ""
    assert nearest in ended.err
    lines = [line for line in ended.err.splitlines() if not line.startswith("warning  ")]
    first, *rest = lines
    assert first.startswith("E1")
    assert all(line.startswith(("  why  ", "  do   ")) for line in rest)


def test_a_second_run_calls_nobody(desk: Path) -> None:
    assert desk.is_dir()
    data = befit("run", "--json").data
    assert data["status"] == "complete"
    assert data["calls"] == 0


def test_a_run_under_a_label_measures_anew_and_reuses_nothing(tmp_path: Path) -> None:
    with provided(write_project(tmp_path)) as provider:
        assert befit("run").code == 0
        before = len(provider.requests)
        data = befit("run", "--label", "later", "--json").data
        assert (data["reused"], data["missing"]) == (0, 0)
        assert len(provider.requests) == 2 * before


def test_a_limited_run_is_reused_by_the_whole_one(tmp_path: Path) -> None:
    with provided(write_project(tmp_path)) as provider:
        first = befit("run", "--limit", "2", "--json").data
        # 2 candidates x (2 invoices x 2 repeats + 2 documents)
        assert first["ok"] == 12
        second = befit("run", "--json").data
        assert second["reused"] == 12
        assert len(provider.requests) == 2 * (6 * 2 + 4)


def test_where_all_answers_were_reused_a_gate_of_latency_names_the_label(tmp_path: Path) -> None:
    asked = "{metric: latency_p50, ceiling: 5}, {metric: retry_rate, ceiling: 1}"
    gates = f"policy:\n  gates: [{asked}]\n"
    with provided(write_project(tmp_path, text=PROJECT + gates)):
        assert befit("run").code == 0
        assert befit("run", "--limit", "2", "--json").data["reused"] == 12
        remedy = "all answers were reused from an earlier run; `befit run --label NAME` measures"
        decision = befit("decide", "--dry-run", "--json").data
        for metric in ("latency_p50", "retry_rate"):
            told = [v["evidence"] for v in decision["verdicts"] if v["gate"]["metric"] == metric]
            assert told
            for one in told:
                assert one["value"] is None
                assert remedy in one["method"]
        assert any(remedy in text for text in decision["open_questions"])
        assert "befit run --label NAME measures them anew" in befit("report").out
        assert befit("run", "--limit", "2", "--label", "now").code == 0
        assert remedy not in befit("decide", "--dry-run").out


def test_looking_makes_no_workspace(tmp_path: Path) -> None:
    with provided(write_project(tmp_path)):
        for words in (["plan"], ["run", "--dry-run"], ["runs"], ["report"], ["doctor"]):
            befit(*words)
            assert not (tmp_path / ".befit").exists()


def test_plan_says_calls_cost_and_what_could_be_seen(desk: Path) -> None:
    assert desk.is_dir()
    data = befit("plan", "--json").data
    assert data["plan"]["n_slots"] == 32
    assert data["plan"]["n_calls"] == 0
    assert {one["scenario"] for one in data["detectable"]} == {"total", "fields"}
    assert befit("run", "--dry-run", "--json").data["plan"]["n_slots"] == 32


ESTIMATE = {"value", "low", "high", "level", "n_samples", "n_trials", "n_missing", "method"}
BARE = {"p_value", "p_adjusted", "threshold", "total_cost", "retry_cost", "tasks_per_month"}
"""Numbers of the analysis that are no estimates: p-values, what the project states, bills."""


def walk(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        if "value" in value and "method" in value:
            yield path, value
            return
        for key, inner in value.items():
            yield from walk(inner, f"{path}/{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from walk(inner, path)
    elif isinstance(value, float):
        yield path, value


def test_every_number_of_the_report_is_an_estimate(desk: Path) -> None:
    assert desk.is_dir()
    found = list(walk(befit("report", "--json").data["analysis"]))
    estimates = [value for _, value in found if isinstance(value, dict)]
    assert len(estimates) > 100
    assert all(set(estimate) == ESTIMATE for estimate in estimates)
    assert all(estimate["method"] for estimate in estimates)
    bare = {path.rpartition("/")[2] for path, value in found if isinstance(value, float)}
    assert bare <= BARE


def test_the_json_report_keeps_to_its_published_schema(desk: Path) -> None:
    assert desk.is_dir()
    schema = befit("schema", "report", "--json").data
    report = befit("report", "--json").data
    validator = jsonschema_rs.validator_for(schema)
    assert [error.message for error in validator.iter_errors(report)] == []
    report["analysis"]["dimension_rows"][0]["cells"][0]["estimate"].pop("method")
    assert not validator.is_valid(report)


def test_the_forms_of_a_report_hold_the_same_numbers(desk: Path) -> None:
    text = befit("report", "--format", "json").out
    assert json.loads(text) == befit("report", "--json").data
    befit("report", "--format", "json", "--out", "report.json")
    assert json.loads((desk / "report.json").read_text("utf-8")) == json.loads(text)


def test_the_report_knows_the_better_candidate_and_the_guesses(desk: Path) -> None:
    assert desk.is_dir()
    analysis = befit("report", "--json").data["analysis"]
    total = next(row for row in analysis["scenario_rows"] if row["title"] == "total")
    cells = {cell["candidate"]: cell for cell in total["cells"]}
    assert cells["good"]["estimate"]["value"] == 1.0
    # 10 to 15: 12 and 15 are right
    assert cells["bad"]["estimate"]["value"] == pytest.approx(1 / 3)
    fields = {c["candidate"]: c for c in analysis["fields"] if c["field"] == "vat"}
    assert fields["good"]["invented"]["value"] == 0.0
    assert fields["bad"]["invented"]["value"] == 1.0
    modes = {f["mode"]: f["count"] for f in analysis["failures"] if f["candidate"] == "bad"}
    # 4 invoices twice, 4 documents
    assert sum(modes.values()) == 12
    assert modes["guess"] == 4


@pytest.mark.parametrize(
    "words",
    [
        ["show", "i1"],
        ["show", "i1", "--raw"],
        ["show"],
        ["report"],
        ["report", "--format", "markdown"],
        ["report", "--format", "json"],
        ["show", "i1", "--json"],
        ["--plain", "report"],
    ],
)
def test_hostile_output_never_reaches_the_terminal_alive(desk: Path, words: list[str]) -> None:
    assert desk.is_dir()
    ended = befit(*words)
    assert ended.code == 0
    for char in "\x1b\x07\u202e\u202c\u200b":
        assert char not in ended.out + ended.err


def test_the_untouched_output_is_kept_with_the_rendered_request(desk: Path) -> None:
    befit("export", "--out", "trials.jsonl")
    lines = [json.loads(line) for line in (desk / "trials.jsonl").open(encoding="utf-8")]
    assert len(lines) == 32
    bad = next(t for t in lines if (t["candidate"], t["sample_id"]) == ("bad", "i0"))
    assert bad["output"] == HOSTILE
    assert [message["role"] for message in bad["transcript"]] == ["system", "user", "assistant"]
    assert bad["transcript"][1]["content"] == "Total of this invoice?\nInvoice 0. Total 10 EUR"


def test_no_secret_is_written_anywhere(desk: Path) -> None:
    befit("report", "--format", "html", "--out", "report.html")
    befit("export", "--out", "trials.jsonl")
    for path in desk.rglob("*"):
        if path.is_file():
            assert SECRET.encode() not in path.read_bytes(), path.name


def test_plain_tables_are_tab_separated(desk: Path) -> None:
    assert desk.is_dir()
    lines = befit("--plain", "runs").out.splitlines()
    assert lines[0].split("\t") == [
        "run",
        "status",
        "created",
        "label",
        "candidates",
        "scenarios",
        "samples",
    ]
    assert len(lines[1].split("\t")) == 7


@pytest.mark.parametrize("width", [60, 100, 160])
def test_tables_keep_to_the_width_of_the_terminal(
    desk: Path, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert desk.is_dir()
    monkeypatch.setenv("COLUMNS", str(width))
    for words in (["runs"], ["show"], ["compare", "good", "bad"]):
        assert max(len(line) for line in befit(*words).out.splitlines()) <= width
    _, _, tables = befit("report").out.partition("Capability matrix")
    lines = [line for line in tables.splitlines() if not line.startswith("!")]
    assert max(len(line) for line in lines) <= width


def test_columns_that_do_not_fit_are_left_out_by_name(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert desk.is_dir()
    monkeypatch.setenv("COLUMNS", "60")
    ended = befit("runs")
    assert "narrow terminal: left out label" in ended.err
    assert "label" not in ended.out
    assert "label" in befit("--plain", "runs").out


def test_quiet_says_nothing_and_data_still_comes(desk: Path) -> None:
    assert desk.is_dir()
    ended = befit("--quiet", "runs")
    assert ended.err == ""
    assert last_run() in ended.out


def test_comparing_says_what_differs_and_by_how_much(desk: Path) -> None:
    assert desk.is_dir()
    data = befit("compare", "good", "bad", "--json").data
    told = {(change["part"], change["key"]) for change in data["differs"]}
    assert told == {("model", "model"), ("prompt", "system"), ("sampling", "temperature")}
    line = next(one for one in data["lines"] if one["metric"] == "match")
    assert line["difference"]["value"] == pytest.approx(2 / 3)
    # 6 invoices, 2 repeats of both
    assert (line["difference"]["n_samples"], line["difference"]["n_trials"]) == (6, 24)
    shown = befit("--plain", "compare", "good", "bad").out
    assert f"corrected for all {len(data['lines'])} lines of this table (Holm)" in " ".join(
        shown.split()
    )
    assert "\tp (Holm, all lines)\t" in shown
