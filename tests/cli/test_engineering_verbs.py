"""load, fallback check and gateway, reprice, models prices: exit codes, --json, pages."""

from __future__ import annotations

import json
from pathlib import Path

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
