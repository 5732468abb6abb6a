"""What a candidate gets wrong, by the names of the scenario, in the terminal's report."""

from __future__ import annotations

from cli_ground import befit

PROJECT = """\
project: p
candidates: [{name: a, target: function, model: "answers:said", price: {input: 0, output: 0}}]
scenarios:
  - name: sums
    dimension: reasoning
    repeats: 1
    success: The number.
    samples:
      - {id: one, input: "40 + 2?", target: "42"}
      - {id: two, input: "nothing", target: "42"}
      - {id: three, input: "41", target: "42"}
      - {id: four, input: "42", target: "42"}
    scorers: [{match: {numeric: true}}]
    failure_modes: [{name: gave no number, label: no_answer}, {name: miscounted, label: wrong}]
"""


def test_the_terminal_tells_how_often_each_failure_came(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answers.py").write_text("def said(prompt):\n    return prompt\n")
    (tmp_path / "befit.yaml").write_text(PROJECT)
    assert befit("run", "--yes").code == 0
    told = befit("report").out
    table = told[told.index("Failures by mode") :].split("\n\n")[0]
    rows = [line.split() for line in table.splitlines()]
    # "40 + 2?" is read as 2 and "41" as 41: two of four miscounted, one without a number.
    assert rows[2][:4] == ["sums", "a", "miscounted", "2"]
    assert rows[3][:6] == ["sums", "a", "gave", "no", "number", "1"]
    assert "50 %" in table
    assert "25 %" in table
