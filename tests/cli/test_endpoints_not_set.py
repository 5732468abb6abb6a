"""Verbs that call nothing need no variable of an endpoint; verbs that call or plan do."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli_ground import PROJECT, befit, provided, write_project


def test_score_and_doctor_work_without_the_endpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_project(tmp_path, n=2)
    with provided(folder):
        assert befit("run").code == 0
        monkeypatch.delenv("BASE_URL")
        scored = befit("score")
        assert scored.code == 0
        assert "'BASE_URL' is not set" in scored.err
        looked = befit("doctor", "--json")
        told = [one for one in looked.data if "'BASE_URL' is not set" in one["text"]]
        assert {one["state"] for one in told} == {"weak"}
        assert any(one["check"] == "disk" for one in looked.data)
        for verb in (("run", "--dry-run"), ("plan",), ("run",)):
            assert befit(*verb).code == 2


def test_score_needs_the_endpoint_where_verdicts_are_kept_by_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = "[{name: j, target: openai, model: m, base_url: '${BASE_URL}'}]"
    text = PROJECT.replace(
        "    dimension: reasoning\n", f"    dimension: reasoning\n    judges: {judge}\n"
    )
    text = text.replace(
        "{match: {numeric: true}}", "{match: {numeric: true}}, {judge: {rubric: ok}}"
    )
    folder = write_project(tmp_path, text=text, n=2)
    with provided(folder):
        monkeypatch.delenv("BASE_URL")
        ended = befit("score")
    assert ended.code == 2
    assert "'BASE_URL' is not set" in ended.err
    assert "set it, or write" in ended.err
