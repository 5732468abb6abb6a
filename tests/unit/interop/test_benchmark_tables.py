from __future__ import annotations

import json

import pytest

from befit.core.screening import BenchmarkSettings, ScreeningSettings
from befit.errors import ProjectError
from befit.interop.screening_files import read_tables
from befit.interop.table_numbers import read_number
from shared_data import shared


def table(tmp_path, text, *, name="t.csv", **settings):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_tables([path], settings=ScreeningSettings(**settings))


def refused(tmp_path, text, *, name="t.csv", **settings) -> str:
    with pytest.raises(ProjectError) as caught:
        table(tmp_path, text, name=name, **settings)
    assert caught.value.exit_code == 8
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("86.4", 86.4),
        ("86.4 %", 86.4),
        ("1,254", 1254),
        ("1,254,000.5", 1254000.5),
        ("1 254", 1254),
        ("1.254,5", 1254.5),
        ("86,4", 86.4),
        ("−3", -3),
        ("1e-3", 0.001),
    ],
)
def test_numbers_are_read_as_people_write_them(text, value):
    assert read_number(text).value == pytest.approx(value)


@pytest.mark.parametrize("text", ["86.4*", "abc", "12-13", "1,25,4", "inf", "0x10", "twelve"])
def test_what_is_no_number_is_not_read_as_one(text):
    assert read_number(text) is None


def test_a_spread_behind_a_value_is_its_standard_error():
    found = read_number("84.2 ± 0.5")
    assert (found.value, found.error) == (84.2, 0.5)


def test_a_comma_is_decimal_where_the_column_shows_it(tmp_path):
    made = table(tmp_path, "model;x\na;86,4\nb;1,254\nc;71,25\n")
    assert made.results["x"]["b"].value == 1.254


def test_wide_rows_with_their_companions(tmp_path):
    made = table(
        tmp_path,
        "model,mmlu,mmlu_stderr,chat,n,date,source\n"
        "a,71.5,0.4,8.1,500,2025-01-02,board\nb,,,7.2,500,2025-01-02,board\n",
    )
    assert made.benchmarks == ("mmlu", "chat")
    cell = made.results["mmlu"]["a"]
    assert (cell.value, cell.error, cell.items) == (71.5, 0.4, 500)
    assert (cell.date, cell.source) == ("2025-01-02", "board")
    assert "b" not in made.results["mmlu"]


def test_long_rows_with_runs_become_repeated_evaluations(tmp_path):
    made = table(
        tmp_path,
        "model,benchmark,score,n,run,skill,language\n"
        "a,x,0.5,100,1,maths,de\na,x,0.7,100,2,maths,de\n",
    )
    cell = made.results["x"]["a"]
    assert cell.runs == (0.5, 0.7)
    assert cell.value == pytest.approx(0.6)
    assert (made.settings["x"].skill, made.settings["x"].languages) == ("maths", ("de",))


def test_long_rows_with_items_become_results_per_item(tmp_path):
    made = table(
        tmp_path, "model,task,item,correct\na,x,i1,true\na,x,i2,false\na,x,i3,1\nb,x,i1,0\n"
    )
    assert made.results["x"]["a"].by_item == {"i1": 1, "i2": 0, "i3": 1}
    assert made.results["x"]["a"].value == pytest.approx(2 / 3)


def test_scales_are_told_only_where_nothing_is_in_doubt(tmp_path):
    made = table(
        tmp_path,
        "model,frac,pct,points,elo,mt-bench\na,0.5,50,7.5,1200,8\nb,0.9,90,3,1100,7\n",
    )
    assert made.settings["frac"].anchors == (0, 1)
    assert made.settings["pct"].anchors == (0, 100)
    assert made.settings["points"].anchors is None
    assert made.settings["elo"].anchors is None
    assert made.settings["mt-bench"].anchors == (1, 10)
    assert any("points" in note for note in made.notes)


def test_percent_and_fractions_in_one_column_are_refused(tmp_path):
    text = refused(tmp_path, "model,x\na,0.86\nb,81.2\nc,0.7\n")
    assert "mixes percent and fractions" in text
    assert "'a'" in text
    assert "scale: percent" in text


def test_one_small_cell_among_percent_is_left_out_and_said_or_kept_when_stated(tmp_path):
    rows = "model,x\n" + "".join(f"m{i},{40 + i}\n" for i in range(9)) + "low,0.61\n"
    made = table(tmp_path, rows)
    assert "low" not in made.results["x"]
    assert any("0.61" in note for note in made.notes)
    stated = table(tmp_path, rows, benchmarks={"x": BenchmarkSettings(scale="percent")})
    assert stated.results["x"]["low"].value == 0.61


def test_values_off_their_stated_scale_are_refused(tmp_path):
    text = refused(tmp_path, "model,x\na,11\n", benchmarks={"x": BenchmarkSettings(scale=(1, 10))})
    assert "11" in text
    assert "1 to 10" in text


BROKEN = [
    ("", "the file is empty"),
    ("model,x\n", "the table has no rows"),
    ("a,b\n1,2\n", "no column names the models"),
    ("1,2\n3,4\n", "not the names of columns"),
    ("model,x\na,1\na,2\n", "the model 'a' occurs twice (first in line 2)"),
    ("model,benchmark,score\na,x,1\na,x,2\n", "two results for 'x'"),
    ("model,x\na,1\nb,12q\nc,3\n", "'12q' is no number"),
    ("model,x\na,1,2\n", "1 more cell(s) than the header"),
    ("model,x,x\na,1,2\n", "'x' occurs twice"),
    ("model,x\n,1\n", "the row names no model"),
    ("model,note\na,fine\n", "no results were found"),
    ('model,x\na,"1\n', "this is no CSV"),
    ("model,benchmark,score\na,,1\n", "names no benchmark"),
    ("model,task,item,score\na,x,i,1\na,x,i,0\n", "two results for item 'i'"),
    ("model,x,n\na,50,-3\n", "'-3' is no number"),
]


@pytest.mark.parametrize(("text", "message"), BROKEN)
def test_broken_tables_say_what_is_wrong(tmp_path, text, message):
    assert message in refused(tmp_path, text)


def test_a_mistake_names_its_line_and_column(tmp_path):
    assert "t.csv:3 x" in refused(tmp_path, "model,x\na,1\nb,12q\nc,3\n")


def test_all_mistakes_are_told_at_once_and_bounded(tmp_path):
    rows = "".join(f"m{i},1,{'bad' if i % 3 == 0 else i}\n" for i in range(300))
    text = refused(tmp_path, "model,x,y\n" + rows)
    assert "and 80 more problems like these" in text
    assert len(text.splitlines()) < 80


def test_short_rows_are_missing_cells_and_said(tmp_path):
    made = table(tmp_path, "model,x,y\na,50\nb,60,70\n")
    assert "a" not in made.results["y"]
    assert any("1 row(s) are shorter" in note for note in made.notes)


def test_text_columns_are_no_benchmarks(tmp_path):
    made = table(tmp_path, "model,x,licence\na,50,MIT\nb,60,Apache\n")
    assert made.benchmarks == ("x",)


def test_unknown_names_in_the_settings_are_refused_with_the_nearest(tmp_path):
    text = refused(tmp_path, "model,hellaswag\na,50\n", benchmarks={"helaswag": {}})
    assert "did you mean 'hellaswag'" in text
    assert "no model 'z'" in refused(tmp_path, "model,x\na,50\n", models=("z",))


def test_files_that_are_no_tables_are_one_line_each(tmp_path):
    latin = tmp_path / "l.csv"
    latin.write_bytes("model,x\ncaf\xe9,1\n".encode("latin-1"))
    (tmp_path / "b.json").write_text("{", encoding="utf-8")
    (tmp_path / "c.yaml").write_text("a: [1", encoding="utf-8")
    (tmp_path / "d.xlsx").write_bytes(b"PK")
    (tmp_path / "e.eval").write_bytes(b"no zip")
    (tmp_path / "f.json").write_text('{"a": 1}', encoding="utf-8")
    (tmp_path / "empty").mkdir()
    names = ["l.csv", "b.json", "c.yaml", "d.xlsx", "e.eval", "f.json", "gone.csv", "empty"]
    with pytest.raises(ProjectError) as caught:
        read_tables([tmp_path / name for name in names])
    text = str(caught.value)
    for words in ("no UTF-8", "no JSON", "no YAML", "not known", "no Inspect log", "no table known",
                  "cannot be read", "holds no logs"):  # fmt: skip
        assert words in text
    assert len(caught.value.problems) == len(names)


def test_own_form_in_json_and_yaml(tmp_path):
    about = {
        "date": "2026-01-01",
        "source": "us",
        "benchmarks": {"x": {"items": 200, "scale": "fraction", "languages": ["ja"]}},
        "models": {
            "a": {"x": {"runs": [0.5, 0.7]}, "y": 0.3},
            "b": {"x": {"by_item": {"1": 1, "2": 0}, "error": 0.1}, "y": None},
        },
    }
    made = table(tmp_path, json.dumps(about), name="t.json")
    assert made.settings["x"].items == 200
    assert made.results["x"]["a"].runs == (0.5, 0.7)
    assert made.results["x"]["b"].by_item == {"1": 1, "2": 0}
    assert made.results["y"] == {"a": made.results["y"]["a"]}
    assert made.results["y"]["a"].source == "us"
    text = "models:\n  a: {x: 0.5}\n  b: {x: {value: 0.6, items: 50}}\n"
    again = table(tmp_path, text, name="t.yaml")
    assert again.results["x"]["b"].items == 50
    dated = table(tmp_path, "date: 2026-01-02\n" + text, name="t.yaml")
    assert dated.results["x"]["a"].date == "2026-01-02"
    assert "this is no result" in refused(tmp_path, "models: {a: {x: high}}\n", name="t.yaml")


def test_records_are_rows(tmp_path):
    made = table(tmp_path, json.dumps([{"model": "a", "x": 0.5}, {"model": "b"}]), name="t.json")
    assert made.results["x"]["a"].value == 0.5


def test_a_large_table_is_read_whole(tmp_path):
    names = ",".join(f"b{j}" for j in range(200))
    rows = "\n".join(
        f"m{i}," + ",".join(f"{(i * 7 + j * 13) % 100}.5" for j in range(200)) for i in range(5000)
    )
    made = table(tmp_path, f"model,{names}\n{rows}\n")
    assert len(made.models) == 5000
    assert sum(map(len, made.results.values())) > 980_000


def test_a_real_leaderboard_with_gaps_and_line_breaks_in_its_header():
    made = read_tables([shared("leaderboards/alpaca_eval_benchmarks.csv")])
    assert len(made.models) == 55
    assert len(made.benchmarks) == 23
    assert made.results["MMLU (5-shot)"]["claude-3-opus-20240229"].value == 86.8
    assert made.settings["MMLU (5-shot)"].items == 14_042
    assert made.settings["Open LLM (average)"].aggregate
    assert made.settings["Arena Elo [Feb 2, 2024]"].anchors is None


def test_a_real_leaderboard_with_standard_errors():
    made = read_tables([shared("alpaca_eval/alpaca_eval_gpt4_leaderboard.csv")])
    cell = made.results["win_rate"]["gpt4_1106_preview"]
    assert cell.items == 804
    assert cell.error == pytest.approx(0.5104849118)
    assert made.results["discrete_win_rate"]["gpt4_1106_preview"].error is None
