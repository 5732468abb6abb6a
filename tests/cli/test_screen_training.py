"""`befit screen --items`: cut dates of projects and options, flags of guided completion."""

from __future__ import annotations

import json

import pytest

from befit.config.load import load_project
from cli_ground import PROJECT, befit, provided, write_project

TABLE = "model,mmlu,n\nm-good,80,1000\nm-bad,70.5,1000\n"
CUT = "2024-12-31"


def dated_items(path):
    """Model a: 54 of 60 old items and 24 of 60 new ones; model b: 36 and 33."""
    lines = ["model,item,version,score,date"]
    for model, old, new in (("a", 54, 24), ("b", 36, 33)):
        lines += [f"{model},o{i},original,{int(i < old)},2024-01-01" for i in range(60)]
        lines += [f"{model},n{i},original,{int(i < new)},2025-06-01" for i in range(60)]
    path.write_text("\n".join(lines), encoding="utf-8")


@pytest.fixture
def desk(tmp_path):
    section = f"screening:\n  table: t.csv\n  cut_dates: {{a: {CUT}}}\n"
    folder = write_project(tmp_path, text=PROJECT + section)
    (folder / "t.csv").write_text(TABLE, encoding="utf-8")
    dated_items(folder / "items.csv")
    with provided(folder):
        yield folder


def split_of(ended):
    assert ended.code == 0
    return {one["model"]: one["date_split"]["value"] for one in ended.data["contamination"]}


def test_the_cut_dates_of_the_project_split_the_items(desk):
    assert load_project(desk, keys_needed=False).screening.cut_dates["a"].isoformat() == CUT
    ended = befit("screen", "--items", "items.csv", "--json")
    # a loses .9 - .4, b loses .6 - .55
    assert split_of(ended) == {"a": pytest.approx(0.45), "b": None}
    assert ended.data["contamination"][0]["level"] == "weak"
    assert "+45 [" in befit("--plain", "screen", "--items", "items.csv").out
    assert befit("screen", "--items", "items.csv", "--out", "p.html").code == 0
    assert "Loss on newer items" in (desk / "p.html").read_text("utf-8")


@pytest.mark.usefixtures("desk")
def test_a_cut_date_on_the_command_line_comes_on_top():
    ended = befit(
        "screen", "--items", "items.csv", "--cut-date", "b=2024-12-31",
        "--cut-date", "c=2024-01-01", "--json",
    )  # fmt: skip
    assert split_of(ended) == {"a": pytest.approx(0.45), "b": pytest.approx(-0.45)}
    assert "'c' has a cut date and no results per item" in str(ended.envelope["warnings"])


@pytest.mark.parametrize("words", ["b", "b=June", "=2024-01-01"])
@pytest.mark.usefixtures("desk")
def test_what_is_no_cut_date_is_one_error(words):
    ended = befit("screen", "--items", "items.csv", "--cut-date", words)
    assert ended.code == 2
    assert "is no cut date" in ended.err


def test_a_cut_date_of_the_project_that_is_no_date_is_found_when_it_is_read(tmp_path):
    folder = write_project(tmp_path, text=PROJECT + "screening: {cut_dates: {a: June}}\n")
    with provided(folder):
        ended = befit("plan")
    assert ended.code == 2
    assert "cut_dates" in ended.err


GUIDED = """\
project: memory
candidates:
  - {name: knows, target: openai, model: m-knows, base_url: "${BASE_URL}", api_key: "${API_KEY}"}
  - {name: honest, target: openai, model: m-honest, base_url: "${BASE_URL}", api_key: "${API_KEY}"}
scenarios:
  - name: completion
    dimension: reasoning
    samples: guided.jsonl
    success: The rest of the item.
    scorers: [match]
    failure_modes: [{name: other, label: wrong}]
    repeats: 2
"""


def rest(i):
    return f"Later number {i} was sold at a market near the old harbour for {i + 40} coins."


def test_guided_completion_goes_from_items_through_a_run_to_a_flag(tmp_path):
    rows = [
        {
            "id": f"q{i}",
            "input": f"Long ago boat {i} sailed over the wide and very windy sea. {rest(i)}",
        }
        for i in range(12)
    ]
    rows.append({"id": "short", "input": "Too short."})
    texts = {row["input"].partition(" Later")[0]: rest(i) for i, row in enumerate(rows[:12])}

    def answer(ask):
        beginning = ask.prompt.rpartition("\n\n")[2]
        told = "item of Boats" in ask.prompt
        # it repeats the beginning first, as some models do
        return f"{beginning} {texts[beginning]}" if told and ask.model == "m-knows" else "Unknown."

    folder = write_project(tmp_path, text=GUIDED)
    (folder / "public.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (folder / "t.csv").write_text(TABLE, encoding="utf-8")
    with provided(folder, answer=answer):
        made = befit("probes", "guided", "public.jsonl", "--source", "Boats, test", "--json").data
        assert (made["made"], made["skipped"]) == (12, {"fewer than 12 words": 1})
        assert befit("run", "--yes").code == 0
        ended = befit("screen", "t.csv", "--items", "run:latest", "--json")
        assert ended.code == 0
    found = {one["model"]: one for one in ended.data["contamination"]}
    # a flag alone is weak, and nothing else was measured
    assert found["knows"]["level"] == "weak"
    assert found["knows"]["signs"] == [
        "flag: guided completion: ROUGE-L +1.00 when told the source"
    ]
    assert found["honest"]["level"] == "not_enough"
    assert found["honest"]["gap"]["value"] is None
