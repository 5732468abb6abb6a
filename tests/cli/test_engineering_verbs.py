"""load, fallback check and gateway, reprice, models prices: exit codes, --json, pages."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

from befit.analysis.load import analyse_level
from befit.cli.load_given import seconds
from befit.cli.load_live import LiveTable
from befit.cli.shell import Shell
from befit.engine.load_log import Call, CallLog
from befit.engine.load_run import LevelRun
from befit.engine.load_shape import LoadShape
from befit.pipeline.measured import (
    RETENTION,
    THROUGHPUT,
    checked_edges,
    load_results,
    outside_figures,
)
from befit.storage.workspace import Workspace
from befit.testing.script import Script
from cli_ground import PROJECT, befit, provided, write_project

LIST = {
    "gpt-4o": {
        "litellm_provider": "openai",
        "mode": "chat",
        "input_cost_per_token": 3e-06,
        "output_cost_per_token": 1e-05,
    }
}


def test_a_level_is_measured_scored_and_written_as_a_page(tmp_path: Path) -> None:
    with provided(write_project(tmp_path)):
        ended = befit(
            "load", "--shape", "closed:2", "--set", "duration=1", "--set", "latency=5",
            "--html", "load.html", "--json",
        )  # fmt: skip
        assert ended.code == 0
        (level,) = ended.data["levels"]
        assert level["calls"] > 5
        assert level["attainment"]["value"] == 1.0
        assert level["passed"]["value"] is not None
        assert ended.data["definitions"][0]["equals"]
        page = (tmp_path / "load.html").read_text(encoding="utf-8")
        assert "default-src 'none'" in page
        assert json.loads((tmp_path / "load.json").read_text())["schema"] == "befit/load/1"


def test_a_cap_ends_the_measurement_with_exit_code_6(tmp_path: Path) -> None:
    with provided(write_project(tmp_path)):
        words = ("--shape", "closed:2", "--set", "duration=30", "--set", "requests=9")
        ended = befit("load", *words, "--json")
        assert (ended.code, ended.data["requests"]) == (6, 9)


def test_words_that_are_no_shape_or_setting_are_one_clear_line(tmp_path: Path) -> None:
    with provided(write_project(tmp_path)):
        for words in (("--shape", "zigzag:5"), ("--set", "speeed=2"), ("--on", "nobody")):
            ended = befit("load", *words)
            assert ended.code == 2
            assert "E101" in ended.err
            assert "Traceback" not in ended.err


def test_a_load_beyond_a_stated_limit_is_refused(tmp_path: Path) -> None:
    limited = PROJECT.replace(
        "    model: m-good", "    model: m-good\n    limits: {requests_per_minute: 60}", 1
    )
    with provided(write_project(tmp_path, text=limited)) as provider:
        ended = befit("load", "--shape", "constant:2", "--set", "duration=1")
        assert ended.code == 2
        assert "60 requests a minute" in ended.err
        assert provider.requests == []


def test_a_fallback_that_refuses_a_parameter_fails_the_check(tmp_path: Path) -> None:
    with provided(write_project(tmp_path), Script(unsupported=("seed",))):
        ended = befit("fallback", "check", "--edge", "good:bad", "--measure", "--json")
        assert ended.code == 3
        (edge,) = ended.data
        assert any("seed" in reason for reason in edge["breaks"])


def test_a_run_is_repriced_beside_what_it_was_billed(tmp_path: Path) -> None:
    with provided(write_project(tmp_path)):
        assert befit("run").code == 0
        ended = befit("reprice", "--json")
        assert ended.code == 0
        row = next(r for r in ended.data["rows"] if r["candidate"] == "good")
        assert row["billed"] == row["anew"]
        assert float(row["billed"]) > 0
        unknown = befit("reprice", "--service", "batch", "--json").data["rows"][0]
        assert unknown["anew"] is None


def test_lists_that_disagree_are_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    path.write_text(json.dumps(LIST))
    ended = befit("models", "prices", "gpt-4o", "--list", str(path), "--json")
    assert ended.code == 0
    assert [d["kind"] for d in ended.data["disagreements"]] == ["input"]
    assert any("disagree on input" in w for w in ended.envelope["warnings"])


class Terminal(StringIO):
    """A terminal that somebody watches."""

    def isatty(self) -> bool:
        return True


def test_who_watches_sees_a_table_that_moves_and_who_does_not_gets_lines() -> None:
    shape = LoadShape(kind="constant", rate=10, duration=5)
    log = CallLog.of(Call(scheduled=i / 10, sent=i / 10, end=i / 10 + 0.2) for i in range(50))
    run = LevelRun(
        shape=shape, log=log, offered=50, stopped="", most_in_flight=3, waited_for_place=0,
        in_flight=((1.0, 2),),
    )  # fmt: skip
    for stream, moves in ((Terminal(), True), (StringIO(), False)):
        table = LiveTable(Shell(err=stream))
        table.begun(shape)
        table.level(analyse_level(run), None)
        table.close()
        said = stream.getvalue()
        assert ("in flight" in said) == moves
        assert ("200 ms" in said, "50" in said, "…" in said) == (True, True, False)


def test_a_duration_is_typed_as_people_write_it(tmp_path: Path) -> None:
    assert [seconds(word) for word in ("90", "90s", "10m", "2h", "0.5h")] == [
        90, 90, 600, 7200, 1800,
    ]  # fmt: skip
    with provided(write_project(tmp_path)):
        assert befit("load", "--duration", "soon").code == 2
        ended = befit("load", "--shape", "closed:1", "--duration", "1s", "--json")
        assert ended.data["levels"][0]["shape"]["duration"] == 1.0


def test_a_measurement_and_a_check_are_kept_and_stand_in_the_report(tmp_path: Path) -> None:
    with provided(write_project(tmp_path)):
        assert befit("run").code == 0
        assert befit("load", "--on", "good", "--shape", "closed:2", "--duration", "1").code == 0
        assert befit("fallback", "check", "--edge", "good:bad").code == 0
        with Workspace.open(tmp_path / ".befit", create=False) as workspace:
            manifest = workspace.find_run()
            (result,) = load_results(workspace, manifest)
            (edge,) = checked_edges(workspace, manifest)
            figures = outside_figures(workspace, manifest)
        assert (result.candidate, edge.primary, edge.fallback) == ("good", "good", "bad")
        assert edge.run_id == manifest.id
        (scenario,) = {scenario for metric, scenario, _ in figures if metric == THROUGHPUT}
        assert figures[THROUGHPUT, scenario, "good"] == result.levels[0].goodput
        assert figures[RETENTION, scenario, "good"].value is not None
        assert befit("report", "--format", "html", "--out", "report.html").code == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert 'id="load"' in page
    assert 'id="fallback"' in page


def test_what_no_scenario_uses_breaks_nothing_and_is_told(tmp_path: Path) -> None:
    # The fallback makes no tool calls; the first project has no tools, the second one has.
    with provided(write_project(tmp_path / "without")):
        ended = befit("fallback", "check", "--edge", "good:bad", "--measure", "--json")
        assert (ended.code, ended.data[0]["breaks"]) == (0, [])
        outcomes = {probed["what"]: probed["outcome"] for probed in ended.data[0]["probed"]}
        assert outcomes["parallel tool calls"] == "ignored"
        told = befit("fallback", "check", "--edge", "good:bad", "--measure")
        assert "parallel tool calls ignored (not used here)" in told.out, told
    offered = "    tools: [{name: add, description: Adds, parameters: {type: object}}]\n"
    tools = PROJECT.replace("    critical: true\n", f"    critical: true\n{offered}", 1)
    with provided(write_project(tmp_path / "with", text=tools)):
        ended = befit("fallback", "check", "--edge", "good:bad", "--measure", "--json")
        assert ended.code == 3
        assert any("parallel tool calls" in reason for reason in ended.data[0]["breaks"])


def test_a_measurement_that_only_a_page_can_hold_is_shown_all_the_same(tmp_path: Path) -> None:
    folder = write_project(tmp_path)
    (folder / ".befit").write_text("a file where the workspace should be")
    with provided(folder):
        words = ["--shape", "closed:1", "--duration", "1", "--html", "load.html"]
        ended = befit("load", *words, "--json")
    assert ended.code == 0
    assert ended.data["levels"][0]["calls"] > 0
    assert any("not kept" in warning for warning in ended.envelope["warnings"])
