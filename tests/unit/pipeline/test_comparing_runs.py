from __future__ import annotations

import json
from pathlib import Path

import pytest

import befit as face
from befit.errors import UsageError
from befit.pipeline.evaluating import compare, evaluate, open_run
from cli_ground import PROJECT, befit, provided, write_project

ONE = PROJECT[: PROJECT.index("  - name: fields")] + PROJECT[PROJECT.index("run:") :]


def rewrite(folder: Path, rows: list[dict[str, object]]) -> None:
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "samples.jsonl").write_text(lines, encoding="utf-8")


def invoices(n: int = 6) -> list[dict[str, object]]:
    return [
        {"id": f"i{i}", "input": f"Invoice {i}. Total {i + 10} EUR", "target": i + 10}
        for i in range(n)
    ]


def test_the_same_id_with_another_input_is_no_pair(tmp_path: Path) -> None:
    with provided(write_project(tmp_path, text=ONE)):
        first = evaluate(tmp_path)
        rows = invoices()
        rows[0]["input"] = "Invoice 0, corrected. Total 10 EUR"
        rewrite(tmp_path, rows)
        second = evaluate(tmp_path)
        made = compare(first, second, candidate="good")
    assert first.id != second.id
    assert {line.difference.n_samples for line in made.lines} == {5}
    assert any("1 sample left out: the same id but another input" in note for note in made.notes)


def test_a_changed_target_is_left_out_unless_asked_for(tmp_path: Path) -> None:
    with provided(write_project(tmp_path, text=ONE)):
        evaluate(tmp_path)
        rows = invoices()
        rows[1]["target"] = 99
        rewrite(tmp_path, rows)
        evaluate(tmp_path)
        newest, oldest = (one["run"] for one in befit("runs", "--json").data)
        sides = (f"{oldest}:good", f"{newest}:good")
        strict = befit("compare", *sides, "--json").data
        asked = befit("compare", *sides, "--allow", "targets", "--json").data
    assert {line["difference"]["n_samples"] for line in strict["lines"]} == {5}
    assert any("another target" in note for note in strict["notes"])
    assert {line["difference"]["n_samples"] for line in asked["lines"]} == {6}


def test_runs_judged_by_other_scorers_are_refused_unless_asked_for(tmp_path: Path) -> None:
    with provided(write_project(tmp_path, text=ONE)):
        evaluate(tmp_path)
        text = ONE.replace("{numeric: true}", "{numeric: {tolerance: {absolute: 5}}}")
        (tmp_path / "befit.yaml").write_text(text, encoding="utf-8")
        evaluate(tmp_path)
        newest, oldest = (one["run"] for one in befit("runs", "--json").data)
        sides = (f"{oldest}:bad", f"{newest}:bad")
        refused = befit("compare", *sides)
        asked = befit("compare", *sides, "--allow", "scorers", "--json")
        # with the new scorers applied to the old run they can be compared
        assert befit("score", oldest).code == 0
        after = befit("compare", *sides, "--json")
    assert refused.code == 2
    assert "different scorers in total" in refused.err
    assert any("scorers differ" in note for note in asked.data["notes"])
    assert after.code == 0
    assert {line["difference"]["value"] for line in after.data["lines"]} == {0.0}


def test_a_candidate_against_itself_differs_in_nothing(tmp_path: Path) -> None:
    with provided(write_project(tmp_path, text=ONE)):
        run = evaluate(tmp_path)
        made = run.compare("good", "good")
    assert made.differs == ()
    assert {line.verdict for line in made.lines} == {"not distinguishable"}


def test_a_silently_changed_model_is_told(tmp_path: Path) -> None:
    from befit.testing.script import Script  # noqa: PLC0415 - only here

    folder = write_project(tmp_path, text=ONE)
    with provided(folder, Script(served={"m-good": "m-good-1"})) as provider:
        port = int(provider.url.rpartition(":")[2])
        first = evaluate(folder)
    with provided(folder, Script(served={"m-good": "m-good-2"}), port=port):
        second = evaluate(folder, label="later")
        made = first.compare("good", "good", other=second)
    assert "good was answered by m-good-1 in the one run and by m-good-2 in the other" in made.notes


def test_evaluate_works_where_an_event_loop_is_running(tmp_path: Path) -> None:
    import asyncio  # noqa: PLC0415 - only here

    async def notebook() -> str:
        return evaluate(tmp_path).id

    with provided(write_project(tmp_path, text=ONE)):
        run_id = asyncio.run(notebook())
        assert open_run(run_id, workspace=tmp_path / ".befit").id == run_id


def test_tables_hold_trials_estimates_and_differences(tmp_path: Path) -> None:
    with provided(write_project(tmp_path)):
        run = evaluate(tmp_path)
    assert len(run.trials) == 32
    assert set(run.trials[0]) >= {"candidate", "sample_id", "repeat", "reused", "passed"}
    assert {row["name"] for row in run.scores} >= {"match", "pass", "field_accuracy"}
    rows = {(row["row"], row["candidate"]): row for row in run.estimates(by="scenario")}
    good = rows["scenario/total", "good"]
    assert (good["value"], good["n_samples"], good["n_trials"]) == (1.0, 6, 12)
    turned = run.differences(by="scenario", baseline="good")[0]
    assert (turned["a"], turned["b"]) == ("bad", "good")
    assert turned["value"] == pytest.approx(-2 / 3)
    assert turned["low"] < turned["value"] < turned["high"] <= 0
    assert run.estimates().to_polars().height == len(run.estimates())
    assert [row["mode"] for row in run.failures(candidate="bad")] == ["hostile", "guess"]
    assert "<script>" not in run.trials._repr_html_()
    with pytest.raises(UsageError, match="dimension, scenario or kind"):
        run.estimates(by="kinds")


def test_a_workspace_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(face.BefitError):
        open_run(workspace=tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


def test_the_public_names_are_all_there() -> None:
    for name in dir(face):
        assert getattr(face, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nosuch'"):
        _ = face.nosuch
