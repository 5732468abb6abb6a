"""`befit show` without a sample: what failed of what, and what is missing."""

from __future__ import annotations

from pathlib import Path

from befit.testing.script import Script
from cli_ground import PROJECT, befit, provided, write_project

ONLY_TOTAL = PROJECT[: PROJECT.index("  - name: fields")] + PROJECT[PROJECT.index("run:") :]


def test_every_failed_trial_is_listed_with_its_mode_or_the_label_of_its_score(
    tmp_path: Path,
) -> None:
    with provided(write_project(tmp_path)):
        assert befit("run").code == 0
        told = befit("--plain", "show").out.splitlines()
        data = befit("show", "--json").data
        counted = befit("report", "--json").data["analysis"]["failures"]
    rows = [line.split("\t") for line in told[1:]]
    assert rows
    assert all(row[4] for row in rows)
    # what the report counts by mode is what is listed; a label stands where it says "other"
    named = {one["mode"] for one in counted} - {"other"}
    assert named <= {row[4] for row in rows}
    assert [row[4] for row in rows] == [one["mode"] for one in data]
    listed = [row[4] for row in rows if row[4] in named]
    assert len(listed) == sum(one["count"] for one in counted if one["mode"] in named)


def test_trials_that_are_all_missing_are_counted_with_their_cause(tmp_path: Path) -> None:
    script = Script(permanent={"Invoice": "500"})
    with provided(write_project(tmp_path, text=ONLY_TOTAL, n=2), script):
        assert befit("run").code == 5
        said = befit("show").err
        of_one = befit("show", "--candidate", "good").err
    assert "0 failed" in said
    assert "8 missing, neither right nor wrong (server: 8)" in said
    assert "4 missing, neither right nor wrong (server: 4)" in of_one
