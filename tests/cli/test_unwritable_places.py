"""Places that cannot be written, and names a run does not have: one line, and the right code."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from befit.errors import StoreFullError, UsageError
from befit.pipeline.result import Run
from cli_ground import befit, provided, write_project

FULL = Path("/dev/full")
full_disk = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    folder = write_project(tmp_path, n=2)
    with provided(folder):
        assert befit("run").code == 0
    return Run(folder / ".befit")


def test_init_where_nothing_can_be_made_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ended = befit("init", str(tmp_path / "file" / "x"), "--yes")
    assert ended.code == 2
    assert ended.err.startswith("E101 ")
    assert "the project cannot be written" in ended.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_init_in_a_folder_that_is_read_only_is_told_in_one_line(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    ended = befit("init", str(tmp_path / "x"), "--yes")
    tmp_path.chmod(0o700)
    assert ended.code == 2
    assert "the project cannot be written" in ended.err


@full_disk
@pytest.mark.parametrize(
    "words",
    [("report", "--format", "html"), ("report", "--format", "json"), ("export",), ("decide",)],
)
def test_a_full_disk_ends_with_code_5(run: Run, words: tuple[str, ...]) -> None:
    with provided(Path(run.location).parent):
        ended = befit(*words, "--out", str(FULL))
    assert ended.code == 5
    assert ended.err.startswith("E320 ")
    assert "cannot be written" in ended.err


@full_disk
def test_a_full_disk_is_an_error_of_befit_in_python(run: Run) -> None:
    link = Path(run.location).parent / "full.html"
    link.symlink_to(FULL)
    with pytest.raises(StoreFullError, match="cannot be written"):
        run.report(link)


def test_a_report_in_a_form_there_is_not_or_a_place_there_is_not_is_refused(
    run: Run, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="a report is one HTML page"):
        run.report(tmp_path / "x.pdf")
    assert not (tmp_path / "x.pdf").exists()
    with pytest.raises(UsageError, match="the report cannot be written"):
        run.report(tmp_path / "no" / "such" / "x.html")


def test_names_a_run_does_not_have_are_refused_with_those_it_has(run: Run) -> None:
    for ask in (
        lambda: run.differences(baseline="goood"),
        lambda: run.failures(candidate="goood"),
        lambda: run.failures(scenario="totl"),
        lambda: run.failures(dimension="reasning"),
    ):
        with pytest.raises(UsageError, match="the run has no") as caught:
            ask()
        assert "known: " in caught.value.do
    assert len(run.differences(baseline="good")) > 0
