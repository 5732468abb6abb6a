"""`befit report --format csv`: a folder of tables, or one clear line where that cannot be."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from befit.cli.shell import Shell
from befit.cli.words import show_table
from cli_ground import befit, provided, write_project


def test_a_report_becomes_a_folder_of_tables(tmp_path: Path) -> None:
    with provided(write_project(tmp_path)):
        assert befit("run").code == 0
        ended = befit("report", "--format", "csv", "--out", "tables", "--json")
        assert ended.code == 0
        assert ended.data["folder"] == "tables"
        made = sorted(path.name for path in (tmp_path / "tables").iterdir())
        assert ended.data["files"] == made
        with (tmp_path / "tables" / "quality_and_cost.csv").open() as file:
            rows = list(csv.DictReader(file))
        assert {row["candidate"] for row in rows} == {"good", "bad"}
        (tmp_path / "taken").write_text("a file")
        refused = befit("report", "--format", "csv", "--out", "taken")
        assert refused.code == 2
        assert "the tables cannot be written" in refused.err


def test_a_pipe_has_no_width_so_nothing_is_left_out_or_folded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    with provided(write_project(tmp_path)):
        assert befit("run").code == 0
        told = befit("report")
    assert "left out" not in told.err
    heads = [line.split("  ") for line in told.out.splitlines() if line.startswith("row ")]
    assert {"threshold", "95 % interval"} <= {cell.strip() for cell in heads[0]}
    for name in ("latency from due p95", "output tokens p95", "missing rate", "selective accuracy"):
        assert name in told.out


@pytest.mark.parametrize("width", [72, 80])
def test_a_narrow_table_breaks_between_words(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    out = io.StringIO()
    row = ["Classification !", "Answer accuracy", "smollm2-warm c", "10 %", "[2, 33]", "16 x 5"]
    header = ["row", "metric", "candidate", "value", "interval", "n"]
    show_table(Shell(out=out, err=io.StringIO()), header, [row], numeric=(3, 4))
    words = {word for cell in (*header, *row) for word in cell.split()}
    assert words <= set(out.getvalue().split())


def test_figures_of_extraction_say_what_they_stand_on(tmp_path: Path) -> None:
    with provided(write_project(tmp_path)):
        assert befit("run").code == 0
        told = befit("--plain", "report").out.splitlines()
    heads = [number for number, line in enumerate(told) if "selective accuracy" in line]
    assert heads
    head, first = (told[heads[0] + more].split("\t") for more in (0, 1))
    assert head[-1] == "n"
    assert re.fullmatch(r"\d+ x \d+(, \d+ missing)?", first[-1])
