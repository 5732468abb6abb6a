"""A run that is scored again: every page quotes what it is judged by now, nothing is lost."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from befit.storage.workspace import Workspace
from cli_ground import PROJECT, befit, provided, write_project


def retarget(folder: Path, sample: str, target: int) -> None:
    """Give one sample of the first scenario another target."""
    path = folder / "samples.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        if row["id"] == sample:
            row["target"] = target
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_after_scoring_again_every_page_quotes_the_new_target(tmp_path: Path) -> None:
    with provided(write_project(tmp_path)):
        assert befit("run", "--yes").code == 0
        retarget(tmp_path, "i1", 777)
        data = befit("score", "--json").data
        assert (data["samples_changed"], data["scenarios_changed"]) == (1, 1)
        shown = befit("show", "i1")
        assert "expected 777" in shown.out
        assert "expected 11" in shown.out  # under "until", as what it was
        trial = befit("show", "i1", "--json").data[0]
        assert trial["target"] == 777
        assert [one["target"] for one in trial["earlier_targets"]] == [11]
        report = befit("report", "--format", "json")
        quoted = [e for e in json.loads(report.out)["failures"] if e["sample_id"] == "i1"]
        assert quoted
        assert {example["expected"] for example in quoted} == {777}


def test_the_manifest_says_the_scorers_of_now_and_keeps_those_before(tmp_path: Path) -> None:
    with provided(write_project(tmp_path)):
        assert befit("run", "--yes").code == 0
        text = PROJECT.replace("{match: {numeric: true}}", "{match: {exact: true}}")
        (tmp_path / "befit.yaml").write_text(text, encoding="utf-8")
        assert befit("score").code == 0
        with Workspace.open(tmp_path / ".befit") as store:
            manifest = store.find_run()
        options = {s.spec.name: s.spec.scorers[0].options for s in manifest.scenarios}
        assert options["total"] == {"exact": True}
        (past,) = manifest.amendments
        assert [s.spec.scorers[0].options for s in past.scenarios] == [{"numeric": True}]
        assert "Scored again on" in befit("report").out
        # The same command finds the run: it holds every trial of the plan as it is now.
        assert befit("run", "--json").data == {
            "run": manifest.id,
            "status": "complete",
            "calls": 0,
        }


def test_scoring_again_by_the_same_yardstick_amends_nothing(tmp_path: Path) -> None:
    with provided(write_project(tmp_path)):
        assert befit("run", "--yes").code == 0
        assert befit("score").code == 0
        with Workspace.open(tmp_path / ".befit") as store:
            assert store.find_run().amendments == ()


def test_the_template_of_a_run_stays_what_was_asked(tmp_path: Path) -> None:
    with provided(write_project(tmp_path)):
        assert befit("run", "--yes").code == 0
        text = PROJECT.replace("Total of this invoice?", "Sum of this invoice?")
        (tmp_path / "befit.yaml").write_text(text, encoding="utf-8")
        ended = befit("score")
        assert "what is asked has changed since" in ended.err
        with Workspace.open(tmp_path / ".befit") as store:
            assert "Total of this invoice?" in store.find_run().scenarios[0].spec.template


@pytest.mark.parametrize("allowed", [False, True])
def test_runs_judged_by_other_settings_of_one_scorer_are_not_compared_unasked(
    tmp_path: Path, *, allowed: bool
) -> None:
    with provided(write_project(tmp_path)):
        assert befit("run", "--yes").code == 0
        assert befit("run", "--yes", "--label", "again").code == 0
        first, second = (one["run"] for one in befit("runs", "--json").data)
        text = PROJECT.replace("{match: {numeric: true}}", "{match: {exact: true}}")
        (tmp_path / "befit.yaml").write_text(text, encoding="utf-8")
        assert befit("score", first).code == 0
        words = ["--allow", "scorers"] if allowed else []
        ended = befit("compare", f"{first}:good", f"{second}:good", *words)
        assert ended.code == (0 if allowed else 2)


def test_a_forgotten_sample_is_forgotten_in_its_earlier_forms_too(tmp_path: Path) -> None:
    with provided(write_project(tmp_path)):
        assert befit("run", "--yes").code == 0
        retarget(tmp_path, "i1", 777)
        assert befit("score").code == 0
        with Workspace.open(tmp_path / ".befit") as store:
            run_id = store.find_run().id
            assert len(store.earlier_samples(run_id, "total", "i1")) == 1
            keys = [fact.key_id for fact in store.slots(run_id, "total", "i1")]
            store.forget(keys, with_samples=True)
            assert store.earlier_samples(run_id, "total", "i1") == []
            assert store.sample(run_id, "total", "i1") is None


def test_what_the_file_says_otherwise_of_a_sample_is_told_and_the_run_keeps_it(
    tmp_path: Path,
) -> None:
    with provided(write_project(tmp_path)):
        assert befit("run", "--yes").code == 0
        path = tmp_path / "samples.jsonl"
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        rows[1]["input"] = "Another invoice. Total 11 EUR"
        rows.append({"id": "new", "input": "Invoice. Total 3", "target": 3})
        kept = [row for row in rows if row["id"] not in {"i4", "i5"}]
        path.write_text("".join(json.dumps(row) + "\n" for row in kept), encoding="utf-8")
        ended = befit("score")
        assert ended.code == 0
        assert (
            "total: 3 samples are scored as in the run: since then 1 asks something else and "
            "2 are gone from the file"
        ) in ended.err
        assert "fields: " not in ended.err


def test_scored_again_thrice_on_a_day_is_one_note(tmp_path: Path) -> None:
    with provided(write_project(tmp_path)):
        assert befit("run", "--yes").code == 0
        for target in (777, 778, 779):
            retarget(tmp_path, "i1", target)
            assert befit("score").code == 0
        findings = befit("report", "--json").data["analysis"]["findings"]
        notes = [one["text"] for one in findings if one["text"].startswith("Scored again")]
        with Workspace.open(tmp_path / ".befit") as store:
            days = Counter(one.at[:10] for one in store.find_run().amendments)
    assert sum(days.values()) == 3
    said = "with other targets, scorers or criteria: total (1 sample judged anew)"
    assert notes == [
        f"Scored again on {day} {said}" + ("." if count == 1 else f"; {count} times.")
        for day, count in days.items()
    ]
