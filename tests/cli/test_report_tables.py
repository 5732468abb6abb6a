"""`befit report --format csv`: a folder of tables, or one clear line where that cannot be."""

from __future__ import annotations

import csv
from pathlib import Path

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
