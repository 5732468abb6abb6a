"""Lists that are cut say so, a cap that is too small says what is needed, no room is no crash."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from befit.cli import show_view
from befit.storage.workspace import Workspace
from cli_ground import PROJECT, befit, environment, provided, write_project

ONLY_TOTAL = PROJECT[: PROJECT.index("  - name: fields")] + PROJECT[PROJECT.index("run:") :]


def test_a_list_of_failed_trials_that_is_cut_says_so_in_json_too(tmp_path: Path) -> None:
    with provided(write_project(tmp_path, text=ONLY_TOTAL)):
        assert befit("run").code == 0
        whole = befit("show", "--all", "--json")
        count = len(whole.data)
        assert count > 3
        assert whole.envelope["warnings"] == []
        cut = befit("show", "--limit", "3", "--json")
        assert len(cut.data) == 3
        assert cut.data == whole.data[:3]
        assert "only the first 3 are listed" in cut.envelope["warnings"][0]
        exact = befit("show", "--limit", str(count), "--json")
        assert (len(exact.data), exact.envelope["warnings"]) == (count, [])
        assert show_view.LISTED == 50


def test_a_cap_below_one_call_says_what_one_call_may_cost(tmp_path: Path) -> None:
    with provided(write_project(tmp_path, text=ONLY_TOTAL)) as provider:
        ended = befit("run", "--max-cost", "0.000001")
        assert ended.code == 6
        assert "the spend cap is below what one call may cost, $" in ended.err
        assert provider.requests == []
        # A cap of the project file is raised by the command line.
        goes_on = ended.err.partition("resume  befit ")[2].splitlines()[0]
        assert befit(*goes_on.split()).code == 0


def test_a_metric_that_repeats_another_does_not_weaken_it(tmp_path: Path) -> None:
    # One binary scorer: its score and the pass rate are the same numbers.
    with provided(write_project(tmp_path, text=ONLY_TOTAL)):
        assert befit("run").code == 0
        lines = befit("compare", "good", "bad", "--json").data["lines"]
        assert len(lines) == 2
        assert {line["p_adjusted"] for line in lines} == {lines[0]["p_value"]}


def test_a_workspace_that_somebody_holds_has_a_code_of_its_own(tmp_path: Path) -> None:
    with provided(write_project(tmp_path, text=ONLY_TOTAL)):
        assert befit("run").code == 0
        with Workspace.open(tmp_path / ".befit") as store:
            plan = store.find_run().plan_fingerprint
            with store.hold(plan):
                ended = befit("run")
        assert ended.code == 2
        assert ended.err.splitlines()[-3].startswith("E310")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")  # noqa: PTH110 - a device
@pytest.mark.parametrize("words", [["report"], ["runs", "--json"]])
def test_an_output_without_room_is_one_line_with_a_code(tmp_path: Path, words: list[str]) -> None:
    with provided(write_project(tmp_path, text=ONLY_TOTAL)) as provider:
        assert befit("run").code == 0
        url = provider.base_url
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        ended = subprocess.run(
            [sys.executable, "-c", "from befit.cli.main import main; main()", *words],
            cwd=tmp_path,
            env=environment(url),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert ended.returncode == 5
    assert ended.stderr.startswith("E320 stdout there is no room for the output")
    assert "Traceback" not in ended.stderr


def test_a_file_that_cannot_be_finished_leaves_the_one_before_it(tmp_path: Path) -> None:
    from befit.storage.whole_file import whole_file, write_whole  # noqa: PLC0415 - only here

    place = tmp_path / "report.html"
    write_whole(place, "before")
    place.chmod(0o640)
    with pytest.raises(RuntimeError), whole_file(place) as file:  # noqa: PT012 - the crash is inside
        file.write(b"half")
        raise RuntimeError
    assert place.read_text() == "before"
    write_whole(place, "after")
    assert (place.read_text(), place.stat().st_mode & 0o777) == ("after", 0o640)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_plan_tells_the_time_that_earlier_runs_took_or_of_whom_it_is_not_known(
    tmp_path: Path,
) -> None:
    folder = write_project(tmp_path, n=2)
    with provided(folder):
        before = befit("plan")
        assert befit("run", "--yes").code == 0
        held = befit("plan")
        write_project(tmp_path, n=3)
        more = befit("plan")
    assert "no rate is stated for good, bad, and no earlier run of this project" in before.out
    assert "time  none: there is nothing to call" in held.out
    assert re.search(r"time  about [\d.]+ m?s, by the latencies of earlier runs", more.out)
